// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/free_bodies.hpp"
#include "freshet/free_surface/surface_place.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/solids/held_force.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/viscosity/cell_viscosity.hpp"
#include "freshet/viscosity/viscosity_options.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// What a viscous step did; the same on all ranks.
struct ViscosityReport {
  int iterations = 0;
  double relative_residual = 0.0;  ///< relative error of u' in the energy norm, estimated with M
  GlobalIndex unknowns = 0;        ///< number of faces with an unknown
  bool converged = true;
  bool was_coupled_in_vain = false;  ///< the coupled solve failed; the step was taken without q
  bool is_coupled = false;           ///< the step was solved with q; false if viscosity is weak
};

/// The liquid as input of a viscous step.
struct ViscousLiquid {
  LabelField& labels;         ///< ghosts are refreshed to width 3
  const SolidFields& solids;  ///< solids with their velocities during the step
  SurfacePlace surface = {};  ///< ghosts of its phi are refreshed to width 3
  double viscosity = 0.0;     ///< viscosity of all cells, or the largest of the next member [Pa s]
  const CellViscosities* viscosity_of_cells = nullptr;  ///< null or by cell; ghosts valid to width 2
  /// Whether a face that a body cuts which the liquid moves has the mass of its open part, as in the pressure's energy.
  bool has_open_masses = false;
};

/// The bodies that the liquid moves in a viscous step.
struct MovedBodies {
  FreeBodies& bodies;  ///< with their velocities before the step
  Dense response;      ///< C of all bodies, FreeBodies::response()
  /// Out: the impulses of the stress and of the pressure that viscosity causes, one a body [kg m/s], [kg m^2/s]
  std::vector<Vec6> impulses = {};
};

/// The pressure that keeps the liquid's volume while viscosity acts.
struct ViscousPressure {
  const CellField<std::uint8_t>& unknown;  ///< nonzero in owned cells that keep their volume
  CellField<double>& pressure;             ///< out: q~ = dt q / (rho dx) in these cells, else 0 [m/s]
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
/// Solids: the velocity difference across a no-slip surface is that between the liquid's face and the surface at the
/// distance theta dx: (2) has mu / theta in place of mu, as in the symmetric scheme of Gibou et al. (2002). Solids of
/// whole cells and the domain's walls have theta = 1/2 for the velocity along them, so that plane walls are of second
/// order. On edges that a no-slip body of open fractions cuts obliquely, the product of both differences has the
/// geometric mean of the two factors, which keeps (2) positive; oblique walls are of first order. Walls with free slip
/// give no stress, and bodies with free slip and open fractions reduce W.
///
/// A wall thinner than a cell holds the faces that it closes between cells of liquid. If it closes both faces beside an
/// edge, (2) loses the term of this edge; for a no-slip wall it gets instead dt dx mu_h W_h / (2 theta) (u - u_s)^2 for
/// each half h of the edge's box, u being on the face along the wall there.
///
/// With a ViscousPressure the net flow of u' into each cell must equal that of u*, and the multiplier q of this
/// condition is the part of the pressure that viscosity causes: the minimum meets
///   rho (u' - u*) = dt (div (2 mu D) - grad q),    (2 mu D - q) n = 0 at the surface.                          (3)
/// Without q the conditions D n = 0 and p = 0 at the surface leave stretched liquid half of its resistance.
///
/// The matrix A is symmetric and positive definite; conjugate gradients solve the system A u' = b, with multigrid on
/// the staggered faces as preconditioner, or what PETSc's options below viscosity_ choose. The sums of
/// conjugate gradients are without round-off: the same bits for any number of ranks and threads. (3) is solved by the
/// method of minimal residuals, with multigrid for the faces and, for the cells, the sum of the inverses that viscosity
/// alone and mass alone give; the latter is a pressure solve with its own multigrid. Both methods end when the error is
/// small in the energy norm: r M^-1 r <= tolerance^2 b M^-1 b, M the preconditioner. (b A^-1 b is u' A u', twice the
/// kinetic energy of u' plus the energy that its stress dissipates in a step. The momentum of u* is no measure for a
/// beam that falls 10^4 times faster before the step than after it.) Source: Batty & Bridson 2008, sections 4 and 5;
/// Larionov, Batty & Bridson 2017 for (3); Cahouet & Chabard 1988 for the preconditioner of the cells
class ViscousStep {
 public:
  /// Collective. Errors: InputError if PETSc refuses an option below viscosity_, or does not use it
  ViscousStep(const Communicator& comm, const ViscosityOptions& options);
  ~ViscousStep();
  ViscousStep(const ViscousStep&) = delete;
  ViscousStep& operator=(const ViscousStep&) = delete;

  /// u* -> u' on owned faces with liquid around them. With a level set these are more than the faces of liquid cells:
  /// u* is extrapolated linearly to the others. The caller extrapolates u* into one layer of air, for the few faces in
  /// corners that no line reaches. \param[in] dt_over_density [s m^3/kg]
  /// \param[in,out] velocity  owned; ghosts are refreshed to width 2 before the step, not after it [m/s]
  /// \param[in] coupled  null: u' solves (1)
  /// \param[in,out] moved  bodies whose velocities are found with u'; null: all solids keep theirs
  /// A solve that does not converge is reported, not thrown. Parallel: collective; OpenMP
  ViscosityReport operator()(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& velocity,
                             const ViscousPressure* coupled = nullptr, MovedBodies* moved = nullptr);

  /// Whether viscosity acts so weakly within dt that act_explicitly() suffices: dt mu / (rho dx^2) < 1e-3 with the
  /// liquid's largest viscosity mu. Water is thin wherever dt follows from a CFL number.
  static bool is_thin(const ViscousLiquid& liquid, double dt_over_density);
  /// u* += dt div (2 mu D(u^n)) / rho on owned faces of liquid cells, with the surface along the faces of cells, and
  /// u* += u_s - u^n on faces that bodies of open fractions hold: forward Euler for thin liquid. It needs no solve and,
  /// because the stress is that of u^n, no additional projection.
  /// \param[in] before  u^n, owned; its ghosts are refreshed to width 1, those of labels at least as far [m/s]
  /// \param[in,out] velocity  u*, owned [m/s]
  /// Parallel: collective; OpenMP
  void act_explicitly(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& before,
                      FaceField<double>& velocity, MovedBodies* moved = nullptr);

  /// Find the forces on solids and walls in all later steps.
  void keep_forces();
  /// The forces of the last step, at u'. Their sum is the momentum that the liquid loses, - sum rho dx^3 W (u' - u*) /
  /// dt, except for the part that q gives to the liquid.
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
