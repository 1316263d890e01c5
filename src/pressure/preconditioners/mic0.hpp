// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "pressure/operator/unknowns.hpp"
#include "pressure/preconditioners/ordered_walk.hpp"
#include "pressure/preconditioners/preconditioner_shell.hpp"

#include <vector>

namespace freshet::pressure {

/// Modified incomplete Cholesky factorisation, level 0, of A's couplings within one rank or one block.
///
/// M = (D + L) D^-1 (D + L^T), L the couplings to lower neighbours, D the pivots
///   D_c = max(sigma A_cc, A_cc - sum_lower w (w + tau (sum of the lower cell's other upward weights)) / D_lower)
/// Blocks have Morton order, so every lower neighbour of a cell comes before it and the factor is that of the natural
/// order. The factor leaves out couplings beyond the reach (to other ranks or other blocks) and those that wrap around
/// a periodic axis to a block not before this one; `cut_share` of their weight is subtracted from A_cc, as if the
/// solution continued smoothly beyond the cut. Source: Bridson 2008, figures 4.2 and 4.3; there precon is D^-1/2, and
/// pivots below sigma A_cc become A_cc, which needs more iterations on rough liquids
class Mic0 : public PreconditionerShell {
 public:
  /// Region within which the factor couples unknowns. `rank` needs fewer iterations. With `block` the operator is the
  /// same, bit for bit, on any number of ranks.
  enum class Reach { rank, block };

  /// \param[in] tau, sigma  as in the class's formula; both in [0, 1]
  Mic0(double tau, double sigma, Reach reach) : tau_(tau), sigma_(sigma), reach_(reach) {}
  /// Factorise. Parallel: local; OpenMP, threads sharing cubes of blocks
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) override;
  /// Factorise everything anew.
  void update(std::span<const LocalIndex> /*changed_blocks*/) override { reset(*system_, *unknowns_); }
  /// Parallel: local; OpenMP
  void apply(const double* r, double* z) override;

 private:
  void link_blocks();
  template <class Shape>
  void factor_block(LocalIndex block);
  template <class Shape>
  RealRow cut_weights(LocalIndex block, const Star<std::uint8_t>& linked_unknown, int r) const;
  template <class Shape>
  void sweep(Direction direction, const double* r, double* z);

  double tau_;
  double sigma_;
  Reach reach_;
  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  std::vector<Links> links_;
  OrderedWalk walk_;
  CellField<double> inverse_pivot_;  ///< 1 / D; 0 without an unknown
  CellField<double> work_;           ///< tau / D times the upward weights, during the factorisation
};

}  // namespace freshet::pressure
