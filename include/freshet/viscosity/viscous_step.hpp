// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/viscosity/cell_viscosity.hpp"
#include "freshet/viscosity/viscosity_options.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// What a viscous step did; the same on all ranks.
struct ViscosityReport {
  int iterations = 0;
  double relative_residual = 0.0;  ///< the error of u' / u', in the norm of energy, as the preconditioner measures it
  GlobalIndex unknowns = 0;        ///< faces
  bool converged = true;
  bool was_coupled_in_vain = false;  ///< the coupled solve did not converge, and the step was taken without q
  bool is_coupled = false;           ///< the pressure is a ViscousPressure's; false where viscosity has next to none
};

/// The liquid as a viscous step sees it.
struct ViscousLiquid {
  LabelField& labels;                   ///< ghosts are refreshed to width 3
  const SolidFields& solids;            ///< with their velocities during the step
  CellField<float>* surface = nullptr;  ///< signed distance to the surface [cells], ghosts are refreshed to width 3;
                                        ///< null: the surface runs along the faces of cells
  double viscosity = 0.0;               ///< of all cells, or, if the next member is set, the largest of them [Pa s]
  const CellViscosities* viscosity_of_cells = nullptr;  ///< ghosts valid to width 2
};

/// The pressure that keeps the liquid's volume while viscosity acts.
struct ViscousPressure {
  const CellField<std::uint8_t>& unknown;  ///< not 0 in the cells that keep their volume; owned
  CellField<double>& pressure;             ///< out: q~ = dt q / (rho dx) in owned cells, 0 in others [m/s]
};

/// What the liquid beside a face that a solid or a wall holds does to it.
struct HeldForce {
  int axis = 0;        ///< of the face and of the force
  Vec3i cell;          ///< of which the face is the low one; beyond a wall it is not in the domain
  Vec3 at;             ///< centre of the cell or edge that has the stress, or of the face [m]
  double force = 0.0;  ///< of the liquid on the solid; in 2-D of a layer as thick as a cell [N]
  bool of_stress =
      true;  ///< false: of the pressure on the open part of a face that a body holds, and of its liquid's momentum
};

/// Takes the viscous stress of a step into the velocity, implicitly.
///
/// The velocity u' minimises
///   rho/2 int |u' - u*|^2 + dt int mu |D(u')|^2,    D = (grad u + grad u^T) / 2                              (1)
/// over the liquid. Its minimum meets rho (u' - u*) = dt div (2 mu D) inside and D n = 0, no traction, at the free
/// surface. Faces of solids hold the solid's velocity. On the staggered grid with cells of dx
///   (1) = rho dx^3/2 sum_f W_f (u_f - u*_f)^2
///         + dt dx sum_c mu_c W_c sum_d (delta_d u_d)^2 + dt dx / 2 sum_e mu_e W_e (delta_e u_d + delta_d u_e)^2 (2)
/// over faces f, cells c and cell edges e, where W are the parts of dx^3 boxes around them that are liquid, and mu_e is
/// the mean of mu over the liquid in the box, between cells of several viscosities a harmonic one. Each box consists of
/// octants of cells, and an octant's part follows from the signed distance at its centre.
///
/// Solids: the velocity's difference across a no-slip surface is that between the liquid's face and the surface, at
/// the part theta of dx: mu / theta stands in (2) for mu, as in the symmetric scheme of Gibou et al. (2002). Solids of
/// whole cells and the domain's walls have theta = 1/2 for the velocity along them, so that plane walls are of second
/// order. In edges that a no-slip body of open fractions cuts obliquely, the product of both differences has the
/// geometric mean of the two factors, which keeps (2) positive; walls across the grid are of first order. Walls with
/// free slip give no stress, and bodies with free slip and open fractions reduce W.
///
/// A wall thinner than a cell holds the faces that it closes between cells of liquid. Where it closes both faces across
/// it at an edge, the term of this edge falls away; if the wall is without slip, its place is taken by
/// dt dx mu_h W_h / (2 theta) (u - u_s)^2 for each half h of the edge's box, u being on the face along the wall there.
///
/// With a ViscousPressure u' is also held to flow into and out of each cell as u* does, and the multiplier q of this
/// condition is what viscosity adds to the pressure: the minimum meets
///   rho (u' - u*) = dt (div (2 mu D) - grad q),    (2 mu D - q) n = 0 at the surface.                          (3)
/// Without it D n = 0 alone, with p = 0 at the surface, leaves stretched liquid half of its resistance.
///
/// The matrix A is symmetric and positive definite; PETSc's conjugate gradients solve the system A u' = b, with
/// multigrid on the staggered faces as preconditioner, or what the options below viscosity_ choose. The sums of
/// conjugate gradients are without round-off: the same bits for any number of ranks and threads. (3) is solved by the
/// method of minimal residuals, with multigrid for the faces and, for the cells, the sum of what viscosity alone and
/// mass alone make of the inverse; the latter is a pressure's, with multigrid of its own. Both end when the error is
/// small in the norm of energy: r M^-1 r <= tolerance^2 b M^-1 b, M the preconditioner. (b A^-1 b is u' A u', twice the
/// energy of u' and what its stress takes in a step. The momentum of u* says little of a beam that falls 10^4 times
/// faster before the step than after it.) Source: Batty & Bridson 2008, sections 4 and 5; Larionov, Batty & Bridson
/// 2017 for (3); Cahouet & Chabard 1988 for the preconditioner of the cells
class ViscousStep {
 public:
  /// Collective. Errors: InputError if PETSc refuses an option below viscosity_, or does not use it
  ViscousStep(const Communicator& comm, const ViscosityOptions& options);
  ~ViscousStep();
  ViscousStep(const ViscousStep&) = delete;
  ViscousStep& operator=(const ViscousStep&) = delete;

  /// u* -> u' on owned faces with liquid around them. With a surface these are more than the faces of liquid cells: u*
  /// is continued to the others as a straight line, and must be continued into the air by a cell for the few in corners
  /// that no line reaches. \param[in] dt_over_density [s m^3/kg]
  /// \param[in,out] velocity  owned; ghosts are refreshed to width 2 before the step, and not after it [m/s]
  /// \param[in] coupled  null: u' solves (1)
  /// A solve that does not converge is reported, not thrown. Parallel: collective; OpenMP
  ViscosityReport operator()(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& velocity,
                             const ViscousPressure* coupled = nullptr);

  /// Whether viscosity reaches so little of a cell within dt that act_explicitly() does for it: dt mu / (rho dx^2) <
  /// 1e-3, mu the largest viscosity of the liquid. Water is thin wherever dt follows from a CFL number.
  static bool is_thin(const ViscousLiquid& liquid, double dt_over_density);
  /// u* += dt div (2 mu D(u^n)) / rho on owned faces of liquid cells, with the surface along the faces of cells, and
  /// u* += u_s - u^n on faces that bodies of open fractions hold: forward Euler for liquid that is thin, which takes no
  /// solve and, as the stress is that of the velocity before forces and pressure, no projection of its own.
  /// \param[in] before  u^n, owned; ghosts of it are refreshed to width 1, those of labels at least so far [m/s]
  /// \param[in,out] velocity  u*, owned [m/s]
  /// Parallel: collective; OpenMP
  void act_explicitly(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& before,
                      FaceField<double>& velocity);

  /// Find the forces on solids and walls in all steps from now on.
  void keep_forces();
  /// Those of the last step, at u'. Together they are what the liquid has lost: minus the sum of
  /// rho dx^3 W (u' - u*) / dt, but for what q gives to the liquid.
  const std::vector<HeldForce>& forces() const;

  /// y = A u with the weights of the last step, for tests: A = W + dt K / rho, for u that is 0 on faces without an
  /// unknown; y is 0 there. Both owned; ghosts of u are refreshed. Parallel: collective; OpenMP
  void apply(FaceField<double>& u, FaceField<double>& y) const;
  /// Mass W of an owned face in the last step; 0 or less on a face without an unknown.
  double mass(int axis, LocalIndex block, int face) const;
  /// Whether a body of open fractions held an owned face in the last step.
  bool is_held_by_body(int axis, LocalIndex block, int face) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace freshet
