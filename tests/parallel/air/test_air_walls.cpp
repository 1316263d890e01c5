// SPDX-License-Identifier: Apache-2.0
// nightly: 8
#include "freshet/air/air_walls.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace freshet {
namespace {

using test::all_blocks;
using test::equal_splitters;
using test::make_domain;
using test::world;

std::shared_ptr<const Shape> box(const Vec3& lower, const Vec3& upper) {
  ShapeParameters parameters;
  parameters.lower = lower;
  parameters.upper = upper;
  return make_shape(parameters);
}

/// A plate thinner than a cell, a ball that moves by 7 m/s, and ground that reaches beyond the domain.
std::vector<SolidBody> scene() {
  const auto motion = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(7.0, 0.0, 0.0), Vec3::Zero());
  std::vector<SolidBody> bodies(3);
  bodies[0].shape = box({20.3, 20.1, -90.0}, {20.6, 70.2, 90.0});
  bodies[1].shape = make_ball({50.0, 60.0, 20.0}, 13.0);
  bodies[1].motion = motion;
  bodies[2].shape = box({-1e3, -1e3, -1e3}, {1e3, 9.5, 1e3});
  return bodies;
}

/// The lattice's blocks that hold the centre of a cell nearer to a body's surface than so many cells.
std::set<BlockKey> blocks_near(const Domain& domain, const std::vector<SolidBody>& bodies, double time, double within) {
  std::set<BlockKey> keys;
  const Vec3i n = domain.block_cells();
  for (const SolidBody& body : bodies) {
    const auto shape = body.shape_at(time);
    for (const BlockKey key : all_blocks(domain))
      for (int c = 0; c < n.prod(); ++c) {
        const Vec3i cell = morton_block(key).cwiseProduct(n) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
        const Vec3 center = domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
        if (std::abs(shape->signed_distance(center)) < within * domain.dx()) keys.insert(key);
      }
  }
  return keys;
}

/// A wall of the body passes within a cell of such a centre.
constexpr double at_wall = 0.9;
/// Blocks near a surface, and around moving ones some more, hold such a centre.
constexpr double around_wall = 12.0;

template <class Keys>
bool holds_all(const Keys& keys, const std::set<BlockKey>& sought) {
  return std::ranges::all_of(sought, [&](BlockKey key) { return std::ranges::find(keys, key) != keys.end(); });
}

/// The keys that are one of the list's on any rank. Collective
std::set<BlockKey> joined(const Domain& domain, const std::vector<BlockKey>& keys) {
  std::set<BlockKey> result;
  for (const BlockKey key : all_blocks(domain))
    if (world().any(std::ranges::find(keys, key) != keys.end())) result.insert(key);
  return result;
}

class AirWallsIn : public testing::TestWithParam<int> {
 protected:
  const int dimension = GetParam();
  const Domain domain = make_domain(dimension, dimension == 2 ? Vec3i(101, 90, 1) : Vec3i(90, 83, 41));
  const Splitters splitters = equal_splitters(world(), all_blocks(domain));
  const std::vector<SolidBody> bodies = scene();
  AirWalls walls{world().rank(), domain, bodies, true};
};

TEST_P(AirWallsIn, all_blocks_with_walls_are_listed_by_their_owners_and_few_others) {
  for (const double time : {0.0, 1.3}) {
    walls.look_at(time);
    const std::vector<BlockKey> listed = walls.blocks(splitters);
    for (const BlockKey key : listed) EXPECT_EQ(splitters.owner(key), world().rank());
    const std::set<BlockKey> found = joined(domain, listed);
    EXPECT_TRUE(holds_all(found, blocks_near(domain, bodies, time, at_wall)));
    EXPECT_TRUE(holds_all(blocks_near(domain, bodies, time, around_wall), found));
    EXPECT_LT(found.size(), all_blocks(domain).size() / 2);
  }
}

TEST_P(AirWallsIn, blocks_made_with_walls_do_until_a_body_leaves_them) {
  const BlockLayout layout(world(), domain, splitters, walls.blocks(splitters));
  for (const double time : {0.0, 0.2, 3.0}) {
    walls.look_at(time);
    EXPECT_EQ(world().any(walls.lacks_blocks(layout)), time == 3.0);
  }
}

TEST_P(AirWallsIn, the_same_blocks_are_marked_whichever_exist) {
  const double time = 0.2;
  std::vector<std::set<BlockKey>> marked;
  for (const std::vector<BlockKey>& keys : {all_blocks(domain), walls.blocks(splitters)}) {
    const BlockLayout layout(world(), domain, splitters, keys);
    SolidFields solids;
    solids.reset(layout, bodies, time);
    std::vector<std::uint8_t> near(static_cast<std::size_t>(layout.n_owned()), 0);
    AirWalls::mark(solids, layout, near);
    std::vector<BlockKey> here;
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      if (near[static_cast<std::size_t>(b)] != 0) here.push_back(layout.key(b));
    marked.push_back(joined(domain, here));
  }
  EXPECT_EQ(marked[0], marked[1]);
  EXPECT_TRUE(holds_all(marked[0], blocks_near(domain, bodies, time, at_wall)));
}

/// A ball whose distances are lower bounds far from it, by another amount at each place.
class VagueBall : public Shape {
 public:
  VagueBall(const Vec3& center, double radius) : center_(center), radius_(radius) {}
  double signed_distance(const Vec3& x) const override {
    const double distance = distance_to_ball(x, center_, radius_);
    return distance < 8.0 ? distance : distance - 7.0 * test::hashed(static_cast<std::uint64_t>(1e3 * x.squaredNorm()));
  }
  double slack() const override { return 7.0; }
  Box bounds() const override { return {center_ - Vec3::Constant(radius_), center_ + Vec3::Constant(radius_)}; }

 private:
  Vec3 center_;
  double radius_;
};

/// A block is found also where the distances of the cubes around it are closer bounds than its own.
TEST_P(AirWallsIn, blocks_are_found_by_distances_that_are_lower_bounds) {
  const double half = 0.5 * domain.block_cells().cast<double>().norm();
  for (int n = 0; n < 12; ++n) {
    std::vector<SolidBody> vague(1);
    vague[0].shape = std::make_shared<VagueBall>(Vec3(45.0 + 0.37 * n, 40.0 + 0.61 * n, 0.5), 9.0);
    const std::set<BlockKey> found = joined(domain, AirWalls(world().rank(), domain, vague, true).blocks(splitters));
    for (const BlockKey key : all_blocks(domain)) {
      const Vec3 place = morton_block(key).cast<double>() + Vec3::Constant(0.5);
      const Vec3 middle = place.cwiseProduct(domain.block_cells().cast<double>());
      if (std::abs(vague[0].shape->signed_distance(middle)) < half + 1.0) {
        EXPECT_TRUE(found.contains(key)) << n;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, AirWallsIn, testing::Values(2, 3),
                         [](const auto& of) { return of.param == 2 ? "plane" : "space"; });

}  // namespace
}  // namespace freshet
