// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/counter_random.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/particles/seeding.hpp"

#include <vector>

namespace freshet {

/// A sample point that becomes a particle.
struct Sample {
  ParticleReal position[3];  ///< relative to its block [cells]
  int liquid;                ///< index of the first liquid that contains it
};

/// The sample points of any block, which depend on the case alone.
class Sampler {
 public:
  using Shapes = std::vector<std::shared_ptr<const Shape>>;
  Sampler(const Domain& domain, const SamplingOptions& sampling, std::uint64_t seed,
          const std::vector<LiquidBody>& liquids, const Shapes& solids);

  /// A half-open range of lattice coordinates of blocks that may hold samples.
  CellBox candidate_blocks() const;

  /// Append a block's samples, by cell and sub-cell. \return number of sample points of liquids that lie in solids
  /// Parallel: thread-safe
  GlobalIndex sample_block(const Vec3i& block, std::vector<Sample>& samples) const;

 private:
  struct NearShapes;
  NearShapes shapes_near(const Vec3i& first_cell) const;
  Sample place(const CellRandom& random, const Vec3i& cell_in_block, int sub_cell) const;

  const Domain& domain_;
  const std::vector<LiquidBody>& liquids_;
  const Shapes& solids_;
  Vec3i per_axis_;  ///< number of sub-cells of a cell along each axis
  double jitter_;
  std::uint64_t seed_;
};

}  // namespace freshet
