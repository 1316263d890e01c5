// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/pressure/pressure_options.hpp"
#include "freshet/pressure/solver.hpp"
#include "freshet/solids/solids.hpp"

#include <array>
#include <memory>
#include <string>

namespace freshet {

/// What a projection did; the same on all ranks.
struct ProjectionReport {
  SolveReport solve;                 ///< of the last solve, with the iterations and seconds of all of them
  double max_divergence = 0.0;       ///< largest one that the method leaves in a cell with an unknown [1/s]
  double enforced_divergence = 0.0;  ///< the same after enforce_walls() has removed flow into walls [1/s]
  int outer_iterations = 0;          ///< number of solves
  bool outer_converged = true;       ///< false: max_outer solves of admm, iop or iop_bc did not reach their thresholds
  GlobalIndex wall_faces = 0;        ///< faces between liquid and solids that let it leave
  GlobalIndex separated_faces = 0;
  GlobalIndex set_changes = 0;   ///< faces that went from contact to separation or back while solving
  double complementarity = 0.0;  ///< max |min(p_s dt/(rho dx), (u - u_solid).n)| over wall_faces [m/s]
  std::string retried;           ///< the second solver's name and why the first was given up; empty: it was not
};

/// Makes a velocity field free of divergence, with the walls' conditions.
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
/// In a cell that a body cuts, the piece of the body's surface stands for the wall face. It has the area vector A n
/// that closes the cell, one pressure p_s and one speed (u - u_s).n, which begins with the mean velocity of the cell's
/// open faces and changes by p_c - p_s. Its flow counts with the part A of a face: A more on the diagonal where p_s =
/// 0.
///
/// The other methods are those of Eckert (2014), chapter 3, on wall faces instead of cells: `cg` (OrigPS, and OrigPSSep
/// where walls separate), `admm` (ADMMVel..., ADMMDiv...), `iop` (IOPDiv...), `iop_bc` (IOPDivSepBC). They classify the
/// faces once a step.
class Projection {
 public:
  Projection(const Communicator& comm, const PressureOptions& parameters);
  ~Projection();
  Projection(const Projection&) = delete;
  Projection& operator=(const Projection&) = delete;

  /// See PressureSolver::try_options. \pre labels valid to width 1. Parallel: collective
  void try_options(const LabelField& labels, const SolidFields& solids);

  /// u <- u - grad p on owned faces, and wall faces next to liquid get the velocity that the walls' condition asks for.
  ///
  /// \param[in]     labels    ghosts valid to width 1
  /// \param[in,out] velocity  u*, owned; wall faces as they would move without pressure
  /// \param[in,out] pressure  p~ = dt p / (rho dx) [m/s], owned: the start; on return with ghosts valid to width 1
  /// \param[in]     inflow    net outflow that each owned cell gets, instead of 0: volume that sources give per time
  ///                          and area of a face [m/s]; null: none
  /// \param[in]     surface   where p = 0 as a signed distance, see SurfaceCondition; it must live until the next call.
  /// Null:
  ///                          at the centres of cells of air
  /// \param[in]     tension   the pressure at that surface, see SurfaceTension
  /// \param[in]     acted     the part of the given pressure, and of the tension, that has acted on u* already: it is
  ///                          taken back first. The new pressure is that of the whole change then, and so are the
  ///                          walls' conditions
  /// Errors: RunError if neither the chosen solver nor, after it, the second one (FallbackSolver) converges, and if
  /// `complementarity` finds no set in max_outer solves. Parallel: collective; OpenMP
  ProjectionReport operator()(const LabelField& labels, const SolidFields& solids, FaceField<double>& velocity,
                              CellField<double>& pressure, const CellField<double>* inflow = nullptr,
                              const CellField<float>* surface = nullptr, const SurfaceTension& tension = {},
                              double acted = 0.0);

  /// Cells in which liquid leaves a body that cuts them, after the last projection; ghosts valid to width 1. Null: no
  /// such body.
  const CellField<std::uint8_t>* released() const;

  /// The system of the last projection, with `surface` as it was given then.
  const PoissonCoefficients& coefficients() const;

  /// Two fields that are free from one projection to the next.
  std::array<CellField<double>*, 2> spare_fields();

  /// d <- -grad q with div d = b: the displacement that corrects density errors b. The matrix is the one of the last
  /// projection with all its walls closed; only diagonals at walls that were open are set up again.
  ///
  /// \param[in]     right_hand_side  b [cell volumes], owned; its values in cells without an unknown are not read
  /// \param[out]    solution         q, ghosts valid to width 1
  /// \param[out]    displacement     d on owned faces [cells]; 0 on closed ones
  /// \param[in]     tolerance        of the residual, relative to |b|
  /// \pre solids and layout are those of the last projection. A solve that does not converge is reported, not thrown.
  /// Parallel: collective; OpenMP
  SolveReport displace(const SolidFields& solids, const CellField<double>& right_hand_side, CellField<double>& solution,
                       FaceField<double>& displacement, double tolerance);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace freshet
