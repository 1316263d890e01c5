// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/stuck.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/particles/migration.hpp"
#include "support/placed_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace freshet {
namespace {

using test::BoxShape;
using test::full_cells;
using test::make_domain;
using test::PlacedParticles;
using test::world;

SolidBody box(const Vec3& lower, const Vec3& upper) {
  SolidBody body;
  body.shape = std::make_shared<BoxShape>(lower, upper);
  return body;
}

/// A pool of 24x16x16 cells of 1 m with liquid in x < 8, and a body in 16 < x < 20 whose particles are stuck.
class Pool {
 public:
  explicit Pool(const std::vector<Vec3>& in_body, bool apic = false, bool liquid = true)
      : pool(make_domain(3, {24, 16, 16}), places(in_body, liquid), options(apic)), velocity_(pool.layout, 0.0) {
    gradient << 0.1, -0.4, 0.3, 0.2, -0.3, 0.5, -0.6, 0.7, 0.2;
    test::set_faces(velocity_, [&](const Vec3& x) { return velocity_at(x); });
    pool.layout.halo().gather(velocity_, 1);
    report = free_stuck_particles(pool.labels, pool.inner, pool.solids, velocity_, {3, 5}, pool.particles);
    migrate(pool.particles, pool.layout, pool.layout.splitters());
    pool.sort();
  }
  Vec3 velocity_at(const Vec3& x) const { return Vec3(1, 2, 3) + gradient * x; }

  /// Places of the particles with the first ids, which were in the body, on all ranks. [cells]
  std::map<ParticleId, Vec3> freed(std::size_t n) const {
    std::vector<double> numbers(3 * n, 0.0);
    pool.for_each([&](const Vec3& x, ParticleIndex p) {
      const auto id = static_cast<std::size_t>(pool.particles.id()[p]);
      for (int d = 0; d < 3 && id < n; ++d) numbers[3 * id + static_cast<std::size_t>(d)] = x[d];
    });
    world().sum_in_place(numbers);
    std::map<ParticleId, Vec3> found;
    for (std::size_t p = 0; p < n; ++p) found[p] = {numbers[3 * p], numbers[3 * p + 1], numbers[3 * p + 2]};
    return found;
  }

  Mat3 gradient;
  PlacedParticles pool;
  StuckReport report;

 private:
  static std::vector<Vec3> places(std::vector<Vec3> in_body, bool liquid) {
    if (!liquid) return in_body;
    for (const Vec3& x : full_cells({0, 0, 0}, {8, 16, 16})) in_body.push_back(x);
    return in_body;
  }
  static PlacedParticles::Options options(bool apic) {
    PlacedParticles::Options options;
    options.bodies = {box({16, 0, 0}, {20, 16, 16})};
    options.apic = apic;
    return options;
  }
  FaceField<double> velocity_;
};

/// Away from the walls of the domain, which change the velocity beside them.
const std::vector<Vec3> three{{16.2, 4.5, 9.5}, {18.0, 11.3, 3.5}, {19.9, 2.5, 12.5}};

TEST(FreeStuckParticles, without_stuck_ones_nothing_moves) {
  const Pool scene({});
  EXPECT_EQ(scene.report.repositioned, 0);
  EXPECT_EQ(scene.report.left, 0);
}

/// Liquid cells next to the surface at x = 8 are not inside the liquid, so the nearest full cells have 6 < x < 7.
TEST(FreeStuckParticles, they_go_to_the_nearest_cell_inside_the_liquid) {
  const Pool scene(three);
  EXPECT_EQ(scene.report.repositioned, 3);
  EXPECT_EQ(scene.report.left, 0);
  const auto freed = scene.freed(three.size());
  for (std::size_t p = 0; p < three.size(); ++p) {
    const Vec3& x = freed.at(p);
    EXPECT_GT(x.x(), 6.0);
    EXPECT_LT(x.x(), 7.0);
    for (int d = 1; d < 3; ++d) EXPECT_EQ(std::floor(x[d]), std::floor(three[p][d])) << "particle " << p;
  }
}

TEST(FreeStuckParticles, they_take_the_velocity_of_the_grid) {
  const Pool scene(three);
  scene.pool.for_each([&](const Vec3& x, ParticleIndex p) {
    if (scene.pool.particles.id()[p] >= three.size()) return;
    for (int d = 0; d < 3; ++d)  // 32-bit numbers of about 10
      EXPECT_NEAR(scene.pool.particles.velocity()[3 * p + d], scene.velocity_at(x)[d], 1e-5);
  });
}

TEST(FreeStuckParticles, those_of_apic_take_its_gradient_too) {
  const Pool scene(three, true);
  int n = 0;
  scene.pool.for_each([&](const Vec3&, ParticleIndex p) {
    if (scene.pool.particles.id()[p] >= three.size()) return;
    ++n;
    for (int d = 0; d < 3; ++d)
      for (int e = 0; e < 3; ++e)
        EXPECT_NEAR(affine_rows(scene.pool.particles)[9 * p + 3 * d + e], scene.gradient(d, e), 1e-6);
  });
  EXPECT_EQ(world().sum(GlobalIndex{n}), 3);
}

TEST(FreeStuckParticles, without_liquid_they_stay) {
  const Pool scene(three, false, false);
  EXPECT_EQ(scene.report.repositioned, 0);
  EXPECT_EQ(scene.report.left, 3);
  const auto places = scene.freed(three.size());
  for (std::size_t p = 0; p < three.size(); ++p) EXPECT_LT((places.at(p) - three[p]).norm(), 1e-6);  // 32-bit places
}

/// Places come from seed, step, cell and id.
TEST(FreeStuckParticles, two_of_one_place_go_to_different_places) {
  const Pool scene({three[0], three[0]});
  const auto freed = scene.freed(2);
  EXPECT_GT((freed.at(0) - freed.at(1)).norm(), 1e-3);
}

}  // namespace
}  // namespace freshet
