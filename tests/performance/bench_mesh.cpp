// SPDX-License-Identifier: Apache-2.0
// smoke: cuts:3/cells:32
#include "freshet/geometry/mesh_shape.hpp"
#include "freshet/geometry/sampled_shape.hpp"
#include "support/meshes.hpp"

#include <benchmark/benchmark.h>
#include <omp.h>

#include <cmath>
#include <memory>

/// What a mesh costs before the first step: a wavy ball of 20 * 4^cuts triangles (8: 1.3 million) that fills most of a
/// box of cells^3, its tree built and every block near its surface sampled; and a query afterwards.
/// Arguments: cuts, cells an axis, threads.
namespace freshet {
namespace {

TriangleMesh wavy_ball(int cuts) {
  TriangleMesh mesh = test::icosphere(cuts);
  for (Vec3& x : mesh.points) {
    const double wave = std::sin(9.0 * x.x()) * std::sin(8.0 * x.y()) * std::sin(7.0 * x.z());
    x = Vec3::Constant(0.5) + 0.4 * (1.0 + 0.1 * wave) * x;
  }
  return mesh;
}

/// Ask once in the middle of every block of the box.
void sample_all(const SampledShape& shape, int n_cells) {
  const int n_blocks = n_cells / 8;
  const double width = 1.0 / n_blocks;
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < n_blocks; ++k)
    for (int j = 0; j < n_blocks; ++j)
      for (int i = 0; i < n_blocks; ++i)
        benchmark::DoNotOptimize(shape.signed_distance(width * (Vec3(i, j, k) + Vec3::Constant(0.5))));
}

void close(benchmark::State& state) {
  const TriangleMesh mesh = wavy_ball(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    TriangleMesh copy = mesh;
    benchmark::DoNotOptimize(close_mesh(copy, "ball"));
  }
}

void build_tree(benchmark::State& state) {
  omp_set_num_threads(static_cast<int>(state.range(2)));
  const TriangleMesh mesh = wavy_ball(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(MeshShape(mesh).bounds());
}

void sample(benchmark::State& state) {
  omp_set_num_threads(static_cast<int>(state.range(2)));
  const int n_cells = static_cast<int>(state.range(1));
  const auto exact = std::make_shared<const MeshShape>(wavy_ball(static_cast<int>(state.range(0))));
  double n_blocks = 0.0;
  double n_unresolved = 0.0;
  for (auto _ : state) {
    const SampledShape shape(exact, {Vec3::Zero(), 1.0 / n_cells, 3});
    sample_all(shape, n_cells);
    n_blocks = static_cast<double>(shape.n_blocks());
    n_unresolved = static_cast<double>(shape.n_unresolved());
  }
  state.counters["blocks"] = n_blocks;
  state.counters["unresolved"] = n_unresolved;
  state.counters["us_per_node"] = benchmark::Counter(
      n_blocks * 729.0 * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void query(benchmark::State& state) {
  const int n_cells = static_cast<int>(state.range(1));
  const auto exact = std::make_shared<const MeshShape>(wavy_ball(static_cast<int>(state.range(0))));
  const SampledShape shape(exact, {Vec3::Zero(), 1.0 / n_cells, 3});
  const TriangleMesh points = wavy_ball(5);
  for (const Vec3& x : points.points) benchmark::DoNotOptimize(shape.signed_distance(x));
  for (auto _ : state)
    for (const Vec3& x : points.points) benchmark::DoNotOptimize(shape.signed_distance(x));
  state.counters["ns_per_query"] =
      benchmark::Counter(static_cast<double>(points.points.size()) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"cuts", "cells", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
  bench->Args({3, 32, 1})->Args({8, 256, 1})->Args({8, 256, 2});
}

BENCHMARK(close)->Apply(cases);
BENCHMARK(build_tree)->Apply(cases);
BENCHMARK(sample)->Apply(cases);
BENCHMARK(query)->Apply(cases);

}  // namespace
}  // namespace freshet
