// SPDX-License-Identifier: Apache-2.0
// nightly: 8
#include "freshet/air/air_regions.hpp"
#include "freshet/grid/halo.hpp"
#include "support/mpi_test.hpp"
#include "support/placed_particles.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace freshet {
namespace {

using test::equal_splitters;
using test::hashed;
using test::make_domain;
using test::random_blocks;
using test::world;

/// Random labels of a lattice some of whose blocks do not exist, and their regions of air by a flood fill over cells
/// that every rank makes alone.
class Scene {
 public:
  Scene(const Domain& domain, double blocks, double air, std::uint64_t seed, const Shape* vent = nullptr)
      : domain_(domain), keys_(random_blocks(domain, blocks, seed)), air_(air), seed_(seed), vent_(vent) {
    const std::set<BlockKey> existing(keys_.begin(), keys_.end());
    const Vec3i size = domain.cells();
    region_.assign(static_cast<std::size_t>(size.x()) * size.y() * size.z(), no_air);
    for (int k = 0; k < size.z(); ++k)
      for (int j = 0; j < size.y(); ++j)
        for (int i = 0; i < size.x(); ++i)
          if (!exists({i, j, k}, existing) || label({i, j, k}) == Label::air) region_[index({i, j, k})] = not_seen;
    for (int k = 0; k < size.z(); ++k)
      for (int j = 0; j < size.y(); ++j)
        for (int i = 0; i < size.x(); ++i)
          if (region_[index({i, j, k})] == not_seen) flood({i, j, k}, existing);
  }

  Label label(const Vec3i& cell) const {
    const double x = hashed(seed_ + 17, static_cast<std::uint64_t>(index(cell)));
    return x < air_ ? Label::air : x < 0.5 + 0.5 * air_ ? Label::liquid : Label::solid;
  }
  const std::vector<BlockKey>& keys() const { return keys_; }
  int region(const Vec3i& cell) const { return region_[index(cell)]; }
  GlobalIndex cells(int region) const { return cells_[static_cast<std::size_t>(region)]; }
  GlobalIndex missing(int region) const { return far_[static_cast<std::size_t>(region)]; }
  bool is_open(int region) const { return is_open_[static_cast<std::size_t>(region)]; }

  static constexpr int no_air = -1, not_seen = -2;

 private:
  std::size_t index(const Vec3i& cell) const {
    return static_cast<std::size_t>(cell.x() + domain_.cells().x() * (cell.y() + domain_.cells().y() * cell.z()));
  }
  bool exists(const Vec3i& cell, const std::set<BlockKey>& existing) const {
    return existing.contains(morton_key(Vec3i(cell.cwiseQuotient(domain_.block_cells()))));
  }
  void flood(const Vec3i& seed, const std::set<BlockKey>& existing) {
    const int region = static_cast<int>(cells_.size());
    cells_.push_back(0);
    far_.push_back(0);
    is_open_.push_back(false);
    std::vector<Vec3i> queue{seed};
    region_[index(seed)] = region;
    while (!queue.empty()) {
      const Vec3i cell = queue.back();
      queue.pop_back();
      ++(exists(cell, existing) ? cells_ : far_)[static_cast<std::size_t>(region)];
      const bool is_vent =
          vent_ != nullptr &&
          vent_->signed_distance(domain_.origin() + domain_.dx() * (cell.cast<double>() + Vec3::Constant(0.5))) < 0.0;
      if (cell.y() == domain_.cells().y() - 1 || is_vent) is_open_[static_cast<std::size_t>(region)] = true;
      for (int d = 0; d < domain_.dimension(); ++d)
        for (const int side : {-1, 1}) {
          Vec3i beside = cell;
          beside[d] += side;
          beside = domain_.wrap_cell(beside);
          if (!domain_.contains_cell(beside) || region_[index(beside)] != not_seen) continue;
          region_[index(beside)] = region;
          queue.push_back(beside);
        }
    }
  }

  Domain domain_;
  std::vector<BlockKey> keys_;
  double air_;
  std::uint64_t seed_;
  const Shape* vent_;
  std::vector<int> region_;
  std::vector<GlobalIndex> cells_, far_;
  std::vector<bool> is_open_;
};

/// Compare the regions of a scene with the flood fill's. Collective
void compare(const Domain& domain, double blocks, double air, std::uint64_t seed,
             const std::shared_ptr<const Shape>& vent = nullptr) {
  SCOPED_TRACE(seed);
  const Scene scene(domain, blocks, air, seed, vent.get());
  const BlockLayout layout(world(), domain, equal_splitters(world(), scene.keys()), scene.keys());
  LabelField labels(layout, Label::solid);
  labels.fill(Label::solid);
  const Vec3i n = domain.block_cells();
  const auto for_each_cell = [&](LocalIndex b, auto&& f) {
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      const Vec3i cell = layout.first_cell(b) + Vec3i(c % n.x(), c / n.x() % n.y(), c / (n.x() * n.y()));
      if (domain.contains_cell(cell)) f(c, cell);
    }
  };
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for_each_cell(b, [&](int c, const Vec3i& cell) { labels.block(b)[c] = scene.label(cell); });
  layout.halo().gather(labels, 1);
  SolidFields solids;
  solids.reset(layout, {});
  std::vector<std::shared_ptr<const Shape>> vents;
  if (vent) vents.push_back(vent);
  AirRegions regions(domain, Atmosphere::above, Vec3(0.0, -9.81, 0.0), Vents(domain, vents));
  regions.find(labels, solids, std::vector<std::uint8_t>(static_cast<std::size_t>(layout.n_owned()), 1));

  std::map<std::int32_t, int> expected;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for_each_cell(b, [&](int c, const Vec3i& cell) {
      const std::int32_t found = regions.number().block(b)[c];
      ASSERT_EQ(found >= 0, scene.label(cell) == Label::air);
      if (found < 0) return;
      ASSERT_LT(static_cast<std::size_t>(found), regions.regions().size());
      const auto [at, is_new] = expected.emplace(found, scene.region(cell));
      EXPECT_EQ(at->second, scene.region(cell)) << "region " << found;
    });
  std::set<int> distinct;
  for (const auto& [found, region] : expected) {
    EXPECT_TRUE(distinct.insert(region).second) << "region " << region << " is found as two";
    const AirRegions::Region& of = regions.regions()[static_cast<std::size_t>(found)];
    EXPECT_EQ(of.cells, scene.cells(region));
    EXPECT_EQ(of.far_cells, scene.missing(region));
    EXPECT_EQ(of.is_open, scene.is_open(region));
  }
  for (std::size_t r = 1; r < regions.regions().size(); ++r)
    EXPECT_LT(std::pair(regions.regions()[r - 1].block, regions.regions()[r - 1].cell),
              std::pair(regions.regions()[r].block, regions.regions()[r].cell));
}

TEST(AirRegions, agree_with_a_flood_fill_over_all_cells) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const double blocks = seed % 3 == 0 ? 1.0 : seed % 3 == 1 ? 0.7 : 0.3;
    const double air = seed % 2 == 0 ? 0.35 : 0.6;
    compare(make_domain(2, {43, 51, 1}), blocks, air, seed);
    compare(make_domain(3, {21, 30, 18}), blocks, air * 0.6, seed);
  }
}

/// A box inside near and far blocks, and one that lies in far blocks alone.
TEST(AirRegions, with_cells_of_a_vent_belong_to_the_atmosphere) {
  const Domain domain = make_domain(3, {37, 30, 25}), flat = make_domain(2, {70, 41, 1});
  const auto box = [](const Domain& of, const Vec3& low, const Vec3& high) {
    return std::make_shared<test::BoxShape>(of.origin() + of.dx() * low, of.origin() + of.dx() * high);
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    compare(domain, 0.6, 0.3, seed, box(domain, {3.0, 2.0, 3.0}, {6.0, 5.0, 9.0}));
    compare(domain, 0.1, 0.3, seed, box(domain, {24.2, 8.1, 16.3}, {27.0, 10.0, 19.0}));
    compare(flat, 0.4, 0.3, seed, box(flat, {10.0, 5.0, -1.0}, {14.0, 9.0, 1.0}));
  }
}

TEST(AirRegions, reach_across_periodic_sides) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    DomainOptions options;
    options.dimension = 2;
    options.cells = {40, 43, 1};
    options.cell_size = 1.0;
    options.boundary[0] = {FaceCondition::periodic, FaceCondition::periodic};
    compare(Domain(options), seed % 2 == 0 ? 1.0 : 0.6, 0.45, seed);
  }
}

TEST(AirRegions, blocks_far_from_all_that_exist_belong_to_them) {
  const Domain domain = make_domain(2, {200, 160, 1});
  for (const Vec3i& block : {Vec3i(0, 0, 0), Vec3i(12, 10, 0), Vec3i(24, 19, 0)}) {
    const Splitters splitters = uniform_splitters(domain, world().size());
    const BlockLayout layout(world(), domain, splitters, std::vector<BlockKey>{morton_key(block)});
    LabelField labels(layout, Label::air);
    labels.fill(Label::air);
    SolidFields solids;
    solids.reset(layout, {});
    AirRegions regions(domain, Atmosphere::above, Vec3(0.0, -9.81, 0.0));
    regions.find(labels, solids, std::vector<std::uint8_t>(static_cast<std::size_t>(layout.n_owned()), 1));
    ASSERT_EQ(regions.regions().size(), 1U);
    EXPECT_EQ(regions.regions()[0].cells, 64);
    EXPECT_EQ(regions.regions()[0].far_cells, 200 * 160 - 64);
    EXPECT_TRUE(regions.regions()[0].is_open);
  }
}

TEST(AirRegions, a_case_without_blocks_has_none) {
  const Domain domain = make_domain(3, {16, 16, 16});
  const BlockLayout layout(world(), domain, equal_splitters(world(), {}), std::vector<BlockKey>());
  LabelField labels(layout, Label::solid);
  SolidFields solids;
  solids.reset(layout, {});
  AirRegions regions(domain, Atmosphere::above, Vec3(0.0, -9.81, 0.0));
  regions.find(labels, solids, std::vector<std::uint8_t>(static_cast<std::size_t>(layout.n_owned()), 1));
  EXPECT_TRUE(regions.regions().empty());
}

}  // namespace
}  // namespace freshet
