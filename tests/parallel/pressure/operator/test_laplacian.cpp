// SPDX-License-Identifier: Apache-2.0
#include "pressure/operator/laplacian.hpp"
#include "pressure/operator/unknowns.hpp"
#include "pressure/preconditioners/mic0.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

struct Case {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
  double fraction;  ///< of the blocks that exist
};

const Case cases[] = {
    {3, {40, 32, 24}, FaceCondition::free_slip, 1.0}, {3, {40, 32, 24}, FaceCondition::free_slip, 0.6},
    {3, {16, 24, 8}, FaceCondition::periodic, 1.0},  // two blocks and one block wide
    {3, {8, 8, 8}, FaceCondition::periodic, 1.0},     {3, {33, 17, 9}, FaceCondition::open, 1.0},
    {2, {64, 40, 1}, FaceCondition::free_slip, 0.8},  {2, {8, 48, 1}, FaceCondition::periodic, 1.0},
    {3, {40, 32, 24}, FaceCondition::free_slip, 0.05}};  // fewer blocks than ranks

enum class Weights { voxels, cut };

/// f(scene) for every case, with liquids that have full blocks, blocks with holes and empty ones.
template <class Function>
void for_each_scene(Function&& f) {
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.dimension << "-D " << c.cells.transpose() << " " << c.fraction);
    const Domain domain = make_domain(c.dimension, c.cells, c.condition);
    const std::vector<BlockKey> keys = random_blocks(domain, c.fraction, 17);
    const CellLabel splashing = splash(c.cells, 3);
    const auto label = [&](const Vec3i& cell) { return cell.y() < c.cells.y() / 3 ? Label::liquid : splashing(cell); };
    for (const Weights weights : {Weights::voxels, Weights::cut}) {
      Scene scene(world(), domain, keys, equal_splitters(world(), keys), label);
      if (weights == Weights::cut) {
        for (int d = 0; d < c.dimension; ++d)
          for (LocalIndex block = 0; block < scene.layout.n_blocks(); ++block)
            scene.for_each_cell(block, [&](const Vec3i& cell, int i) {
              const double fraction = std::max(0.0, noise(cell, 40 + static_cast<std::uint64_t>(d)));
              if (cell.x() % 3 != 0) scene.open_fraction[d].block(block)[i] *= static_cast<float>(fraction);
            });
        build_coefficients(scene.labels, scene.open_fraction, scene.coefficients);
      }
      f(scene);
    }
  }
}

/// An array of unknowns, the unknowns' values in a field.
std::vector<double> compressed(const Unknowns& unknowns, const CellField<double>& field) {
  std::vector<double> values(static_cast<std::size_t>(unknowns.count()));
  unknowns.compress(field, values.data());
  return values;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return world().sum(sum);
}

CellField<double> noise_field(const Scene& scene, std::uint64_t seed) {
  return scene.field([seed](const Vec3i& cell) { return noise(cell, seed); });
}

TEST(Unknowns, compress_and_expand_are_inverse) {
  for_each_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    const CellField<double> field = noise_field(scene, 1);
    const std::vector<double> values = compressed(unknowns, field);
    std::size_t n = 0;
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex, int) {
      ASSERT_LT(n, values.size());
      EXPECT_EQ(values[n++], noise(cell, 1));  // by block, cells x fastest
    });
    EXPECT_EQ(n, values.size());
    CellField<double> back(scene.layout, 0.0);
    back.fill(7.0);
    unknowns.expand(values.data(), back);
    for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block) {
      EXPECT_TRUE(
          std::equal(back.block(block), back.block(block) + scene.layout.cells_per_block(), field.block(block)));
    }
  });
}

TEST(Laplacian, equals_the_definition_cell_by_cell) {
  bool any_interior = false;
  for_each_scene([&](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    for (const LocalIndex block : unknowns.active_blocks()) {
      any_interior = any_interior || unknowns.coefficients(block) == Coefficients::interior;
    }
    Laplacian laplacian;
    laplacian.reset(scene.coefficients, unknowns);
    const CellField<double> x = noise_field(scene, 1);
    const std::vector<double> expected = compressed(unknowns, multiply(scene, x));
    std::vector<double> y(expected.size(), 99.0);
    for (int repeat = 0; repeat < 2; ++repeat) laplacian.apply(compressed(unknowns, x).data(), y.data());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-14);  // sums of 7 terms below 6
  });
  EXPECT_TRUE(world().any(any_interior));  // the shortest path was tried
}

TEST(Laplacian, is_symmetric) {
  for_each_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    Laplacian laplacian;
    laplacian.reset(scene.coefficients, unknowns);
    const std::vector<double> x = compressed(unknowns, noise_field(scene, 1));
    const std::vector<double> y = compressed(unknowns, noise_field(scene, 2));
    std::vector<double> a_x(x.size());
    std::vector<double> a_y(x.size());
    laplacian.apply(x.data(), a_x.data());
    laplacian.apply(y.data(), a_y.data());
    EXPECT_NEAR(dot(y, a_x), dot(x, a_y), 1e-9);  // sums of up to 1e5 terms of size 1
  });
}

TEST(Mic0, is_symmetric_and_positive) {
  for_each_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    Mic0 mic0(0.97, 0.25);
    mic0.reset(scene.coefficients, unknowns);
    const std::vector<double> x = compressed(unknowns, noise_field(scene, 1));
    const std::vector<double> y = compressed(unknowns, noise_field(scene, 2));
    std::vector<double> m_x(x.size());
    std::vector<double> m_y(x.size());
    mic0.apply(x.data(), m_x.data());
    mic0.apply(y.data(), m_y.data());
    EXPECT_NEAR(dot(y, m_x), dot(x, m_y), 1e-9);
    if (world().any(!x.empty())) {
      EXPECT_GT(dot(x, m_x), 0.0);
    }
  });
}

/// Bridson's factor and solves, by cell in the natural order of a domain, as in figures 4.2 and 4.3 (but small pivots
/// raised to sigma times the diagonal).
class NaturalMic0 {
 public:
  explicit NaturalMic0(const Scene& scene) {
    const int dimension = scene.layout.domain().dimension();
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
      Equation& equation = equations_[order(cell)];
      equation.diagonal = scene.coefficients.diagonal.block(block)[c];
      for (int d = 0; d < dimension; ++d) equation.low_weight[d] = scene.coefficients.weight[d].block(block)[c];
      equation.cell = cell;
    });
    for (auto& [key, equation] : equations_) factor(equation);
  }
  std::map<std::tuple<int, int, int>, double> solve(const Scene& scene, const CellField<double>& r) {
    std::map<std::tuple<int, int, int>, double> q;
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) { q[order(cell)] = r.block(block)[c]; });
    for (auto& [key, equation] : equations_) {
      for (int d = 0; d < 3; ++d) {
        const Equation* low = find(equation.cell - Vec3i::Unit(d));
        if (low != nullptr) q[key] += equation.low_weight[d] * low->precon * q[order(low->cell)];
      }
      q[key] *= equation.precon;
    }
    for (auto entry = equations_.rbegin(); entry != equations_.rend(); ++entry) {
      const auto& [key, equation] = *entry;
      for (int d = 0; d < 3; ++d) {
        const Equation* high = find(equation.cell + Vec3i::Unit(d));
        if (high != nullptr) q[key] += high->low_weight[d] * equation.precon * q[order(high->cell)];
      }
      q[key] *= equation.precon;
    }
    return q;
  }
  static std::tuple<int, int, int> order(const Vec3i& cell) { return {cell.z(), cell.y(), cell.x()}; }

 private:
  struct Equation {
    Vec3i cell = Vec3i::Zero();
    double diagonal = 0.0;
    double low_weight[3] = {};
    double precon = 0.0;
  };
  const Equation* find(const Vec3i& cell) const {
    const auto found = equations_.find(order(cell));
    return found != equations_.end() ? &found->second : nullptr;
  }
  void factor(Equation& equation) const {
    double e = equation.diagonal;
    for (int d = 0; d < 3; ++d) {
      const Equation* low = find(equation.cell - Vec3i::Unit(d));
      if (low == nullptr) continue;
      double others = 0.0;
      for (int other = 0; other < 3; ++other) {
        const Equation* up = find(low->cell + Vec3i::Unit(other));
        if (other != d && up != nullptr) others += up->low_weight[other];
      }
      const double weight = equation.low_weight[d];
      e -= weight * (weight + 0.97 * others) * low->precon * low->precon;
    }
    equation.precon = 1.0 / std::sqrt(std::max(e, 0.25 * equation.diagonal));
  }
  std::map<std::tuple<int, int, int>, Equation> equations_;
};

TEST(Mic0, is_bridsons_factor_in_the_natural_order_on_one_rank) {
  const Communicator alone(MPI_COMM_SELF);
  for (const int dimension : {2, 3}) {
    const Domain domain = make_domain(dimension, dimension == 3 ? Vec3i(24, 24, 16) : Vec3i(40, 32, 1));
    const std::vector<BlockKey> keys = all_blocks(domain);
    const Scene scene(alone, domain, keys, uniform_splitters(domain, 1), splash(domain.cells(), 3));
    const CellField<double> r = noise_field(scene, 4);
    const auto expected = NaturalMic0(scene).solve(scene, r);
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    Mic0 mic0(0.97, 0.25);
    mic0.reset(scene.coefficients, unknowns);
    const std::vector<double> source = compressed(unknowns, r);
    std::vector<double> z(source.size());
    mic0.apply(source.data(), z.data());
    std::size_t n = 0;
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex, int) {
      EXPECT_NEAR(z[n++], expected.at(NaturalMic0::order(cell)), 1e-12);  // values about 1, factors well conditioned
    });
  }
}

}  // namespace
}  // namespace freshet
