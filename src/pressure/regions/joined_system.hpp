// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/pressure/poisson.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet::pressure {

/// The pressure's system with the air of bubbles as further unknowns, from which preconditioners are built.
///
/// A bubble passes the pressure of the liquid on one of its sides on to all others: with its pressure eliminated (see
/// Bubbles) the matrix is far from the A of a surface with p = 0. Here each cell of its air has an unknown, joined to
/// the liquid by the faces' couplings w / theta, to other cells of air by `joint` times the open fraction, and to p = 0
/// by its part of k / theta^2. For a large `joint` the Schur complement on the liquid's unknowns is the matrix with p_b
/// eliminated; for any, it is spectrally equivalent to it. A preconditioner takes residuals that are 0 in the air and
/// leaves out what it finds there, which keeps it symmetric and positive definite.
/// Source: Xu 1996, section 2 (preconditioners by a fictitious space)
class JoinedSystem {
 public:
  /// Build the system and let `coefficients` point to it.
  ///
  /// \param[in] number  Bubbles::number \param[in] has_air  by slot: whether it holds cells of bubbles
  /// \param[in] ground  by bubble: coupling to p = 0 as a part of F
  /// This object must outlive the use of coefficients.joined. Parallel: collective, two exchanges; OpenMP
  void build(PoissonCoefficients& coefficients, const CellField<std::int32_t>& number,
             const std::vector<std::uint8_t>& has_air, std::span<const double> ground);

 private:
  template <class Shape>
  void find_weights(const PoissonCoefficients& coefficients, const CellField<std::int32_t>& number, bool is_near_air,
                    LocalIndex block);
  template <class Shape>
  void find_diagonal(const PoissonCoefficients& coefficients, const CellField<std::int32_t>& number,
                     std::span<const double> ground, bool has_air, LocalIndex block);

  PoissonCoefficients system_;
  FaceField<float> weight_;
};

}  // namespace freshet::pressure
