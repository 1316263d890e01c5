// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/reseeding.hpp"
#include "freshet/grid/halo.hpp"
#include "support/placed_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace freshet {
namespace {

using test::make_domain;
using test::world;

test::PlacedParticles::Options moving(std::size_t n, bool apic) {
  test::PlacedParticles::Options options;
  options.velocity.assign(n, Vec3(5, 5, 5));
  options.tags.assign(n, 3);
  options.apic = apic;
  return options;
}

/// Particles at given places, in cells, of a 16^3 (16^2) domain with cells of 1 m, and one reseeding of them.
class Scene : public test::PlacedParticles {
 public:
  /// The grid's velocity is 1, 2, 3 along the axes, and grows with `gradient` from the origin on.
  Scene(int dimension, const std::vector<Vec3>& places, const ReseedingOptions& options,
        const Mat3& gradient = Mat3::Zero(), GlobalIndex surplus = 0)
      : PlacedParticles(make_domain(dimension, {16, 16, dimension == 3 ? 16 : 1}), places,
                        moving(places.size(), !gradient.isZero(0.0))) {
    FaceField<double> velocity(layout, 0.0);
    test::set_faces(velocity, [&](const Vec3& x) -> Vec3 { return Vec3(1, 2, 3) + gradient * x; });
    layout.halo().gather(velocity, 1);
    report = reseed_particles(labels, inner, solids, velocity, SamplingOptions(), options,
                              {7, 1, places.size(), surplus}, particles);
    if (report.reseeded + report.removed > 0) sort();
  }
  /// On all ranks.
  GlobalIndex count_in(const Vec3i& cell) const {
    GlobalIndex n = 0;
    for_each([&](const Vec3& x, ParticleIndex) { n += x.array().floor().cast<int>().matrix() == cell ? 1 : 0; });
    return world().sum(n);
  }

  ReseedingReport report;
};

ReseedingOptions with(ReseededCells cells) {
  return {true, 3, 12, cells};
}

/// `n` particles a cell on a box of cells.
void fill(const Vec3i& lower, const Vec3i& upper, int n, std::vector<Vec3>& places) {
  for (int k = lower.z(); k < upper.z(); ++k)
    for (int j = lower.y(); j < upper.y(); ++j)
      for (int i = lower.x(); i < upper.x(); ++i)
        for (int p = 0; p < n; ++p) places.push_back(Vec3(i, j, k) + Vec3::Constant((p + 0.5) / n));
}

TEST(Reseeding, no_more_go_than_were_ever_reseeded) {
  std::vector<Vec3> places;
  fill({3, 3, 3}, {12, 12, 12}, 8, places);
  fill({5, 5, 5}, {7, 7, 7}, 24, places);  // 32 in each of 8 cells: 24 too many
  const Scene mass_stays(3, places, with(ReseededCells::inner));
  EXPECT_EQ(mass_stays.report.removed, 0);
  for (const GlobalIndex surplus : {1, 40, 80, 150}) {
    const Scene some(3, places, with(ReseededCells::inner), Mat3::Zero(), surplus);
    EXPECT_EQ(some.report.removed, surplus);
  }
  const Scene all(3, places, with(ReseededCells::inner), Mat3::Zero(), 1000);
  EXPECT_EQ(all.report.removed, 192);
}

TEST(Reseeding, without_keep_volume_every_cell_has_min_to_max) {
  for (const int dimension : {2, 3}) {
    const int n_z = dimension == 3 ? 12 : 1;
    const Vec3i one = dimension == 3 ? Vec3i(1, 1, 1) : Vec3i(1, 1, 0);
    std::vector<Vec3> places;
    for (int k = dimension == 3 ? 3 : 0; k < n_z; ++k)
      for (int j = 3; j < 12; ++j)
        for (int i = 3; i < 12; ++i)  // 1 to 30 in a cell
          fill({i, j, k}, Vec3i(i, j, k) + Vec3i::Ones(), 1 + (7 * i + 11 * j + 13 * k) % 30, places);
    ReseedingOptions options = with(ReseededCells::inner);
    options.keep_volume = false;
    const Scene scene(dimension, places, options);
    EXPECT_GT(scene.report.reseeded, 0);
    EXPECT_GT(scene.report.removed, 0);
    std::map<std::array<int, 3>, int> counts;
    scene.for_each([&](const Vec3& x, ParticleIndex) {
      const Vec3i cell = x.array().floor().cast<int>();
      ++counts[{cell.x(), cell.y(), cell.z()}];
    });
    const Vec3i lower = Vec3i(3, 3, dimension == 3 ? 3 : 0) + one;
    const Vec3i upper = Vec3i(12, 12, n_z) - one;
    for (const auto& [cell, n] : counts) {
      const Vec3i at(cell[0], cell[1], cell[2]);
      if ((at.array() < lower.array()).any() || (at.array() >= upper.array()).any()) continue;  // at the surface
      EXPECT_GE(n, 3);
      EXPECT_LE(n, 12);
    }
  }
}

TEST(Reseeding, hole_in_the_liquid_is_filled_and_a_crowd_thinned) {
  std::vector<Vec3> places;
  const Vec3i poor(8, 7, 7), rich(5, 5, 8);
  fill({3, 3, 3}, {12, 12, 12}, 4, places);
  std::erase_if(places, [&](const Vec3& x) {
    const Vec3i cell = x.array().floor().cast<int>();
    return cell == poor && x[0] > 8.2;
  });
  for (int p = 0; p < 16; ++p) places.push_back(rich.cast<double>() + Vec3::Constant((p + 0.25) / 16));
  const GlobalIndex surplus = 6;  // with the two that come, as many as are too many
  const Scene scene(3, places, with(ReseededCells::inner), Mat3::Zero(), surplus);
  EXPECT_EQ(scene.report.reseeded, 2);
  EXPECT_EQ(scene.report.removed, 8);
  EXPECT_EQ(scene.count_in(poor), 3);
  EXPECT_EQ(scene.count_in(rich), 12);
  scene.for_each([&](const Vec3& x, ParticleIndex p) {
    EXPECT_EQ(scene.particles.tag()[p], 3);  // as its neighbour
    if (scene.particles.id()[p] < places.size()) return;
    EXPECT_EQ(Vec3i(x.array().floor().cast<int>()), poor);
    for (int d = 0; d < 3; ++d) EXPECT_FLOAT_EQ(scene.particles.velocity()[3 * p + d], 1.0 + d);  // the grid's
  });
}

/// The box ends at the particles where there is no liquid beside the cell, and at the cell where there is.
TEST(Reseeding, new_particles_stay_behind_the_surface) {
  for (const int dimension : {2, 3}) {
    const int n_z = dimension == 3 ? 16 : 1;
    std::vector<Vec3> places;
    fill({0, 0, 0}, {16, 4, n_z}, 4, places);
    for (int k = 0; k < n_z; ++k)
      for (int i = 0; i < 16; ++i) places.emplace_back(i + 0.4, 4.8, k + 0.5);
    const Scene scene(dimension, places, with(ReseededCells::liquid));
    // boxes are 0.8 high, and at the walls 0.6 or 0.4 wide and in 3-D half as deep: as many as make them full, up to 3
    EXPECT_EQ(scene.report.reseeded, dimension == 3 ? 14 * 16 * 2 + 14 * 2 + 14 * 1 : 14 * 2);
    double most[3] = {0.0, 0.0, 0.0};
    double least[3] = {1.0, 1.0, 1.0};
    scene.for_each([&](const Vec3& x, ParticleIndex p) {
      if (scene.particles.id()[p] < places.size()) return;
      EXPECT_LE(x[1], static_cast<ParticleReal>(4.8));
      EXPECT_GE(x[1], 4.0);
      const bool at_wall = x[0] < 1.0 || x[0] >= 15.0;
      for (int d = 0; d < 3 && !at_wall; ++d) {
        most[d] = std::max(most[d], x[d] - std::floor(x[d]));
        least[d] = std::min(least[d], x[d] - std::floor(x[d]));
      }
      EXPECT_GE(x[0], static_cast<ParticleReal>(0.4));   // the wall is on that side
      EXPECT_LE(x[0], static_cast<ParticleReal>(15.4));  // likewise
    });
    world().max_in_place(most);
    EXPECT_GT(most[0], 0.8);  // liquid beside: anywhere along x; 28 draws miss the last fifth once in 500
    EXPECT_LT(world().min(least[0]), 0.2);
    EXPECT_GT(most[1], 0.6);  // down to the liquid below and up to the particle
    EXPECT_LT(world().min(least[1]), 0.1);
  }
}

/// A box without extent has no room.
TEST(Reseeding, lone_particle_stays_alone) {
  for (const ReseededCells cells : {ReseededCells::liquid, ReseededCells::inner})
    EXPECT_EQ(Scene(3, {{8.5, 8.05, 8.5}}, with(cells)).report.reseeded, 0);
}

/// What a cell lacks is made again if it is gone, not if it is in the next cell.
TEST(Reseeding, ups_and_downs_of_the_number_are_left_alone) {
  const Vec3i poor(8, 7, 7);
  std::vector<Vec3> places;
  fill({3, 3, 3}, {12, 12, 12}, 8, places);
  std::erase_if(places, [&](const Vec3& x) { return x.array().floor().cast<int>().matrix() == poor && x[0] > 8.1; });
  EXPECT_EQ(Scene(3, places, with(ReseededCells::inner)).report.reseeded, 2);
  for (int p = 0; p < 4; ++p)  // in two cells beside it, none above the maximum
    for (const int side : {6, 8}) places.push_back(Vec3(8, side, 7) + Vec3::Constant((p + 0.25) / 4));
  EXPECT_EQ(Scene(3, places, with(ReseededCells::inner)).report.reseeded, 0);
}

/// Particles of APIC know the gradient of the velocity around them.
TEST(Reseeding, in_a_velocity_linear_in_space_keeps_it) {
  Mat3 gradient;
  gradient << 0.1, -0.4, 0.3, 0.2, -0.3, 0.5, -0.6, 0.7, 0.2;
  const Vec3i poor(8, 7, 7);
  std::vector<Vec3> places;
  fill({3, 3, 3}, {12, 12, 12}, 4, places);
  std::erase_if(places, [&](const Vec3& x) { return x.array().floor().cast<int>().matrix() == poor && x[0] > 8.2; });
  const Scene scene(3, places, with(ReseededCells::inner), gradient);
  EXPECT_EQ(scene.report.reseeded, 2);
  scene.for_each([&](const Vec3& x, ParticleIndex p) {
    if (scene.particles.id()[p] < places.size()) return;
    const Vec3 u = Vec3(1, 2, 3) + gradient * x;
    for (int d = 0; d < 3; ++d) {
      EXPECT_NEAR(scene.particles.velocity()[3 * p + d], u[d], 1e-5);  // 32-bit places and velocities of about 10
      for (int e = 0; e < 3; ++e)
        EXPECT_NEAR(affine_rows(scene.particles)[9 * p + 3 * d + e], gradient(d, e), 1e-6);  // likewise, below 1
    }
  });
}

TEST(Reseeding, full_cells_stay_as_they_are) {
  std::vector<Vec3> places;
  fill({0, 0, 0}, {16, 8, 16}, 8, places);
  const Scene scene(3, places, with(ReseededCells::liquid));
  EXPECT_EQ(scene.report.reseeded, 0);
  EXPECT_EQ(scene.report.removed, 0);
}

}  // namespace
}  // namespace freshet
