// SPDX-License-Identifier: Apache-2.0
#include "../../../src/pressure/sealed_bodies.hpp"
#include "../../../src/pressure/unknowns.hpp"
#include "scene.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

/// The sealed bodies of a scene on one rank, by filling from cell to cell: a label a cell, -1 where it is open.
std::map<std::tuple<int, int, int>, int> flood(const Domain& domain, const CellLabel& label, int& n_bodies) {
  const auto key = [](const Vec3i& c) { return std::tuple(c.x(), c.y(), c.z()); };
  std::map<std::tuple<int, int, int>, int> body;
  n_bodies = 0;
  for (int z = 0; z < domain.cells().z(); ++z)
    for (int y = 0; y < domain.cells().y(); ++y)
      for (int x = 0; x < domain.cells().x(); ++x) {
        if (label({x, y, z}) != Label::liquid || body.contains(key({x, y, z}))) continue;
        std::vector<Vec3i> members;
        std::deque<Vec3i> front{{x, y, z}};
        body[key({x, y, z})] = -2;
        bool open = false;
        while (!front.empty()) {
          const Vec3i cell = front.front();
          front.pop_front();
          members.push_back(cell);
          for (int d = 0; d < domain.dimension(); ++d)
            for (const int step : {-1, 1}) {
              const Vec3i next = domain.wrap_cell(cell + step * Vec3i::Unit(d));
              const bool inside = domain.contains_cell(next);
              const Label what = inside ? label(next) : domain.outside_is_solid(next) ? Label::solid : Label::air;
              open = open || what == Label::air;
              if (what == Label::liquid && body.emplace(key(next), -2).second) front.push_back(next);
            }
        }
        const bool alone = members.size() == 1;  // no open face: no unknown
        for (const Vec3i& cell : members) body[key(cell)] = open ? -1 : alone ? -3 : n_bodies;
        if (!open && !alone) ++n_bodies;
      }
  return body;
}

TEST(SealedBodies, are_those_that_filling_finds) {
  struct Case {
    int dimension;
    Vec3i cells;
    FaceCondition condition;
    double solid;  ///< solid where noise is larger
  };
  // Solids near the percolation threshold make long winding bodies that cross ranks back and forth.
  for (const Case& c :
       {Case{3, {32, 24, 24}, FaceCondition::free_slip, -0.35}, Case{3, {16, 24, 8}, FaceCondition::periodic, -0.35},
        Case{3, {24, 24, 24}, FaceCondition::free_slip, 0.9}, Case{2, {64, 64, 1}, FaceCondition::free_slip, 0.2},
        Case{2, {64, 8, 1}, FaceCondition::periodic, 0.2}, Case{3, {8, 8, 8}, FaceCondition::periodic, 2.0},
        Case{2, {72, 40, 1}, FaceCondition::open, 0.3}}) {
    SCOPED_TRACE(testing::Message() << c.dimension << "-D " << c.cells.transpose());
    for (const double air : {2.0, 0.998, 0.9}) {
      const CellLabel label = [&](const Vec3i& cell) {
        if (noise(cell, 50) > c.solid) return Label::solid;
        return noise(cell, 51) > air ? Label::air : Label::liquid;
      };
      const Domain domain = make_domain(c.dimension, c.cells, c.condition);
      const std::vector<BlockKey> keys = all_blocks(domain);
      const Scene scene(world(), domain, keys, equal_splitters(world(), keys), label);
      int n_bodies = 0;
      const auto expected = flood(domain, label, n_bodies);
      Unknowns unknowns;
      unknowns.rebuild(scene.coefficients);
      SealedBodies sealed;
      if (world().sum(sealed.look(scene.coefficients, unknowns)) > 0) sealed.resolve();
      EXPECT_EQ(sealed.count(), n_bodies);

      std::vector<int> body(static_cast<std::size_t>(unknowns.count()), -1);
      for (const SealedBodies::Span& span : sealed.spans())
        for (LocalIndex n = span.begin; n < span.end; ++n) body[n] = span.body;
      std::map<int, int> to_expected;
      std::size_t n = 0;
      scene.for_each_unknown([&](const Vec3i& cell, LocalIndex, int) {
        const int there = expected.at({cell.x(), cell.y(), cell.z()});
        const int here = body[n++];
        EXPECT_EQ(here < 0, there < 0);
        if (here >= 0) {
          EXPECT_EQ(to_expected.emplace(here, there).first->second, there);
        }
      });
    }
  }
}

TEST(SealedBodies, lose_their_means_and_nothing_else) {
  const Domain domain = make_domain(3, {24, 16, 16});
  const std::vector<BlockKey> keys = all_blocks(domain);
  // Two tanks, of 9 and 14 layers, a wall between them.
  const Scene scene(world(), domain, keys, equal_splitters(world(), keys),
                    [](const Vec3i& cell) { return cell.x() == 9 ? Label::solid : Label::liquid; });
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  SealedBodies sealed;
  EXPECT_GT(world().sum(sealed.look(scene.coefficients, unknowns)), 0);
  sealed.resolve();
  ASSERT_EQ(sealed.count(), 2);
  const auto wave = [](const Vec3i& cell) { return cell.y() % 2 == 0 ? 1.0 : -1.0; };
  CellField<double> field = scene.field([&](const Vec3i& cell) { return wave(cell) + (cell.x() < 9 ? 3.0 : -5.0); });
  std::vector<double> values(static_cast<std::size_t>(unknowns.count()));
  unknowns.compress(field, values.data());
  const double lost = sealed.remove_means(values.data());
  EXPECT_NEAR(lost, 16.0 * std::sqrt(9.0 * 9.0 + 14.0 * 25.0), 1e-10);
  unknowns.expand(values.data(), field);
  EXPECT_LE(scene.difference(field, scene.field(wave)), 1e-13);
}

}  // namespace
}  // namespace freshet
