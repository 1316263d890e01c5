// SPDX-License-Identifier: Apache-2.0
// Gauges in fields that are known: linear pressures and velocities, and particles at given places.
#include "freshet/gauges/gauge.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/parallel/reduction.hpp"
#include "support/case.hpp"
#include "support/placed_particles.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <utility>

namespace freshet {
namespace {

using test::full_cells;
using test::make_domain;
using test::PlacedParticles;
using test::world;

/// A scene with fields, and the values that a gauge gives in it.
struct Scene {
  Scene(const Domain& domain, const std::vector<Vec3>& places, const PlacedParticles::Options& options = {})
      : placed(domain, places, options), velocity(placed.layout), pressure(placed.layout) {
    velocity.fill(0.0);
    pressure.fill(0.0);
  }
  /// p of a liquid cell's centre [m]; 0 in air and solids.
  void set_pressure(const std::function<double(const Vec3&)>& p) {
    for_each_cell([&](LocalIndex b, int c, const Vec3& x) {
      pressure.block(b)[c] = placed.labels.block(b)[c] == Label::liquid ? p(x) : 0.0;
    });
    placed.layout.halo().gather(pressure, 1);
  }
  /// u of a point [m].
  void set_velocity(const std::function<Vec3(const Vec3&)>& u) {
    for_each_cell([&](LocalIndex b, int c, const Vec3& x) {
      for (int d = 0; d < velocity.dimension(); ++d) velocity[d].block(b)[c] = u(x - 0.5 * Vec3::Unit(d))[d];
    });
    placed.layout.halo().gather(velocity, 1);
  }
  /// phi of a cell's centre [m = cells]; cells that no solid fills are liquid where it is negative.
  void set_phi(const std::function<double(const Vec3&)>& f) {
    phi.reset(placed.layout, 0.0F);
    phi.fill(1.5F);
    for_each_cell([&](LocalIndex b, int c, const Vec3& x) {
      phi.block(b)[c] = static_cast<float>(std::clamp(f(x), -1.5, 1.5));
      const bool is_solid = placed.solids.is_solid().block(b)[c] != 0;
      placed.labels.block(b)[c] = is_solid ? Label::solid : phi.block(b)[c] < 0.0F ? Label::liquid : Label::air;
    });
    placed.layout.halo().gather(phi, 1);
    placed.layout.halo().gather(placed.labels, 1);
    has_phi = true;
  }
  Gauges make(const GaugeParameters& parameters) const { return {{parameters}, setup()}; }
  std::vector<double> values(const GaugeParameters& parameters, double dt = 0.0) const {
    Gauges gauges = make(parameters);
    return values(gauges, dt);
  }
  std::vector<double> values(Gauges& gauges, double dt) const {
    measure(gauges, dt);
    EXPECT_TRUE(gauges.has_row(0));
    return gauges.values(0);
  }
  /// Of many gauges with one reduction.
  std::vector<std::vector<double>> values_of(const std::vector<GaugeParameters>& parameters, double dt = 0.0) const {
    Gauges gauges(parameters, setup());
    measure(gauges, dt);
    std::vector<std::vector<double>> values;
    for (std::size_t n = 0; n < gauges.size(); ++n) values.push_back(gauges.values(n));
    return values;
  }
  GaugeSetup setup() const { return {placed.domain, placed.domain.dimension() == 3 ? 8 : 4, 0.5, {0.0, -10.0, 0.0}}; }
  void measure(Gauges& gauges, double dt) const {
    gauges.begin_step(1, 0.0, 1.0);
    measure_fields(gauges, dt);
  }
  void measure_fields(Gauges& gauges, double dt) const {
    gauges.measure_flow({velocity,
                         pressure,
                         placed.labels,
                         placed.inner,
                         placed.solids,
                         placed.particles,
                         {},
                         has_phi ? SurfacePlace(phi) : SurfacePlace(),
                         false,
                         dt});
    gauges.measure_liquid({placed.layout, placed.particles, placed.solids.bodies(), 1.0});
    Reduction reduction;
    gauges.add_to(reduction);
    reduction.reduce(world());
    gauges.end_step();
  }

  template <class Function>
  void for_each_cell(Function&& f) {
    const BlockLayout& layout = placed.layout;
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const Vec3i cell = layout.first_cell(b) + Vec3i(c % 8, c / 8 % 8, c / 64);
        f(b, c, Vec3(cell.cast<double>() + Vec3::Constant(0.5)));
      }
  }

  PlacedParticles placed;
  FaceField<double> velocity;
  CellField<double> pressure;
  mutable CellField<float> phi;  // readers may refresh its ghosts
  bool has_phi = false;
};

constexpr double weight = 10.0;  ///< rho g [Pa/m]

/// A pool of 16 x 10 x 16 cells of 1 m whose pressure is hydrostatic.
struct Pool : Scene {
  Pool() : Scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {16, 10, 16})) {
    set_pressure([](const Vec3& x) { return weight * (10.0 - x.y()); });
  }
};

GaugeParameters gauge(std::string_view type) {
  GaugeParameters parameters;
  parameters.name = "test";
  parameters.type = gauge_type_named(type);
  return parameters;
}

GaugeParameters pressure_at(const Vec3& point, double size = 0.0) {
  GaugeParameters parameters = gauge("pressure");
  parameters.point = point;
  parameters.size = size;
  return parameters;
}

GaugeParameters force_on(GaugeSide side) {
  GaugeParameters parameters = gauge("force");
  parameters.side = side;
  return parameters;
}

SolidBody body_of(std::shared_ptr<const Shape> shape, Surface surface) {
  SolidBody body;
  body.shape = std::move(shape);
  body.surface = surface;
  return body;
}

TEST(PressureGauge, is_exact_for_a_linear_pressure_inside_and_on_walls) {
  Pool scene;
  for (const Vec3& x : {Vec3(8, 0, 8), Vec3(0, 4.3, 7.7), Vec3(16, 0.2, 3), Vec3(5.1, 9.4, 8), Vec3(8, 8, 8)}) {
    const std::vector<double> values = scene.values(pressure_at(x));
    EXPECT_NEAR(values[0], weight * (10.0 - x.y()), 1e-5) << x.transpose();
    EXPECT_EQ(values[2], 1.0);
  }
  EXPECT_NEAR(scene.values(pressure_at({8, 0, 8}))[1], weight * 9.5, 1e-12);  // the cell's own
}

TEST(PressureGauge, is_zero_in_air) {
  Pool scene;
  EXPECT_EQ(scene.values(pressure_at({8, 12, 8})), (std::vector<double>{0.0, 0.0, 0.0}));
}

TEST(PressureGauge, on_a_cut_solid_does_not_depend_on_where_the_grid_lies) {
  for (int eighth = 0; eighth < 8; ++eighth) {
    const double face = 6.0 + eighth / 8.0;
    PlacedParticles::Options options;
    options.bodies = {
        body_of(std::make_shared<test::BoxShape>(Vec3(-9, -9, -9), Vec3(face, 20, 20)), Surface::fractions)};
    std::vector<Vec3> places = full_cells({6, 0, 0}, {16, 10, 16});
    std::erase_if(places, [&](const Vec3& x) { return x.x() < face; });
    Scene scene(make_domain(3, {16, 16, 16}), places, options);
    scene.set_pressure([](const Vec3& x) { return weight * (10.0 - x.y()) + 3.0 * x.x(); });
    EXPECT_NEAR(scene.values(pressure_at({face, 4.0, 8.0}))[0], weight * 6.0 + 3.0 * face, 1e-4) << eighth;
  }
}

/// A pool 10 deep around a box from 6 + eighths / 8 on, whose low face is wetted. [cells]
struct PoolBesideBox : Scene {
  PoolBesideBox(int dimension, Surface surface, double low_face)
      : Scene(make_domain(dimension, {16, 16, dimension == 3 ? 16 : 1}), places(dimension, low_face),
              options(surface, low_face)) {
    set_pressure(pressure_of_pool);
    set_velocity([](const Vec3& x) { return Vec3(0.0, 0.5 * x.y(), 0.0); });
  }
  static double pressure_of_pool(const Vec3& x) { return weight * (10.0 - x.y()) + 3.0 * x.x(); }
  void with_level_set() {
    set_phi([](const Vec3& x) { return x.y() - 10.0; });
    set_pressure(pressure_of_pool);
  }

 private:
  static std::vector<Vec3> places(int dimension, double low_face) {
    std::vector<Vec3> places = full_cells({0, 0, 0}, {7, 10, dimension == 3 ? 16 : 1});
    std::erase_if(places, [low_face](const Vec3& x) { return x.x() > low_face; });
    return places;
  }
  static PlacedParticles::Options options(Surface surface, double low_face) {
    PlacedParticles::Options options;
    options.bodies = {body_of(std::make_shared<test::BoxShape>(Vec3(low_face, -9, -9), Vec3(30, 30, 30)), surface)};
    return options;
  }
};

TEST(PressureGauge, and_velocity_gauge_on_the_low_face_of_a_body_do_not_depend_on_where_the_grid_lies) {
  for (const int dimension : {2, 3})
    for (const Surface surface : {Surface::voxels, Surface::fractions})
      for (int eighth = 0; eighth < 8; ++eighth)
        for (const bool has_phi : {false, true}) {
          const double face = 6.0 + eighth / 8.0;
          const double z = dimension == 3 ? 8.2 : 0.5;
          PoolBesideBox scene(dimension, surface, face);
          if (has_phi) scene.with_level_set();
          const std::string where =
              fmt::format("{}-D, surface {}, face {}, phi {}", dimension, static_cast<int>(surface), face, has_phi);
          std::vector<GaugeParameters> gauges = {gauge("velocity")};
          gauges.front().point = {face, 4.3, z};
          for (const double size : {0.0, 1.7})
            for (const Vec3& normal : {Vec3(0, 0, 0), Vec3(-2, 0, 0)}) {
              gauges.push_back(pressure_at({face, 4.3, z}, size));
              gauges.back().normal = normal;
            }
          const std::vector<std::vector<double>> values = scene.values_of(gauges);
          EXPECT_NEAR(values[0][1], 2.15, 1e-6) << where;
          EXPECT_EQ(values[0][3], 1.0) << where;
          for (std::size_t n = 1; n < values.size(); ++n) {
            EXPECT_NEAR(values[n][0], weight * 5.7 + 3.0 * face, 1e-4) << where << ", gauge " << n;
            EXPECT_EQ(values[n][2], 1.0) << where << ", gauge " << n;
          }
        }
}

TEST(PressureGauge, and_velocity_gauge_all_over_a_ball_in_deep_water_are_wet) {
  for (const int dimension : {2, 3})
    for (const Surface surface : {Surface::voxels, Surface::fractions}) {
      ShapeParameters ball;
      ball.kind = ShapeKind::sphere;
      ball.center = Vec3(8.3, 7.9, dimension == 3 ? 8.1 : 0.5);
      ball.radius = 3.4;
      PlacedParticles::Options options;
      options.bodies = {body_of(make_shape(ball), surface)};
      std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 16, dimension == 3 ? 16 : 1});
      std::erase_if(places, [&](const Vec3& x) { return (x - ball.center).norm() < ball.radius; });
      Scene scene(make_domain(dimension, {16, 16, dimension == 3 ? 16 : 1}), places, options);
      scene.set_pressure([](const Vec3& x) { return 1.0 + weight * (16.0 - x.y()); });
      std::vector<GaugeParameters> gauges;
      std::mt19937 random(1);
      std::normal_distribution<double> any;
      for (int n = 0; n < 200; ++n) {
        const Vec3 out = Vec3(any(random), any(random), dimension == 3 ? any(random) : 0.0).normalized();
        for (const double beyond : {-0.4, 0.0, 0.3, 0.7}) {
          gauges.push_back(pressure_at(ball.center + (ball.radius + beyond) * out));
          gauges.push_back(gauge("velocity"));
          gauges.back().point = gauges[gauges.size() - 2].point;
        }
      }
      const std::vector<std::vector<double>> values = scene.values_of(gauges);
      for (std::size_t n = 0; n < gauges.size(); ++n) {
        EXPECT_EQ(values[n].at(n % 2 == 0 ? 2 : 3), 1.0)
            << dimension << (surface == Surface::voxels ? " voxels " : " fractions ") << gauges[n].point.transpose();
        if (n % 2 == 0) {
          EXPECT_NEAR(values[n][0], 1.0 + weight * (16.0 - gauges[n].point.y()), 1e-4);
        }
      }
    }
}

TEST(PressureGauge, that_another_body_covers_is_dry) {
  for (const Surface surface : {Surface::voxels, Surface::fractions}) {
    PlacedParticles::Options options;  // a plate of one cell lies on a block
    options.bodies = {body_of(std::make_shared<test::BoxShape>(Vec3(-9, -9, -9), Vec3(30, 4, 30)), surface),
                      body_of(std::make_shared<test::BoxShape>(Vec3(4, 4, 4), Vec3(12, 5, 12)), surface)};
    std::vector<Vec3> places = full_cells({0, 4, 0}, {16, 10, 16});
    std::erase_if(places, [](const Vec3& x) { return x.y() < 5 && (x - Vec3(8, 4, 8)).cwiseAbs().maxCoeff() < 4; });
    Scene scene(make_domain(3, {16, 16, 16}), places, options);
    scene.set_pressure([](const Vec3& x) { return weight * (10.0 - x.y()); });
    GaugeParameters parameters = pressure_at({8.1, 4.0, 8.2});
    parameters.normal = {0, 1, 0};
    EXPECT_EQ(scene.values(parameters)[2], 0.0);
    parameters.point.y() = 5.0;
    EXPECT_NEAR(scene.values(parameters)[0], weight * 5.0, 1e-4);
  }
}

TEST(PressureGauge, patch_gives_the_mean_over_its_points) {
  Pool scene;
  scene.set_pressure([](const Vec3& x) { return 2.0 * x.z() + x.y(); });
  EXPECT_NEAR(scene.values(pressure_at({0, 4.0, 8.0}, 4.0))[0], 20.0, 1e-5);
  EXPECT_EQ(scene.values(pressure_at({0, 10.0, 8.0}, 4.0))[2], 0.5);  // half of the patch is above the water
}

TEST(PressureGauge, round_patch_is_a_disc) {
  Pool scene;
  scene.set_pressure([](const Vec3& x) { return 2.0 * x.z() + x.y(); });
  GaugeParameters parameters = pressure_at({0, 4.0, 8.0}, 5.0);
  parameters.patch = PatchShape::round;
  EXPECT_NEAR(scene.values(parameters)[0], 20.0, 1e-5);
  parameters = pressure_at({0, 8.0, 8.0}, 8.0);  // the water stands half a radius above the centre
  EXPECT_EQ(scene.values(parameters)[2], 0.75);
  parameters.patch = PatchShape::round;
  const double below = 1.0 - (std::acos(0.5) - 0.5 * std::sqrt(0.75)) / std::numbers::pi;  // 0.804
  EXPECT_NEAR(scene.values(parameters)[2], below, 0.02);                                   // 64 points
}

TEST(ForceGauge, on_walls_is_the_integral_of_the_pressure) {
  Pool scene;
  const std::vector<double> floor = scene.values(force_on(GaugeSide::y_low));
  EXPECT_NEAR(floor[1], -weight * 10 * 16 * 16, 1e-9);
  EXPECT_NEAR(floor[0], 0.0, 1e-9);
  EXPECT_NEAR(floor[6], 16 * 16, 1e-12);
  const std::vector<double> side = scene.values(force_on(GaugeSide::x_high));
  EXPECT_NEAR(side[0], weight * 0.5 * 100 * 16, 1e-9);
  EXPECT_NEAR(side[6], 160, 1e-12);
  // about the origin: sum over cells of (y, z) p, with the midpoint rule in y
  double moment = 0.0;
  for (int j = 0; j < 10; ++j) moment -= (j + 0.5) * weight * (10 - j - 0.5) * 16;
  EXPECT_NEAR(side[5], moment, 1e-8);
}

TEST(ForceGauge, side_without_water_feels_none) {
  Pool scene;
  for (const double value : scene.values(force_on(GaugeSide::y_high))) EXPECT_EQ(value, 0.0);
}

/// Buoyancy of a sphere below the surface, relative to the weight of the water that it displaces.
double buoyancy(double radius, Surface surface) {
  const int n = 4 * static_cast<int>(radius) + 4;
  PlacedParticles::Options options;
  ShapeParameters sphere;
  sphere.kind = ShapeKind::sphere;
  sphere.center = Vec3::Constant(0.5 * n) + Vec3(0.2, 0.1, -0.1);
  sphere.radius = radius;
  options.bodies = {body_of(make_shape(sphere), surface)};
  std::vector<Vec3> places = full_cells({0, 0, 0}, {n, n, n});
  std::erase_if(places, [&](const Vec3& x) { return (x - sphere.center).norm() < radius; });
  Scene scene(make_domain(3, {n, n, n}), places, options);
  scene.set_pressure([&](const Vec3& x) { return weight * (n - x.y()); });
  GaugeParameters parameters = gauge("force");
  parameters.solid = 0;
  parameters.center = sphere.center;
  const std::vector<double> values = scene.values(parameters);
  const double scale = weight * 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3);
  EXPECT_NEAR(values[0], 0.0, 0.02 * scale);
  EXPECT_NEAR(values[2], 0.0, 0.02 * scale);
  for (std::size_t d = 3; d < 6; ++d) EXPECT_NEAR(values[d], 0.0, 0.03 * scale * radius);
  return values[1] / scale;
}

TEST(ForceGauge, buoyancy_is_the_weight_of_the_displaced_liquid_to_second_order) {
  const double coarse = std::abs(buoyancy(3.0, Surface::fractions) - 1.0);
  const double fine = std::abs(buoyancy(6.0, Surface::fractions) - 1.0);
  EXPECT_LT(coarse, 0.04);  // chords of a sphere of 6 cells across
  EXPECT_GT(coarse / fine, 3.0);
  EXPECT_NEAR(buoyancy(6.0, Surface::voxels), 1.0, 0.05);  // the voxels' own volume is off by a few parts in a hundred
}

/// A plate or a ball in deep water, relative to the weight of what it displaces. \param[in] rest  force across, too
double buoyancy_of(const ShapeParameters& parameters, double volume, double& rest) {
  constexpr int n = 16;
  PlacedParticles::Options options;
  const std::shared_ptr<const Shape> shape = make_shape(parameters);
  options.bodies = {body_of(shape, Surface::fractions)};
  std::vector<Vec3> places = full_cells({0, 0, 0}, {n, n, n});
  std::erase_if(places, [&](const Vec3& x) { return shape->signed_distance(x) < 0.0; });
  Scene scene(make_domain(3, {n, n, n}), places, options);
  scene.set_phi([](const Vec3&) { return -1.0; });  // all cells are liquid
  scene.set_pressure([&](const Vec3& x) { return weight * (n - x.y()); });
  GaugeParameters force = gauge("force");
  force.solid = 0;
  const std::vector<double> values = scene.values(force);
  rest = std::hypot(values[0], values[2]) / (weight * volume);
  return values[1] / (weight * volume);
}

/// Its ends have no cells of their own, and neither has a body smaller than a cell.
TEST(ForceGauge, buoyancy_of_thin_and_small_bodies_is_the_weight_of_what_they_displace) {
  for (const double thickness : {0.1, 0.32, 1.0})
    for (const double offset : {0.0, 0.2, 0.5, 0.9})
      for (const double angle : {0.0, 20.0}) {
        ShapeParameters plate;
        const Vec3 half(0.5 * thickness, 3.5, 2.6);
        plate.lower = -half;
        plate.upper = half;
        plate.transform.angle = angle;
        plate.transform.translate = Vec3(8.0 + offset, 7.8, 8.1);
        double rest = 0.0;
        EXPECT_NEAR(buoyancy_of(plate, (2.0 * half).prod(), rest), 1.0, angle == 0.0 ? 1e-6 : 0.02)
            << thickness << " " << offset << " " << angle;
        EXPECT_NEAR(rest, 0.0, angle == 0.0 ? 1e-6 : 0.01) << thickness << " " << offset << " " << angle;
      }
  for (const double radius : {0.3, 0.75, 2.0}) {
    ShapeParameters ball;
    ball.kind = ShapeKind::sphere;
    ball.center = Vec3(8.1, 7.8, 8.4);
    ball.radius = radius;
    double rest = 0.0;
    EXPECT_NEAR(buoyancy_of(ball, 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3), rest), 1.0, 0.06) << radius;
    EXPECT_NEAR(rest, 0.0, 1e-3) << radius;
  }
}

TEST(ForceGauge, box_on_the_floor_and_the_floor_share_what_is_below_it) {
  PlacedParticles::Options options;
  const Vec3 low(4.3, -1.0, 5.0), high(8.7, 3.25, 9.5);
  options.bodies = {body_of(std::make_shared<test::BoxShape>(low, high), Surface::fractions)};
  std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 10, 16});
  std::erase_if(places,
                [&](const Vec3& x) { return (x.array() > low.array()).all() && (x.array() < high.array()).all(); });
  Scene scene(make_domain(3, {16, 16, 16}), places, options);
  scene.set_pressure([](const Vec3& x) { return weight * (10.0 - x.y()); });
  GaugeParameters on_box = gauge("force");
  on_box.solid = 0;
  const double roof = (high.x() - low.x()) * (high.z() - low.z());
  const double push = weight * (10.0 - high.y()) * roof;
  // edges between cells are blunt: they lose some 0.06 m^2 a metre, which the floor has
  EXPECT_NEAR(scene.values(on_box)[1], -push, 0.06 * push);
  EXPECT_NEAR(scene.values(on_box)[0], 0.0, 0.02 * push);
  EXPECT_NEAR(scene.values(force_on(GaugeSide::y_low))[1], -weight * 10.0 * (256.0 - roof), 0.07 * push);
}

/// Liquid at rest up to y = 12 in 24 x 16 x 24 cells, around bodies.
struct StillWater : Scene {
  explicit StillWater(const std::vector<SolidBody>& bodies)
      : Scene(make_domain(3, {24, 16, 24}), places_around(bodies), options_with(bodies)) {
    set_pressure([](const Vec3& x) { return weight * (12.0 - x.y()); });
  }
  static PlacedParticles::Options options_with(const std::vector<SolidBody>& bodies) {
    PlacedParticles::Options options;
    options.bodies = bodies;
    return options;
  }
  static std::vector<Vec3> places_around(const std::vector<SolidBody>& bodies) {
    std::vector<Vec3> places = full_cells({0, 0, 0}, {24, 12, 24});
    std::erase_if(places, [&](const Vec3& x) {
      return std::any_of(bodies.begin(), bodies.end(),
                         [&](const SolidBody& body) { return body.shape->signed_distance(x) < 0.0; });
    });
    return places;
  }
};

SolidBody box_of(const Vec3& lower, const Vec3& upper, Surface surface) {
  return body_of(std::make_shared<test::BoxShape>(lower, upper), surface);
}

void expect_force(Scene& scene, int solid, const Vec3& force, double tolerance) {
  GaugeParameters parameters = gauge("force");
  parameters.solid = solid;
  const std::vector<double> values = scene.values(parameters);
  for (int d = 0; d < 3; ++d)
    EXPECT_NEAR(values[static_cast<std::size_t>(d)], force[d], tolerance) << solid << " " << d;
}

TEST(ForceGauge, block_on_a_floor_between_cells_and_the_floor_feel_what_wets_them) {
  const Vec3 low(5.4, 0.7, 6.3), high(15.4, 7.4, 16.3);
  const double floor = 2.4, roof = 100.0;
  for (const Surface surface : {Surface::fractions, Surface::voxels}) {
    StillWater scene({box_of(low, high, surface), box_of({-9, -9, -9}, {40, floor, 40}, surface)});
    // voxels end at y = 7 and 2, their roof is one of 10 x 10 cells
    const double top = surface == Surface::voxels ? 7.0 : high.y(), bottom = surface == Surface::voxels ? 2.0 : floor;
    const double on_block = weight * (12.0 - top) * roof, on_floor = weight * (12.0 - bottom) * (576.0 - roof);
    const double blunt = surface == Surface::voxels ? 1e-8 : 0.03 * on_block;  // edges of the roof
    expect_force(scene, 0, {0.0, -on_block, 0.0}, blunt);
    expect_force(scene, 1, {0.0, -on_floor, 0.0}, 2.0 * blunt);
  }
}

TEST(ForceGauge, wall_and_floor_that_meet_within_a_cell_push_along_their_normals) {
  const double wall = 3.3, floor = 2.4, depth = 12.0 - floor;
  StillWater scene({box_of({-9, -9, -9}, {wall, 40, 40}, Surface::fractions),
                    box_of({-9, -9, -9}, {40, floor, 40}, Surface::fractions)});
  const double on_wall = weight * 0.5 * depth * depth * 24.0;
  expect_force(scene, 0, {-on_wall, 0.0, 0.0}, 0.001 * on_wall);
  const double on_floor = weight * depth * (24.0 - wall) * 24.0;
  expect_force(scene, 1, {0.0, -on_floor, 0.0}, 0.001 * on_floor);
}

TEST(ForceGauge, stacked_blocks_feel_what_wets_them) {
  const double low = 2.4, middle = 5.6, high = 8.4, roof = 100.0;
  StillWater scene({box_of({5.4, low, 6.3}, {15.4, middle, 16.3}, Surface::fractions),
                    box_of({5.4, middle, 6.3}, {15.4, high, 16.3}, Surface::fractions)});
  const double below = weight * (12.0 - low) * roof, above = weight * (12.0 - high) * roof;
  expect_force(scene, 0, {0.0, below, 0.0}, 0.03 * below);  // blunt edges
  expect_force(scene, 1, {0.0, -above, 0.0}, 0.03 * above);
}

TEST(VelocityGauge, is_exact_for_a_linear_velocity) {
  Scene scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {16, 10, 16}));
  scene.set_velocity([](const Vec3& x) { return Vec3(1.0 + x.y(), 2.0 * x.z() - x.x(), x.x() - 3.0 * x.y()); });
  GaugeParameters parameters = gauge("velocity");
  for (const Vec3& x : {Vec3(8, 8, 8), Vec3(3.25, 7.9, 8.1), Vec3(11.6, 4.2, 7.7)}) {
    parameters.point = x;
    const std::vector<double> values = scene.values(parameters);
    EXPECT_NEAR(values[0], 1.0 + x.y(), 1e-12);
    EXPECT_NEAR(values[1], 2.0 * x.z() - x.x(), 1e-12);
    EXPECT_NEAR(values[2], x.x() - 3.0 * x.y(), 1e-12);
    EXPECT_EQ(values[3], 1.0);
  }
  parameters.point = {8, 13, 8};
  EXPECT_EQ(scene.values(parameters)[3], 0.0);
}

TEST(VelocityGauge, is_wet_below_the_surface_of_a_level_set) {
  Scene scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {16, 10, 16}));
  GaugeParameters parameters = gauge("velocity");
  for (const double depth : {9.9, 9.6, 9.4, 9.1}) {
    scene.set_phi([&](const Vec3& x) { return x.y() - depth; });
    for (const double x : {0.0, 8.0, 8.2}) {
      parameters.point = {x, depth - 0.01, 8.0};
      EXPECT_EQ(scene.values(parameters)[3], 1.0) << depth << " " << x;
      parameters.point = {x, depth + 0.01, 8.0};
      EXPECT_EQ(scene.values(parameters)[3], 0.0) << depth << " " << x;
    }
  }
}

TEST(VelocityGauge, on_a_body_is_wet_wherever_the_grid_lies) {
  for (const Surface surface : {Surface::voxels, Surface::fractions})
    for (int eighth = 0; eighth < 8; ++eighth) {
      const double face = 6.0 + eighth / 8.0;
      PlacedParticles::Options options;
      options.bodies = {body_of(std::make_shared<test::BoxShape>(Vec3(-9, -9, -9), Vec3(face, 20, 20)), surface)};
      std::vector<Vec3> places = full_cells({6, 0, 0}, {16, 10, 16});
      std::erase_if(places, [&](const Vec3& x) { return x.x() < face; });
      Scene scene(make_domain(3, {16, 16, 16}), places, options);
      GaugeParameters parameters = gauge("velocity");
      for (const auto& [y, wet] : {std::pair(4.0, 1.0), std::pair(12.0, 0.0)}) {
        for (const double beyond : {-0.4, 0.0, 0.3}) {
          parameters.point = {face + beyond, y, 8.0};
          EXPECT_EQ(scene.values(parameters)[3], wet) << eighth << " " << beyond;
        }
        EXPECT_EQ(scene.values(pressure_at({face, y, 8.0}))[2], wet) << eighth;
      }
      parameters.point = {2.0, 4.0, 8.0};
      EXPECT_EQ(scene.values(parameters)[3], 0.0) << "deep inside";
    }
}

TEST(FlowRateGauge, is_velocity_times_wetted_area) {
  Scene scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {16, 10, 16}));
  scene.set_velocity([](const Vec3& x) { return Vec3(2.0 + 0.5 * x.y(), 0.0, 0.0); });
  GaugeParameters parameters = gauge("flow_rate");
  for (const double x : {4.0, 7.3, 8.0}) {
    parameters.lower = {x, 0.0, 1.0};
    parameters.upper = {x, 16.0, 15.0};
    const std::vector<double> values = scene.values(parameters);
    EXPECT_NEAR(values[1], 14.0 * 10.0, 1e-9);
    // free slip makes the profile flat below the lowest centre of a cell: 1/4 of a sample's part of a cell
    EXPECT_NEAR(values[0], 14.0 * (2.0 * 10.0 + 0.25 * 100.0), 14.0 * 0.07);
  }
}

/// The volume that has passed x = 8, when a block of liquid has moved for a while in equal steps, over the volume of
/// the particles that are beyond, averaged over planes within half a cell.
double passed_over_found(double dt, bool is_flat, unsigned seed) {
  const int depth = is_flat ? 1 : 8;
  std::vector<Vec3> places = full_cells({1, 0, 0}, {6, 3, depth});
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> within(-0.25, 0.25);
  for (Vec3& x : places)
    for (int d = 0; d < (is_flat ? 2 : 3); ++d) x[d] += within(random);
  const Vec3 u(2.3, 0.0, 0.0);
  double passed = 0.0, found = 0.0;
  for (double t = 0.0; t < 2.0 - 1e-9; t += dt) {
    Scene scene(make_domain(is_flat ? 2 : 3, {16, 16, depth}), places);
    scene.set_velocity([&](const Vec3&) { return u; });
    GaugeParameters parameters = gauge("flow_rate");
    parameters.lower = {8.0, 0.0, 0.0};
    parameters.upper = {8.0, 16.0, static_cast<double>(depth)};
    passed += dt * scene.values(parameters, dt)[0];
    for (Vec3& x : places) x += dt * u;
  }
  for (const Vec3& x : places) found += (is_flat ? 0.25 : 0.125) * std::clamp(x.x() - 7.5, 0.0, 1.0);
  return passed / found;
}

/// In steps of 0.46 to 0.92 cells, in the mean of eight seeds: full cells do not move along with the particles.
TEST(FlowRateGauge, sum_over_steps_is_the_volume_that_passed) {
  constexpr unsigned n_seeds = 8;
  for (const bool is_flat : {false, true})
    for (const double dt : {0.4, 0.25, 0.2}) {
      double mean = 0.0;
      for (unsigned seed = 0; seed < n_seeds; ++seed) mean += passed_over_found(dt, is_flat, seed) / n_seeds;
      test::report("2-D, dt, volume that passed / volume found", {is_flat ? 1.0 : 0.0, dt, mean});
      EXPECT_NEAR(mean, 1.0, 0.03) << is_flat << " " << dt;
    }
}

TEST(FlowRateGauge, edge_of_the_rectangle_may_lie_within_a_cell) {
  Scene scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {16, 10, 16}));
  scene.set_velocity([](const Vec3&) { return Vec3(2.0, 0.0, 0.0); });
  GaugeParameters parameters = gauge("flow_rate");
  parameters.lower = {8.1, 1.3, 2.6};
  parameters.upper = {8.1, 7.9, 13.2};
  for (const double dt : {0.0, 0.3}) {
    EXPECT_NEAR(scene.values(parameters, dt)[0], 2.0 * 6.6 * 10.6, 1e-9) << dt;
    EXPECT_NEAR(scene.values(parameters, dt)[1], 6.6 * 10.6, 1e-9) << dt;
  }
}

TEST(FlowRateGauge, on_a_side_of_the_domain) {
  for (const FaceCondition condition : {FaceCondition::free_slip, FaceCondition::open, FaceCondition::periodic}) {
    Scene scene(make_domain(3, {16, 16, 16}, condition), full_cells({0, 0, 0}, {16, 10, 16}));
    scene.set_velocity([](const Vec3&) { return Vec3(2.0, 0.0, 0.0); });
    GaugeParameters parameters = gauge("flow_rate");
    for (const double x : {0.0, 16.0}) {
      parameters.lower = {x, 0.0, 0.0};
      parameters.upper = {x, 16.0, 16.0};
      EXPECT_NEAR(scene.values(parameters, 0.3)[1], 160.0, 1e-9) << x;
      if (condition == FaceCondition::periodic) {
        EXPECT_NEAR(scene.values(parameters, 0.3)[0], 320.0, 1e-9) << x;
      }
    }
  }
}

TEST(FlowRateGauge, solids_take_their_part_of_the_rectangle) {
  PlacedParticles::Options options;
  options.bodies = {body_of(std::make_shared<test::BoxShape>(Vec3(-9, 4, -9), Vec3(30, 30, 30)), Surface::fractions)};
  Scene scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {16, 4, 16}), options);
  scene.set_velocity([](const Vec3&) { return Vec3(3.0, 0.0, 0.0); });
  GaugeParameters parameters = gauge("flow_rate");
  parameters.lower = {5.0, -2.0, -2.0};
  parameters.upper = {5.0, 20.0, 20.0};  // clipped to the domain
  EXPECT_NEAR(scene.values(parameters)[0], 3.0 * 4.0 * 16.0, 1e-9);
}

TEST(HeightGauge, of_a_pool_is_its_depth) {
  Pool scene;
  GaugeParameters parameters = gauge("height");
  for (const double x : {0.0, 7.6, 8.0, 16.0}) {
    parameters.start = {x, 0.0, 8.0};
    parameters.end = {x, 16.0, 8.0};
    EXPECT_EQ(scene.values(parameters), (std::vector<double>{10.0, 10.0, 10.0})) << x;
  }
  parameters.start = {0.0, 3.0, 8.0};
  parameters.end = {16.0, 3.0, 8.0};  // a level line
  EXPECT_EQ(scene.values(parameters), (std::vector<double>{16.0, 16.0, 16.0}));
}

TEST(HeightGauge, of_a_slope_is_that_of_the_line) {
  std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 16, 16});
  std::erase_if(places, [](const Vec3& x) { return x.y() > 4.0 + 0.25 * x.x(); });
  Scene scene(make_domain(3, {16, 16, 16}), places);
  GaugeParameters parameters = gauge("height");
  for (const double x : {4.0, 6.5, 8.0, 12.0}) {
    parameters.start = {x, 0.0, 8.0};
    parameters.end = {x, 16.0, 8.0};
    EXPECT_NEAR(scene.values(parameters)[0], 4.0 + 0.25 * x, 0.13) << x;  // half a layer of particles, and half of that
  }
}

TEST(HeightGauge, counts_only_what_the_column_holds_outside_solids) {
  PlacedParticles::Options options;
  options.bodies = {body_of(std::make_shared<test::BoxShape>(Vec3(-9, -9, -9), Vec3(30, 2.5, 30)), Surface::fractions)};
  std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 9, 16});
  std::erase_if(places, [](const Vec3& x) { return x.y() < 2.5; });
  Scene scene(make_domain(3, {16, 16, 16}), places, options);
  GaugeParameters parameters = gauge("height");
  parameters.start = {8.0, 2.5, 8.0};
  parameters.end = {8.0, 16.0, 8.0};
  EXPECT_NEAR(scene.values(parameters)[0], 6.5, 1e-9);
}

/// A pool of 9.32 m over a bed that rises from x = 6 at an angle.
struct SlopedPool : Scene {
  static constexpr double depth = 9.32, foot = 6.0;
  SlopedPool(double degrees, bool has_level_set)
      : Scene(make_domain(3, {24, 16, 16}), places_over(bed(degrees)), options_with(bed(degrees))),
        slope(std::tan(degrees * std::numbers::pi / 180.0)) {
    if (has_level_set) set_phi([](const Vec3& x) { return x.y() - depth; });
  }
  static std::shared_ptr<const Shape> bed(double degrees) {
    ShapeParameters parameters;
    parameters.kind = ShapeKind::half_space;
    parameters.point = {foot, 0.0, 0.0};
    parameters.normal = {-std::tan(degrees * std::numbers::pi / 180.0), 1.0, 0.0};
    return make_shape(parameters);
  }
  static PlacedParticles::Options options_with(const std::shared_ptr<const Shape>& shape) {
    PlacedParticles::Options options;
    options.bodies = {body_of(shape, Surface::fractions)};
    return options;
  }
  static std::vector<Vec3> places_over(const std::shared_ptr<const Shape>& shape) {
    std::vector<Vec3> places = full_cells({0, 0, 0}, {24, 10, 16});
    std::erase_if(places, [&](const Vec3& x) { return x.y() > depth || shape->signed_distance(x) < 0.0; });
    return places;
  }
  std::vector<double> along(const Vec3& start, const Vec3& end) {
    GaugeParameters parameters = gauge("height");
    parameters.start = start;
    parameters.end = end;
    return values(parameters);
  }
  double slope;
};

TEST(HeightGauge, over_a_sloped_bed_is_what_lies_outside_it) {
  for (const double degrees : {20.0, 30.0, 45.0})
    for (const bool has_level_set : {true, false}) {
      SlopedPool pool(degrees, has_level_set);
      const double tolerance = has_level_set ? 1e-4 : 0.5;  // [cells] particles at the end of the line
      for (const double x : {6.4, 7.1, 8.0, 9.3, 10.77}) {
        const double bed = pool.slope * (x - SlopedPool::foot);
        const std::vector<double> values = pool.along({x, 0.0, 8.0}, {x, 16.0, 8.0});
        EXPECT_NEAR(values[0], SlopedPool::depth - bed, tolerance) << degrees << " " << x;
        EXPECT_NEAR(values[1], values[0], 1e-12) << degrees << " " << x;
        EXPECT_NEAR(values[2], SlopedPool::depth, tolerance) << degrees << " " << x;
      }
      for (const double y : {1.2, 2.45, 3.6, 4.0}) {
        const double end = SlopedPool::foot + y / pool.slope;
        for (const double value : pool.along({0.0, y, 8.0}, {24.0, y, 8.0}))
          EXPECT_NEAR(value, end, tolerance) << degrees << " " << y;
        EXPECT_NEAR(pool.along({24.0, y, 8.0}, {0.0, y, 8.0})[1], end, tolerance) << "begins in the bed " << y;
      }
    }
}

TEST(HeightGauge, of_a_line_through_a_ball_is_connected_up_to_it) {
  ShapeParameters sphere;
  sphere.kind = ShapeKind::sphere;
  sphere.center = {8.2, 4.1, 7.9};
  sphere.radius = 2.3;
  PlacedParticles::Options options;
  options.bodies = {body_of(make_shape(sphere), Surface::fractions)};
  std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 10, 16});
  std::erase_if(places, [&](const Vec3& x) { return (x - sphere.center).norm() < sphere.radius; });
  Scene scene(make_domain(3, {16, 16, 16}), places, options);
  scene.set_phi([](const Vec3& x) { return x.y() - 9.6; });
  GaugeParameters parameters = gauge("height");
  for (const double beside : {0.0, 0.9, 1.7, 2.2}) {
    const double chord = std::sqrt(sphere.radius * sphere.radius - beside * beside);
    parameters.start = {8.2 + beside, 0.0, 7.9};
    parameters.end = {8.2 + beside, 16.0, 7.9};
    const std::vector<double> values = scene.values(parameters);
    EXPECT_NEAR(values[0], 9.6 - 2.0 * chord, 0.02) << beside;
    EXPECT_NEAR(values[1], 4.1 - chord, 0.01) << beside;
    EXPECT_NEAR(values[2], 9.6, 1e-4) << beside;
  }
}

TEST(HeightGauge, along_the_surface_of_a_body_is_that_beside_it) {
  PlacedParticles::Options options;
  options.bodies = {body_of(std::make_shared<test::BoxShape>(Vec3(-9, -9, -9), Vec3(6.3, 30, 30)), Surface::fractions)};
  std::vector<Vec3> places = full_cells({6, 0, 0}, {16, 10, 16});
  std::erase_if(places, [](const Vec3& x) { return x.x() < 6.3; });
  Scene scene(make_domain(3, {16, 16, 16}), places, options);
  scene.set_phi([](const Vec3& x) { return x.y() - 9.6; });
  GaugeParameters parameters = gauge("height");
  parameters.start = {6.3, 0.0, 8.0};
  parameters.end = {6.3, 16.0, 8.0};
  for (const double value : scene.values(parameters)) EXPECT_NEAR(value, 9.6, 1e-4);
}

TEST(HeightGauge, along_the_low_face_of_a_body_does_not_depend_on_where_the_grid_lies) {
  for (const int dimension : {2, 3})
    for (const Surface surface : {Surface::voxels, Surface::fractions})
      for (int eighth = 0; eighth < 8; ++eighth) {
        const double face = 6.0 + eighth / 8.0;
        PoolBesideBox scene(dimension, surface, face);
        scene.set_phi([](const Vec3& x) { return x.y() - 9.6; });
        GaugeParameters parameters = gauge("height");
        parameters.start = {face, 0.0, dimension == 3 ? 8.0 : 0.5};
        parameters.end = {face, 16.0, dimension == 3 ? 8.0 : 0.5};
        for (const double value : scene.values(parameters)) EXPECT_NEAR(value, 9.6, 1e-4) << dimension << " " << face;
      }
}

TEST(HeightGauge, of_a_line_that_bodies_pass_is_that_of_a_new_gauge) {
  PlacedParticles::Options options;
  const auto passing = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(1.0, 0.0, 0.0), Vec3::Zero());
  options.bodies = {box_of({-4.0, 2.3, 6.0}, {-1.0, 4.8, 10.0}, Surface::fractions),
                    box_of({7.2, -1.0, 5.0}, {20.0, 1.2, 11.0}, Surface::fractions)};
  options.bodies[0].motion = passing;
  Scene scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {16, 10, 16}), options);
  GaugeParameters parameters = gauge("height");
  parameters.start = {8.0, 0.0, 8.0};
  parameters.end = {8.0, 16.0, 8.0};
  Gauges gauges = scene.make(parameters);
  const auto at = [&](double time, double dt) {
    scene.placed.solids.move_to(time);
    const std::vector<double> values = scene.values(gauges, dt);
    EXPECT_EQ(values, scene.values(parameters, dt)) << time << " " << dt;
    return values[0];
  };
  for (const double time : {0.0, 3.0, 6.5, 7.1, 7.8, 8.6, 9.4}) at(time, 0.0);
  EXPECT_NEAR(at(10.0, 0.0), 10.0 - 1.2 - 2.5, 0.25);  // both bodies are on the line; particles stand in them, too
  EXPECT_NEAR(at(14.0, 0.0), 10.0 - 1.2, 0.25);
  EXPECT_NEAR(at(14.0, -4.0), 10.0 - 1.2 - 2.5, 0.25);  // the place at the end of the step counts
  EXPECT_NEAR(at(3.0, 0.0), 10.0 - 1.2, 0.25);
}

TEST(HeightGauge, in_two_dimensions) {
  Scene scene(make_domain(2, {16, 16, 1}), full_cells({0, 0, 0}, {9, 5, 1}));
  GaugeParameters parameters = gauge("height");
  parameters.start = {4.0, 0.0, 0.5};
  parameters.end = {4.0, 16.0, 0.5};
  EXPECT_EQ(scene.values(parameters), (std::vector<double>{5.0, 5.0, 5.0}));
  parameters.start = {0.0, 1.0, 0.5};
  parameters.end = {16.0, 1.0, 0.5};
  EXPECT_EQ(scene.values(parameters), (std::vector<double>{9.0, 9.0, 9.0}));
}

TEST(HeightGauge, reads_the_level_set_within_cells) {
  const Vec3 out = Vec3(-0.25, 1.0, 0.0).normalized();
  const auto plane = [&](const Vec3& x) { return out.dot(x - Vec3(8.0, 9.32, 8.0)); };
  std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 12, 16});
  std::erase_if(places, [&](const Vec3& x) { return plane(x) > 0.0; });
  Scene scene(make_domain(3, {16, 16, 16}), places);
  scene.set_phi(plane);
  GaugeParameters parameters = gauge("height");
  for (const double x : {0.7, 4.1, 8.0, 12.5}) {
    parameters.start = {x, 0.0, 8.0};
    parameters.end = {x, 16.0, 8.0};
    const double depth = 9.32 + 0.25 * (x - 8.0);
    for (const double value : scene.values(parameters)) EXPECT_NEAR(value, depth, 1e-5) << x;
  }
  // the surface moves along with the liquid within the step: by dt (v - u dh/dx)
  scene.set_velocity([](const Vec3&) { return Vec3(2.0, 3.0, 0.0); });
  parameters.start.x() = parameters.end.x() = 8.0;
  EXPECT_NEAR(scene.values(parameters, 0.1)[0], 9.32 + 0.1 * (3.0 - 0.25 * 2.0), 1e-5);
}

TEST(HeightGauge, of_a_mirror_image_is_the_same_in_planes_of_centres_too) {
  Scene scene(make_domain(2, {16, 16, 1}), full_cells({0, 0, 0}, {16, 9, 1}));
  scene.set_phi([](const Vec3& x) { return x.y() - 8.3 + 0.25 * std::abs(x.x() - 8.0); });
  const auto height = [&](double x, double u) {
    scene.set_velocity([u](const Vec3&) { return Vec3(u, 0.0, 0.0); });
    GaugeParameters parameters = gauge("height");
    parameters.start = {x, 0.0, 0.5};
    parameters.end = {x, 16.0, 0.5};
    return scene.values(parameters, 0.1)[0];
  };
  for (const double x : {0.2, 0.5, 1.0, 3.5, 6.2, 7.5, 8.0})
    EXPECT_NEAR(height(x, 2.0), height(16.0 - x, -2.0), 1e-5) << x;
}

TEST(HeightGauge, of_films_and_spray_is_what_particles_fill_whatever_phi_is) {
  std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 1, 16});
  std::erase_if(places, [](const Vec3& x) { return x.y() > 0.5; });
  Scene scene(make_domain(3, {16, 16, 16}), places);
  scene.set_phi([](const Vec3&) { return 1.5; });
  GaugeParameters parameters = gauge("height");
  parameters.start = {8.0, 0.0, 8.0};
  parameters.end = {8.0, 16.0, 8.0};
  EXPECT_NEAR(scene.values(parameters)[0], 0.5, 1e-12);
}

TEST(HeightGauge, reads_the_level_set_in_two_dimensions_and_beside_walls) {
  Scene scene(make_domain(2, {16, 16, 1}), full_cells({0, 0, 0}, {9, 5, 1}));
  scene.set_phi([](const Vec3& x) { return std::max(x.x() - 9.2, x.y() - 5.4); });
  GaugeParameters parameters = gauge("height");
  parameters.start = {0.0, 0.0, 0.5};
  parameters.end = {0.0, 16.0, 0.5};
  EXPECT_NEAR(scene.values(parameters)[0], 5.4, 1e-5);
  parameters.start = {0.0, 0.0, 0.5};
  parameters.end = {16.0, 0.0, 0.5};
  EXPECT_NEAR(scene.values(parameters)[0], 9.2, 1e-5);
}

TEST(PressureGauge, is_exact_up_to_the_surface_of_a_level_set) {
  Scene scene(make_domain(3, {16, 16, 16}), full_cells({0, 0, 0}, {16, 10, 16}));
  for (const double depth : {9.9, 9.6, 9.4, 9.1}) {
    scene.set_phi([&](const Vec3& x) { return x.y() - depth; });
    scene.set_pressure([&](const Vec3& x) { return weight * (depth - x.y()); });
    for (const double y : {0.0, 4.0, 8.2, depth - 0.3, depth - 0.01}) {
      const std::vector<double> values = scene.values(pressure_at({0.0, y, 8.0}));
      EXPECT_NEAR(values[0], weight * (depth - y), 1e-4) << depth << " " << y;
      EXPECT_EQ(values[2], 1.0);
    }
    EXPECT_EQ(scene.values(pressure_at({0.0, depth + 0.01, 8.0}))[2], 0.0);
  }
}

TEST(ProfileGauge, has_the_lengths_of_its_lines) {
  for (const int dimension : {2, 3}) {
    const double z = dimension == 3 ? 8.0 : 0.5;
    std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 12, dimension == 3 ? 16 : 1});
    const auto plane = [](const Vec3& x) { return x.y() - 6.3 - 0.25 * x.x(); };
    std::erase_if(places, [&](const Vec3& x) { return plane(x) > 0.0; });
    Scene scene(make_domain(dimension, {16, 16, dimension == 3 ? 16 : 1}), places);
    scene.set_phi(plane);
    GaugeParameters profile = gauge("profile");
    profile.start = {0.0, 1.0, z};
    profile.end = {16.0, 1.0, z};
    profile.line = {0.0, 14.0, 0.0};
    profile.count = 11;
    std::vector<GaugeParameters> gauges = {profile};
    for (int n = 0; n < profile.count; ++n) {
      gauges.push_back(gauge("height"));
      gauges.back().start = {1.6 * n, 1.0, z};
      gauges.back().end = {1.6 * n, 15.0, z};
    }
    for (const CoveredLength quantity : {CoveredLength::height, CoveredLength::connected, CoveredLength::top}) {
      gauges.front().quantity = quantity;
      const std::vector<std::vector<double>> values = scene.values_of(gauges);
      ASSERT_EQ(values[0].size(), 11U);
      for (std::size_t n = 0; n < 11; ++n) {
        EXPECT_EQ(values[0][n], values[n + 1][static_cast<std::size_t>(quantity)]) << n;
        EXPECT_NEAR(values[0][n], 5.3 + 0.4 * static_cast<double>(n), 0.2) << n;  // flat beyond the walls
      }
    }
  }
}

/// The pressure is 10 times the number of the step at a point 4 m deep.
TEST(Gauges, means_weigh_steps_by_their_lengths_and_go_on_from_what_is_kept) {
  Pool scene;
  GaugeParameters mean = pressure_at({8.0, 8.0, 8.0});
  mean.mean = true;
  mean.interval = 1.0;
  const std::vector<double> lengths = {0.1, 0.3, 0.25, 0.4, 0.05, 0.7, 0.3};
  std::vector<std::vector<double>> rows[2];
  for (const bool is_resumed : {false, true}) {
    Gauges gauges = scene.make(mean);
    gauges.begin_run();
    EXPECT_FALSE(gauges.has_row(0)) << "before the first step there is nothing to average";
    double time = 0.0;
    for (std::size_t n = 0; n < lengths.size(); ++n) {
      const double before = time;
      time += lengths[n];
      scene.set_pressure([n](const Vec3&) { return 10.0 * static_cast<double>(n + 1); });
      gauges.begin_step(static_cast<std::int64_t>(n + 1), before, time);
      scene.measure_fields(gauges, lengths[n]);
      if (gauges.has_row(0)) rows[is_resumed ? 1 : 0].push_back(gauges.values(0));
      if (is_resumed) {
        const std::vector<NamedNumber> kept = gauges.kept();
        gauges = scene.make(mean);
        gauges.go_on(kept);
      }
    }
  }
  ASSERT_EQ(rows[0].size(), 2U);
  EXPECT_NEAR(rows[0][0][0], (0.1 * 10 + 0.3 * 20 + 0.25 * 30 + 0.4 * 40) / 1.05, 1e-5);
  EXPECT_NEAR(rows[0][1][0], (0.05 * 50 + 0.7 * 60 + 0.3 * 70) / 1.05, 1e-5);
  EXPECT_EQ(rows[0], rows[1]);
}

/// Cell sizes with a few digits: sides lie some 1e-3 cells before places of the case.
TEST(Gauges, at_places_just_beyond_a_side_are_on_it) {
  Pool scene;
  scene.set_phi([](const Vec3& x) { return x.y() - 10.0; });
  scene.set_pressure([](const Vec3& x) { return weight * (10.0 - x.y()); });
  scene.set_velocity([](const Vec3&) { return Vec3(2.0, 1.0, 0.0); });
  for (const double beyond : {1e-9, 1e-3, 9e-3})
    for (const double side : {-beyond, 16.0 + beyond}) {
      for (const double size : {0.0, 2.5}) {
        const std::vector<double> values = scene.values(pressure_at({side, 4.0, 8.0}, size));
        EXPECT_NEAR(values[0], weight * 6.0, 1e-5) << side;
        EXPECT_EQ(values[2], 1.0) << side;
      }
      GaugeParameters parameters = gauge("velocity");
      parameters.point = {side, 4.0, 8.0};
      EXPECT_NEAR(scene.values(parameters)[1], 1.0, 1e-12) << side;
      EXPECT_EQ(scene.values(parameters)[3], 1.0) << side;
      parameters = gauge("height");
      parameters.start = {side, -beyond, 16.0 + beyond};
      parameters.end = {side, 16.0 + beyond, 16.0 + beyond};
      for (const double value : scene.values(parameters)) EXPECT_NEAR(value, 10.0, 0.01) << side;
      parameters = gauge("flow_rate");
      parameters.lower = {side, -beyond, -beyond};
      parameters.upper = {side, 16.0 + beyond, 16.0 + beyond};
      EXPECT_NEAR(scene.values(parameters, 0.3)[1], 160.0, 1e-9) << side;
      parameters = gauge("region");
      parameters.lower = {-beyond, -beyond, -beyond};
      parameters.upper = {16.0 + beyond, 16.0 + beyond, 16.0 + beyond};
      EXPECT_NEAR(scene.values(parameters)[0], 2560.0, 1e-9) << side;
    }
}

TEST(Gauges, on_a_periodic_side_read_what_is_beyond_it) {
  Scene scene(make_domain(3, {16, 16, 16}, FaceCondition::periodic), full_cells({0, 0, 0}, {16, 10, 16}));
  scene.set_pressure([](const Vec3& x) { return weight * (10.0 - x.y()); });
  GaugeParameters velocity = gauge("velocity");
  for (const double x : {0.0, 16.0, 16.3}) {
    GaugeParameters parameters = pressure_at({x, 4.0, 16.0}, 3.0);  // the patch lies on both sides
    parameters.normal = {1, 0, 0};
    EXPECT_NEAR(scene.values(parameters)[0], weight * 6.0, 1e-5) << x;
    EXPECT_EQ(scene.values(parameters)[2], 1.0) << x;
    parameters.normal = {-1, 0, 0};
    EXPECT_EQ(scene.values(parameters)[2], 1.0) << x;
    velocity.point = {x, 4.0, 16.0};
    EXPECT_EQ(scene.values(velocity)[3], 1.0) << x;
  }
}

TEST(Gauges, of_boxes_in_two_dimensions_need_no_thickness) {
  Scene scene(make_domain(2, {16, 16, 1}), full_cells({0, 0, 0}, {16, 10, 1}));
  scene.set_velocity([](const Vec3&) { return Vec3(2.0, 0.0, 0.0); });
  for (const double z : {0.0, 0.5, 1.0}) {
    GaugeParameters parameters = gauge("flow_rate");
    parameters.lower = {4.0, 0.0, z};
    parameters.upper = {4.0, 16.0, z};
    EXPECT_NEAR(scene.values(parameters, 0.1)[0], 20.0, 1e-9) << z;
    parameters = gauge("region");
    parameters.lower = {2.0, 0.0, z};
    parameters.upper = {6.0, 16.0, z};
    EXPECT_NEAR(scene.values(parameters)[0], 40.0, 1e-9) << z;
    EXPECT_EQ(scene.values(parameters)[1], 160.0) << z;
  }
}

TEST(RegionGauge, volume_and_energy_of_a_box) {
  PlacedParticles::Options options;
  const std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 10, 16});
  options.velocity.assign(places.size(), Vec3(1.0, 2.0, 2.0));
  Scene scene(make_domain(3, {16, 16, 16}), places, options);
  GaugeParameters parameters = gauge("region");
  parameters.lower = {2.0, 1.0, 3.0};
  parameters.upper = {6.0, 4.0, 9.0};
  const std::vector<double> values = scene.values(parameters);
  EXPECT_NEAR(values[0], 4 * 3 * 6, 1e-12);
  EXPECT_EQ(values[1], 8 * 72);
  EXPECT_NEAR(values[2], 0.5 * 0.5 * 8 * 72 * 9.0, 1e-9);
  EXPECT_NEAR(values[3], 0.5 * 8 * 72 * 10.0 * 2.5, 1e-9);  // the centre is 2.5 m high
}

TEST(RegionGauge, counts_parts_of_cells) {
  Pool scene;
  GaugeParameters parameters = gauge("region");
  parameters.lower = {2.25, 1.0, 3.0};
  parameters.upper = {6.0, 4.5, 9.5};
  EXPECT_NEAR(scene.values(parameters)[0], 3.75 * 3.5 * 6.5, 1e-12);
}

}  // namespace
}  // namespace freshet
