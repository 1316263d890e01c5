// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/contact_lines.hpp"
#include "freshet/grid/halo.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

namespace freshet {
namespace {

using test::BoxShape;
using test::make_domain;
using test::PlacedParticles;
using test::world;

constexpr double pi = std::numbers::pi;

/// An upright cylinder without ends.
class Pillar : public Shape {
 public:
  Pillar(const Vec3& middle, double radius) : middle_(middle), radius_(radius) {}
  double signed_distance(const Vec3& x) const override {
    return std::hypot(x.x() - middle_.x(), x.z() - middle_.z()) - radius_;
  }
  Box bounds() const override {
    const Vec3 reach(radius_, 1e3, radius_);
    return {middle_ - reach, middle_ + reach};
  }

 private:
  Vec3 middle_;
  double radius_;
};

SolidBody free_body(std::shared_ptr<const Shape> shape, Surface surface) {
  SolidBody body;
  body.shape = std::move(shape);
  body.surface = surface;
  body.motion = std::make_shared<RigidMotion>(Vec3::Zero(), std::make_shared<const FreePath>());
  return body;
}

struct Pull {
  Vec3 force = Vec3::Zero();   ///< over sigma
  Vec3 moment = Vec3::Zero();  ///< about the origin
  double length = 0.0;
  double highest_error = 0.0;  ///< farthest that a piece is from the body
};

/// What the surface with a level set does to one body.
Pull pull_on(const Domain& domain, const SolidBody& body, double angle, const std::function<double(const Vec3&)>& phi) {
  PlacedParticles::Options options;
  options.bodies = {body};
  const PlacedParticles scene(domain, {}, options);
  CellField<float> field;
  field.reset(scene.layout, 1.5F);
  const Vec3i n = domain.block_cells();
  for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
    for (int c = 0; c < scene.layout.cells_per_block(); ++c) {
      const Vec3i cell = scene.layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
      const Vec3 x = cell.cast<double>() + Vec3::Constant(0.5);
      field.block(b)[c] = static_cast<float>(std::clamp(phi(x), -1.5, 1.5));
    }
  scene.layout.halo().gather(field, 1);
  ContactLines find(angle);
  Pull pull;
  for (const LinePull& piece : find(field, scene.solids)) {
    EXPECT_EQ(piece.solid, 0);
    pull.force += piece.pull;
    pull.moment += piece.at.cross(piece.pull);
    pull.length += piece.pull.norm();
    pull.highest_error = std::max(pull.highest_error, std::abs(body.shape->signed_distance(piece.at)));
  }
  for (int d = 0; d < 3; ++d) {
    pull.force[d] = world().sum(pull.force[d]);
    pull.moment[d] = world().sum(pull.moment[d]);
  }
  pull.length = world().sum(pull.length);
  pull.highest_error = world().max(pull.highest_error);
  return pull;
}

TEST(ContactLines, a_level_surface_pulls_a_pillar_by_its_girth) {
  constexpr double radius = 5.3;
  const Vec3 middle(15.7, 0.0, 16.4);
  for (const Surface surface : {Surface::fractions, Surface::voxels})
    for (const double angle : {50.0, 90.0, 120.0}) {
      const auto phi = [](const Vec3& x) { return x.y() - 8.3; };
      const Pull pull = pull_on(make_domain(3, {32, 16, 32}),
                                free_body(std::make_shared<Pillar>(middle, radius), surface), angle, phi);
      const double girth = 2.0 * pi * radius;
      EXPECT_NEAR(pull.length, girth, 0.01 * girth) << angle;
      EXPECT_NEAR(pull.force.y(), -girth * std::cos(angle * pi / 180.0), 0.01 * girth) << angle;
      EXPECT_NEAR(pull.force.x(), 0.0, 0.002 * girth) << angle;
      EXPECT_NEAR(pull.force.z(), 0.0, 0.002 * girth) << angle;
      EXPECT_LT(pull.highest_error, 1e-9);
      // the vertical part acts in the middle: moment = middle x F
      EXPECT_NEAR(pull.moment.x(), -middle.z() * pull.force.y(), 0.02 * girth) << angle;
      EXPECT_NEAR(pull.moment.z(), middle.x() * pull.force.y(), 0.02 * girth) << angle;
    }
}

/// A surface that rises by the slope s from a plate's left to its right: each side of the plate is pulled on its own.
TEST(ContactLines, both_sides_of_a_plate_are_pulled_apart_and_up_or_down) {
  const Domain domain = make_domain(2, {32, 32, 1});
  const SolidBody plate =
      free_body(std::make_shared<BoxShape>(Vec3(13.3, 6.0, -10.0), Vec3(18.7, 30.0, 10.0)), Surface::fractions);
  const auto phi = [](const Vec3& x) { return (x.y() - 12.0 - 0.1 * x.x()) / std::hypot(1.0, 0.1); };
  for (const double angle : {60.0, 120.0}) {
    const Pull pull = pull_on(domain, plate, angle, phi);
    const double cosine = std::cos(angle * pi / 180.0), sine = std::sin(angle * pi / 180.0);
    EXPECT_NEAR(pull.force.y(), -2.0 * cosine, 1e-6);
    EXPECT_NEAR(pull.force.x(), 0.0, 1e-6);
    EXPECT_NEAR(pull.length, 2.0, 1e-6);
    // the right side is pulled at a place that is higher: by 0.1 times the plate and the cells beside it
    EXPECT_NEAR(pull.moment.z(), -2.0 * cosine * 16.0 - sine * 0.1 * (5.4 + 2.0), 1e-3) << angle;
  }
}

TEST(ContactLines, what_is_all_wet_or_all_dry_is_not_pulled) {
  const auto pillar = free_body(std::make_shared<Pillar>(Vec3(15.7, 0.0, 16.4), 5.3), Surface::fractions);
  for (const double level : {-4.0, 40.0}) {
    const Pull pull = pull_on(make_domain(3, {32, 16, 32}), pillar, 60.0, [&](const Vec3& x) { return x.y() - level; });
    EXPECT_EQ(pull.length, 0.0);
  }
  SolidBody still = pillar;
  still.motion = nullptr;
  EXPECT_EQ(pull_on(make_domain(3, {32, 16, 32}), still, 60.0, [](const Vec3& x) { return x.y() - 8.3; }).length, 0.0);
}

}  // namespace
}  // namespace freshet
