// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace freshet::config {
namespace {

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
  const WallOptions& walls = p.pressure.walls;
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
  const DomainOptions& domain = p.domain;
  const Vec3 upper = domain.origin + domain.cells.cast<double>() * domain.cell_size;
  const double farthest = std::max(domain.origin.cwiseAbs().maxCoeff(), upper.cwiseAbs().maxCoeff());
  constexpr double steps_within_a_cell = 1e6;  // as fine as single precision inside a block
  const double spacing = farthest * std::numeric_limits<double>::epsilon();
  if (std::isfinite(farthest) && spacing * steps_within_a_cell <= domain.cell_size) return;
  fail(location(root, "domain.cell_size"),
       "a cell of " + number_text(domain.cell_size) + " m cannot be placed at coordinates of " + number_text(farthest) +
           " m",
       "64-bit numbers do not tell points of the cell apart",
       "Move domain.origin nearer to 0, or change the cell size");
}

void check_time(const Parameters& p, const Value& root) {
  if (p.run.end_time < p.time.min_dt)
    fail(location(root, "run.end_time"), "'run.end_time' = " + number_text(p.run.end_time) + " is below 'time.min_dt'",
         "min_dt is " + number_text(p.time.min_dt) + " s, and no step may be shorter",
         "Raise end_time, or lower min_dt");
  if (p.time.max_dt > 0.0 && p.time.max_dt < p.time.min_dt) {
    fail(location(root, "time.max_dt"), "'time.max_dt' = " + number_text(p.time.max_dt) + " is below 'time.min_dt'",
         "min_dt is " + number_text(p.time.min_dt) + " s", "Raise max_dt, or lower min_dt");
  }
}

void check_reseeding(const Parameters& p, const Value& root) {
  const auto& reseeding = p.particles.reseeding;
  const double full = std::pow(p.particles.per_axis, p.domain.dimension);
  if (reseeding.enabled && reseeding.max < full)
    fail(location(root, "particles.reseeding.max"),
         fmt::format("'particles.reseeding.max' = {} is below what a full cell holds", reseeding.max),
         fmt::format("particles.per_axis makes that {}: liquid would be taken away", full), "Raise max");
  if (reseeding.min <= reseeding.max) return;
  fail(location(root, "particles.reseeding.min"),
       fmt::format("'particles.reseeding.min' = {} is above 'particles.reseeding.max'", reseeding.min),
       fmt::format("max is {}", reseeding.max), "Lower min, or raise max");
}

void check_balance(const Parameters& p, const Value& root) {
  if (p.balance.particle_cost > 0.0 || p.balance.cell_cost > 0.0) return;
  fail(location(root, "balance.particle_cost"), "'balance.particle_cost' and 'balance.cell_cost' are both 0",
       "work that costs nothing cannot be shared out", "Make one of them positive");
}

/// What a liquid or a source says of its share of FLIP.
struct GivenShare {
  std::string name;  ///< such as "liquid.0"
  int tag;
  std::optional<double> flip_fraction;
  std::optional<double> viscosity_coefficient;
  std::optional<double> share;  ///< that particles of the tag must have for it
};

std::vector<GivenShare> given_shares(const Parameters& p) {
  std::vector<GivenShare> shares;
  const auto add = [&](std::string name, const auto& liquid, std::optional<double> share) {
    shares.push_back({std::move(name), liquid.tag, liquid.flip_fraction, liquid.viscosity_coefficient, share});
  };
  for (std::size_t i = 0; i < p.liquids.size(); ++i)
    add(fmt::format("liquid.{}", i), p.liquids[i], flip_fraction_of(p.liquids[i], p.transfer));
  for (std::size_t i = 0; i < p.sources.size(); ++i)
    add(fmt::format("source.{}", i), p.sources[i], own_flip_fraction(p.sources[i]));
  return shares;
}

/// A liquid has one share of PIC, where there are shares, and what carries the same tag has the same.
void check_flip_fractions(const Parameters& p, const Value& root) {
  constexpr double rounding = 1e-12;  // of 1 minus a coefficient
  const std::vector<GivenShare> shares = given_shares(p);
  std::array<const GivenShare*, 256> first{};
  for (const GivenShare& given : shares) {
    if (given.flip_fraction && given.viscosity_coefficient)
      fail(location(root, given.name + ".viscosity_coefficient"),
           fmt::format("'{0}.flip_fraction' and '{0}.viscosity_coefficient' are both given", given.name),
           "one is 1 minus the other", "Leave one of them out");
    const std::string key = given.name + (given.viscosity_coefficient ? ".viscosity_coefficient" : ".flip_fraction");
    if (p.transfer.method == TransferMethod::apic && (given.flip_fraction || given.viscosity_coefficient))
      fail(location(root, key), fmt::format("'{}' is given with 'transfer.method' = \"apic\"", key),
           "APIC knows no shares of PIC and FLIP", "Leave one of them out");
    if (!given.share) continue;
    const GivenShare*& same_tag = first[static_cast<std::size_t>(given.tag)];
    if (same_tag == nullptr) same_tag = &given;
    if (std::abs(*given.share - *same_tag->share) <= rounding) continue;
    fail(location(root, key),
         fmt::format("{} and {} carry tag {} with shares {} and {} of FLIP", same_tag->name, given.name, given.tag,
                     number_text(*same_tag->share), number_text(*given.share)),
         "the share follows particles by their tag", "Give them different tags");
  }
}

/// The prescribed field lives in the unit cube.
void check_motion(const Parameters& p, const Value& root) {
  if (p.motion.field == MotionField::solve) return;
  if (p.density.correction != DensityMethod::off)
    fail(location(root, "density.correction"), "'density.correction' is given with 'motion.field'",
         "a prescribed flow solves for no pressure, whose system it would share", "Leave one of them out");
  const Vec3 upper = p.domain.origin + p.domain.cell_size * p.domain.cells.cast<double>();
  const bool is_unit_cube = p.domain.dimension == 3 && p.domain.origin.cwiseAbs().maxCoeff() < 1e-12 &&
                            (upper - Vec3::Ones()).cwiseAbs().maxCoeff() < 1e-12;
  if (is_unit_cube) return;
  fail(location(root, "motion.field"), "'motion.field' is given in a domain other than the unit cube",
       "its formulas hold in 0 .. 1 along three axes", "Change domain.cells, cell_size and origin");
}

/// Liquid leaves faces of cells, not pieces of them.
void check_surfaces(const Parameters& p, const Value& root) {
  const Value* solids = root.find("solid");
  for (std::size_t i = 0; i < p.solids.size(); ++i) {
    const SolidParameters& solid = p.solids[i];
    const bool leaves = choose(solid.wall, p.pressure.walls.condition) == WallCondition::separating;
    if (!leaves || solid.surface != SolidSurface::fractions) continue;
    fail(solids != nullptr ? location(solids->items[i], "surface") : root.where,
         fmt::format("solid.{}.surface is \"fractions\", but liquid may leave the solid", i),
         "walls that let go are made of whole faces", "Choose \"voxels\" or \"auto\", or make the wall sticky");
  }
}

}  // namespace

void check_parameters(const Parameters& p, const Value& root) {
  check_surfaces(p, root);
  if (const Value* frame = root.find("frame")) check_motion(p.frame, *frame, "frame.", p.domain.dimension);
  check_coordinates(p, root);
  check_boundary(p, root);
  check_walls(p, root);
  check_time(p, root);
  check_reseeding(p, root);
  check_balance(p, root);
  check_flip_fractions(p, root);
  check_motion(p, root);
  check_scene(p, root);
  check_sizes(p, root);
}

}  // namespace freshet::config
