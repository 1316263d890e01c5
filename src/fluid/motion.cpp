// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/motion.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/face_maximum.hpp"
#include "freshet/solids/keep_outside.hpp"
#include "freshet/transfer/trace.hpp"
#include "runge_kutta.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace freshet {
namespace {

/// \param[in] h  dt / dx [s/m], so that velocities give cells
TraceStages stages_of(MotionScheme scheme, double h) {
  const Tableau rk = tableau(scheme);
  TraceStages stages{rk.n_stages, {}, {}};
  for (int s = 0; s < rk.n_stages; ++s) {
    stages.a[s] = static_cast<ParticleReal>(h * rk.a[s]);
    stages.b[s] = static_cast<ParticleReal>(h * rk.b[s]);
  }
  return stages;
}

/// Upper bounds of how far from its start a stage of the scheme samples the velocity.
class StageDisplacements {
 public:
  /// \param[in] largest  bound of all displacements [cells]
  StageDisplacements(const FaceField<double>& velocity, const TraceStages& stages, double largest)
      : layout_(velocity.layout()), largest_(largest), fastest_(static_cast<std::size_t>(layout_.n_owned())) {
    for (int s = 0; s < stages.n; ++s) cells_per_speed_ = std::max<double>(cells_per_speed_, stages.a[s]);
    parallel_for_blocks(layout_.n_owned(), [&](LocalIndex b) {
      fastest_[static_cast<std::size_t>(b)] = largest_face_velocity_of(velocity, b);
    });
  }
  /// Bound for particles that start in block b. [cells]
  double bound(LocalIndex b) const {
    constexpr double rounding = 1e-3;  // positions are rounded to ParticleReal
    double fastest = 0.0;
    for (int t = 0; t < n_directions; ++t) {
      const LocalIndex neighbour = layout_.neighbours(b)[t];
      if (neighbour == layout_.background()) continue;
      if (neighbour >= layout_.n_owned()) return largest_;  // only a part of a ghost is known
      fastest = std::max(fastest, fastest_[static_cast<std::size_t>(neighbour)]);
    }
    return std::min(largest_, cells_per_speed_ * fastest + rounding);
  }

 private:
  const BlockLayout& layout_;
  double largest_;
  double cells_per_speed_ = 0.0;  ///< [s/m]
  std::vector<double> fastest_;   ///< by block [m/s]
};

/// Sum of the reports of all blocks; safe for concurrent threads.
class KeptCount {
 public:
  void add(const KeptOutside& block) {
    pushed_out_.fetch_add(block.moved, std::memory_order_relaxed);
    if (block.stuck > 0) stuck_.fetch_add(block.stuck, std::memory_order_relaxed);
  }
  MotionReport report() const { return {pushed_out_.load(), stuck_.load()}; }

 private:
  std::atomic<ParticleIndex> pushed_out_{0};
  std::atomic<ParticleIndex> stuck_{0};
};

}  // namespace

MotionReport displace_particles(const FaceField<double>& displacement, const SolidFields& solids, double max_length,
                                ParticleStore& particles) {
  constexpr int reach = 1;
  const BlockLayout& layout = displacement.layout();
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  FRESHET_EXPECT(max_length >= 0.0 && max_length <= 0.5);
  const BodyPaths paths(solids, layout.domain(), solids.time(), 0.0);  // the bodies do not move
  KeptCount kept;
  particles.cell_begin().clear();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const TileExtents<Shape> extents(reach);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const ParticleIndex begin = particles.block_begin()[b];
      const ParticleIndex n = particles.block_begin()[b + 1] - begin;
      if (n == 0) return;
      static thread_local TileMemory memory;
      ParticleReal* x = particles.position() + 3 * begin;
      const KeepOutside keep_outside(layout, reach, solids, paths, b);
      const bool bodies_near = keep_outside.bodies_near();
      const ParticleReal* before = bodies_near ? copy_of_positions(x, n) : x;
      const ParticleIndex pushed = displace_by_tile(
          tile_around(displacement, b, extents, range_around(x, n, 0.0, extents), memory), Shape::dim,
          static_cast<ParticleReal>(max_length), bodies_near ? TraceBox{} : keep_outside.walls(), x, n);
      kept.add(bodies_near ? keep_outside(before, x, nullptr, n) : KeptOutside{pushed, 0});
    });
  });
  return kept.report();
}

MotionReport move_particles(const FaceField<double>& velocity, const SolidFields& solids, double dt, int reach,
                            MotionScheme scheme, ParticleStore& particles, double time) {
  FRESHET_EXPECT(reach >= 1 && reach <= block_width);
  const BlockLayout& layout = velocity.layout();
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  const double h = dt / layout.domain().dx();
  const BodyPaths paths(solids, layout.domain(), time, dt);
  KeptCount kept;
  const TraceStages stages = stages_of(scheme, h);
  const StageDisplacements displacements(velocity, stages, reach - 1.0);
  particles.cell_begin().clear();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const TileExtents<Shape> extents(reach);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      static thread_local TileMemory memory;
      const ParticleIndex begin = particles.block_begin()[b];
      const ParticleIndex n = particles.block_begin()[b + 1] - begin;
      if (n == 0) return;
      ParticleReal* x = particles.position() + 3 * begin;
      const KeepOutside keep_outside(layout, reach, solids, paths, b);
      const bool bodies_near = keep_outside.bodies_near();
      const ParticleReal* before = bodies_near ? copy_of_positions(x, n) : x;
      const TileRange range = range_around(x, n, displacements.bound(b), extents);
      const ParticleIndex pushed = trace_particles(tile_around(velocity, b, extents, range, memory), Shape::dim, stages,
                                                   bodies_near ? TraceBox{} : keep_outside.walls(), x, n);
      kept.add(bodies_near ? keep_outside(before, x, particles.velocity() + 3 * begin, n) : KeptOutside{pushed, 0});
    });
  });
  return kept.report();
}

}  // namespace freshet
