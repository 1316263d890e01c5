// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/shift_to_faces.hpp"
#include "freshet/grid/halo.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace freshet {
namespace {

using test::make_domain;
using test::PlacedParticles;

/// How much deeper than a face the particles' mean lies whose weight for the face is 1 - |t|: by the midpoint rule.
double depth_of_mean(double phi) {
  double moment = 0.0, content = 0.0;
  const double begin = std::max(phi, -1.0);
  const int n = 2000;
  for (int i = 0; i < n; ++i) {
    const double t = begin + (1.0 - begin) * (i + 0.5) / n;
    moment += t * (1.0 - std::abs(t));
    content += 1.0 - std::abs(t);
  }
  return moment / content;
}

/// Liquid fills the cells below 8 along an axis, and its surface lies at a given place there. Each face holds the
/// velocity f at the mean place of the particles around it.
class Pool {
 public:
  template <class Function>
  Pool(int dimension, int across, double surface_at, Function&& f, const std::vector<SolidBody>& bodies = {})
      : scene(make_domain(dimension, {16, 16, dimension == 3 ? 16 : 1}), cells_below_8(dimension, across),
              {.bodies = bodies}),
        velocity(scene.layout, 0.0),
        weight(scene.layout, 0.0),
        phi(scene.layout, 0.0F),
        axis(across),
        surface(surface_at) {
    velocity.fill(0.0);
    weight.fill(0.0);
    phi.fill(0.0F);
    for_each([&](const Vec3i& cell, LocalIndex b, int c) {
      phi.block(b)[c] = static_cast<float>(std::clamp(cell[axis] + 0.5 - surface, -1.5, 1.5));
      for (int d = 0; d < dimension; ++d) {
        const double distance = place(cell, d) - surface;
        if (distance >= 1.0) continue;
        weight[d].block(b)[c] = 1.0;
        velocity[d].block(b)[c] = f(place(cell, d) - depth_of_mean(distance));
      }
    });
    scene.layout.halo().gather(phi, 1);
    scene.layout.halo().gather(weight, 1);
    scene.layout.halo().gather(scene.labels, 1);
    ShiftToFaces shift_to_faces;
    LabelPlanes planes;
    planes.find(scene.labels);
    shift_to_faces(phi, planes, scene.solids, weight, velocity);
  }
  static std::vector<Vec3> cells_below_8(int dimension, int across) {
    Vec3i upper(16, 16, dimension == 3 ? 16 : 1);
    upper[across] = 8;
    return test::full_cells({0, 0, 0}, upper);
  }
  /// Of a cell's low face along d, along the axis.
  double place(const Vec3i& cell, int d) const { return cell[axis] + (d == axis ? 0.0 : 0.5); }
  template <class Function>
  void for_each(Function&& f) const {
    const Vec3i n = scene.domain.block_cells();
    for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
      for (int c = 0; c < scene.layout.cells_per_block(); ++c)
        f(Vec3i(scene.layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]))), b, c);
  }
  /// Call f(place of the face, velocity) for the faces of liquid beyond `from` and away from walls.
  template <class Function>
  void for_each_face(double from, Function&& f) const {
    for_each([&](const Vec3i& cell, LocalIndex b, int c) {
      for (int d = 0; d < scene.domain.dimension(); ++d) {
        const bool is_liquid = d == axis ? cell[axis] <= 8 : cell[axis] < 8;
        if (is_liquid && cell.minCoeff() + (scene.domain.dimension() == 2 ? 1 : 0) > 0 && cell[d] > 0 &&
            place(cell, d) > from)
          f(place(cell, d), velocity[d].block(b)[c]);
      }
    });
  }

  PlacedParticles scene;
  FaceField<double> velocity;
  FaceField<double> weight;
  CellField<float> phi;
  int axis;
  double surface;
};

TEST(ShiftToFaces, a_velocity_that_grows_towards_the_surface_is_found_at_the_faces) {
  const auto linear = [](double y) { return 1.0 + 0.25 * y; };
  for (const int dimension : {2, 3})
    for (const int axis : {0, 1})
      for (const double surface : {7.8, 8.0, 8.2}) {
        const Pool pool(dimension, axis, surface, linear);
        int n = 0;
        pool.for_each_face(5.0, [&](double y, double u) {
          // the particles of a face reach 0.02 cells deeper than those of a face that the correction takes for full
          EXPECT_NEAR(u, linear(y), 2e-3) << dimension << axis << " " << surface << " at " << y;
          ++n;
        });
        EXPECT_GT(pool.scene.layout.comm().sum(GlobalIndex{n}), 40);
      }
}

/// Behind a wall thinner than a cell, two cells below the surface, liquid may move otherwise: no face reads a velocity
/// there, nor that of the wall's faces.
TEST(ShiftToFaces, no_velocity_is_read_through_a_thin_wall) {
  constexpr double wall_at = 7.0;
  const auto steep = [](double y) { return 1.0 + 0.25 * y; };
  for (const Surface surface : {Surface::voxels, Surface::fractions})
    for (const int dimension : {2, 3})
      for (const int axis : {0, 1}) {
        Vec3 lower = Vec3::Constant(-1.0), upper = Vec3::Constant(17.0);
        lower[axis] = wall_at - 0.125;
        upper[axis] = wall_at + 0.125;
        const auto shape = std::make_shared<test::BoxShape>(lower, upper);
        const Pool pool(dimension, axis, 8.0, steep, {{shape, Slip::free_slip, WallCondition::sticky, surface}});
        int n = 0;
        pool.for_each_face(wall_at + 0.25, [&](double y, double u) {
          const double deposited = steep(y - depth_of_mean(y - pool.surface));
          EXPECT_EQ(u, deposited) << dimension << axis << " at " << y;
          ++n;
        });
        EXPECT_GT(pool.scene.layout.comm().sum(GlobalIndex{n}), 20);
      }
}

TEST(ShiftToFaces, a_velocity_that_turns_below_the_surface_stays_as_it_is) {
  const auto ragged = [](double y) { return y > 6.8 ? 2.0 : y > 5.8 ? -1.0 : 3.0; };
  const Pool pool(2, 1, 8.0, ragged);
  pool.for_each_face(7.9, [&](double, double u) { EXPECT_EQ(u, 2.0); });
}

}  // namespace
}  // namespace freshet
