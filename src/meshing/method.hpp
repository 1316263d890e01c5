// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "particle_bins.hpp"

#include <memory>
#include <vector>

namespace freshet::meshing {

/// The particles that the cells of one block can feel, as arrays; lengths in lattice cells from the block's low corner.
struct NearParticles {
  std::vector<float> x, y, z, r;
  std::vector<std::uint32_t> item;  ///< number in ParticleBins::items()

  void gather(const ParticleBins& bins, const Vec3i& first_cell, double reach);
  std::size_t size() const { return x.size(); }
};

constexpr int block_cells = 512;
constexpr int block_rows = 64;
/// Which rows of 8 cells of a block are wanted.
using RowMask = std::array<bool, block_rows>;

/// From particles to a function that is negative in the liquid. It need not be a distance; its unit is a lattice cell.
class Method {
 public:
  Method(const Lattice& lattice, const SurfaceOptions& options) : reach_(lattice.kernel), options_(options) {}
  virtual ~Method() = default;
  /// Compute what a particle needs to know of its neighbours.
  virtual void prepare(const ParticleBins& /*bins*/) {}
  /// The function at the cells of the wanted rows. Thread-safe
  virtual void evaluate(const NearParticles& near, const RowMask& wanted, float* psi) const = 0;
  double reach() const { return reach_; }  ///< of a particle [lattice cells]

 protected:
  double reach_;
  const SurfaceOptions& options_;
};

std::unique_ptr<Method> make_method(const Lattice& lattice, const SurfaceOptions& options);
std::unique_ptr<Method> make_improved_blobbies(const Lattice& lattice, const SurfaceOptions& options);
std::unique_ptr<Method> make_blobbies(const Lattice& lattice, const SurfaceOptions& options);
std::unique_ptr<Method> make_anisotropic(const Lattice& lattice, const SurfaceOptions& options);

/// How a method's function is turned into the one whose zero is the surface: scale * (psi - level).
struct Calibration {
  double level = 0.0;
  double scale = 1.0;
};

/// The level of a method's function where a half space that is filled with particles ends, and the inverse of the
/// function's slope there. One particle stands anywhere in each sub-cell, as liquids are seeded.
///
/// With it the surface encloses what the particles stand for: each of them 1 / options.per_axis^3 of a cell. No free
/// number is left, and none is fitted to a flow.
Calibration calibrate(const SurfaceOptions& options);

}  // namespace freshet::meshing
