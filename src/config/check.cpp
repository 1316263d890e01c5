// SPDX-License-Identifier: Apache-2.0
// Checks of the domain, its walls, and the numbers of the method.
#include "check.hpp"

#include "freshet/grid/domain_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace freshet::config {
namespace {

/// Name a side of the domain: "x_low", "x_high", ...
std::string side_name(int axis, int side) {
  return fmt::format("{}_{}", "xyz"[axis], side == 0 ? "low" : "high");
}

/// Check that a periodic side has its opposite, and whole blocks of cells in between.
void check_periodic_axis(const Parameters& p, const Place& place, int axis) {
  constexpr int block_cells = 8;  // cells along an axis
  const auto& sides = p.domain.boundary[static_cast<std::size_t>(axis)];
  const bool low = sides[0] == FaceCondition::periodic;
  if (!low && sides[1] != FaceCondition::periodic) return;
  const std::string given = "domain.boundary." + side_name(axis, low ? 0 : 1);
  const std::string other = "domain.boundary." + side_name(axis, low ? 1 : 0);
  place.require(sides[0] == sides[1], given, "is periodic but '" + other + "' is not",
                "what leaves one side enters the other", "Make both periodic, or neither");
  if (p.domain.cells[axis] % block_cells != 0)
    place.refuse("domain.cells", fmt::format("{} cells along the periodic axis {}", p.domain.cells[axis], "xyz"[axis]),
                 fmt::format("a periodic axis takes a multiple of {}", block_cells), "Change domain.cells");
}

void check_sides(const Parameters& p, const Place& place) {
  for (int axis = 0; axis < p.domain.dimension; ++axis) check_periodic_axis(p, place, axis);
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      const FaceCondition condition = p.domain.boundary[axis][side];
      const bool has_wall_key = p.pressure.walls.face[axis][side] != WallChoice::inherit;
      const bool has_outside = p.fluid.outside_pressure[axis][side] != 0.0;
      const auto require = [&](bool holds, const std::string& table, const char* why) {
        place.require(holds, table + side_name(axis, side), "is given", why, "Leave it out");
      };
      if (axis < p.domain.dimension) {
        const bool is_wall = condition == FaceCondition::free_slip || condition == FaceCondition::no_slip;
        require(is_wall || !has_wall_key, "pressure.walls.", "that side of the domain is not a wall");
        require(condition == FaceCondition::open || !has_outside, "fluid.outside_pressure.",
                "that side of the domain is not open");
      } else {
        require(condition == FaceCondition::free_slip, "domain.boundary.", "domain.dimension is 2");
        require(!has_wall_key, "pressure.walls.", "domain.dimension is 2");
        require(!has_outside, "fluid.outside_pressure.", "domain.dimension is 2");
      }
    }
}

void check_walls(const Parameters& p, const Place& place) {
  const WallOptions& walls = p.pressure.walls;
  const bool stops_by_velocity = walls.method == WallMethod::admm && walls.stopping == WallStopping::velocity;
  if (stops_by_velocity && walls.epsilon_aabs == 0.0 && walls.epsilon_arel == 0.0)
    place.refuse("pressure.walls.epsilon_arel",
                 "'pressure.walls.epsilon_aabs' and 'pressure.walls.epsilon_arel' are both 0", "admm would never stop",
                 "Make one of them positive");
}

/// Check that coordinates tell cells apart. Cells are at most 2^20 on an axis, so their product stays below 2^60.
void check_coordinates(const DomainOptions& domain, const Place& place) {
  const Vec3 upper = domain.origin + domain.cells.cast<double>() * domain.cell_size;
  const double farthest = std::max(domain.origin.cwiseAbs().maxCoeff(), upper.cwiseAbs().maxCoeff());
  constexpr double steps_within_a_cell = 1e6;  // as fine as single precision in a block
  const double spacing = farthest * std::numeric_limits<double>::epsilon();
  if (std::isfinite(farthest) && spacing * steps_within_a_cell <= domain.cell_size) return;
  place.refuse("domain.cell_size",
               "a cell of " + number_text(domain.cell_size) + " m cannot be placed at coordinates of " +
                   number_text(farthest) + " m",
               "64-bit numbers are too coarse there to tell points of one cell apart",
               "Move domain.origin nearer to 0, or change the cell size");
}

void check_time(const Parameters& p, const Place& place) {
  const std::string min_dt = "min_dt is " + number_text(p.time.min_dt) + " s";
  const Value* const time = place.table.find("time");
  if (time != nullptr && time->find("min_dt") != nullptr)
    place.require(p.run.end_time >= p.time.min_dt, "time.min_dt",
                  "= " + number_text(p.time.min_dt) + " is above 'run.end_time'",
                  "end_time is " + number_text(p.run.end_time) + " s, and no step may be shorter than min_dt",
                  "Lower min_dt, or raise end_time");
  place.require(p.run.end_time >= p.time.min_dt, "run.end_time",
                "= " + number_text(p.run.end_time) + " is below 'time.min_dt'", min_dt + ", and no step may be shorter",
                "Raise end_time, or lower min_dt");
  place.require(p.time.max_dt == 0.0 || p.time.max_dt >= p.time.min_dt, "time.max_dt",
                "= " + number_text(p.time.max_dt) + " is below 'time.min_dt'", min_dt, "Raise max_dt, or lower min_dt");
}

void check_reseeding(const Parameters& p, const Place& place) {
  const ReseedingOptions& reseeding = p.particles.reseeding;
  const double full = std::pow(p.particles.per_axis, p.domain.dimension);
  place.require(!reseeding.enabled || reseeding.max >= full, "particles.reseeding.max",
                fmt::format("= {} is below what a full cell holds", reseeding.max),
                fmt::format("particles.per_axis makes that {}: reseeding would remove liquid", full), "Raise max");
  place.require(reseeding.min <= reseeding.max, "particles.reseeding.min",
                fmt::format("= {} is above 'particles.reseeding.max'", reseeding.min),
                fmt::format("max is {}", reseeding.max), "Lower min, or raise max");
}

/// The share of FLIP for particles with a tag, and the entry that gives it first.
struct GivenShare {
  std::string name;  ///< name of the entry, such as "liquid.0"
  double share;
};

/// Check that all liquids and sources with one tag have the same share of PIC.
template <class Liquid>
void check_flip_fraction(const Parameters& p, const Liquid& liquid, std::optional<double> share, const Place& place,
                         std::array<std::optional<GivenShare>, 256>& by_tag) {
  constexpr double rounding = 1e-12;  // error of 1 minus a coefficient
  const std::string name = place.name.substr(0, place.name.size() - 1);
  const bool by_coefficient = liquid.viscosity_coefficient.has_value();
  if (liquid.flip_fraction && by_coefficient)
    place.refuse("viscosity_coefficient",
                 fmt::format("'{0}.flip_fraction' and '{0}.viscosity_coefficient' are both given", name),
                 "each one determines the other", "Leave one of them out");
  const std::string key = by_coefficient ? "viscosity_coefficient" : "flip_fraction";
  place.require(p.transfer.method != TransferMethod::apic || !(liquid.flip_fraction || by_coefficient), key,
                "is given with 'transfer.method' = \"apic\"", "APIC does not blend PIC and FLIP",
                "Leave one of them out");
  if (!share) return;
  std::optional<GivenShare>& same_tag = by_tag[static_cast<std::size_t>(liquid.tag)];
  if (!same_tag) same_tag = {name, *share};
  if (std::abs(*share - same_tag->share) > rounding)
    place.refuse(key,
                 fmt::format("{} and {} carry tag {} with shares {} and {} of FLIP", same_tag->name, name, liquid.tag,
                             number_text(same_tag->share), number_text(*share)),
                 "particles take their share of FLIP by their tag", "Give them different tags");
}

/// Check that all liquids and sources with one tag have the same viscosity.
void check_viscosities(const Parameters& p, const Place& place) {
  std::array<std::optional<GivenShare>, 256> by_tag;
  const auto check = [&](int tag, double viscosity, const Place& entry) {
    const std::string name = entry.name.substr(0, entry.name.size() - 1);
    std::optional<GivenShare>& same_tag = by_tag[static_cast<std::size_t>(tag)];
    if (!same_tag) same_tag = {name, viscosity};
    if (viscosity != same_tag->share)
      entry.refuse("viscosity",
                   fmt::format("{} and {} carry tag {} with viscosities of {} and {} Pa s", same_tag->name, name, tag,
                               number_text(same_tag->share), number_text(viscosity)),
                   "particles have the viscosity of their tag", "Give them different tags");
  };
  for (std::size_t i = 0; i < p.liquids.size(); ++i)
    check(p.liquids[i].tag, p.liquids[i].viscosity.value_or(p.fluid.viscosity), place.entry("liquid", i));
  for (std::size_t i = 0; i < p.sources.size(); ++i)
    if (p.sources[i].viscosity) check(p.sources[i].tag, *p.sources[i].viscosity, place.entry("source", i));
}

void check_flip_fractions(const Parameters& p, const Place& place) {
  std::array<std::optional<GivenShare>, 256> by_tag;
  for (std::size_t i = 0; i < p.liquids.size(); ++i)
    check_flip_fraction(p, p.liquids[i], flip_fraction_of(p.liquids[i], p.transfer), place.entry("liquid", i), by_tag);
  for (std::size_t i = 0; i < p.sources.size(); ++i)
    check_flip_fraction(p, p.sources[i], own_flip_fraction(p.sources[i]), place.entry("source", i), by_tag);
}

void check_tension(const Parameters& p, const Place& place) {
  if (p.fluid.surface_tension == 0.0 || p.labels.surface == LiquidSurface::level_set) return;
  std::string voxels = "'labels.surface' = \"voxels\"";  // or the key that makes voxels the default
  if (p.labels.method == LabelMethod::density)
    voxels = "'labels.method' = \"density\"";
  else if (p.motion.field != MotionField::solve)
    voxels = "'motion.field'";
  place.refuse("fluid.surface_tension", "'fluid.surface_tension' is given with " + voxels,
               "the curvature of the surface follows from the level set", "Leave one of them out");
}

/// Check the wind, which blows along the surface that faces up.
void check_wind(const Parameters& p, const Place& place) {
  const Vec3& wind = p.fluid.wind.velocity;
  const Vec3& gravity = p.fluid.gravity;
  if (wind.isZero(0.0)) return;
  place.require(!gravity.isZero(0.0), "fluid.wind.velocity", "is given without gravity",
                "the wind blows over the surface that faces up", "Set fluid.gravity, or leave the wind out");
  Vec3::Index vertical = 0;
  gravity.cwiseAbs().maxCoeff(&vertical);
  Vec3 along = wind;
  along[vertical] = 0.0;
  place.require(!along.isZero(0.0), "fluid.wind.velocity", "is vertical", "the wind blows along the surface",
                "Give a velocity across fluid.gravity");
}

/// Check that the domain of a prescribed field is the unit cube.
void check_prescribed_field(const Parameters& p, const Place& place) {
  if (p.motion.field == MotionField::solve) return;
  place.require(p.density.correction == DensityMethod::off, "density.correction", "is given with 'motion.field'",
                "the correction needs the pressure solve, which a prescribed flow does not have",
                "Leave one of them out");
  const Vec3 upper = p.domain.origin + p.domain.cell_size * p.domain.cells.cast<double>();
  const int n = p.motion.field == MotionField::zalesak ? 2 : 3;  // axes on which the domain is 0 .. 1
  const double tolerance = side_tolerance * p.domain.cell_size;
  bool is_unit = p.domain.dimension >= n;
  for (int d = 0; d < n; ++d)
    is_unit = is_unit && std::abs(p.domain.origin[d]) <= tolerance && std::abs(upper[d] - 1.0) <= tolerance;
  place.require(is_unit, "motion.field",
                std::string("is given in a domain other than the unit ") + (n == 3 ? "cube" : "square"),
                fmt::format("its formulas hold in 0 .. 1 along {} axes", n == 3 ? "three" : "two"),
                "Change domain.cells, cell_size and origin");
}

// Checks of values that are legal alone but whose products or quotients overflow or underflow.

/// Check that ids of particles and numbers of cells fit in 64-bit integers with a sign.
void check_counts(const Parameters& p, const Place& place) {
  const double cells = p.domain.cells.cast<double>().prod();
  const double particles = cells * std::pow(p.particles.per_axis, p.domain.dimension);
  place.require(particles < std::ldexp(1.0, 63), "domain.cells",
                fmt::format("full of liquid would hold {:.3g} particles", particles),
                "their ids are integers below 2^63", "Take fewer cells, or a smaller particles.per_axis");
}

/// Check the cube of the cell size, masses, and the scale of pressure: time over density and cell size.
void check_scales(const Parameters& p, const Place& place) {
  const double dx = p.domain.cell_size;
  const double mass = p.fluid.density * dx * dx * dx;
  const double per_cell = std::pow(p.particles.per_axis, p.domain.dimension);
  if (!std::isnormal(dx * dx * dx) || !std::isnormal(mass / per_cell) ||
      !std::isnormal(mass * p.domain.cells.cast<double>().prod()))
    place.refuse("domain.cell_size",
                 fmt::format("a cell of {} m and a density of {} kg/m^3 give masses beyond 64-bit numbers",
                             number_text(dx), number_text(p.fluid.density)),
                 "a particle's share of a cell and the full domain must both be finite and not 0",
                 "Change domain.cell_size or fluid.density");
  const double scale = p.run.end_time / (p.fluid.density * dx);
  place.require(std::isnormal(scale) && std::isnormal(1.0 / scale), "run.end_time",
                "= " + number_text(p.run.end_time) + " is beyond what the pressure solve can scale",
                "divided by density and cell size it is beyond 64-bit numbers", "Change run.end_time");
}

void check_energies(const Parameters& p, const Place& place) {
  const double dx = p.domain.cell_size;
  const Vec3 extent = p.domain.cells.cast<double>() * dx;
  const double farthest = p.domain.origin.cwiseAbs().maxCoeff() + extent.maxCoeff();
  double u = 0.0;
  for (const LiquidParameters& liquid : p.liquids) u = std::max(u, liquid.velocity.norm());
  const double g = p.fluid.gravity.norm();
  const double mass = p.fluid.density * dx * dx * dx * p.domain.cells.cast<double>().prod();
  const double energy = mass * (0.5 * u * u + g * farthest);
  if (std::isfinite(energy) && std::isfinite(u * u + 4.0 * g * p.time.cfl * dx)) return;
  place.refuse("domain.cell_size", "the energy of the full domain is beyond 64-bit numbers",
               "it grows with mass, gravity, coordinates and squares of velocities", "Give all of them in SI units");
}

/// Check that outputs can be counted, and that no step is lost in the rounding of the time.
void check_times(const Parameters& p, const Place& place) {
  constexpr double most = std::numeric_limits<int>::max();
  const auto check_interval = [&](const char* key, double interval) {
    place.require(interval == 0.0 || p.run.end_time / interval <= most, key,
                  fmt::format("= {} asks for more than {:.0f} files", number_text(interval), most),
                  "run.end_time is " + number_text(p.run.end_time) + " s", "Choose a longer interval");
  };
  check_interval("output.interval", p.output.interval);
  check_interval("checkpoint.interval", p.checkpoint.interval);
  check_interval("output.surface.interval", p.surface.interval);
  const double spacing = p.run.end_time * std::numeric_limits<double>::epsilon();
  place.require(p.time.max_dt == 0.0 || p.time.max_dt > spacing, "time.max_dt",
                "= " + number_text(p.time.max_dt) + " never reaches 'run.end_time'",
                "added to " + number_text(p.run.end_time) + " s it is lost in rounding",
                "Raise max_dt, or lower end_time");
}

/// Check the weights, which add to the grid's velocity in each step, however short. Particles take PIC's part of it.
/// The part that they take while they cross a cell must stay small, or their energy grows without bound: the limit is
/// that of the method's source, a boost of 1 with 5 % of PIC.
void check_vortex_weights(const Parameters& p, const Place& place) {
  if (p.vortex.method != VortexMethod::weights || p.vortex.boost == 0.0) return;
  const std::string why = "particles would take so much of the boost that their energy grows without bound";
  place.require(p.transfer.method != TransferMethod::apic, "vortex.method",
                "is \"weights\" with 'transfer.method' = \"apic\"", why,
                "Choose \"confinement\", or transfer.method \"flip\"");
  constexpr double most_taken = 0.05 * (1.0 + 1e-9);
  const double steps =
      p.transfer.per == FlipPer::step ? std::max(1.0, 1.0 / p.time.cfl) : 1.0;  // steps to cross a cell
  const auto check = [&](const auto& liquid, const Place& entry) {
    const std::optional<double> own = own_flip_fraction(liquid);
    const double share = own.value_or(p.transfer.flip_fraction);
    if ((1.0 - share) * p.vortex.boost * steps <= most_taken) return;
    const Place& where = own ? entry : place;
    where.require(false,
                  liquid.viscosity_coefficient ? "viscosity_coefficient"
                  : own                        ? "flip_fraction"
                                               : "transfer.flip_fraction",
                  fmt::format("leaves a share of {} of FLIP with 'vortex.method' = \"weights\"", number_text(share)),
                  why,
                  fmt::format("Choose \"confinement\", or a share of at least {}",
                              number_text(1.0 - 0.05 / (p.vortex.boost * steps))));
  };
  for (std::size_t i = 0; i < p.liquids.size(); ++i) check(p.liquids[i], place.entry("liquid", i));
  for (std::size_t i = 0; i < p.sources.size(); ++i) check(p.sources[i], place.entry("source", i));
}

}  // namespace

bool is_viscous(const Parameters& p) {
  std::array<double, 256> of_tag{};
  of_tag.fill(p.fluid.viscosity);
  const auto for_each_entry = [&p](auto&& visit) {
    for (const LiquidParameters& liquid : p.liquids) visit(static_cast<std::size_t>(liquid.tag), liquid.viscosity);
    for (const SourceParameters& source : p.sources) visit(static_cast<std::size_t>(source.tag), source.viscosity);
  };
  for_each_entry([&](std::size_t tag, const std::optional<double>& own) { of_tag[tag] = own.value_or(of_tag[tag]); });
  bool any = p.liquids.empty() && p.sources.empty() && p.fluid.viscosity > 0.0;
  for_each_entry([&](std::size_t tag, const std::optional<double>&) { any = any || of_tag[tag] > 0.0; });
  return any;
}

void check_parameters(const Parameters& p, const Value& root) {
  const Place place{root, ""};
  if (const Value* frame = root.find("frame")) check_motion(p.frame, {*frame, "frame."}, p.domain.dimension);
  check_coordinates(p.domain, place);
  check_sides(p, place);
  check_walls(p, place);
  check_time(p, place);
  check_reseeding(p, place);
  if (p.balance.particle_cost == 0.0 && p.balance.cell_cost == 0.0)
    place.refuse("balance.particle_cost", "'balance.particle_cost' and 'balance.cell_cost' are both 0",
                 "blocks without cost cannot be balanced between ranks", "Make one of them positive");
  place.require(p.labels.method == LabelMethod::particles || p.labels.surface == LiquidSurface::voxels,
                "labels.surface", "is \"level_set\" with 'labels.method' = \"density\"",
                "the level set says by itself which cells are liquid", "Leave one of them out");
  check_tension(p, place);
  check_flip_fractions(p, place);
  check_vortex_weights(p, place);
  check_viscosities(p, place);
  place.require(p.time.splitting != Splitting::reflection || !is_viscous(p), "time.splitting",
                "is \"reflection\" with a viscous liquid", "reflected viscous stresses would make it swing",
                "Choose another splitting, or leave the viscosity out");
  check_wind(p, place);
  check_prescribed_field(p, place);
  check_scene(p, place);
  check_surfaces(p, place);
  check_gauges(p, place);
  check_counts(p, place);
  check_scales(p, place);
  const Vec3& rotation = p.fluid.rotation;
  place.require(p.domain.dimension == 3 || (rotation.x() == 0.0 && rotation.y() == 0.0), "fluid.rotation",
                "turns the flow out of its plane", "domain.dimension is 2", "Give a rotation about z: [0, 0, w]");
  check_energies(p, place);
  check_times(p, place);
}

}  // namespace freshet::config
