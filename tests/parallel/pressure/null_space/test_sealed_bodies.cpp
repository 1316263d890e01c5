// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4
#include "freshet/core/work_counts.hpp"
#include "pressure/null_space/sealed_bodies.hpp"
#include "pressure/operator/unknowns.hpp"
#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

using CellKey = std::tuple<int, int, int>;
CellKey key_of(const Vec3i& c) {
  return {c.x(), c.y(), c.z()};
}

/// Walls without thickness: closed faces between cells of any kind, said by the cell above the face.
using IsClosed = std::function<bool(const Vec3i& cell, int axis)>;

/// The sealed bodies of a scene, by filling from cell to cell on one rank.
class Filling {
 public:
  Filling(const Domain& domain, CellLabel label, IsClosed closed)
      : domain_(domain), label_(std::move(label)), closed_(std::move(closed)) {
    for (int z = 0; z < domain.cells().z(); ++z)
      for (int y = 0; y < domain.cells().y(); ++y)
        for (int x = 0; x < domain.cells().x(); ++x) {
          if (label_({x, y, z}) == Label::liquid && !body_.contains({x, y, z})) fill_from({x, y, z});
        }
  }
  int n_bodies() const { return n_bodies_; }
  /// Number of the sealed body that holds a cell; negative in open ones.
  int body(const Vec3i& cell) const { return body_.at(key_of(cell)); }

 private:
  Label what(const Vec3i& cell) const {
    if (domain_.contains_cell(cell)) return label_(cell);
    return domain_.outside_is_solid(cell) ? Label::solid : Label::air;
  }
  void fill_from(const Vec3i& start) {
    std::vector<Vec3i> members{start};
    body_[key_of(start)] = -1;
    bool open = false;
    for (std::size_t n = 0; n < members.size(); ++n) {
      const Vec3i cell = members[n];
      for (int d = 0; d < domain_.dimension(); ++d)
        for (const int step : {-1, 1}) {
          const Vec3i next = domain_.wrap_cell(cell + step * Vec3i::Unit(d));
          if (closed_(step > 0 ? next : cell, d)) continue;
          open = open || what(next) == Label::air;
          if (what(next) == Label::liquid && body_.emplace(key_of(next), -1).second) members.push_back(next);
        }
    }
    if (open || members.size() == 1) return;  // a liquid cell alone in closed faces is no unknown
    for (const Vec3i& cell : members) body_[key_of(cell)] = n_bodies_;
    ++n_bodies_;
  }

  const Domain& domain_;
  CellLabel label_;
  IsClosed closed_;
  std::map<CellKey, int> body_;
  int n_bodies_ = 0;
};

struct Case {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
  double solid;   ///< solid where noise is larger
  double closed;  ///< face closed where noise is larger
};

// Solids and thin walls near the percolation threshold make long winding bodies that cross ranks back and forth.
const Case cases[] = {
    {3, {32, 24, 24}, FaceCondition::free_slip, -0.35, 2.0}, {3, {16, 24, 8}, FaceCondition::periodic, -0.35, 2.0},
    {3, {24, 24, 24}, FaceCondition::free_slip, 0.9, 2.0},   {3, {32, 24, 24}, FaceCondition::free_slip, 2.0, -0.45},
    {3, {16, 8, 16}, FaceCondition::periodic, 0.6, -0.3},    {2, {64, 64, 1}, FaceCondition::free_slip, 0.2, 2.0},
    {2, {64, 64, 1}, FaceCondition::free_slip, 0.8, 0.1},    {2, {64, 8, 1}, FaceCondition::periodic, 0.2, 2.0},
    {3, {8, 8, 8}, FaceCondition::periodic, 2.0, 2.0},       {2, {72, 40, 1}, FaceCondition::open, 0.3, 2.0}};

/// \param[in,out] sealed  with what it keeps of other scenes
void expect_bodies_of_filling(const Scene& scene, const Filling& filling, SealedBodies& sealed) {
  Unknowns unknowns;
  unknowns.rebuild(scene.coefficients);
  if (world().sum(sealed.find_unanchored(scene.coefficients, unknowns)) > 0) sealed.resolve();
  EXPECT_EQ(sealed.count(), filling.n_bodies());
  CellField<int> body(scene.layout, -1);
  body.fill(-1);
  for (const SealedBodies::Part& part : sealed.parts())
    for (int c = 0; c < scene.layout.cells_per_block(); ++c)
      if (part.cells.contains(c)) body.block(part.cells.block)[c] = part.body;
  std::map<int, int> to_expected;
  int n_wrong = 0;
  scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
    const int there = filling.body(cell);
    const int here = body.block(block)[c];
    if ((here < 0) != (there < 0)) ++n_wrong;
    if (here >= 0 && to_expected.emplace(here, there).first->second != there) ++n_wrong;
  });
  EXPECT_EQ(n_wrong, 0);
}

TEST(SealedBodies, are_those_that_filling_finds) {
  SealedBodies sealed;
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.dimension << "-D " << c.cells.transpose() << " " << c.closed);
    for (const double air : {2.0, 0.998, 0.9}) {
      const CellLabel label = [&](const Vec3i& cell) {
        if (noise(cell, 50) > c.solid) return Label::solid;
        return noise(cell, 51) > air ? Label::air : Label::liquid;
      };
      const IsClosed closed = [&](const Vec3i& cell, int axis) {
        return noise(cell, 60 + static_cast<std::uint64_t>(axis)) > c.closed;
      };
      const Domain domain = make_domain(c.dimension, c.cells, c.condition);
      const std::vector<BlockKey> keys = all_blocks(domain);
      Scene scene(world(), domain, keys, equal_splitters(world(), keys), label);
      for (int d = 0; d < c.dimension; ++d)
        for (LocalIndex block = 0; block < scene.layout.n_blocks(); ++block)
          scene.for_each_cell(block, [&](const Vec3i& cell, int i) {
            if (closed(cell, d)) scene.open_fraction[d].block(block)[i] = 0.0F;
          });
      build_coefficients(scene.labels, scene.open_fraction, scene.coefficients);
      expect_bodies_of_filling(scene, Filling(domain, label, closed), sealed);
    }
  }
}

TEST(SealedBodies, are_told_from_open_ones_in_a_row_of_ranks_with_few_agreements) {
  const Domain domain = make_domain(3, {64, 8, 8});
  const std::vector<BlockKey> keys = all_blocks(domain);
  for (const int air : {0, 63, -1}) {  // at either end of the row, or nowhere
    const Scene scene(world(), domain, keys, equal_splitters(world(), keys),
                      [air](const Vec3i& cell) { return cell.x() == air ? Label::air : Label::liquid; });
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    SealedBodies sealed;
    if (world().sum(sealed.find_unanchored(scene.coefficients, unknowns)) == 0) continue;
    const auto exchanges = [] { return work_so_far()[static_cast<std::size_t>(Work::exchanges)]; };
    const std::int64_t before = exchanges();
    sealed.resolve();
    EXPECT_EQ(sealed.count(), air < 0 ? 1 : 0);
    const int hops = world().size() - 1;  // a rank a block, or several
    EXPECT_LE(exchanges() - before, 2 * hops + 1);
    EXPECT_LE(sealed.n_agreements(), hops > 0 ? std::bit_width(static_cast<unsigned>(hops)) + 1 : 0);
  }
}

/// Air at one end of a row of ranks, or nowhere: what one call keeps serves the next one, but never misleads it.
TEST(SealedBodies, are_told_from_open_ones_at_once_where_nothing_has_changed) {
  const Domain domain = make_domain(3, {64, 8, 8});
  const std::vector<BlockKey> keys = all_blocks(domain);
  const auto exchanges = [] { return work_so_far()[static_cast<std::size_t>(Work::exchanges)]; };
  SealedBodies sealed;
  Unknowns unknowns;
  int air_before = -1;
  for (const int air : {0, 0, 63, 63, -1, -1, 0, 0, 1}) {
    const Scene scene(world(), domain, keys, equal_splitters(world(), keys),
                      [air](const Vec3i& cell) { return cell.x() == air ? Label::air : Label::liquid; });
    unknowns.rebuild(scene.coefficients);
    if (world().sum(sealed.find_unanchored(scene.coefficients, unknowns)) == 0) continue;
    const std::int64_t before = exchanges();
    sealed.resolve();
    EXPECT_EQ(sealed.count(), air < 0 ? 1 : 0) << air << " after " << air_before;
    if (air >= 0 && air == air_before) {
      EXPECT_LE(exchanges() - before, 1);
      EXPECT_LE(sealed.n_agreements(), 1);
    }
    air_before = air;
  }
}

/// A tank with air, and on either side of it a sealed one. The labels of bodies are numbers of cells.
TEST(SealedBodies, are_found_where_cells_have_numbers_of_more_than_32_bits) {
  const Domain domain = make_domain(3, {40, 16, 16});
  const std::vector<BlockKey> keys = all_blocks(domain);
  constexpr GlobalIndex cells_in_block = 512;
  for (const int bits : {31, 32, 40})
    for (const GlobalIndex n_below : {GlobalIndex{0}, GlobalIndex{1}, static_cast<GlobalIndex>(keys.size())}) {
      SCOPED_TRACE(testing::Message() << bits << " bits, " << n_below << " blocks below");
      const Scene scene(
          world(), domain, keys, equal_splitters(world(), keys),
          [](const Vec3i& cell) {
            if (cell.x() == 11 || cell.x() == 25) return Label::solid;
            return cell == Vec3i(18, 15, 3) ? Label::air : Label::liquid;
          },
          (GlobalIndex{1} << bits) / cells_in_block - n_below);
      Unknowns unknowns;
      unknowns.rebuild(scene.coefficients);
      SealedBodies sealed;
      EXPECT_GT(world().sum(sealed.find_unanchored(scene.coefficients, unknowns)), 0);
      sealed.resolve();
      ASSERT_EQ(sealed.count(), 2);
      CellField<double> ones = scene.field([](const Vec3i&) { return 1.0; });
      sealed.remove_means(ones.data());
      std::vector<double> sizes = sealed.sums();
      std::sort(sizes.begin(), sizes.end());
      EXPECT_EQ(sizes, (std::vector<double>{11 * 256.0, 14 * 256.0}));
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
  EXPECT_GT(world().sum(sealed.find_unanchored(scene.coefficients, unknowns)), 0);
  sealed.resolve();
  ASSERT_EQ(sealed.count(), 2);
  const auto wave = [](const Vec3i& cell) { return cell.y() % 2 == 0 ? 1.0 : -1.0; };
  CellField<double> field = scene.field([&](const Vec3i& cell) { return wave(cell) + (cell.x() < 9 ? 3.0 : -5.0); });
  const double lost = sealed.remove_means(field.data());
  EXPECT_NEAR(lost, 16.0 * std::sqrt(9.0 * 9.0 + 14.0 * 25.0), 1e-10);
  EXPECT_LE(scene.difference(field, scene.field(wave)), 1e-13);
}

}  // namespace
}  // namespace freshet
