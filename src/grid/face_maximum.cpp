// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/face_maximum.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace freshet {

double largest_face_velocity_here(const FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const auto n = static_cast<std::int64_t>(layout.n_owned()) * layout.cells_per_block();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::int64_t largest = 0;  // as bits: the bits of doubles >= 0 compare like integers, and NaN is the largest
  for (int d = 0; d < velocity.dimension(); ++d) {
    const double* u = velocity[d].data();
#pragma omp parallel for simd schedule(static) reduction(max : largest)
    for (std::int64_t f = 0; f < n; ++f) {
      const auto bits = std::bit_cast<std::int64_t>(std::abs(u[f]));
      largest = bits > largest ? bits : largest;
    }
  }
  const auto value = std::bit_cast<double>(largest);
  return value <= infinity ? value : infinity;
}

double largest_face_velocity(const FaceField<double>& velocity) {
  return velocity.layout().comm().max(largest_face_velocity_here(velocity));
}

}  // namespace freshet
