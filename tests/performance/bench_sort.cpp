// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/migration.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/particles/sort.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>

// What a step costs beside transfers: migration, the search for blocks that must exist, and the sort; on one rank.
//
// 4.1 M particles, 8 a cell, in a full box of 80^3 cells; every particle moves by up to half a cell on each axis before
// each migration. 33 bytes a particle: position, velocity, id, tag. Threads by OMP_NUM_THREADS. Counters: ns a
// particle.
namespace freshet {
namespace {

class FullBox {
 public:
  FullBox() : comm_(MPI_COMM_SELF) {
    DomainOptions box;
    box.cells = Vec3i::Constant(80);
    for (auto& sides : box.boundary) sides.fill(FaceCondition::periodic);  // nobody leaves
    domain_ = Domain(box);
    ShapeParameters everywhere;
    everywhere.upper = Vec3::Constant(80.0);
    seed_particles(comm_, domain_, SeedingOptions(), {{make_shape(everywhere)}}, {}, splitters_, particles_);
    layout_ = std::make_unique<BlockLayout>(comm_, domain_, splitters_, blocks_near_particles(particles_, domain_, 2));
    sort(CellOrder::arrival);
  }

  void move() {
    ++round_;
    ParticleReal* const x = particles_.position();
    const ParticleIndex n = 3 * particles_.size();
#pragma omp parallel for schedule(static)
    for (ParticleIndex m = 0; m < n; ++m) {
      const std::uint64_t h = (static_cast<std::uint64_t>(m) + 77777777 * round_) * 0x9e3779b97f4a7c15u;
      x[m] += static_cast<ParticleReal>(h >> 40) * ParticleReal{0x1.0p-24} - ParticleReal{0.5};
    }
  }
  void migrate() {
    benchmark::DoNotOptimize(freshet::migrate(particles_, *layout_, splitters_));
  }
  void sort(CellOrder order) {
    sort_particles(particles_, *layout_, order, workspace_);
  }
  void find_blocks() {
    benchmark::DoNotOptimize(blocks_near_particles(particles_, domain_, 2));
  }
  ParticleIndex size() const {
    return particles_.size();
  }

 private:
  Communicator comm_;
  Domain domain_;
  Splitters splitters_;
  ParticleStore particles_;
  std::unique_ptr<BlockLayout> layout_;
  SortWorkspace workspace_;
  std::uint64_t round_ = 0;
};

FullBox& full_box() {
  static FullBox box;
  return box;
}

/// Time `timed` alone, in the cycle move, migrate, find blocks, sort.
enum class Timed { migrate, find_blocks, sort };
void run_cycle(benchmark::State& state, Timed timed, CellOrder order) {
  FullBox& box = full_box();
  double seconds_timed = 0.0;
  const auto clock = [&](Timed phase, auto&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (phase != timed) return;
    state.SetIterationTime(seconds.count());
    seconds_timed += seconds.count();
  };
  for (auto _ : state) {
    box.move();
    clock(Timed::migrate, [&] { box.migrate(); });
    clock(Timed::find_blocks, [&] { box.find_blocks(); });
    clock(Timed::sort, [&] { box.sort(order); });
  }
  state.counters["ns_a_particle"] =
      1e9 * seconds_timed / (static_cast<double>(state.iterations()) * static_cast<double>(box.size()));
}

BENCHMARK_CAPTURE(run_cycle, sort_by_arrival, Timed::sort, CellOrder::arrival)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_cycle, sort_by_id, Timed::sort, CellOrder::by_id)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_cycle, migrate, Timed::migrate, CellOrder::arrival)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_cycle, find_blocks, Timed::find_blocks, CellOrder::arrival)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace freshet
