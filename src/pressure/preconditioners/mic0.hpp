// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "pressure/operator/unknowns.hpp"
#include "pressure/preconditioners/ordered_walk.hpp"

#include <vector>

namespace freshet::pressure {

/// Modified incomplete Cholesky, level 0, of the part of A that couples one rank's own unknowns.
///
/// M = (D + L) D^-1 (D + L^T), L the couplings to lower neighbours, D the pivots
///   D_c = max(sigma A_cc, A_cc - sum_lower w (w + tau (sum of the lower cell's other upward weights)) / D_lower)
/// Blocks stand in Morton order, so every lower neighbour of a cell comes before it and the factor is that of the
/// natural order. Left out are couplings to other ranks, and those that wrap around a periodic axis to a block not
/// before this one; `cut_share` of their weight is taken off A_cc, which lets the solution go on smoothly beyond the
/// cut. Source: Bridson 2008, figures 4.2 and 4.3; there precon is D^-1/2, and pivots below sigma A_cc become A_cc,
/// which on rough liquids takes a third more iterations
class Mic0 {
 public:
  Mic0(double tau, double sigma) : tau_(tau), sigma_(sigma) {}
  /// Factor. Both arguments must outlive apply(). Parallel: local; OpenMP by wavefronts of cubes of blocks
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// z = M^-1 r on arrays of unknowns that do not overlap. Parallel: local; OpenMP; same bits for any thread count
  void apply(const double* r, double* z);

 private:
  void link_blocks();
  template <class Shape>
  void factor_block(LocalIndex block);
  template <class Shape>
  Row cut_weights(LocalIndex block, const Around<std::uint8_t>& linked_unknown, int r) const;
  template <class Shape>
  void solve_lower(LocalIndex block, const double* r);
  template <class Shape>
  void solve_upper(LocalIndex block, double* z);

  double tau_;
  double sigma_;
  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  std::vector<Links> links_;
  OrderedWalk walk_;
  CellField<double> inverse_pivot_;  ///< 1 / D; 0 without an unknown
  CellField<double> work_;           ///< blocks with holes during a solve; tau / D x upward weights while factoring
  std::vector<double*> q_blocks_;    ///< where each slot's intermediate values stand
};

}  // namespace freshet::pressure
