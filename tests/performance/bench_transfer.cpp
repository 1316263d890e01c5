// SPDX-License-Identifier: Apache-2.0
// smoke: cells:32
#include "freshet/fluid/motion.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "freshet/transfer/deposit.hpp"
#include "freshet/transfer/interpolate.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"

#include <benchmark/benchmark.h>
#include <omp.h>

#include <functional>

/// Particle kernels on a full box with 8 particles a cell, jittered and sorted by cell: ns per particle.
/// Arguments: cells an axis (80: 4.1 M particles), threads, and for the motion the order of the scheme.
namespace freshet {
namespace {

struct Bench {
  Communicator comm{MPI_COMM_SELF};
  Domain domain;
  BlockLayout layout;
  FaceField<double> u_new;
  FaceField<double> u_old;
  FaceField<double> weight;
  SolidFields solids;
  ParticleStore particles;
  Deposit deposit;

  explicit Bench(int n_cells)
      : domain(test::make_domain(3, Vec3i::Constant(n_cells))),
        layout(comm, domain, Splitters{}, test::all_blocks(domain)),
        u_new(layout),
        u_old(layout),
        weight(layout) {
    seed();
    add_arrays(particles, ArrayNeed::apic);
    solids.reset(layout, {});
    deposit(particles, layout, u_old, weight);
    deposit(particles, layout, u_new, weight);
    layout.halo().gather(u_new, 2);
    layout.halo().gather(u_old, 1);
  }

 private:
  /// 2x2x2 a cell, each anywhere in its part of the cell, in no order inside the cell.
  void seed() {
    particles.resize(static_cast<ParticleIndex>(layout.n_owned()) * layout.cells_per_block() * 8);
    particles.block_begin().assign(static_cast<std::size_t>(layout.n_owned()) + 1, 0);
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      ParticleIndex p = static_cast<ParticleIndex>(b) * layout.cells_per_block() * 8;
      for (int c = 0; c < layout.cells_per_block(); ++c)
        for (int s = 0; s < 8; ++s, ++p) {
          const int part = s * 5 % 8;
          const int corner[3] = {part & 1, part >> 1 & 1, part >> 2};
          const int cell[3] = {c % 8, c / 8 % 8, c / 64};
          for (int d = 0; d < 3; ++d) {
            const auto name = static_cast<std::uint64_t>(3 * p + d);
            particles.position()[3 * p + d] =
                static_cast<ParticleReal>(cell[d] + 0.5 * corner[d] + 0.499 * test::hashed(name));
            particles.velocity()[3 * p + d] = static_cast<ParticleReal>(test::hashed(name, 1) - 0.5);
          }
        }
      particles.block_begin()[static_cast<std::size_t>(b) + 1] = p;
    }
  }
};

Bench& bench_of(int n_cells) {
  static Bench* bench = nullptr;  // of the last size only; never deleted at the end, when MPI is gone
  static int size = 0;
  if (size != n_cells) {
    delete bench;
    bench = new Bench(n_cells);
    size = n_cells;
  }
  return *bench;
}

/// Time the kernel; `restore`, if any, is called before each repetition and not timed.
void run(benchmark::State& state, const std::function<void(Bench&)>& kernel,
         const std::function<void(Bench&)>& restore = nullptr) {
  Bench& bench = bench_of(static_cast<int>(state.range(0)));
  omp_set_num_threads(static_cast<int>(state.range(1)));
  kernel(bench);  // the first call allocates
  for (auto _ : state) {
    if (restore) {
      state.PauseTiming();
      restore(bench);
      state.ResumeTiming();
    }
    kernel(bench);
  }
  const double done = static_cast<double>(state.iterations()) * static_cast<double>(bench.particles.size());
  state.counters["s/particle"] =
      benchmark::Counter(done, benchmark::Counter::kIsRate | benchmark::Counter::kInvert, benchmark::Counter::kIs1000);
}

void deposit(benchmark::State& state) {
  run(state, [](Bench& b) { b.deposit(b.particles, b.layout, b.u_old, b.weight); });
}
void blend(benchmark::State& state) {
  run(state, [](Bench& b) { blend_velocity(b.u_new, b.u_old, 0.95, b.particles); });
}
void deposit_affine(benchmark::State& state) {
  run(state, [](Bench& b) { b.deposit(b.particles, b.layout, b.u_old, b.weight, DepositKernel::affine); });
}
void blend_apic(benchmark::State& state) {
  run(state, [](Bench& b) { blend_affine(b.u_new, b.particles); });
}
/// Two shares of FLIP in every block.
void blend_shares(benchmark::State& state) {
  FlipFractions fractions(0.95);
  fractions.set(1, 0.5);
  run(state, [&](Bench& b) {
    for (ParticleIndex p = 0; p < b.particles.size(); p += 256) b.particles.tag()[p] = 1;
    blend_velocity(b.u_new, b.u_old, fractions, b.particles);
  });
}
/// Steps of up to a quarter of a cell.
void move(benchmark::State& state) {
  std::vector<ParticleReal> start;
  run(
      state,
      [&](Bench& b) {
        if (start.empty()) start.assign(b.particles.position(), b.particles.position() + 3 * b.particles.size());
        move_particles(b.u_new, b.solids, 0.5, 2, static_cast<MotionScheme>(state.range(2) - 1), b.particles);
      },
      [&](Bench& b) { std::copy(start.begin(), start.end(), b.particles.position()); });
}

const std::vector<std::int64_t> sizes{32, 80};
const std::vector<std::int64_t> threads{1, 2};
BENCHMARK(deposit)
    ->ArgsProduct({sizes, threads})
    ->ArgNames({"cells", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(blend)
    ->ArgsProduct({sizes, threads})
    ->ArgNames({"cells", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(deposit_affine)
    ->ArgsProduct({sizes, threads})
    ->ArgNames({"cells", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(blend_apic)
    ->ArgsProduct({sizes, threads})
    ->ArgNames({"cells", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(blend_shares)
    ->ArgsProduct({sizes, threads})
    ->ArgNames({"cells", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(move)
    ->ArgsProduct({sizes, threads, {2, 3}})
    ->ArgNames({"cells", "threads", "order"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace freshet
