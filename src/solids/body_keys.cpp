// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/motion_parameters.hpp"
#include "freshet/keys/slots.hpp"
#include "freshet/solids/body_parameters.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace freshet {
namespace {

const std::vector<std::string>& axis_names() {
  static const std::vector<std::string> names = {"x", "y", "z", "rx", "ry", "rz"};
  return names;
}

/// Whether moments of inertia about a centre are those of some body: positive, none above the sum of the other two.
bool is_inertia(const std::vector<double>& given) {
  if (given.size() == 1) return given[0] > 0.0;
  Eigen::Matrix3d tensor = Eigen::Vector3d(given[0], given[1], given[2]).asDiagonal();
  if (given.size() == 6) {
    tensor(0, 1) = tensor(1, 0) = given[3];
    tensor(0, 2) = tensor(2, 0) = given[4];
    tensor(1, 2) = tensor(2, 1) = given[5];
  }
  constexpr double rounding = 1e-9;
  const Eigen::Vector3d principal = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor).eigenvalues();  // ascending
  return principal[0] > 0.0 && principal[2] <= (1.0 + rounding) * (principal[0] + principal[1]);
}

/// Check what describes the body's mass.
void check_mass(const BodyParameters& body, const keys::Table& table, int dimension) {
  const std::size_t of_point = dimension == 2 ? 2 : 3;
  table.require(!(body.density && body.mass), "body.mass", "is given with 'body.density'",
                "each one determines the other", "Leave one of them out");
  table.require(body.center.empty() || body.center.size() == of_point || body.center.size() == 3, "body.center",
                fmt::format("has {} entries", body.center.size()), "a point has one for each axis",
                fmt::format("Give {}", of_point));
  if (body.inertia.empty()) return;
  table.require((body.inertia.size() == 1) == (dimension == 2), "body.inertia",
                fmt::format("has {} entries", body.inertia.size()), fmt::format("domain.dimension is {}", dimension),
                dimension == 2 ? "Give one number, about z" : "Give xx, yy, zz, or xx, yy, zz, xy, xz, yz");
  table.require(is_inertia(body.inertia), "body.inertia", "is that of no body",
                "principal moments of inertia are positive, and none exceeds the sum of the other two",
                "Give moments about the centre of mass in kg m^2");
}

/// Check that a body of a 2-D case stays in its plane.
void check_plane(const BodyParameters& body, const keys::Table& table, int dimension) {
  if (dimension == 3) return;
  const auto in_plane = [&](const Vec3& turn, const char* key) {
    table.require(turn.x() == 0.0 && turn.y() == 0.0, key, "leaves the plane", "domain.dimension is 2",
                  "Turn about z only");
  };
  in_plane(body.angular_velocity, "body.angular_velocity");
  in_plane(body.moment, "body.moment");
}

}  // namespace

unsigned fixed_axes(const BodyParameters& body) {
  unsigned axes = 0;
  for (const std::string& name : body.fixed)
    axes |= 1U << static_cast<unsigned>(std::ranges::find(axis_names(), name) - axis_names().begin());
  return axes;
}

keys::Keys keys_of(BodyParameters& body) {
  using namespace keys;
  constexpr double most = 1e30;
  const Range<double> positive = {0.0, most};
  const auto of = [&body](Slot slot) {
    const auto refuse = [](const Given& given) {
      fail(given.value.where, "'" + given.name + "' is given without 'body.density' and 'body.mass'",
           "one of them makes the solid a body that the liquid moves", "Add body.density or body.mass");
    };
    return only_if([&body] { return body.is_free(); }, refuse, std::move(slot));
  };
  return {
      {"density", number(body.density, positive), "kg/m^3",
       "Density of the solid, which makes it a body that the liquid moves. Its mass, its centre of mass and its "
       "moments of inertia are those of its shape, filled evenly."},
      {"mass", number(body.mass, positive), "kg",
       "Mass of the solid, in place of body.density. In 2-D masses, forces and moments are per metre of thickness."},
      {"center", of(numbers(body.center, {-1e9, 1e9}, {2, 3})), "m",
       "Centre of mass at the start; by default that of the shape."},
      {"inertia", of(numbers(body.inertia, {-most, most}, {1, 3, 6})), "kg m^2",
       "Moments of inertia about the centre of mass at the start: xx, yy, zz, and perhaps xy, xz, yz; in 2-D one "
       "number. By default those of the shape, filled evenly with the mass."},
      {"velocity", of(vector(body.velocity, ThirdEntry::must_vanish, motion_limits::fastest)), "m/s",
       "Velocity of the centre of mass at the start."},
      {"angular_velocity", of(vector(body.angular_velocity, ThirdEntry::zero, motion_limits::fastest_turn)),
       "degrees/s", "Angular velocity at the start: axis times rate."},
      {"fixed", of(names(body.fixed, axis_names())), "",
       "Axes that are held: displacements along x, y, z, and rotations rx, ry, rz about them. Along a held axis the "
       "body keeps the velocity of the start."},
      {"force", of(vector(body.force, ThirdEntry::must_vanish)), "N",
       "Constant force on the centre of mass, in addition to gravity."},
      {"moment", of(vector(body.moment, ThirdEntry::zero)), "N m", "Constant moment."},
      {"damping", of(number(body.damping, positive)), "kg/s",
       "Force against the motion of the centre of mass, over the speed."},
      {"quadratic_damping", of(number(body.quadratic_damping, positive)), "kg/m",
       "Force against the motion of the centre of mass, over the square of the speed."},
      {"angular_damping", of(number(body.angular_damping, positive)), "kg m^2/s",
       "Moment against the rotation, over the angular speed."},
      {"restitution", number(body.restitution, {0.0, 1.0}), "",
       "Speed at which bodies part from the solid over the speed at which they met it; of two solids the larger one "
       "counts, and a wall of the domain has that of the body."},
      {"friction", number(body.friction, {0.0, 1e3}), "",
       "Coulomb's coefficient of friction between the solid and bodies that touch it; of two solids the geometric mean "
       "counts, and a wall of the domain has that of the body."},
      {"contact", flag(body.contact), "",
       "Whether bodies that the liquid moves touch the solid. If it is false, they pass through each other, and a body "
       "passes through walls, too."},
      {"springs", of(rows(body.springs, {8})), "m, m, N/m, m",
       "Springs, a row each: [px, py, pz, ax, ay, az, stiffness, length]. A spring joins the body's point p, as at the "
       "start, with the fixed point a, and pulls and pushes if it is longer or shorter than its length."},
  };
}

void check_body(const BodyParameters& body, bool has_motion, const keys::Table& table, int dimension) {
  if (!body.is_free()) return;
  const char* density = body.density ? "body.density" : "body.mass";
  table.require(!has_motion, density, "is given to a solid with a motion of its own",
                "the liquid moves the body, or velocity, keyframes, a file or a wave maker do",
                "Leave one of them out");
  check_mass(body, table, dimension);
  check_plane(body, table, dimension);
  const unsigned in_plane = 1U << 0U | 1U << 1U | 1U << 5U, all = dimension == 2 ? in_plane : 63U;
  const unsigned fixed = fixed_axes(body);
  table.require((fixed & ~all) == 0, "body.fixed", "holds an axis that there is not",
                fmt::format("domain.dimension is {}", dimension), "Name x, y and rz only");
  table.require((fixed & all) != all, "body.fixed", "holds all axes", "the liquid could not move the body",
                "Leave body out, and give the solid a velocity if it moves");
  for (const std::vector<double>& spring : body.springs)
    table.require(spring[6] >= 0.0 && spring[7] >= 0.0, "body.springs", "has a stiffness or a length below 0",
                  "a spring pulls when it is longer than its length", "Give numbers from 0 on");
}

}  // namespace freshet
