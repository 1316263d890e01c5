// SPDX-License-Identifier: Apache-2.0
#include "bodies/touching_points.hpp"
#include "freshet/bodies/contact_impulses.hpp"
#include "freshet/geometry/mesh_shape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace freshet {
namespace {

constexpr double dx = 0.05;
const SectionPlane whole_space{3, 0.0};

struct Thing {
  ShapeParameters parameters;
  std::shared_ptr<const Shape> shape;
  SurfaceFeatures features;

  explicit Thing(const ShapeParameters& p) : parameters(p), shape(make_shape(p)) {
    const MeshSource none = [](const ShapeParameters&) -> const TriangleMesh& {
      static const TriangleMesh empty;
      return empty;
    };
    features = surface_features(p, whole_space, none, 0.5 * dx);
  }
};

/// Points where `a` at a pose touches `b`, both ways.
std::vector<TouchingPoint> touching(const Thing& a, const Pose& pose, const Thing& b) {
  const PosedShape posed(a.shape, pose);
  std::vector<TouchingPoint> found, others;
  TouchingPoints(posed, *b.shape, 3, dx, 0.1, found).search(a.features, pose);
  TouchingPoints(*b.shape, posed, 3, dx, 0.1, others).search(b.features, {});
  for (TouchingPoint& point : others) {
    point.normal = -point.normal;
    found.push_back(point);
  }
  thin_out(found, dx);
  return found;
}

TouchingPoint nearest_of(const std::vector<TouchingPoint>& points) {
  EXPECT_FALSE(points.empty());
  TouchingPoint nearest{Vec3::Zero(), Vec3::Zero(), 1e300};
  for (const TouchingPoint& point : points)
    if (point.gap < nearest.gap) nearest = point;
  return nearest;
}

ShapeParameters box(const Vec3& lower, const Vec3& upper) {
  ShapeParameters p;
  p.lower = lower;
  p.upper = upper;
  return p;
}

ShapeParameters rounded(ShapeKind kind, const Vec3& start, const Vec3& end, double radius) {
  ShapeParameters p;
  p.kind = kind;
  p.center = p.start = start;
  p.end = end;
  p.radius = radius;
  return p;
}

ShapeParameters ring(const Vec3& axis) {
  ShapeParameters p;
  p.kind = ShapeKind::torus;
  p.axis = axis;
  p.major_radius = 0.2;
  p.minor_radius = 0.05;
  return p;
}

Pose at_height(double y, const Vec3& axis = Vec3::UnitZ(), double degrees = 0.0) {
  return {Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis.normalized()).toRotationMatrix(), {0.0, y, 0.0}};
}

/// Shapes over a floor, with the height at which each touches it.
TEST(TouchingPoints, every_shape_finds_its_distance_from_a_floor) {
  ShapeParameters floor;
  floor.kind = ShapeKind::half_space;
  const Thing ground(floor);
  const double s = std::numbers::sqrt2 / 2.0, gap = 0.007;
  const Vec3 x = 0.3 * Vec3::UnitX();
  const struct {
    ShapeParameters shape;
    Pose pose;
    double height;
  } things[] = {
      {box({-0.2, -0.1, -0.3}, {0.2, 0.1, 0.3}), at_height(0.0), 0.1},
      {box({-0.2, -0.2, -0.3}, {0.2, 0.2, 0.3}), at_height(0.0, Vec3::UnitZ(), 45.0), 0.4 * s},
      {rounded(ShapeKind::sphere, Vec3::Zero(), x, 0.2), at_height(0.0), 0.2},
      {rounded(ShapeKind::capsule, -x, x, 0.1), at_height(0.0), 0.1},
      {rounded(ShapeKind::capsule, -x, x, 0.1), at_height(0.0, Vec3::UnitZ(), 45.0), 0.1 + 0.3 * s},
      {rounded(ShapeKind::cylinder, -x, x, 0.1), at_height(0.0, Vec3::UnitX(), 17.0), 0.1},
      {rounded(ShapeKind::cylinder, -x, x, 0.1), at_height(0.0, Vec3::UnitZ(), 45.0), 0.4 * s},
      {rounded(ShapeKind::cylinder, -x, x, 0.1), at_height(0.0, Vec3::UnitZ(), 90.0), 0.3},
      {ring(Vec3::UnitX()), at_height(0.0, Vec3::UnitX(), 11.0), 0.25},
      {ring(Vec3::UnitY()), at_height(0.0), 0.05},
  };
  for (const auto& thing : things) {
    Pose pose = thing.pose;
    pose.translation.y() = thing.height + gap;
    const TouchingPoint found = nearest_of(touching(Thing(thing.shape), pose, ground));
    EXPECT_NEAR(found.gap, gap, 1e-8) << static_cast<int>(thing.shape.kind) << " " << thing.height;
    EXPECT_NEAR((found.normal - Vec3::UnitY()).norm(), 0.0, 1e-9);
    EXPECT_NEAR(found.x.y(), 0.5 * gap, 1e-8);
  }
}

TEST(TouchingPoints, a_box_rests_on_four_corners_and_a_cylinder_on_its_rim) {
  ShapeParameters floor;
  floor.kind = ShapeKind::half_space;
  const Thing ground(floor);
  const auto spread = [](const std::vector<TouchingPoint>& points) {
    Vec3 lower = points.front().x, upper = lower;
    for (const TouchingPoint& point : points) {
      lower = lower.cwiseMin(point.x);
      upper = upper.cwiseMax(point.x);
    }
    return Vec3(upper - lower);
  };
  const auto under_box = touching(Thing(box({-0.2, -0.1, -0.3}, {0.2, 0.1, 0.3})), at_height(0.1), ground);
  EXPECT_EQ(under_box.size(), 4U);
  EXPECT_NEAR((spread(under_box) - Vec3(0.4, 0.0, 0.6)).norm(), 0.0, 1e-12);
  const Vec3 y = 0.1 * Vec3::UnitY();
  const auto under_rod = touching(Thing(rounded(ShapeKind::cylinder, -y, y, 0.2)), at_height(0.1), ground);
  EXPECT_GE(under_rod.size(), 4U);
  EXPECT_LE(under_rod.size(), 8U);
  EXPECT_GT(spread(under_rod).x(), 0.39);
  EXPECT_GT(spread(under_rod).z(), 0.39);
}

TEST(TouchingPoints, equal_boxes_on_each_other_have_the_normal_of_their_faces) {
  const Thing cube(box(Vec3::Constant(-0.1), Vec3::Constant(0.1)));
  const auto found = touching(cube, at_height(0.2), cube);
  ASSERT_FALSE(found.empty());
  for (const TouchingPoint& point : found) EXPECT_NEAR((point.normal - Vec3::UnitY()).norm(), 0.0, 1e-9);
  Vec3 lower = Vec3::Constant(1.0), upper = -lower;
  for (const TouchingPoint& point : found) {
    EXPECT_NEAR(point.gap, 0.0, 1e-12);
    lower = lower.cwiseMin(point.x);
    upper = upper.cwiseMax(point.x);
  }
  EXPECT_NEAR((upper - lower - Vec3(0.2, 0.0, 0.2)).norm(), 0.0, 1e-12);
}

TEST(TouchingPoints, crossed_edges_touch_between_their_ends) {
  // the upper edge of one bar, along x, and the lower edge of another, along z, both turned by 45 degrees
  const double half = 0.1, s = std::numbers::sqrt2;
  ShapeParameters turned = box({-0.513, -half, -half}, {0.431, half, half});
  turned.transform.axis = Vec3::UnitX();
  turned.transform.angle = 45.0;
  const Thing below(turned), above(box({-half, -half, -0.387}, {half, half, 0.541}));
  for (const double gap : {0.01, -0.004}) {
    const TouchingPoint found =
        nearest_of(touching(above, at_height(2.0 * half * s + gap, Vec3::UnitZ(), 45.0), below));
    EXPECT_NEAR(found.gap, gap, std::abs(gap) < 0.005 ? 0.004 : 1e-7);
    EXPECT_NEAR((found.normal - Vec3::UnitY()).norm(), 0.0, 1e-4);
    EXPECT_NEAR((found.x - Vec3(0.0, half * s + 0.5 * gap, 0.0)).norm(), 0.0, 0.003);
  }
}

TEST(TouchingPoints, a_ball_in_a_corner_touches_both_sides) {
  ShapeParameters corner;
  corner.kind = ShapeKind::union_of;
  corner.parts = {box({-1.0, -1.0, -1.0}, {1.0, 0.0, 1.0}), box({-1.0, 0.0, -1.0}, {0.0, 1.0, 1.0})};
  const Thing hollow(corner), ball(rounded(ShapeKind::sphere, Vec3::Zero(), Vec3::Zero(), 0.1));
  const auto found = touching(ball, {Mat3::Identity(), {0.101, 0.102, 0.0}}, hollow);
  double below = 1.0, beside = 1.0;
  for (const TouchingPoint& point : found) {
    if (point.normal.y() > 0.999) below = std::min(below, point.gap);
    if (point.normal.x() > 0.999) beside = std::min(beside, point.gap);
  }
  EXPECT_NEAR(below, 0.002, 1e-9);
  EXPECT_NEAR(beside, 0.001, 1e-9);
}

TEST(TouchingPoints, a_mesh_touches_as_the_body_that_it_encloses) {
  TriangleMesh cube;  // from 0 to 1, and a hollow from 0.25 to 0.75 whose triangles show the other way round
  for (const double size : {1.0, 0.5})
    for (int n = 0; n < 8; ++n)
      cube.points.emplace_back(
          Vec3(Vec3::Constant(0.5) + size * (Vec3(n & 1, n >> 1 & 1, n >> 2 & 1) - Vec3::Constant(0.5))));
  const std::vector<Triangle> outwards = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (const Triangle& t : outwards) cube.triangles.push_back(t);
  for (const Triangle& t : outwards) cube.triangles.push_back({8 + t[0], 8 + t[2], 8 + t[1]});
  const MeshSource source = [&](const ShapeParameters&) -> const TriangleMesh& { return cube; };
  ShapeParameters p;
  p.kind = ShapeKind::mesh;
  Thing mesh(box(Vec3::Zero(), Vec3::Ones()));
  mesh.shape = std::make_shared<MeshShape>(cube);
  mesh.features = surface_features(p, whole_space, source, 0.5 * dx);
  ShapeParameters floor;
  floor.kind = ShapeKind::half_space;
  const auto standing = touching(mesh, at_height(0.003), Thing(floor));
  EXPECT_EQ(standing.size(), 4U);
  EXPECT_NEAR(nearest_of(standing).gap, 0.003, 1e-12);
  const Thing ball(rounded(ShapeKind::sphere, Vec3::Zero(), Vec3::Zero(), 0.2));
  const TouchingPoint within = nearest_of(touching(ball, {Mat3::Identity(), {0.5, 0.46, 0.5}}, mesh));
  EXPECT_NEAR(within.gap, 0.01, 1e-9);
  EXPECT_NEAR((within.normal - Vec3::UnitY()).norm(), 0.0, 1e-9);
}

Domain test_domain() {
  DomainOptions options;
  options.cells = {8, 8, 8};
  options.cell_size = dx;
  return Domain(options);
}

/// A ball whose centre of mass is at the origin of space.
FreeBody ball_of(double mass, const Vec3& center, const Vec3& velocity, int solid) {
  FreeBody body;
  body.solid = solid;
  body.mass = {mass, center, 0.4 * mass * 0.01 * Mat3::Identity()};  // radius 0.1
  body.velocity = velocity;
  body.path = std::make_shared<FreePath>();
  return body;
}

Contact contact_between(const FreeBodies& bodies, int a, int b, double gap, double restitution, double friction) {
  Contact contact;
  contact.body = a;
  contact.other = b;
  contact.normal = (bodies.center(a) - bodies.center(b)).normalized();
  contact.gap = gap;
  contact.arm = -0.1 * contact.normal;
  contact.other_arm = 0.1 * contact.normal;
  contact.restitution = restitution;
  contact.friction = friction;
  return contact;
}

TEST(ContactImpulses, a_head_on_collision_keeps_momentum_and_parts_at_its_restitution) {
  const double m = 2.0, n = 5.0, e = 0.6, u = 1.5, v = -0.5;
  FreeBodies bodies(test_domain(), 1000.0, Vec3::Zero(),
                    {ball_of(m, {0.1, 0.2, 0.2}, {u, 0.0, 0.0}, 0), ball_of(n, {0.3, 0.2, 0.2}, {v, 0.0, 0.0}, 1)});
  const double dt = 0.01;
  bodies.predict(dt, dt);
  const Contact contact = contact_between(bodies, 0, 1, 0.003, e, 0.0);
  ContactImpulses impulses;
  impulses.begin({&contact, 1}, bodies, dx, {dt, dt, dt, dt});
  EXPECT_FALSE(impulses.act(bodies, ContactImpulses::Round::more_may_follow));  // no liquid
  EXPECT_EQ(impulses.pushing(), 1);
  // Newton's law of restitution
  const double middle = (m * u + n * v) / (m + n);
  EXPECT_NEAR(bodies.velocity(0)[0], middle - n / (m + n) * e * (u - v), 1e-12);
  EXPECT_NEAR(bodies.velocity(1)[0], middle + m / (m + n) * e * (u - v), 1e-12);
}

TEST(ContactImpulses, bodies_that_do_not_meet_in_the_step_are_left_alone) {
  FreeBodies bodies(
      test_domain(), 1000.0, Vec3::Zero(),
      {ball_of(2.0, {0.1, 0.2, 0.2}, {1.0, 0.0, 0.0}, 0), ball_of(5.0, {0.35, 0.2, 0.2}, {0.0, 0.0, 0.0}, 1)});
  bodies.predict(0.01, 0.01);
  const Contact contact = contact_between(bodies, 0, 1, 0.0101, 1.0, 0.5);
  ContactImpulses impulses;
  impulses.begin({&contact, 1}, bodies, dx, {0.01, 0.01, 0.01, 0.01});
  EXPECT_FALSE(impulses.act(bodies, ContactImpulses::Round::more_may_follow));
  EXPECT_EQ(impulses.pushing(), 0);
  EXPECT_EQ(bodies.velocity(0)[0], 1.0);
}

TEST(ContactImpulses, a_sliding_ball_is_slowed_down_by_friction_until_it_rolls) {
  // impulse normal to a floor P = m v; friction at most mu P, or what makes it roll: m u / (1 + m r^2 / I) = 2/7 m u
  for (const double mu : {0.1, 0.9}) {
    const double u = 1.0, v = 2.0, m = 3.0;
    FreeBodies bodies(test_domain(), 1000.0, Vec3::Zero(), {ball_of(m, {0.2, 0.1, 0.2}, {u, -v, 0.0}, 0)});
    bodies.predict(0.01, 0.01);
    Contact contact;
    contact.normal = Vec3::UnitY();
    contact.arm = {0.0, -0.1, 0.0};
    contact.friction = mu;
    ContactImpulses impulses;
    impulses.begin({&contact, 1}, bodies, dx, {0.01, 0.01, 0.01, 0.01});
    impulses.act(bodies, ContactImpulses::Round::last);
    const double friction = std::min(mu * m * v, 2.0 / 7.0 * m * u);
    EXPECT_NEAR(bodies.velocity(0)[0], u - friction / m, 1e-12) << mu;
    EXPECT_NEAR(bodies.velocity(0)[1], 0.0, 1e-12);
    EXPECT_NEAR(bodies.velocity(0)[5], -0.1 * friction / (0.4 * m * 0.01), 1e-10);
  }
}

TEST(ContactImpulses, a_row_of_balls_is_stopped_by_a_wall) {
  // ten balls that touch and push against a wall: none may approach another at the end
  std::vector<FreeBody> row;
  for (int n = 0; n < 10; ++n) row.push_back(ball_of(1.0 + n, {0.1 + 0.2 * n, 0.2, 0.2}, {-1.0 - n, 0.0, 0.0}, n));
  FreeBodies bodies(test_domain(), 1000.0, Vec3::Zero(), row);
  bodies.predict(0.01, 0.01);
  std::vector<Contact> contacts;
  for (int n = 1; n < 10; ++n) contacts.push_back(contact_between(bodies, n, n - 1, 0.0, 0.0, 0.3));
  Contact wall;
  wall.normal = Vec3::UnitX();
  wall.arm = {-0.1, 0.0, 0.0};
  contacts.push_back(wall);
  ContactImpulses impulses;
  impulses.begin(contacts, bodies, dx, {0.01, 0.01, 0.01, 0.01});
  impulses.act(bodies, ContactImpulses::Round::last);
  EXPECT_EQ(impulses.pushing(), 10);
  for (int n = 0; n < 10; ++n) EXPECT_NEAR(bodies.velocity(n)[0], 0.0, 1e-8) << n;
}

TEST(ContactImpulses, an_overlap_ends_no_faster_in_a_shorter_step) {
  // the speed stays with the bodies: if it grew as 1 / dt, each step would throw them farther and be shorter
  for (const double dt : {0.01, 1e-4, 1e-6}) {
    FreeBodies bodies(test_domain(), 1000.0, Vec3::Zero(), {ball_of(1.0, {0.2, 0.1, 0.2}, Vec3::Zero(), 0)});
    bodies.predict(dt, dt);
    Contact contact;
    contact.normal = Vec3::UnitY();
    contact.arm = {0.0, -0.1, 0.0};
    contact.gap = -0.6 * dx;
    ContactImpulses impulses;
    impulses.begin({&contact, 1}, bodies, dx, {dt, dt, dt, 0.01});
    impulses.act(bodies, ContactImpulses::Round::last);
    EXPECT_NEAR(bodies.velocity(0)[1], 0.1 * dx / 0.01, 1e-9) << dt;
  }
}

TEST(ContactImpulses, in_liquid_the_next_projection_holds_the_contacts_that_push) {
  // a push stands for the liquid, whose bodies' velocities are not V*; without pressure in the second projection, the
  // held contact alone acts in it
  FreeBodies bodies(
      test_domain(), 1000.0, Vec3::Zero(),
      {ball_of(2.0, {0.1, 0.2, 0.2}, {0.5, 0.0, 0.0}, 0), ball_of(5.0, {0.3, 0.2, 0.2}, {0.0, 0.0, 0.0}, 1)});
  const double dt = 0.01;
  bodies.predict(dt, dt);
  const std::vector<Contact> contacts = {contact_between(bodies, 1, 0, 0.002, 0.0, 0.0),
                                         contact_between(bodies, 0, 1, 0.05, 0.0, 0.0)};
  ContactImpulses impulses;
  impulses.begin(contacts, bodies, dx, {dt, dt, dt, dt});
  const std::array liquid{Vec6(joined(Vec3(1.0, 0.0, 0.0), Vec3::Zero())), Vec6(Vec6::Zero())};
  bodies.push(liquid);
  EXPECT_TRUE(impulses.act(bodies, ContactImpulses::Round::more_may_follow));
  EXPECT_EQ(impulses.pushing(), 1);
  bodies.take_back_pressure();
  const double momentum = 2.0 * 0.5 + 1.0;
  EXPECT_NEAR(bodies.velocity(1)[0] - bodies.velocity(0)[0], -0.002 / dt, 1e-12);
  EXPECT_NEAR(2.0 * bodies.velocity(0)[0] + 5.0 * bodies.velocity(1)[0], momentum, 1e-12);
  EXPECT_FALSE(impulses.act(bodies, ContactImpulses::Round::more_may_follow));
  EXPECT_EQ(impulses.pushing(), 1);
  EXPECT_NEAR(2.0 * bodies.velocity(0)[0] + 5.0 * bodies.velocity(1)[0], momentum, 1e-12);
}

TEST(FreeBodies, rows_that_are_let_go_leave_no_momentum) {
  FreeBodies bodies(test_domain(), 1000.0, Vec3::Zero(), {ball_of(2.0, {0.2, 0.2, 0.2}, {0.0, -1.0, 0.0}, 0)});
  bodies.predict(0.01, 0.01);
  HeldRow row;  // holds a point of the ball's surface, so that it turns
  row.of_body = joined(Vec3::UnitY(), Vec3(0.1, 0.0, 0.0).cross(Vec3::UnitY()));
  row.reference = 1.0;
  bodies.hold({&row, 1});
  bodies.take_back_pressure();
  EXPECT_GT(bodies.velocity(0).tail<3>().norm(), 1.0);
  bodies.hold({});
  bodies.take_back_pressure();
  bodies.end_step(0.01, 0.01);
  bodies.predict(0.01, 0.01);
  EXPECT_EQ(bodies.velocity(0).tail<3>().norm(), 0.0);
}

}  // namespace
}  // namespace freshet
