// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/labels.hpp"
#include "freshet/free_surface/surface_curvature.hpp"
#include "freshet/free_surface/surface_smoothing.hpp"
#include "freshet/grid/halo.hpp"
#include "support/case.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace freshet {
namespace {

using test::make_domain;
using test::PlacedParticles;
using test::world;

/// The displacement of a liquid whose distance is a function of the place [cells].
struct Smoothed {
  PlacedParticles scene;
  SurfaceSmoothing smoothing;
  const FaceField<double>* displacement = nullptr;

  Smoothed(const Domain& domain, const std::function<double(const Vec3&)>& distance) : scene(domain, {}, {}) {
    CellField<float> phi(scene.layout, 0.0F);
    for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
      for (int c = 0; c < scene.layout.cells_per_block(); ++c)
        phi.block(b)[c] = static_cast<float>(std::clamp(distance(center(b, c)), -1.5, 1.5));
    scene.layout.halo().gather(phi, 1);
    LabelField occupied(scene.layout, Label::solid);
    label_cells(scene.particles, scene.solids, occupied);
    LabelPlanes planes;
    label_cells_by_distance(phi, scene.solids, occupied, scene.labels, planes);
    CellField<float> kappa;
    SurfaceCurvature curvature;
    curvature(phi, scene.solids, kappa);
    displacement = &smoothing(phi, scene.labels, scene.solids, curvature.smooth_surface(), 1.0);
  }
  Vec3 center(LocalIndex b, int c) const {
    const Vec3i n = scene.domain.block_cells();
    const Vec3i at(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
    return Vec3i(scene.layout.first_cell(b) + at).cast<double>().array() + 0.5;
  }
  /// f(place, value) for the low faces of an axis where the displacement is not 0.
  template <class Function>
  void for_each(int axis, Function&& f) const {
    for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
      for (int c = 0; c < scene.layout.cells_per_block(); ++c) {
        const double value = (*displacement)[axis].block(b)[c];
        if (value != 0.0) f(Vec3(center(b, c) - 0.5 * Vec3::Unit(axis)), value);
      }
  }
};

class SurfaceSmoothing2And3 : public testing::TestWithParam<int> {
 protected:
  static Domain domain(int n) { return make_domain(GetParam(), {n, n, GetParam() == 3 ? n : 1}); }
};
INSTANTIATE_TEST_SUITE_P(Dimensions, SurfaceSmoothing2And3, testing::Values(2, 3));

/// The zero of G lies some 0.05 cells inside a ball of 6 cells. Without the mean taken out the ball would shrink.
TEST_P(SurfaceSmoothing2And3, a_ball_keeps_its_size) {
  for (const double radius : {6.0, 12.0}) {
    const Vec3 middle(20.21, 19.63, GetParam() == 3 ? 20.11 : 0.5);
    const Smoothed ball(domain(40), [&](const Vec3& x) { return (x - middle).norm() - radius; });
    double outwards = 0.0, largest = 0.0, n = 0.0;
    for (int d = 0; d < GetParam(); ++d)
      ball.for_each(d, [&](const Vec3& x, double value) {
        outwards += value * (x - middle).normalized()[d];
        largest = std::max(largest, std::abs(value));
        n += 1.0;
      });
    n = world().sum(n);
    ASSERT_GT(n, 0.0);
    EXPECT_LE(std::abs(world().sum(outwards)) / n, 0.001) << radius;
    EXPECT_LE(world().max(largest), 0.05) << radius;
  }
}

/// Waves of a plane surface along x: those without tension go, those with it stay.
TEST_P(SurfaceSmoothing2And3, short_waves_go_and_long_ones_stay) {
  constexpr double height = 0.2;
  for (const double length : {4.0, 32.0}) {
    const double k = 2.0 * std::numbers::pi / length;
    const auto wave = [&](const Vec3& x) { return height * std::sin(k * x.x()); };
    const Smoothed plane(domain(32), [&](const Vec3& x) { return x.y() - 16.3 - wave(x); });
    double along = 0.0, squares = 0.0;
    plane.for_each(1, [&](const Vec3& x, double value) {
      if (std::abs(x.x() - 16.0) > 8.0) return;  // walls are mirrors, the wave is none
      along += value * wave(x);
      squares += wave(x) * wave(x);
    });
    const double taken = -world().sum(along) / world().sum(squares);
    test::report("length of the wave [cells], part that is taken away", {length, taken});
    EXPECT_LE(taken, length < 8.0 ? 1.0 : 0.005);
    EXPECT_GE(taken, length < 8.0 ? 0.6 : -0.005);
  }
}

}  // namespace
}  // namespace freshet
