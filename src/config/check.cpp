// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include "format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace freshet::config {
namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};
constexpr const char* side_names[] = {"low", "high"};
constexpr int block_cells = 8;  // along an axis

std::string boundary_key(int axis, int side) {
  return std::string("domain.boundary.") + axis_names[axis] + "_" + side_names[side];
}

/// A periodic side needs its opposite, and whole blocks of cells between them.
void check_periodic_axis(const Parameters& p, const Value& root, int axis) {
  const auto& sides = p.domain.boundary[static_cast<std::size_t>(axis)];
  const bool low = sides[0] == FaceCondition::periodic;
  const bool high = sides[1] == FaceCondition::periodic;
  if (!low && !high) return;
  if (low != high) {
    const std::string given = boundary_key(axis, low ? 0 : 1);
    const std::string other = boundary_key(axis, low ? 1 : 0);
    fail(location(root, given), "'" + given + "' is periodic but '" + other + "' is not",
         "what leaves one side enters the other", "Make both periodic, or neither");
  }
  if (p.domain.cells[axis] % block_cells != 0) {
    fail(location(root, "domain.cells"),
         std::to_string(p.domain.cells[axis]) + " cells along the periodic axis " + axis_names[axis],
         "a periodic axis takes a multiple of " + std::to_string(block_cells), "Change domain.cells");
  }
}

void check_boundary(const Parameters& p, const Value& root) {
  for (int axis = 0; axis < p.domain.dimension; ++axis) check_periodic_axis(p, root, axis);
  if (p.domain.dimension == 3) return;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto refuse = [&](const std::string& key) {
      fail(location(root, key), "'" + key + "' is given", "domain.dimension is 2", "Leave it out");
    };
    if (p.domain.boundary[2][side] != FaceCondition::free_slip) refuse(boundary_key(2, static_cast<int>(side)));
    if (p.pressure.walls.face[2][side] != WallChoice::inherit)
      refuse(std::string("pressure.walls.z_") + side_names[side]);
  }
}

void check_walls(const Parameters& p, const Value& root) {
  const Parameters::Pressure::Walls& walls = p.pressure.walls;
  for (int axis = 0; axis < p.domain.dimension; ++axis)
    for (int side = 0; side < 2; ++side) {
      const FaceCondition condition = p.domain.boundary[axis][side];
      const bool is_wall = condition == FaceCondition::free_slip || condition == FaceCondition::no_slip;
      if (is_wall || walls.face[axis][side] == WallChoice::inherit) continue;
      const std::string key = std::string("pressure.walls.") + axis_names[axis] + "_" + side_names[side];
      fail(location(root, key), "'" + key + "' is given", "that side of the domain is no wall", "Leave it out");
    }
  const bool stops_by_velocity = walls.method == WallMethod::admm && walls.stopping == WallStopping::velocity;
  if (stops_by_velocity && walls.epsilon_aabs == 0.0 && walls.epsilon_arel == 0.0) {
    fail(location(root, "pressure.walls.epsilon_arel"),
         "'pressure.walls.epsilon_aabs' and 'pressure.walls.epsilon_arel' are both 0", "admm would never stop",
         "Make one of them positive");
  }
}

/// Cells are at most 2^20 an axis, so their product stays below 2^60; coordinates must tell them apart as well.
void check_coordinates(const Parameters& p, const Value& root) {
  const Parameters::Domain& domain = p.domain;
  const Vec3 upper = domain.origin + domain.cells.cast<double>() * domain.cell_size;
  const double farthest = std::max(domain.origin.cwiseAbs().maxCoeff(), upper.cwiseAbs().maxCoeff());
  constexpr double steps_within_a_cell = 1e6;  // as fine as single precision inside a block
  const double spacing = farthest * std::numeric_limits<double>::epsilon();
  if (std::isfinite(farthest) && spacing * steps_within_a_cell <= domain.cell_size) return;
  fail(location(root, "domain.cell_size"),
       "a cell of " + number(domain.cell_size) + " m cannot be placed at coordinates of " + number(farthest) + " m",
       "64-bit numbers do not tell points of the cell apart",
       "Move domain.origin nearer to 0, or change the cell size");
}

void check_time(const Parameters& p, const Value& root) {
  if (p.time.max_dt > 0.0 && p.time.max_dt < p.time.min_dt) {
    fail(location(root, "time.max_dt"), "'time.max_dt' = " + number(p.time.max_dt) + " is below 'time.min_dt'",
         "min_dt is " + number(p.time.min_dt) + " s", "Raise max_dt, or lower min_dt");
  }
}

void check_balance(const Parameters& p, const Value& root) {
  if (p.balance.particle_cost > 0.0 || p.balance.cell_cost > 0.0) return;
  fail(location(root, "balance.particle_cost"), "'balance.particle_cost' and 'balance.cell_cost' are both 0",
       "work that costs nothing cannot be shared out", "Make one of them positive");
}

/// Distances are roots of sums of squares, which must be finite.
void check_reach(const ShapeParameters& shape, const Value& table, const std::string& name) {
  constexpr double farthest = 1e100;
  const auto check = [&](const char* key, double largest) {
    if (largest <= farthest) return;
    fail(location(table, key), fmt::format("'{}{}' is beyond {}", name, key, number(farthest)),
         "its square would be beyond 64-bit numbers", "Give it in SI units");
  };
  const auto check_vector = [&](const char* key, const Vec3& v) { check(key, v.cwiseAbs().maxCoeff()); };
  check_vector("lower", shape.lower);
  check_vector("upper", shape.upper);
  check_vector("center", shape.center);
  check_vector("start", shape.start);
  check_vector("end", shape.end);
  check_vector("point", shape.point);
  check_vector("normal", shape.normal);
  check("radius", shape.radius);
  check_vector("translate", shape.translate);
  check("scale", shape.scale);
}

}  // namespace

void check_parameters(const Parameters& p, const Value& root) {
  check_coordinates(p, root);
  check_boundary(p, root);
  check_walls(p, root);
  check_time(p, root);
  check_balance(p, root);
  check_scene(p, root);
  check_sizes(p, root);
}

void check_shape(const ShapeParameters& shape, const Value& table, const std::string& name) {
  check_reach(shape, table, name);
  switch (shape.kind) {
    case ShapeKind::box:
      for (int d = 0; d < 3; ++d) {
        if (shape.lower[d] < shape.upper[d]) continue;
        fail(location(table, "upper"), fmt::format("'{0}upper' is not above '{0}lower' along {1}", name, axis_names[d]),
             number(shape.upper[d]) + " <= " + number(shape.lower[d]), "Give the low corner, then the high corner");
      }
      break;
    case ShapeKind::cylinder:
      if ((shape.end - shape.start).norm() > 0.0) break;
      fail(location(table, "end"), "'" + name + "end' equals '" + name + "start'", "the cylinder has no length",
           "Give the centres of its two caps");
    case ShapeKind::half_space:
      if (shape.normal.norm() > 0.0) break;
      fail(location(table, "normal"), "'" + name + "normal' is zero", "it has no direction",
           "Give the direction out of the shape");
    case ShapeKind::particles:
      if (name.rfind("liquid.", 0) == 0 && std::count(name.begin(), name.end(), '.') == 2) break;
      fail(location(table, "shape"), "'" + name + "shape' is \"particles\"", "only a [[liquid]] can be made of them",
           "Choose another shape");
    case ShapeKind::sphere:    // a radius is positive by its range
    case ShapeKind::union_of:  // each part has been checked
      break;
  }
}

}  // namespace freshet::config
