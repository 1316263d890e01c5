// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4 8
#include "freshet/core/work_counts.hpp"
#include "pressure/multigrid/multigrid.hpp"
#include "pressure/operator/laplacian.hpp"
#include "support/mpi_test.hpp"
#include "support/nightly.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

/// A liquid, and how much of its faces is open.
struct Case {
  std::string name;
  Domain domain;
  CellLabel label;
  bool cuts_faces = false;
};

/// The scene of a case; with cut faces their open parts are noise in sixteenths (such sums are exact), some of them 0.
std::unique_ptr<Scene> make_scene(const Case& c, const Communicator& comm = world()) {
  const std::vector<BlockKey> keys = all_blocks(c.domain);
  auto scene = std::make_unique<Scene>(comm, c.domain, keys, equal_splitters(comm, keys), c.label);
  if (!c.cuts_faces) return scene;
  for (LocalIndex block = 0; block < scene->layout.n_blocks(); ++block)
    scene->for_each_cell(block, [&](const Vec3i& cell, int n) {
      for (int d = 0; d < c.domain.dimension(); ++d) {
        const double part = 0.5 + 0.6 * noise(c.domain.wrap_cell(cell), 31 + static_cast<std::uint64_t>(d));
        scene->open_fraction[d].block(block)[n] *=
            static_cast<float>(std::round(16.0 * std::clamp(part, 0.0, 1.0)) / 16.0);
      }
    });
  build_coefficients(scene->labels, scene->open_fraction, scene->coefficients);
  return scene;
}

/// Water below y = 10; beside it a cavity in the solid of 2 x 3 x 3 cells across a corner of blocks, and one of 2.
Label pockets(const Vec3i& cell) {
  const auto inside = [&cell](const Vec3i& lower, const Vec3i& upper) {
    return (cell.array() >= lower.array()).all() && (cell.array() < upper.array()).all();
  };
  if (inside({15, 7, 7}, {17, 10, 10}) || inside({20, 3, 12}, {22, 4, 13})) return Label::liquid;
  if (cell.x() >= 13) return Label::solid;
  return cell.y() < 10 ? Label::liquid : Label::air;
}

Label all_liquid(const Vec3i& /*cell*/) {
  return Label::liquid;
}

/// 64 strips of four cells, far apart: the first coarse level has many blocks and few unknowns.
Label strips(const Vec3i& cell) {
  const Vec3i place = cell / 16;
  const Vec3i inside = cell - 16 * place;
  const bool here = place.sum() % 2 == 0 && inside.y() == 5 && inside.x() >= 2 && inside.x() < 6;
  return here ? Label::liquid : Label::air;
}

std::vector<Case> cases() {
  const Domain box3 = make_domain(3, {40, 32, 24});
  const Domain large = make_domain(3, {72, 64, 56});  // more than one rank has the first coarse level
  const Domain box2 = make_domain(2, {72, 56, 1});
  const Domain ring3 = make_domain(3, {40, 32, 24}, FaceCondition::periodic);
  const Domain ring2 = make_domain(2, {24, 48, 1}, FaceCondition::periodic);
  const Domain narrow = make_domain(3, {8, 32, 8}, FaceCondition::periodic);
  return {{"splash", box3, splash(box3.cells(), 3)},
          {"cut splash", box3, splash(box3.cells(), 4), true},
          {"large cut splash", large, splash(large.cells(), 11), true},
          {"flat splash", box2, splash(box2.cells(), 5)},
          {"cut flat splash", box2, splash(box2.cells(), 6), true},
          {"periodic splash", ring3, splash(ring3.cells(), 7)},
          {"cut periodic splash", ring3, splash(ring3.cells(), 8), true},
          {"flat periodic splash", ring2, splash(ring2.cells(), 9)},
          {"narrow periodic splash", narrow, splash(narrow.cells(), 10), true},
          {"sealed pockets", make_domain(3, {24, 16, 24}), pockets},
          {"strips far apart", make_domain(2, {256, 128, 1}), strips},
          {"full tank", make_domain(3, {24, 16, 20}), all_liquid},
          {"full ring", make_domain(3, {8, 8, 8}, FaceCondition::periodic), all_liquid}};
}

/// z = M^-1 r on fields.
class Preconditioned {
 public:
  explicit Preconditioned(const Scene& scene, int w_levels = CycleShape().w_levels)
      : scene_(scene), multigrid_(w_levels) {
    unknowns_.rebuild(scene.coefficients);
    multigrid_.reset(scene.coefficients, unknowns_);
  }
  void update_diagonal(const std::vector<LocalIndex>& changed_blocks) {
    unknowns_.examine(scene_.coefficients, changed_blocks);
    multigrid_.update(changed_blocks);
  }
  CellField<double> operator()(const CellField<double>& r) {
    if (!std::exchange(knows_magnitude_, true)) multigrid_.set_magnitude(magnitude_of(r));
    CellField<double> z(scene_.layout, 0.0);
    z.fill(0.0);
    multigrid_.apply(r.data(), z.data());
    return z;
  }

 private:
  double magnitude_of(const CellField<double>& r) const {
    double largest = 0.0;
    scene_.for_each_unknown(
        [&](const Vec3i&, LocalIndex block, int c) { largest = std::max(largest, std::abs(r.block(block)[c])); });
    return scene_.layout.comm().max(largest);
  }

  const Scene& scene_;
  Unknowns unknowns_;
  bool knows_magnitude_ = false;
  Multigrid multigrid_;
};

double dot(const Scene& scene, const CellField<double>& a, const CellField<double>& b) {
  double sum = 0.0;
  scene.for_each_unknown([&](const Vec3i&, LocalIndex block, int c) { sum += a.block(block)[c] * b.block(block)[c]; });
  return scene.layout.comm().sum(sum);
}

CellField<double> noise_field(const Scene& scene, std::uint64_t seed, double scale = 1.0) {
  return scene.field([&](const Vec3i& cell) { return scale * noise(scene.layout.domain().wrap_cell(cell), seed); });
}

void expect_symmetric_and_positive_definite(int w_levels) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto scene = make_scene(c);
    Preconditioned precondition(*scene, w_levels);
    for (const std::uint64_t seed : {1U, 2U}) {
      // In the range of A, as the residuals of bodies without air are.
      const CellField<double> x = multiply(*scene, noise_field(*scene, 2 * seed));
      const CellField<double> y = multiply(*scene, noise_field(*scene, 2 * seed + 1));
      const CellField<double> z_x = precondition(x);
      const CellField<double> z_y = precondition(y);
      const double x_x = dot(*scene, x, z_x);
      const double y_y = dot(*scene, y, z_y);
      EXPECT_GT(x_x, 0.0);
      EXPECT_GT(y_y, 0.0);
      // Some hundred float32 operations, each off by up to 6e-8.
      EXPECT_NEAR(dot(*scene, x, z_y), dot(*scene, y, z_x), 2e-6 * std::sqrt(x_x * y_y));
    }
  }
}

TEST(Multigrid, is_symmetric_and_positive_definite) {
  expect_symmetric_and_positive_definite(CycleShape().w_levels);
}

TEST(Multigrid, is_symmetric_and_positive_definite_with_fine_levels_outside_the_w_cycle) {
  expect_symmetric_and_positive_definite(1);
  expect_symmetric_and_positive_definite(2);
}

TEST(Multigrid, is_positive_definite_on_smooth_and_rough_vectors) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto scene = make_scene(c);
    Preconditioned precondition(*scene);
    const auto is_positive = [&](const std::function<double(const Vec3i&)>& value) {
      const CellField<double> x = scene->field(value);
      return dot(*scene, x, precondition(x)) > 0.0;
    };
    EXPECT_TRUE(is_positive([](const Vec3i&) { return 1.0; }));
    EXPECT_TRUE(is_positive([](const Vec3i& cell) { return cell.sum() % 2 == 0 ? 1.0 : -1.0; }));
    EXPECT_TRUE(is_positive([](const Vec3i& cell) { return cell.sum() / 2 % 2 == 0 ? 1.0 : -1.0; }));
    EXPECT_TRUE(is_positive([](const Vec3i& cell) { return std::sin(0.3 * cell.x()) + 0.1 * cell.y(); }));
  }
}

TEST(Multigrid, is_the_same_operator_on_any_number_of_ranks) {
  const Communicator alone(MPI_COMM_SELF);
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto scene = make_scene(c);
    const auto whole = make_scene(c, alone);
    for (const int w_levels : {7, 2, 1}) {
      const CellField<double> shared = Preconditioned(*scene, w_levels)(noise_field(*scene, 5));
      const CellField<double> single = Preconditioned(*whole, w_levels)(noise_field(*whole, 5));
      double worst = 0.0;
      double largest = 0.0;
      scene->for_each_unknown([&](const Vec3i&, LocalIndex block, int n) {
        const double expected = single.block(whole->layout.find(scene->layout.key(block)))[n];
        worst = std::max(worst, std::abs(shared.block(block)[n] - expected));
        largest = std::max(largest, std::abs(expected));
      });
      EXPECT_EQ(world().max(worst), 0.0) << w_levels;  // the same operations in the same order
      EXPECT_GT(world().max(largest), 0.1) << w_levels;
    }
  }
}

/// The aggregate of a cell, in the coarser level's cells.
Vec3i aggregate_of(const Domain& domain, const Vec3i& cell) {
  Vec3i result = cell;
  for (int d = 0; d < 3 && d < domain.dimension(); ++d) {
    const int block = cell[d] / 8;
    const bool has_partner = !domain.periodic(d) || domain.lattice()[d] % 2 == 0 || block + 1 < domain.lattice()[d];
    result[d] = has_partner ? cell[d] / 2 : 8 * (block / 2) + cell[d] % 8;
  }
  return result;
}

TEST(Multigrid, cycle_costs_the_exchanges_that_its_formula_says) {
  static_assert(CycleShape{7, 5}.exchanges_of_cycle(1) == 10 && CycleShape{7, 5}.exchanges_of_cycle(2) == 22);
  static_assert(CycleShape{7, 8}.exchanges_of_cycle(2) == 16);
  static_assert(CycleShape{7, 11}.exchanges_of_cycle(7) == 4 * 10 + 6 + 12 + 24);
  static_assert(CycleShape{6, 11}.exchanges_of_cycle(7) == 5 * 10 + 6 + 12);
  static_assert(CycleShape{0, 7}.first_of_w_cycle() == 1 && CycleShape{0, 5}.first_of_w_cycle() == 0);
  static_assert(CycleShape{0, 8}.first_of_w_cycle() == 4);
  const Domain domain = make_domain(3, {64, 64, 64});
  const auto scene =
      make_scene({"pool", domain, [](const Vec3i& cell) { return cell.y() < 60 ? Label::liquid : Label::air; }});
  MultigridGrids grids;
  grids.reset(scene->layout);
  int n_shared = 0;
  for (int level = 0; level < grids.n_levels(); ++level) n_shared += grids[level].is_on_one_rank() ? 0 : 1;
  EXPECT_EQ(n_shared, world().size() > 1 ? 2 : 0);
  const CellField<double> r = noise_field(*scene, 5);
  for (const int w_levels : {7, 2, 1}) {
    Preconditioned precondition(*scene, w_levels);
    precondition(r);
    const auto exchanges = [] { return work_so_far()[static_cast<std::size_t>(Work::exchanges)]; };
    const std::int64_t before = exchanges();
    precondition(r);
    EXPECT_EQ(exchanges() - before, (CycleShape{w_levels, grids.n_levels()}.exchanges_of_cycle(n_shared)));
  }
}

/// Sums over the aggregates of all ranks, by the definition, divided by the number of fine faces in a coarse one.
struct AggregateSums {
  AggregateSums(const Scene& scene, const Vec3i& coarse_extents)
      : extents(coarse_extents), excess(static_cast<std::size_t>(extents.prod())) {
    for (std::vector<double>& sums : faces) sums.resize(excess.size());
    for (std::vector<double>& sums : inner) sums.resize(excess.size());
    const Domain& domain = scene.layout.domain();
    const double part = domain.dimension() == 3 ? 0.25 : 0.5;
    const CellField<double> row_sums = multiply(scene, scene.field([](const Vec3i&) { return 1.0; }));
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int at) {
      const Vec3i aggregate = aggregate_of(domain, cell);
      excess[number(aggregate)] += part * row_sums.block(block)[at];
      for (int f = 0; f < 2 * domain.dimension(); ++f) {
        const int sign = f % 2 == 0 ? -1 : 1;
        const double weight = part * weight_towards(scene, block, cell, f / 2, sign);
        const bool is_inner = aggregate_of(domain, domain.wrap_cell(cell + sign * Vec3i::Unit(f / 2))) == aggregate;
        if (!is_inner) faces[f][number(aggregate)] += weight;
        if (is_inner && sign > 0) inner[f / 2][number(aggregate)] += weight;
      }
    });
    for (std::vector<double>& sums : faces) scene.layout.comm().sum_in_place(std::span<double>(sums));
    for (std::vector<double>& sums : inner) scene.layout.comm().sum_in_place(std::span<double>(sums));
    scene.layout.comm().sum_in_place(std::span<double>(excess));
  }
  std::size_t number(const Vec3i& cell) const {
    return static_cast<std::size_t>(cell.x() + extents.x() * (cell.y() + extents.y() * cell.z()));
  }
  static double ratio(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : std::min(a, b) / std::max(a, b); }

  Vec3i extents;
  std::vector<double> excess;
  std::array<std::vector<double>, 6> faces;
  std::array<std::vector<double>, 3> inner;  ///< across each axis, inside the aggregates
};

TEST(Multigrid, coarse_weights_are_sums_over_aggregates_in_series_with_those_inside) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto scene = make_scene(c);
    const Domain& domain = scene->layout.domain();
    MultigridGrids grids;
    grids.reset(scene->layout);
    if (grids.n_levels() == 1) continue;  // one block, periodic along every axis
    Unknowns unknowns;
    unknowns.rebuild(scene->coefficients);
    std::array<MultigridLevel, 2> level;
    for (int l : {0, 1}) level[l].bind(grids[l]);
    level[1].clear_system();
    level[0].take_system(scene->coefficients, unknowns, &level[1]);
    level[1].collect_system(grids[0], Refresh::everything);
    level[1].complete_system(Refresh::everything);

    const Domain& coarse = grids[1].layout->domain();
    const AggregateSums sums(*scene, coarse.cells());
    double total = 0.0;
    double expected_total = 0.0;
    for (const std::vector<double>& of_faces : sums.faces)
      expected_total += std::accumulate(of_faces.begin(), of_faces.end(), 0.0);
    with_shape(domain.dimension(), [&](auto shape) {
      using Shape = decltype(shape);
      for (const MultigridLevel::Block& block : level[1].blocks())
        for (int k = 0; k < Shape::nz; ++k)
          for (int j = 0; j < Shape::ny; ++j)
            for (int i = 0; i < Shape::nx; ++i) {
              const Vec3i cell = grids[1].layout->first_cell(block.number) + Vec3i(i, j, k);
              const std::size_t here = sums.number(cell);
              const int at = Checkerboard<Shape>::index(i, j, k);
              double mean = 0.0;
              for (int d = 0; d < Shape::dim; ++d) mean += sums.inner[d][here] / Shape::dim;
              const double excess = sums.excess[here];
              const double expected_excess = 2.0 * excess / (1.0 + 0.5 * AggregateSums::ratio(excess, mean));
              EXPECT_NEAR(level[1].excess().block(block.number)[at], expected_excess, 2e-6 * (1.0 + expected_excess));
              for (int f = 0; f < 2 * Shape::dim; ++f) {
                const Vec3i next = coarse.wrap_cell(cell + (f % 2 == 0 ? -1 : 1) * Vec3i::Unit(f / 2));
                const double sum = sums.faces[f][here];
                total += sum;
                double expected = 0.0;
                if (sum > 0.0) {
                  const double half_ways = AggregateSums::ratio(sum, sums.inner[f / 2][here]) +
                                           AggregateSums::ratio(sum, sums.inner[f / 2][sums.number(next)]);
                  expected = 2.0 * sum / (1.0 + 0.5 * half_ways);
                }
                const Weight found = level[1].weight().block(block.number)[weight_index<Shape>(f, at)];
                EXPECT_NEAR(to_float(found), expected, 0x1.01p-8 * expected);  // the upper half of a float
              }
            }
    });
    EXPECT_NEAR(world().sum(total), expected_total, 1e-9 * expected_total);  // no weight lies outside the blocks
  }
}

TEST(Multigrid, takes_new_diagonals_as_if_built_anew) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto scene = make_scene(c);
    Preconditioned updated(*scene);
    const CellField<double> r = noise_field(*scene, 5);
    const CellField<double> before = updated(r);
    std::vector<LocalIndex> changed_blocks;
    const auto raise_diagonals = [&](double change) {
      scene->for_each_unknown([&](const Vec3i& cell, LocalIndex block, int n) {
        if (cell.sum() / 8 % 3 != 0 || noise(cell, 6) < 0.5) return;
        scene->coefficients.diagonal.block(block)[n] += change;
        if (changed_blocks.empty() || changed_blocks.back() != block) changed_blocks.push_back(block);
      });
    };
    raise_diagonals(1.0);
    updated.update_diagonal(changed_blocks);
    const CellField<double> after = updated(r);
    EXPECT_EQ(scene->difference(after, Preconditioned(*scene)(r)), 0.0);
    EXPECT_GT(scene->difference(after, before), 0.01);
    changed_blocks.clear();
    raise_diagonals(-1.0);
    updated.update_diagonal(changed_blocks);
    EXPECT_EQ(scene->difference(updated(r), before), 0.0);
  }
}

TEST(Multigrid, takes_residuals_of_any_magnitude) {
  const Case c = cases()[1];
  const auto scene = make_scene(c);
  Preconditioned precondition(*scene);
  const CellField<double> z = precondition(noise_field(*scene, 5));
  double largest = 0.0;
  scene->for_each_unknown(
      [&](const Vec3i&, LocalIndex block, int n) { largest = std::max(largest, std::abs(z.block(block)[n])); });
  largest = world().max(largest);
  for (const double scale : {1e-300, 1e-30, 1e-20, 1e20, 1e300}) {
    SCOPED_TRACE(scale);
    const CellField<double> other = Preconditioned(*scene)(noise_field(*scene, 5, scale));
    double worst = 0.0;
    scene->for_each_unknown([&](const Vec3i&, LocalIndex block, int n) {
      worst = std::max(worst, std::abs(other.block(block)[n] / scale - z.block(block)[n]));
    });
    EXPECT_LE(world().max(worst), 1e-5 * largest);  // decimal factors round differently in float32
  }
  for (const double scale : {0x1.0p-50, 0x1.0p-70, 0x1.0p20}) {  // one operator, whatever came before
    const CellField<double> other = precondition(noise_field(*scene, 5, scale));
    double worst = 0.0;
    scene->for_each_unknown([&](const Vec3i&, LocalIndex block, int n) {
      worst = std::max(worst, std::abs(other.block(block)[n] / scale - z.block(block)[n]));
    });
    EXPECT_LE(world().max(worst), 1e-5 * largest);
  }
  const CellField<double> zero = precondition(noise_field(*scene, 5, 0.0));
  EXPECT_EQ(dot(*scene, zero, zero), 0.0);
}

/// Iterations of a whole solve for noise.
SolveReport solve(const Scene& scene, double tolerance, int w_levels = CycleShape().w_levels) {
  PressureOptions options = solver_parameters("multigrid", tolerance);
  options.w_cycle_levels = w_levels;
  PressureSolver solver(scene.layout.comm(), options);
  CellField<double> p = scene.field([](const Vec3i&) { return 0.0; });
  const SolveReport report = solver.solve(scene.coefficients, multiply(scene, noise_field(scene, 12)), p);
  EXPECT_TRUE(report.converged) << report.reason;
  return report;
}

TEST(Multigrid, needs_few_iterations_on_random_splashes) {
  const Domain box = make_domain(3, {48, 40, 32});
  const Domain flat = make_domain(2, {112, 96, 1});
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const Domain& domain : {box, flat}) {
      const bool cuts_faces = seed % 2 == 1;
      SCOPED_TRACE(testing::Message() << domain.dimension() << "-D, seed " << seed);
      const auto scene = make_scene({"", domain, splash(domain.cells(), 100 + seed), cuts_faces});
      EXPECT_LE(solve(*scene, 1e-5).iterations, cuts_faces ? 10 : 6);  // measured 3 to 4, cut up to 9
    }
}

TEST(Multigrid, reaches_tight_tolerances) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const SolveReport report = solve(*make_scene(c), 1e-12);
    EXPECT_LE(report.iterations, 21);
    EXPECT_LE(report.relative_residual, 1.1e-12);
  }
}

Label dam(const Vec3i& cell, double n) {
  const double height = 0.4 + 0.2 * std::sin(7.0 * cell.x() / n) + 0.05 * std::sin(23.0 * cell.z() / n);
  return cell.y() < n * height ? Label::liquid : Label::air;
}

TEST(Multigrid, needs_no_more_iterations_on_finer_grids) {
  for (const int dimension : {2, 3}) {
    const auto iterations = [dimension](int n, const CellLabel& label) {
      const Domain domain = make_domain(dimension, {n, n, dimension == 3 ? n : 1});
      return solve(*make_scene({"", domain, label}), 1e-5).iterations;
    };
    const auto box = [&](int n) {
      return iterations(n, [n](const Vec3i& cell) { return cell.y() < n - 1 ? Label::liquid : Label::air; });
    };
    const auto open = [&](int n) { return iterations(n, [n](const Vec3i& cell) { return dam(cell, n); }); };
    const auto tank = [&](int n) { return iterations(n, all_liquid); };
    const int factor = dimension == 2 ? 4 : 1;
    EXPECT_NEAR(box(64 * factor), box(32 * factor), 2);
    EXPECT_NEAR(open(64 * factor), open(32 * factor), 2);
    EXPECT_NEAR(tank(64 * factor), tank(32 * factor), 2);
  }
}

/// As on grids with more levels than the W-cycle has.
TEST(Multigrid, needs_a_few_more_iterations_with_fine_levels_outside_the_w_cycle) {
  for (const int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    const int n = dimension == 2 ? 256 : 64;
    const Domain domain = make_domain(dimension, {n, n, dimension == 3 ? n : 1});
    const auto scene = make_scene({"", domain, [n](const Vec3i& cell) { return dam(cell, n); }});
    const int all = solve(*scene, 1e-5).iterations;
    for (int w_levels = 4; w_levels > 0; --w_levels)
      EXPECT_LE(solve(*scene, 1e-5, w_levels).iterations, all + 2) << w_levels;
  }
}

/// Two tanks whose wall has a hole of two cells, and a channel that turns at sixteen walls: smoothing leaves alone
/// what is constant in each of their parts, and all levels represent it. A cycle that corrects it too much is slow or
/// indefinite here.
TEST(Multigrid, needs_few_iterations_where_parts_are_joined_weakly) {
  const auto tanks = [](int n) {
    return [n](const Vec3i& cell) {
      if (cell.y() >= n - 20) return Label::air;
      const bool is_hole = cell.y() < 2 && cell.z() < 2;
      return cell.x() >= n / 2 && cell.x() < n / 2 + 4 && !is_hole ? Label::solid : Label::liquid;
    };
  };
  const auto channel = [](const Vec3i& cell) {
    const int wall = cell.x() / 64;
    const bool is_passage = wall % 2 == 0 ? cell.y() < 1 : cell.y() >= 1023;
    if (cell.x() < 60 && cell.y() >= 1020) return Label::air;
    return cell.x() % 64 >= 60 && !is_passage ? Label::solid : Label::liquid;
  };
  const std::vector<Case> joined = {{"tanks", make_domain(3, {128, 128, 128}), tanks(128)},
                                    {"flat tanks", make_domain(2, {1024, 1024, 1}), tanks(1024)},
                                    {"channel", make_domain(2, {1024, 1024, 1}), channel}};
  for (const Case& c : joined) {
    SCOPED_TRACE(c.name);
    const auto scene = make_scene(c);
    EXPECT_LE(solve(*scene, 1e-5).iterations, 6);
    EXPECT_LE(solve(*scene, 1e-5, 1).iterations, 6);
    if (!nightly()) continue;
    EXPECT_LE(solve(*scene, 1e-10).iterations, 18);
    EXPECT_LE(solve(*scene, 1e-10, 1).iterations, 30);
  }
}

TEST(Multigrid, needs_few_iterations_on_sheets_and_drops) {
  const Domain domain = make_domain(3, {64, 48, 64});
  const auto sheet = [](const Vec3i& cell) {
    const double y = 20.0 + 6.0 * std::sin(0.15 * cell.x() + 0.05 * cell.z());
    return std::abs(cell.y() - y) < 1.2 ? Label::liquid : Label::air;
  };
  const auto drops = [](const Vec3i& cell) {
    return cell.x() % 3 != 0 && noise(cell, 2) > 0.6 ? Label::liquid : Label::air;
  };
  const auto lone_drops = [](const Vec3i& cell) {
    return (cell.array() == 3 * (cell / 3).array()).all() && noise(cell, 2) > 0.0 ? Label::liquid : Label::air;
  };
  EXPECT_LE(solve(*make_scene({"", domain, sheet}), 1e-5).iterations, 6);
  EXPECT_LE(solve(*make_scene({"", domain, drops}), 1e-5).iterations, 6);
  EXPECT_LE(solve(*make_scene({"", domain, lone_drops}), 1e-5).iterations, 3);
}

TEST(Multigrid, needs_few_iterations_on_rings_of_any_number_of_blocks) {
  for (const int n : {8, 16, 24, 40, 56, 64}) {
    SCOPED_TRACE(n);
    const Domain domain = make_domain(3, {n, 40, 24}, FaceCondition::periodic);
    EXPECT_LE(solve(*make_scene({"", domain, all_liquid}), 1e-5).iterations, 8);
  }
}

}  // namespace
}  // namespace freshet
