// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

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

 private:
  std::array<double, 256> of_tag_;
};

/// The least and the largest viscosity of particles. [Pa s]
struct ViscosityRange {
  double least = 0.0;
  double largest = 0.0;
  bool is_one_value() const { return least == largest; }
};

/// The range of viscosities over the particles of all ranks; 0 and 0 without particles. Tags that no particle carries
/// do not count. Parallel: collective if tags differ in viscosity
ViscosityRange viscosities_in_use(const Communicator& comm, const ParticleStore& particles,
                                  const TagViscosities& of_tags);

/// The viscosities of each cell: owned, ghosts valid to width 2; background 0. [Pa s]
///
/// The two differ in cells with particles of several liquids. Shear stress is the same on both sides of an interface,
/// and the rates of shear add up: shear takes the harmonic mean over the particles. Rates of stretching along an
/// interface are the same on both sides, and the stresses add up: stretching takes the arithmetic mean where the
/// interface lies along an axis. Where the interface is oblique, stretching along the axes is shear of the interface
/// in part, up to all of it on a diagonal: 1 / mu is (1 - s) / arithmetic mean + s / harmonic mean with s = sin^2 of
/// twice the angle to the axis. Shear of oblique edges keeps the harmonic mean. One particle without viscosity gives 0.
struct CellViscosities {
  CellField<float> shear;    ///< viscosity of shear stresses, on the cell's edges
  CellField<float> stretch;  ///< viscosity of normal stresses, in the cell's centre
};

/// Finds the viscosities of cells, means over their particles; keeps its buffers.
///
/// A cell without particles takes the mean of its neighbours that have particles (26, in 2-D 8), or else of its
/// neighbours that have such a mean. The surface does not reach farther: cells beyond have 0.
class CellViscosity {
 public:
  enum class Mean : std::uint8_t { arithmetic, harmonic };
  /// \param[in]  particles  sorted state of the layout
  /// Parallel: collective (four gathers); OpenMP
  void operator()(const ParticleStore& particles, const BlockLayout& layout, const TagViscosities& of_tags,
                  CellViscosities& viscosity);

 private:
  template <Mean mean>
  void find(const ParticleStore& particles, const BlockLayout& layout, const TagViscosities& of_tags,
            CellField<float>& result);
  CellField<float> of_particles_;  ///< means of one kind over particles; below 0 in cells without particles
};

}  // namespace freshet
