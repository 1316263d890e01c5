// SPDX-License-Identifier: Apache-2.0
// smoke: cells:32
#include "freshet/fluid/extrapolate.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/solids/solids.hpp"
#include "support/random_blocks.hpp"

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <memory>

namespace freshet {
namespace {

/// A box of n^3 cells, all blocks, the lower half liquid.
struct HalfFullBox {
  explicit HalfFullBox(int n)
      : comm(MPI_COMM_SELF),
        domain(test::make_domain(3, {n, n, n})),
        layout(comm, domain, Splitters{}, test::all_blocks(domain)),
        labels(layout, Label::solid),
        velocity(layout) {
    solids.reset(layout, {});
    velocity.fill(1.0);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      std::fill_n(labels.block(b), layout.cells_per_block(),
                  layout.first_cell(b).y() < n / 2 ? Label::liquid : Label::air);
  }
  double cells() const { return static_cast<double>(layout.n_owned()) * layout.cells_per_block(); }

  Communicator comm;
  Domain domain;
  BlockLayout layout;
  SolidFields solids;
  LabelField labels;
  FaceField<double> velocity;
};

void report_per_cell(benchmark::State& state, const HalfFullBox& box) {
  state.counters["ns_per_cell"] = benchmark::Counter(
      box.cells() * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void extrapolate(benchmark::State& state) {
  HalfFullBox box(static_cast<int>(state.range(0)));
  Extrapolation extrapolation;
  for (auto _ : state) extrapolation(box.labels, box.solids, 2, box.velocity);
  report_per_cell(state, box);
}
BENCHMARK(extrapolate)->ArgName("cells")->Arg(32)->Arg(64)->Arg(128);

void build_solids(benchmark::State& state) {
  HalfFullBox box(static_cast<int>(state.range(0)));
  for (auto _ : state) box.solids.reset(box.layout, {});
  report_per_cell(state, box);
}
BENCHMARK(build_solids)->ArgName("cells")->Arg(32)->Arg(64)->Arg(128);

void build_layout(benchmark::State& state) {
  HalfFullBox box(static_cast<int>(state.range(0)));
  const std::vector<BlockKey> keys = test::all_blocks(box.domain);
  for (auto _ : state) {
    const BlockLayout layout(box.comm, box.domain, Splitters{}, keys);
    benchmark::DoNotOptimize(layout.n_owned());
  }
  report_per_cell(state, box);
}
BENCHMARK(build_layout)->ArgName("cells")->Arg(32)->Arg(64)->Arg(128);

}  // namespace
}  // namespace freshet
