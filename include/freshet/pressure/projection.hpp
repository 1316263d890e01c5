// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/pressure/bubbles.hpp"
#include "freshet/pressure/pressure_options.hpp"
#include "freshet/pressure/solver.hpp"
#include "freshet/solids/solids.hpp"

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace freshet {

class FreeBodies;

/// What a projection did; the same on all ranks.
struct ProjectionReport {
  SolveReport solve;                 ///< report of the last solve; iterations and seconds of all solves
  double max_divergence = 0.0;       ///< largest divergence of a cell with an unknown after the solve [1/s]
  double enforced_divergence = 0.0;  ///< max_divergence after flow into walls is removed [1/s]
  int outer_iterations = 0;          ///< number of solves
  bool outer_converged = true;       ///< false: max_outer cut off admm, iop or iop_bc before their thresholds
  GlobalIndex wall_faces = 0;        ///< faces between liquid and separating walls
  GlobalIndex separated_faces = 0;
  GlobalIndex set_changes = 0;   ///< changes of faces between contact and separation while solving
  double complementarity = 0.0;  ///< max |min(p_s dt/(rho dx), (u - u_solid).n)| over wall_faces [m/s]
  std::string retried;           ///< the second solver's name and why the first failed; empty if it did not
};

/// One round of a method with an outer loop, for studies of how it converges; the same on all ranks.
struct OuterRound {
  int number = 0;  ///< from 1 on
  /// Largest divergence of a cell once the velocities at walls are set; if admm ends by its difference, before the dual
  /// changes once more. [1/s]
  double divergence = 0.0;
  double difference = 0.0;  ///< admm: largest difference of its two velocities before the dual changes [m/s]; else 0
};

/// Makes a velocity field divergence-free under the conditions at walls.
///
/// A wall face has a pressure p_s of its own: u_f = u*_f - dt/(rho dx) (p_s - p_c) towards the liquid cell c. Sticky
/// walls hold (u - u_s).n = 0. Separating walls ask for complementarity, with n out of the solid:
///   p_s >= 0,  (u - u_s).n >= 0,  p_s (u - u_s).n = 0
/// The method `complementarity` solves this exactly. A face separates where w = (u* - u_s).n exceeds the scaled
/// pressure p~_c of its cell. For a given set of separated faces (p_s = 0: one more on the diagonal, w on the
/// right-hand side) the system is linear; its solution gives the next set, until the set stays the same. This is a
/// semismooth Newton method on a convex, piecewise quadratic energy; the sets grow or shrink monotonically because the
/// matrix is an M-matrix. Source: Batty, Bertails & Bridson 2007, section 4; Chentanez & Mueller 2011; Hintermueller,
/// Ito & Kunisch 2003.
///
/// In a cell that a body cuts, the piece of the body's surface takes the place of the wall face. It has the area
/// vector A n that closes the cell, one pressure p_s and one speed (u - u_s).n, which starts from the mean velocity of
/// the cell's open faces and changes by p_c - p_s. Its flow counts A times that of a face: A more on the diagonal if
/// p_s = 0.
///
/// The other methods are those of Eckert (2014), chapter 3, on wall faces instead of cells: `cg` (OrigPS, and OrigPSSep
/// where walls separate), `admm` (ADMMVel..., ADMMDiv...), `iop` (IOPDiv...), `iop_bc` (IOPDivSepBC). They decide once
/// a step which faces separate.
class Projection {
 public:
  Projection(const Communicator& comm, const PressureOptions& parameters);
  ~Projection();
  Projection(const Projection&) = delete;
  Projection& operator=(const Projection&) = delete;

  /// Let the pressure move bodies from now on: the system contains them, and each projection begins with their
  /// velocities V* (FreeBodies::predict()) on the faces of solids and ends with their velocities V'. \param[in] bodies
  /// must outlive the projections; null: none. Parallel: local
  void set_bodies(FreeBodies* bodies);

  /// Same as PressureSolver::try_options. \pre labels valid to width 1. Parallel: collective
  void try_options(const LabelField& labels, const SolidFields& solids);

  /// u <- u - grad p on owned faces; wall faces next to liquid get the velocity that the wall condition gives.
  ///
  /// \param[in]     labels    ghosts valid to width 1
  /// \param[in,out] velocity  u*, owned faces; on wall faces the velocity without pressure
  /// \param[in,out] pressure  p~ = dt p / (rho dx) [m/s], owned: initial guess; on return the solution, ghosts valid to
  ///                          width 1
  /// \param[in]     inflow    net outflow of each owned cell: volume of sources per time and face area [m/s]; null: 0
  /// \param[in]     surface   place of the condition p = 0; its field must live until the next call
  /// \param[in]     tension   pressure at that surface, see SurfaceTension
  /// \param[in,out] bubbles   bubbles of trapped air, see Bubbles; on return their pressures stand in their cells of
  ///                          `pressure`. Null: none
  /// Errors: RunError if neither the chosen solver nor the second one (FallbackSolver) converges, or if
  /// `complementarity` finds no set in max_outer solves. Parallel: collective; OpenMP
  ProjectionReport operator()(const LabelField& labels, const SolidFields& solids, FaceField<double>& velocity,
                              CellField<double>& pressure, const CellField<double>* inflow = nullptr,
                              const SurfacePlace& surface = {}, const SurfaceTension& tension = {},
                              Bubbles* bubbles = nullptr);

  /// Let the next projection keep the bodies' rows of the last one. Without bubbles it need not find them again.
  /// \pre it is one of the same trial of a step: liquid and bodies are where they were. Parallel: local
  void keep_rows();

  /// Give the wall faces of bodies the velocities that bodies have now: those of the solids, and what leaves them.
  /// \param[in,out] velocity  of the last projection, owned. Parallel: local; OpenMP
  void follow_bodies(const SolidFields& solids, FaceField<double>& velocity);

  /// Let a function be called after each round of admm, iop and iop_bc, which then measure both numbers of each round;
  /// an empty one: none. Collective calls in it are legal
  void watch(std::function<void(const OuterRound&)> watcher);
  /// Let a function be called in each iteration of each solve, from 0 on, with the largest divergence of a cell that
  /// the solve has left [1/s]; an empty one: none. Separated faces that are not in the system count as closed.
  void watch_iterations(std::function<void(double)> watcher);

  /// 1 in cells where liquid left a body that cuts them in the last projection; ghosts valid to width 1. Null: no body.
  const CellField<std::uint8_t>* released() const;

  /// The system of the last projection, with its `surface`.
  const PoissonCoefficients& coefficients() const;

  /// The right-hand side and the solution of displace(). The projection uses the same fields, so that their contents
  /// last until the next one.
  struct Displacement {
    CellField<double>& right_hand_side;  ///< b, owned [cell volumes]; cells without an unknown are not read
    CellField<double>& potential;        ///< q; ghosts valid to width 1 after displace()
  };
  Displacement displacement();

  /// Find d = -grad q with div d = b: the displacement that corrects density errors b. The matrix is that of the last
  /// projection with all walls closed and bodies that hold their places; only diagonals at walls that were open are set
  /// up anew. Bubbles grow by a part of their lacks, and keep their volumes else, unless they give way (see Bubble).
  ///
  /// b and q are those of displacement(); on return b contains the terms of bubbles.
  /// \param[in]  part_of_lack  part of Bubble::lack that bubbles grow by
  /// \param[out] displacement  d on owned faces [cells]; 0 on closed ones
  /// \param[in]  tolerance     norm of the residual relative to |b|
  /// \pre solids and layout are those of the last projection. A solve that does not converge is reported, not thrown.
  /// Parallel: collective; OpenMP
  SolveReport displace(const SolidFields& solids, double part_of_lack, FaceField<double>& displacement,
                       double tolerance);

  /// The state that wall methods read and change, in src/pressure/walls/projection_implementation.hpp.
  struct Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace freshet
