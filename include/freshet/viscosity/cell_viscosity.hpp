// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <algorithm>
#include <array>

namespace freshet {

/// The dynamic viscosity for each particle tag. [Pa s]
class TagViscosities {
 public:
  /// Use the viscosity for all tags.
  explicit TagViscosities(double viscosity) { of_tag_.fill(viscosity); }
  void set(int tag, double viscosity) { of_tag_[static_cast<std::size_t>(tag)] = viscosity; }
  double operator()(std::uint8_t tag) const { return of_tag_[tag]; }
  bool is_uniform() const {
    return std::all_of(of_tag_.begin(), of_tag_.end(), [this](double other) { return other == of_tag_[0]; });
  }
  bool any() const {
    return std::any_of(of_tag_.begin(), of_tag_.end(), [](double viscosity) { return viscosity > 0.0; });
  }

 private:
  std::array<double, 256> of_tag_;
};

/// Finds the viscosity of each cell, the mean over its particles; keeps its buffers.
///
/// A cell without particles has the mean of those around it that have some (26, in 2-D 8), or that of tag 0.
class CellViscosity {
 public:
  /// \param[in]  particles  sorted state of the layout
  /// \param[out] viscosity  owned, ghosts valid to width 2; background that of tag 0 [Pa s]
  /// Parallel: collective (two gathers); OpenMP
  void operator()(const ParticleStore& particles, const BlockLayout& layout, const TagViscosities& of_tags,
                  CellField<float>& viscosity);

 private:
  CellField<float> of_particles_;  ///< below 0 in cells without one
};

}  // namespace freshet
