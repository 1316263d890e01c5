// SPDX-License-Identifier: Apache-2.0
// The viscosity of cells that hold particles of two liquids, and what the viscous step makes of it.
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/viscosity/cell_viscosity.hpp"
#include "support/mpi_test.hpp"
#include "support/placed_particles.hpp"
#include "support/viscous_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace freshet {
namespace {

using namespace test;

constexpr double pi = std::numbers::pi;

/// The viscosities of cells full of particles, n along each axis. Those with is_above(place [m]) have tag 1, others 0.
template <class IsAbove>
CellViscosities viscosity_of(const ViscousCase& flow, const TagViscosities& of_tags, int n, IsAbove&& is_above) {
  const Domain& domain = flow.layout.domain();
  const int n_z = domain.dimension() == 3 ? n : 1;
  std::vector<Vec3> places;
  PlacedParticles::Options options;
  for (int k = 0; k < domain.cells().z() * n_z; ++k)
    for (int j = 0; j < domain.cells().y() * n; ++j)
      for (int i = 0; i < domain.cells().x() * n; ++i) {
        places.push_back(domain.dx() * Vec3((i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n_z));
        options.tags.push_back(is_above(places.back()) ? 1 : 0);
      }
  const PlacedParticles liquid(domain, places, options);
  CellViscosities result;
  CellViscosity()(liquid.particles, flow.layout, of_tags, result);
  return result;
}

TagViscosities two(double of_tag_0, double of_tag_1) {
  TagViscosities of_tags(of_tag_0);
  of_tags.set(1, of_tag_1);
  return of_tags;
}

TEST(CellViscosity, of_shear_is_the_harmonic_mean_over_the_particles) {
  const ViscousBox box;
  constexpr double below = 5.0;
  for (const double above : {100.0, 0.0}) {
    const ViscousCase flow(world(), box);
    // three of four particles of the cells 0, 2, 4 ... of row 3 have tag 0
    const auto is_above = [](const Vec3& x) { return x.y() > 4.0 || (x.y() > 3.5 && std::fmod(x.x(), 2.0) < 0.5); };
    const CellViscosities viscosity = viscosity_of(flow, two(below, above), 2, is_above);
    flow.for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
      const bool is_mixed = corner.y() == 3.0 && std::fmod(corner.x(), 2.0) == 0.0;
      const double mixed = above == 0.0 ? 0.0 : 4.0 / (3.0 / below + 1.0 / above);
      const double pure = corner.y() < 4.0 ? below : above;
      EXPECT_FLOAT_EQ(viscosity.shear.block(b)[c], static_cast<float>(is_mixed ? mixed : pure));
      EXPECT_GE(viscosity.stretch.block(b)[c], (1.0F - 1e-6F) * viscosity.shear.block(b)[c]);  // round-off
    });
  }
}

class TwoViscosities : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, TwoViscosities, testing::Values(2, 3));

/// Cells of air have the mean viscosity of the nearest liquid, up to two cells from it, and none farther off; that of a
/// tag without particles plays no part.
TEST_P(TwoViscosities, air_has_that_of_the_nearest_liquid) {
  const bool flat = GetParam() == 2;
  ViscousBox box;
  box.dimension = GetParam();
  box.cells = {24, 24, flat ? 1 : 24};
  const ViscousCase flow(world(), box);
  const Vec3 drop(7.5, 7.5, flat ? 0.5 : 7.5), other(12.5, 7.5, flat ? 0.5 : 7.5);  // a cell of a block's corner
  const PlacedParticles liquid(flow.layout.domain(), {drop, other}, {.tags = {3, 4}});
  TagViscosities of_tags(1e4);
  of_tags.set(3, 5.0);
  of_tags.set(4, 100.0);
  const ViscosityRange range = viscosities_in_use(world(), liquid.particles, of_tags);
  EXPECT_EQ(range.least, 5.0);
  EXPECT_EQ(range.largest, 100.0);
  CellViscosities viscosity;
  CellViscosity()(liquid.particles, flow.layout, of_tags, viscosity);
  flow.for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
    Vec3 centre = corner + Vec3::Constant(0.5);
    if (flat) centre.z() = 0.5;
    const double from_drop = (centre - drop).cwiseAbs().maxCoeff();
    const double from_other = (centre - other).cwiseAbs().maxCoeff();
    const double expected = from_drop <= 2.0 ? 5.0 : from_other <= 2.0 ? 100.0 : 0.0;
    EXPECT_FLOAT_EQ(viscosity.stretch.block(b)[c], static_cast<float>(expected)) << centre.transpose();
    EXPECT_FLOAT_EQ(viscosity.shear.block(b)[c], static_cast<float>(expected)) << centre.transpose();
  });
}

/// Two layers that meet in the middle of a cell, between a wall and a lid that moves: the same stress in both.
TEST_P(TwoViscosities, couette_flow_is_exact_beyond_the_cells_that_hold_the_interface) {
  constexpr double dx = 1.0 / 24, height = 20 * dx, between = 9.5 * dx, speed = 0.5;
  ViscousBox box;
  box.dimension = GetParam();
  box.cells = {8, 24, GetParam() == 3 ? 8 : 1};
  box.cell_size = dx;
  box.boundary[1] = {FaceCondition::no_slip, FaceCondition::free_slip};
  ShapeParameters lid;
  lid.lower = {-9.0, height, -9.0};
  lid.upper = {9.0, 2.0, 9.0};
  box.bodies.push_back({make_shape(lid), Slip::no_slip, WallCondition::sticky, Surface::voxels,
                        std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(speed, 0.0, 0.0), Vec3::Zero())});
  for (const auto& layers : {std::pair{5.0, 100.0}, std::pair{100.0, 5.0}}) {
    const double below = layers.first, above = layers.second;
    ViscousCase channel(world(), box);
    const CellViscosities viscosity =
        viscosity_of(channel, two(below, above), 2, [](const Vec3& x) { return x.y() > between; });
    channel.of_cells = &viscosity;
    for (int step = 0; step < 15; ++step) EXPECT_TRUE(channel.advance(0.0).converged);
    const double stress = speed / (between / below + (height - between) / above);
    double worst = 0.0;
    channel.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
      if (d != 0 || std::abs(x.y() - between) < 0.5 * dx || x.y() > height) return;
      const double exact = stress * (std::min(x.y(), between) / below + std::max(x.y() - between, 0.0) / above);
      worst = std::max(worst, std::abs(channel.velocity[0].block(b)[c] - exact));
    });
    EXPECT_LE(world().max(worst), 1e-7);  // 0.018 with arithmetic means
  }
}

/// Layers with a slope of 1/2 in a periodic square, alternately of 5 and 100 Pa s, under an acceleration along them.
TEST(TwoViscosities, oblique_layers_converge) {
  if (world().size() > 2) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  const Vec3 normal = Vec3(-1.0, 2.0, 0.0).normalized();
  const Vec3 along(normal.y(), -normal.x(), 0.0);
  const double period = 1.0 / std::sqrt(5.0);
  constexpr double below = 5.0, above = 100.0, acceleration = 20.0;
  // Part of a period from the interface that has tag 0 above it.
  const auto part = [=](const Vec3& x) {
    const double s = (x - Vec3(0.003, 0.001, 0.0)).dot(normal) / period;
    return s - std::floor(s);
  };
  // mu u' = a period / (2 pi) (cos(2 pi s) - 0), as the cosine's integral over each layer is 0; the mean of u is 0
  const double scale = acceleration * period * period / (4.0 * pi * pi);
  const double mean = scale / pi * (1.0 / below - 1.0 / above);
  const auto exact = [=](int d, const Vec3& x) {
    const double s = part(x);
    return (scale * std::sin(2.0 * pi * s) / (s < 0.5 ? below : above) - mean) * along[d];
  };
  std::vector<double> errors;
  for (const int n : {32, 64, 128}) {
    ViscousBox box;
    box.cells = {n, n, 1};
    box.cell_size = 1.0 / n;
    ViscousCase layers(world(), box);
    const CellViscosities viscosity =
        viscosity_of(layers, two(below, above), 4, [&](const Vec3& x) { return part(x) > 0.5; });
    layers.of_cells = &viscosity;
    for (int step = 0; step < 30; ++step) {
      layers.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
        layers.velocity[d].block(b)[c] += acceleration * std::sin(2.0 * pi * part(x)) * along[d];
      });
      EXPECT_TRUE(layers.advance(0.0).converged);
    }
    errors.push_back(layers.error(exact).rms / (scale / below - mean));
  }
  EXPECT_LE(errors[0], 0.032);            // 0.088 with arithmetic means
  EXPECT_GT(errors[0] / errors[2], 3.4);  // first order over two halvings
}

/// The power that vortices sin x cos y take, whose strain is stretching along the axes alone: int 2 mu D : D. The
/// interfaces lie in the middle of cells, where the strain is largest.
TEST(TwoViscosities, stretching_along_layers_takes_the_power_of_both) {
  constexpr double k = 2.0 * pi, below = 5.0, above = 100.0;
  std::vector<double> errors;
  for (const int n : {16, 32}) {
    ViscousBox box;
    box.cells = {n, n, 1};
    box.cell_size = 1.0 / n;
    ViscousCase flow(world(), box);
    const double y_0 = (n / 4 + 0.5) / n;
    const CellViscosities viscosity =
        viscosity_of(flow, two(below, above), 2, [&](const Vec3& x) { return x.y() > y_0 && x.y() < y_0 + 0.5; });
    flow.of_cells = &viscosity;
    const auto vortices = [&](int d, const Vec3& x) {
      const double y = k * (x.y() - y_0);
      return d == 0 ? std::sin(k * x.x()) * std::cos(y) : -std::cos(k * x.x()) * std::sin(y);
    };
    flow.set_velocity(vortices);
    flow.advance(0.0);
    FaceField<double> u(flow.layout, 0.0), image(flow.layout, 0.0);
    flow.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) { u[d].block(b)[c] = vortices(d, x); });
    flow.step.apply(u, image);
    double power = 0.0;  // u K u, of the unit square
    flow.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
      power += u[d].block(b)[c] * (image[d].block(b)[c] - u[d].block(b)[c]) / (n * n);
    });
    const double exact = k * k * 0.5 * (below + above);
    errors.push_back(std::abs(world().sum(power) - exact) / exact);
  }
  EXPECT_LE(errors[1], 0.005);  // 0.11 if stretching has the harmonic mean, too
  EXPECT_GT(errors[0] / errors[1], 3.6);
}

}  // namespace
}  // namespace freshet
