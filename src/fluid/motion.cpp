// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/motion.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/transfer/trace.hpp"
#include "keep_outside.hpp"
#include "runge_kutta.hpp"
#include "velocity_around.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace freshet {
namespace {

/// Number of particles moved side by side: the stages of one particle wait for each other, those of several do not.
constexpr int max_batch = 32;

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

/// x <- x + d(x) of n particles, |d| at most max_length.
template <class Shape>
void displace_batch(const PaddedVelocity<Shape>& displacement, double max_length, ParticleReal* x, int n) {
  LaneBatch<max_batch> start, end;
  start.load(x, n);
  for (int p = 0; p < n; ++p) {
    const Double4 d = displacement.at(start.get(p));
    const double length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    end.set(p, start.get(p) + (length > max_length ? max_length / length : 1.0) * d);
  }
  end.store(x, n);
}

/// The sum over all blocks of what f(block) reports; OpenMP.
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
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const PaddedExtents<Shape> extents(reach);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const ParticleIndex begin = particles.block_begin()[b];
      const ParticleIndex n = particles.block_begin()[b + 1] - begin;
      if (n == 0) return;
      ParticleReal* x = particles.position() + 3 * begin;
      const KeepOutside keep_outside(layout.domain(), layout.first_cell(b), reach, solids, paths, b);
      const ParticleReal* before = keep_outside.bodies_near() ? copy_of_positions(x, n) : x;
      const PaddedVelocity<Shape> around = velocity_around(displacement, b, extents);
      for (ParticleIndex first = 0; first < n; first += max_batch)
        displace_batch(around, max_length, x + 3 * first,
                       static_cast<int>(std::min<ParticleIndex>(max_batch, n - first)));
      if (keep_outside.nothing_near()) return;
      kept.add(keep_outside(before, x, nullptr, n));
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
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const PaddedExtents<Shape> extents(reach);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      static thread_local TileMemory memory;
      const ParticleIndex begin = particles.block_begin()[b];
      const ParticleIndex n = particles.block_begin()[b + 1] - begin;
      if (n == 0) return;
      ParticleReal* x = particles.position() + 3 * begin;
      const KeepOutside keep_outside(layout.domain(), layout.first_cell(b), reach, solids, paths, b);
      const bool bodies_near = keep_outside.bodies_near();
      const ParticleReal* before = bodies_near ? copy_of_positions(x, n) : x;
      const ParticleIndex pushed = trace_particles(tile_around(velocity, b, extents, memory), Shape::dim, stages,
                                                   bodies_near ? TraceBox{} : keep_outside.walls(), x, n);
      kept.add(bodies_near ? keep_outside(before, x, particles.velocity() + 3 * begin, n) : KeptOutside{pushed, 0});
    });
  });
  return kept.report();
}

}  // namespace freshet
