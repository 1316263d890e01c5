// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/face_maximum.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace freshet {
namespace {

/// Bits of |u|, which compare like the values; NaN is the largest. Compilers make vectors of an integer maximum.
std::int64_t magnitude_as_bits(double u) {
  return std::bit_cast<std::int64_t>(std::abs(u));
}

double from_bits(std::int64_t largest) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto value = std::bit_cast<double>(largest);
  return value <= infinity ? value : infinity;
}

}  // namespace

double largest_face_velocity_here(const FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const auto n = static_cast<std::int64_t>(layout.n_owned()) * layout.cells_per_block();
  std::int64_t largest = 0;
  for (int d = 0; d < velocity.dimension(); ++d) {
    const double* u = velocity[d].data();
#pragma omp parallel for simd schedule(static) reduction(max : largest)
    for (std::int64_t f = 0; f < n; ++f) {
      const std::int64_t bits = magnitude_as_bits(u[f]);
      largest = bits > largest ? bits : largest;
    }
  }
  return from_bits(largest);
}

double largest_face_velocity_of(const FaceField<double>& velocity, LocalIndex block) {
  const int n = velocity.layout().cells_per_block();
  std::int64_t largest = 0;
  for (int d = 0; d < velocity.dimension(); ++d) {
    const double* u = velocity[d].block(block);
#pragma omp simd reduction(max : largest)
    for (int f = 0; f < n; ++f) {
      const std::int64_t bits = magnitude_as_bits(u[f]);
      largest = bits > largest ? bits : largest;
    }
  }
  return from_bits(largest);
}

double largest_face_velocity(const FaceField<double>& velocity) {
  return velocity.layout().comm().max(largest_face_velocity_here(velocity));
}

}  // namespace freshet
