// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_cells.hpp"
#include "particle_bins.hpp"

#include <memory>
#include <vector>

namespace freshet::meshing {

/// The particles within reach of one block's cells, as arrays. [lattice cells], from the block's low corner
struct NearParticles {
  std::vector<float> x, y, z, r;
  std::vector<std::uint32_t> item;  ///< number of the particle in ParticleBins::items()

  void gather(const ParticleBins& bins, const Vec3i& first_cell, double reach);
  std::size_t size() const { return x.size(); }
};

/// For each row of 8 cells of a block, whether it is evaluated.
using RowMask = std::array<bool, block_rows>;

/// Makes a function of the particles that is negative in the liquid. It need not be a distance. [lattice cells]
class Method {
 public:
  Method(const Lattice& lattice, const SurfaceOptions& options) : reach_(lattice.kernel), options_(options) {}
  virtual ~Method() = default;
  /// Compute what the method needs of each particle's neighbours.
  virtual void prepare(const ParticleBins& /*bins*/) {}
  /// Evaluate the function psi at the cells of the wanted rows; size block_cells. Thread-safe
  virtual void evaluate(const NearParticles& near, const RowMask& wanted, float* psi) const = 0;
  double reach() const { return reach_; }  ///< reach of a particle [lattice cells]

 protected:
  double reach_;
  const SurfaceOptions& options_;
};

std::unique_ptr<Method> make_method(const Lattice& lattice, const SurfaceOptions& options);
std::unique_ptr<Method> make_improved_blobbies(const Lattice& lattice, const SurfaceOptions& options);
std::unique_ptr<Method> make_blobbies(const Lattice& lattice, const SurfaceOptions& options);
std::unique_ptr<Method> make_anisotropic(const Lattice& lattice, const SurfaceOptions& options);

/// Turns a method's function psi into scale * (psi - level), whose zero is the surface.
struct Calibration {
  double level = 0.0;
  double scale = 1.0;
};

/// Find the level of a method's function where a half space filled with particles ends, and the inverse of the
/// function's slope there. One particle stands at random in each sub-cell, as liquids are seeded.
///
/// With this level the surface encloses the volume of the particles: 1 / options.per_axis^3 of a cell each. No number
/// is free, and none is fitted to a flow.
Calibration calibrate(const SurfaceOptions& options);

}  // namespace freshet::meshing
