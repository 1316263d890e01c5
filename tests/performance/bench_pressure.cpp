// SPDX-License-Identifier: Apache-2.0
// smoke: n:64
#include "pressure/multigrid/multigrid.hpp"
#include "pressure/null_space/sealed_bodies.hpp"
#include "pressure/operator/laplacian.hpp"
#include "pressure/operator/unknowns.hpp"
#include "pressure/preconditioners/mic0.hpp"
#include "support/pressure_scene.hpp"

#include <benchmark/benchmark.h>

#include <memory>

/// Times per liquid cell: of each kernel, and of whole solves per cell and iteration.
namespace freshet {
namespace {

using namespace test;
using namespace pressure;

enum Geometry : int { box, dam };

/// A sphere of water in some of the cubes of 12 cells.
bool in_drop(const Vec3i& cell) {
  const Vec3i cube = cell / 12;
  if (noise(cube, 1) < 0.6) return false;
  const Vec3 center = (12.0 * cube.cast<double>() + Vec3::Constant(6.0));
  return (cell.cast<double>() - center).norm() < 3.0 + 2.0 * noise(cube, 2);
}

/// A box with its upper third in air, or the waves and drops after a dam has broken.
CellLabel label_of(Geometry geometry, const Vec3i& cells) {
  return [geometry, n = static_cast<double>(cells.x())](const Vec3i& cell) {
    if (geometry == box) return cell.y() < 2.0 * n / 3.0 ? Label::liquid : Label::air;
    const double x = cell.x() / n;
    const double z = cell.z() / n;
    const double height = 0.35 + 0.2 * std::sin(7.0 * x + 2.0 * z) + 0.04 * std::sin(31.0 * x - 23.0 * z);
    return cell.y() < n * height || in_drop(cell) ? Label::liquid : Label::air;
  };
}

/// The last scene asked for: benchmarks of one geometry and size stand together.
const Scene& scene_of(const benchmark::State& state) {
  // Never destroyed: that would come after MPI's end.
  static const Communicator& alone = *new Communicator(MPI_COMM_SELF);
  static std::unique_ptr<Scene>& scene = *new std::unique_ptr<Scene>;
  static std::pair<int, int> made{-1, -1};
  const std::pair<int, int> wanted{static_cast<int>(state.range(0)), static_cast<int>(state.range(1))};
  if (wanted != made) {
    const Domain domain = make_domain(3, Vec3i::Constant(wanted.second));
    scene.reset();
    scene = std::make_unique<Scene>(alone, domain, all_blocks(domain), uniform_splitters(domain, 1),
                                    label_of(static_cast<Geometry>(wanted.first), domain.cells()));
    made = wanted;
  }
  return *scene;
}

void report_per_cell(benchmark::State& state, LocalIndex cells, double repeats = 1.0) {
  state.counters["cells"] = cells;
  state.counters["per_cell"] =
      benchmark::Counter(static_cast<double>(cells) * repeats,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

struct Vectors {
  explicit Vectors(const Scene& scene)
      : x(scene.field([](const Vec3i& cell) { return noise(cell, 1); })), y(scene.layout, 0.0) {
    y.fill(0.0);
  }
  CellField<double> x;
  CellField<double> y;
};

void bench_unknowns(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  Unknowns unknowns;
  for (auto _ : state) unknowns.rebuild(scene.coefficients);
  report_per_cell(state, unknowns.count());
}

void bench_sealed_bodies(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  SealedBodies sealed;
  for (auto _ : state) benchmark::DoNotOptimize(sealed.find_unanchored(scene.coefficients, unknowns));
  report_per_cell(state, unknowns.count());
}

void bench_operator(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  Laplacian laplacian;
  laplacian.reset(scene.coefficients, unknowns);
  Vectors v(scene);
  for (auto _ : state) laplacian.apply(v.x.data(), v.y.data());
  report_per_cell(state, unknowns.count());
}

void bench_mic0_factor(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  Mic0 mic0(0.97, 0.25, Mic0::Reach::rank);
  for (auto _ : state) mic0.reset(scene.coefficients, unknowns);
  report_per_cell(state, unknowns.count());
}

void bench_mic0_solves(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  Mic0 mic0(0.97, 0.25, Mic0::Reach::rank);
  mic0.reset(scene.coefficients, unknowns);
  Vectors v(scene);
  for (auto _ : state) mic0.apply(v.x.data(), v.y.data());
  report_per_cell(state, unknowns.count());
}

/// Levels for a grid that has not changed.
void bench_multigrid_build(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  Multigrid multigrid;
  for (auto _ : state) multigrid.reset(scene.coefficients, unknowns);
  report_per_cell(state, unknowns.count());
}

void bench_multigrid_new_diagonal(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  Multigrid multigrid;
  multigrid.reset(scene.coefficients, unknowns);
  for (auto _ : state) multigrid.update(unknowns.active_blocks());
  report_per_cell(state, unknowns.count());
}

void bench_multigrid_cycle(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  Multigrid multigrid;
  multigrid.reset(scene.coefficients, unknowns);
  Vectors v(scene);
  for (auto _ : state) multigrid.apply(v.x.data(), v.y.data());
  report_per_cell(state, unknowns.count());
}

/// Coefficients, right-hand side, gradient and divergence of one step.
void bench_poisson_arrays(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  PoissonCoefficients coefficients;
  FaceField<double> velocity(scene.layout, 0.0);
  velocity.fill(0.5);
  FaceField<float> solid_velocity(scene.layout, 0.0F);
  solid_velocity.fill(0.0F);
  CellField<double> b;
  CellField<double> p(scene.layout, 0.0);
  p.fill(0.0);
  for (auto _ : state) {
    build_coefficients(scene.labels, scene.open_fraction, coefficients);
    outflow_right_hand_side(velocity, scene.open_fraction, solid_velocity, coefficients, b);
    subtract_gradient(p, coefficients, scene.open_fraction, velocity);
    benchmark::DoNotOptimize(max_divergence(velocity, scene.open_fraction, solid_velocity, coefficients));
  }
  Unknowns unknowns;
  unknowns.rebuild(coefficients);
  report_per_cell(state, unknowns.count());
}

/// A whole solve to 1e-5; per_cell is per cell and iteration, set-up included.
void bench_solve(benchmark::State& state, std::string_view preconditioner) {
  const Scene& scene = scene_of(state);
  const CellField<double> b = scene.field([](const Vec3i& cell) { return 0.01 * cell.y() + noise(cell, 5); });
  PressureSolver solver(scene.layout.comm(), solver_parameters(preconditioner, 1e-5));
  CellField<double> p(scene.layout, 0.0);
  SolveReport report;
  for (auto _ : state) {
    p.fill(0.0);
    report = solver.solve(scene.coefficients, b, p);
  }
  report_per_cell(state, static_cast<LocalIndex>(report.unknowns), report.iterations);
  state.counters["iterations"] = report.iterations;
  state.counters["setup_ms"] = 1e3 * report.setup_seconds;
  state.counters["solve_ms"] = 1e3 * report.solve_seconds;
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int geometry : {box, dam})
    for (const int n : {64, 128}) b->Args({geometry, n});
  b->ArgNames({"dam", "n"})->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(bench_unknowns)->Apply(sizes);
BENCHMARK(bench_sealed_bodies)->Apply(sizes);
BENCHMARK(bench_poisson_arrays)->Apply(sizes);
BENCHMARK(bench_operator)->Apply(sizes);
BENCHMARK(bench_mic0_factor)->Apply(sizes);
BENCHMARK(bench_mic0_solves)->Apply(sizes);
BENCHMARK(bench_multigrid_build)->Apply(sizes);
BENCHMARK(bench_multigrid_new_diagonal)->Apply(sizes);
BENCHMARK(bench_multigrid_cycle)->Apply(sizes);
BENCHMARK_CAPTURE(bench_solve, multigrid, "multigrid")->Apply(sizes);
BENCHMARK_CAPTURE(bench_solve, mic0, "mic0")->Apply(sizes);
BENCHMARK_CAPTURE(bench_solve, none, "none")->Apply(sizes);
BENCHMARK_CAPTURE(bench_solve, icc, "icc")->Apply(sizes);
BENCHMARK_CAPTURE(bench_solve, hypre, "hypre")->Apply(sizes);

}  // namespace
}  // namespace freshet
