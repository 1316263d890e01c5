// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4
#include "freshet/linear/regions.hpp"
#include "support/alone.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

/// Counted here, as MPI's own names are for whoever wants to look at its calls. In brackets: PETSc has a macro of that
/// name.
static int n_reductions = 0;
extern "C" int(MPI_Allreduce)(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++n_reductions;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

/// The pressure's solve with regions against dense algebra on the whole matrix.
namespace freshet {
namespace {

using namespace test;

/// Bodies of 6, 3 and 1 columns whose rows are noise on the cells of shells around some places.
struct Body {
  Vec3 center;
  double radius;
  int columns;
  double size;  ///< of its matrix: heavy bodies have a small one
};

std::vector<Body> bodies_of_step(int step, int dimension) {
  if (step == 2) return {};
  std::vector<Body> bodies = {{{9.0 + step, 8.0, 4.0}, 4.0, dimension == 3 ? 6 : 3, 1e3},
                              {{15.0, 6.0 + step, 6.0}, 2.5, 1, 0.4},
                              {{12.0, 9.0, 3.0}, 6.0, dimension == 3 ? 6 : 3, 1e-3},
                              {{100.0, 100.0, 100.0}, 2.0, 2, 1.0}};  // touches nothing
  if (step % 2 == 1) bodies.erase(bodies.begin() + 1);
  return bodies;
}

/// Numbers of bodies that share a matrix: in step 1 the two large ones do, and some cells touch both.
std::vector<std::vector<int>> groups_of_step(const std::vector<Body>& bodies, int step) {
  if (step == 1) return {{0, 1}, {2}};
  std::vector<std::vector<int>> groups;
  for (std::size_t n = 0; n < bodies.size(); ++n) groups.push_back({static_cast<int>(n)});
  return groups;
}

std::vector<double> row_of(const Body& body, const Vec3i& cell, int number, int step) {
  std::vector<double> row;
  for (int i = 0; i < body.columns; ++i)
    row.push_back(noise(cell, static_cast<std::uint64_t>(100 * step + 10 * number + i)));
  return row;
}

/// size (R R^T + 1) with a matrix R of noise.
std::vector<double> matrix_of(const Body& body, int number) {
  const int n = body.columns;
  std::vector<double> matrix;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = 0; k < n; ++k) sum += noise({i, k, number}, 77) * noise({j, k, number}, 77);
      matrix.push_back(body.size * sum);
    }
  return matrix;
}

/// The matrix of a group over all its columns.
std::vector<double> matrix_of(const std::vector<Body>& bodies, const std::vector<int>& group) {
  Body all = bodies[static_cast<std::size_t>(group.front())];
  for (std::size_t m = 1; m < group.size(); ++m) {
    const Body& other = bodies[static_cast<std::size_t>(group[m])];
    all.columns += other.columns;
    all.size = std::sqrt(all.size * other.size);
  }
  return matrix_of(all, group.front());
}

bool touches(const Body& body, const Vec3i& cell, int dimension) {
  Vec3 way = cell.cast<double>() + Vec3::Constant(0.5) - body.center;
  if (dimension == 2) way.z() = 0.0;
  return std::abs(way.norm() - body.radius) < 1.0;
}

bool has_second_row(const Vec3i& cell) {
  return cell.x() % 3 == 0;
}

void fill(Regions& regions, const Scene& scene, const std::vector<Body>& bodies, int step) {
  std::vector<int> columns;
  for (const Body& body : bodies) columns.push_back(body.columns);
  regions.reset(scene.layout, columns);
  const int dimension = scene.layout.domain().dimension();
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    const auto number = static_cast<int>(n);
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
      if (!touches(bodies[n], cell, dimension)) return;
      regions.add_row(number, block, c, row_of(bodies[n], cell, number, step));
      if (has_second_row(cell)) regions.add_row(number, block, c, row_of(bodies[n], cell, number + 5, step));
    });
  }
  regions.finish();
  if (step == 3) {  // rows and matrices that begin_again() takes back
    regions.clear_rows([](LocalIndex /*block*/, int cell) { return cell % 2 == 0; });
    std::vector<int> all;
    for (std::size_t n = 0; n < bodies.size(); ++n) all.push_back(static_cast<int>(n));
    const auto n_columns = static_cast<std::size_t>(regions.columns());
    regions.couple(all, std::vector<double>(n_columns * n_columns, 1.0));
    regions.set_offset(std::vector<double>(n_columns, 1.0));
    regions.begin_again();
  }
  for (const std::vector<int>& group : groups_of_step(bodies, step)) {
    std::vector<double> matrix = matrix_of(bodies, group);
    if (group.size() == 1) {
      std::vector<double> before(matrix.size(), 0.0);
      regions.set_matrix(group.front(), before);  // which the second call replaces
      regions.set_matrix(group.front(), matrix);
    } else {
      regions.couple(group, matrix);
    }
  }
}

using Place = std::array<int, 3>;

Place place_of(const Vec3i& cell) {
  return {cell.x(), cell.y(), cell.z()};
}

/// A + S C S^T of all unknowns, by the definitions; rows of the lower triangle become those of its Cholesky factor.
class Dense {
 public:
  Dense(const Scene& whole, const std::vector<Body>& bodies, int step) {
    whole.for_each_unknown([&](const Vec3i& cell, LocalIndex, int) { numbers_.emplace(place_of(cell), size()); });
    rows_.assign(numbers_.size(), std::vector<double>(numbers_.size(), 0.0));
    whole.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
      at(cell, cell) = whole.coefficients.diagonal.block(block)[c];
      for (int d = 0; d < whole.layout.domain().dimension(); ++d)
        for (const int sign : {-1, 1}) {
          const double weight = weight_towards(whole, block, cell, d, sign);
          if (weight != 0.0) at(cell, cell + sign * Vec3i::Unit(d)) = -weight;
        }
    });
    for (const std::vector<int>& group : groups_of_step(bodies, step)) add(whole, bodies, group, step);
    factorise();
  }

  /// x of L L^T x = b, by place.
  std::map<Place, double> solve(double (*b)(const Vec3i&)) const {
    std::vector<double> x(rows_.size());
    for (const auto& [place, n] : numbers_) x[n] = b({place[0], place[1], place[2]});
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) x[i] -= rows_[i][j] * x[j];
      x[i] /= rows_[i][i];
    }
    for (std::size_t i = x.size(); i-- > 0;) {
      for (std::size_t j = i + 1; j < x.size(); ++j) x[i] -= rows_[j][i] * x[j];
      x[i] /= rows_[i][i];
    }
    std::map<Place, double> result;
    for (const auto& [place, n] : numbers_) result[place] = x[n];
    return result;
  }

 private:
  std::size_t size() const { return numbers_.size(); }
  double& at(const Vec3i& row, const Vec3i& column) {
    return rows_[numbers_.at(place_of(row))][numbers_.at(place_of(column))];
  }
  void add(const Scene& whole, const std::vector<Body>& bodies, const std::vector<int>& group, int step) {
    std::vector<std::pair<Vec3i, std::vector<double>>> s;
    whole.for_each_unknown([&](const Vec3i& cell, LocalIndex, int) {
      std::vector<double> of_cell;
      bool is_touched = false;
      for (const int number : group) {
        const Body& body = bodies[static_cast<std::size_t>(number)];
        std::vector<double> row(static_cast<std::size_t>(body.columns), 0.0);
        if (touches(body, cell, whole.layout.domain().dimension())) {
          is_touched = true;
          row = row_of(body, cell, number, step);
          const std::vector<double> more = row_of(body, cell, number + 5, step);
          if (has_second_row(cell)) std::ranges::transform(row, more, row.begin(), std::plus<>());
        }
        of_cell.insert(of_cell.end(), row.begin(), row.end());
      }
      if (is_touched) s.emplace_back(cell, of_cell);
    });
    const std::vector<double> c = matrix_of(bodies, group);
    for (const auto& [row, of_row] : s)
      for (const auto& [column, of_column] : s)
        for (std::size_t i = 0; i < of_row.size(); ++i)
          for (std::size_t j = 0; j < of_column.size(); ++j)
            at(row, column) += of_row[i] * c[i * of_row.size() + j] * of_column[j];
  }
  void factorise() {
    for (std::size_t j = 0; j < rows_.size(); ++j)
      for (std::size_t i = j; i < rows_.size(); ++i) {
        double sum = rows_[i][j];
        for (std::size_t k = 0; k < j; ++k) sum -= rows_[i][k] * rows_[j][k];
        rows_[i][j] = i == j ? std::sqrt(sum) : sum / rows_[j][j];
      }
  }

  std::map<Place, std::size_t> numbers_;
  std::vector<std::vector<double>> rows_;
};

struct System {
  Communicator alone{MPI_COMM_SELF};
  Scene scene, whole;
  System(const Domain& domain, std::uint64_t seed)
      : scene(world(), domain, all_blocks(domain), equal_splitters(world(), all_blocks(domain)),
              splash(domain.cells(), seed)),
        whole(alone, domain, all_blocks(domain), equal_splitters(alone, all_blocks(domain)),
              splash(domain.cells(), seed)) {}
};

double source(const Vec3i& cell) {
  return noise(cell, 21);
}

/// The dense solution by place, which rank 0 computes for all. Collective
std::map<Place, double> dense_solution(const System& system, const std::vector<Body>& bodies, int step) {
  const std::vector<double> values = computed_alone([&](const Communicator&) {
    std::vector<double> of_places;
    for (const auto& [place, value] : Dense(system.whole, bodies, step).solve(source)) of_places.push_back(value);
    return of_places;
  });
  std::map<Place, double> solution;
  system.whole.for_each_unknown([&](const Vec3i& cell, LocalIndex, int) { solution[place_of(cell)] = 0.0; });
  std::ranges::copy(values, std::views::values(solution).begin());
  return solution;
}

/// Largest difference from the exact solution, over its largest value.
double error_of(const System& system, const CellField<double>& p, const std::map<Place, double>& exact) {
  double worst = 0.0;
  double largest = 0.0;
  for (const auto& [place, value] : exact) largest = std::max(largest, std::abs(value));
  system.scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
    worst = std::max(worst, std::abs(p.block(block)[c] - exact.at(place_of(cell))));
  });
  return world().max(worst) / largest;
}

Vec3i cells_of(int dimension) {
  return dimension == 3 ? Vec3i(16, 16, 8) : Vec3i(24, 24, 1);
}

class RegionsOf : public testing::TestWithParam<int> {};

TEST_P(RegionsOf, pressure_solves_the_dense_system_while_rows_come_and_go) {
  const int dimension = GetParam();
  const System system(make_domain(dimension, cells_of(dimension)), 3);
  std::vector<std::map<Place, double>> exact;
  for (int step = 0; step < 4; ++step) exact.push_back(dense_solution(system, bodies_of_step(step, dimension), step));
  for (const std::string_view preconditioner : all_preconditioners()) {
    SCOPED_TRACE(preconditioner);
    PressureSolver solver(world(), solver_parameters(preconditioner, 1e-12));
    Regions regions;
    CellField<double> p(system.scene.layout, 0.0);
    p.fill(0.0);
    for (int step = 0; step < 4; ++step) {
      SCOPED_TRACE(step);
      const std::vector<Body> bodies = bodies_of_step(step, dimension);
      fill(regions, system.scene, bodies, step);
      solver.set_regions(&regions);
      const SolveReport report = solver.solve(system.scene.coefficients, system.scene.field(source), p);
      EXPECT_TRUE(report.converged) << report.reason;
      EXPECT_LE(report.relative_residual, 1e-10);  // the true one: round-off of eigenvalues of 1e5
      EXPECT_LE(error_of(system, p, exact[static_cast<std::size_t>(step)]), 1e-8);  // condition number up to 1e4
    }
  }
}

TEST_P(RegionsOf, pressure_has_the_same_bits_on_any_number_of_ranks) {
  const int dimension = GetParam();
  const System system(make_domain(dimension, cells_of(dimension)), 3);
  const std::vector<Body> bodies = bodies_of_step(0, dimension);
  for (const std::string_view preconditioner : {"multigrid", "block_mic0"}) {
    std::array<CellField<double>, 2> solutions;
    for (const bool is_alone : {false, true}) {
      const Scene& scene = is_alone ? system.whole : system.scene;
      PressureSolver solver(scene.layout.comm(), solver_parameters(preconditioner, 1e-8));
      Regions regions;
      fill(regions, scene, bodies, 0);
      solver.set_regions(&regions);
      CellField<double>& p = solutions[is_alone ? 1 : 0];
      p = CellField<double>(scene.layout, 0.0);
      p.fill(0.0);
      solver.solve(scene.coefficients, scene.field(source), p);
    }
    int different = 0;
    system.scene.for_each_unknown([&](const Vec3i&, LocalIndex block, int c) {
      const LocalIndex there = system.whole.layout.find(system.scene.layout.key(block));
      if (solutions[0].block(block)[c] != solutions[1].block(there)[c]) ++different;
    });
    EXPECT_EQ(world().sum(GlobalIndex{different}), 0) << preconditioner;
  }
}

/// What a solve costs with the bodies of step 0, or without any.
struct Cost {
  int iterations;
  int reductions;
};
Cost cost_of(const System& system, const std::vector<Body>& bodies) {
  PressureSolver solver(world(), solver_parameters("multigrid", 1e-6));
  Regions regions;
  fill(regions, system.scene, bodies, 0);
  solver.set_regions(&regions);
  CellField<double> p(system.scene.layout, 0.0);
  p.fill(0.0);
  const CellField<double> b = system.scene.field(source);
  solver.prepare(system.scene.coefficients);
  SolveRequest request;
  request.change = SystemChange::nothing;
  const int before = n_reductions;
  const SolveReport report = solver.solve(system.scene.coefficients, b, p, request);
  return {report.iterations, n_reductions - before};
}

/// Each eigenvalue that a column moves out of the cluster costs an iteration, and one more where round-off brings its
/// error back.
TEST_P(RegionsOf, pressure_takes_few_iterations_more) {
  const int dimension = GetParam();
  const System system(make_domain(dimension, cells_of(dimension)), 3);
  const std::vector<Body> bodies = bodies_of_step(0, dimension);
  int columns = 0;
  for (const Body& body : bodies) columns += body.columns;
  EXPECT_LE(cost_of(system, bodies).iterations, cost_of(system, {}).iterations + 2 * columns);
}

/// The sums of bodies so heavy that they change nothing travel with those of the iterations. Two reductions more are
/// for the residuals of the start and of the end.
TEST_P(RegionsOf, pressure_takes_no_reductions_of_their_own) {
  const int dimension = GetParam();
  const System system(make_domain(dimension, cells_of(dimension)), 3);
  std::vector<Body> bodies = bodies_of_step(0, dimension);
  for (Body& body : bodies) body.size = 0.0;
  const Cost with = cost_of(system, bodies);
  const Cost without = cost_of(system, {});
  EXPECT_EQ(with.iterations, without.iterations);
  if (world().size() == 1) return;  // a rank that is alone calls PETSc's vectors only
  EXPECT_EQ(with.reductions, without.reductions + 2);
  EXPECT_GT(without.reductions, 2 * without.iterations);
}

TEST_P(RegionsOf, offsets_are_part_of_the_right_hand_side_where_rows_are) {
  const System system(make_domain(GetParam(), cells_of(GetParam())), 3);
  Regions regions;
  fill(regions, system.scene, bodies_of_step(0, GetParam()), 0);
  std::vector<double> offset;
  for (int n = 0; n < regions.columns(); ++n) offset.push_back(0.3 - 0.1 * n);
  CellField<double> expected = system.scene.field(source);
  regions.add(-1.0, offset, expected.data());
  const auto solution_of = [&](const CellField<double>& b) {
    PressureSolver solver(world(), solver_parameters(all_preconditioners().front(), 1e-12));
    CellField<double> p(system.scene.layout, 0.0);
    p.fill(0.0);
    solver.set_regions(&regions);
    solver.solve(system.scene.coefficients, b, p);
    return p;
  };
  const CellField<double> as_given = solution_of(expected);
  regions.set_offset(offset);
  const CellField<double> as_offset = solution_of(system.scene.field(source));
  system.scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
    ASSERT_EQ(as_offset.block(block)[c], as_given.block(block)[c]) << cell.transpose();
  });
  regions.clear_rows([](LocalIndex, int c) { return c % 2 == 0; });
  CellField<double> left = system.scene.field(source);
  regions.subtract_offset(left.data());
  system.scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
    EXPECT_EQ(left.block(block)[c], c % 2 == 0 ? source(cell) : expected.block(block)[c]) << cell.transpose();
  });
}

INSTANTIATE_TEST_SUITE_P(Dimension, RegionsOf, testing::Values(2, 3));

}  // namespace
}  // namespace freshet
