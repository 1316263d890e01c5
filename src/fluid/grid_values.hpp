// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/velocity_around.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <cstddef>
#include <vector>

namespace freshet {

/// The arrays of a store that a particle takes from the grid's velocity when it is new or was put elsewhere.
class GridValues {
 public:
  explicit GridValues(const ParticleStore& particles) {
    for (std::size_t a = 0; a < particles.attributes().size(); ++a)
      for (const ParticleArray& array : particle_arrays) {
        if (particles.attributes()[a].name != array.name) continue;
        if (array.upkeep != ArrayUpkeep::grid_velocity && array.upkeep != ArrayUpkeep::grid_gradient) continue;
        arrays_.push_back({a, static_cast<std::size_t>(array.width), array.upkeep});
        width_ += static_cast<std::size_t>(array.width);
      }
  }
  /// Number of values of one particle.
  std::size_t width() const { return width_; }

  /// \param[in]  x          in the block, relative to it [cells]
  /// \param[in]  per_metre  1 / dx
  /// \param[out] values     width() numbers, array after array
  template <class Shape>
  void sample(const PaddedVelocity<Shape>& around, const ParticleReal* x, double per_metre, double* values) const {
    const Double4 place{static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2]), 0.0};
    for (const Array& array : arrays_) {
      if (array.upkeep == ArrayUpkeep::grid_velocity) {
        const Double4 u = around.at(place);
        for (int d = 0; d < 3; ++d) *values++ = u[d];
      } else {
        Double4 gradient[3];
        around.gradient_at(place, gradient);
        for (const Double4& row : gradient)
          for (int e = 0; e < 3; ++e) *values++ = per_metre * row[e];
      }
    }
  }

  /// Assign the values of sample() to particle p.
  void assign(const double* values, ParticleIndex p, ParticleStore& particles) const {
    for (const Array& array : arrays_) {
      auto* const numbers = reinterpret_cast<ParticleReal*>(particles.attributes()[array.attribute].values.data());
      for (std::size_t e = 0; e < array.width; ++e)
        numbers[array.width * static_cast<std::size_t>(p) + e] = static_cast<ParticleReal>(*values++);
    }
  }

 private:
  struct Array {
    std::size_t attribute;  ///< index of the array in the store
    std::size_t width;
    ArrayUpkeep upkeep;
  };
  std::vector<Array> arrays_;
  std::size_t width_ = 0;
};

}  // namespace freshet
