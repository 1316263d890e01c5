// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

/// Numbers that are legal one by one, and whose products or quotients no number type holds.
namespace freshet::config {
namespace {

/// Neither zero, nor so small that digits are lost, nor infinite.
bool is_normal(double x) {
  return std::isnormal(x);
}

/// Ids of particles and numbers of cells are 64-bit integers with a sign.
void check_counts(const Parameters& p, const Value& root) {
  const double cells = p.domain.cells.cast<double>().prod();
  const double particles = cells * std::pow(p.particles.per_axis, p.domain.dimension);
  if (particles < std::ldexp(1.0, 63)) return;
  fail(location(root, "domain.cells"),
       fmt::format("'domain.cells' full of liquid would hold {:.3g} particles", particles),
       "their ids are integers below 2^63", "Take fewer cells, or a smaller particles.per_axis");
}

/// The cube of the cell size, masses, and time over density and cell size, by which pressure is scaled.
void check_scales(const Parameters& p, const Value& root) {
  const double dx = p.domain.cell_size;
  const double cells = p.domain.cells.cast<double>().prod();
  const double mass = p.fluid.density * dx * dx * dx;
  const double per_cell = std::pow(p.particles.per_axis, p.domain.dimension);
  if (!is_normal(dx * dx * dx) || !is_normal(mass / per_cell) || !is_normal(mass * cells)) {
    fail(location(root, "domain.cell_size"),
         fmt::format("a cell of {} m and a density of {} kg/m^3 give masses beyond 64-bit numbers", number_text(dx),
                     number_text(p.fluid.density)),
         "a particle's share of a cell and the full domain must both be finite and not 0",
         "Change domain.cell_size or fluid.density");
  }
  const double scale = p.run.end_time / (p.fluid.density * dx);
  if (!is_normal(scale) || !is_normal(1.0 / scale)) {
    fail(location(root, "run.end_time"), "'run.end_time' = " + number_text(p.run.end_time) + " scales no pressure",
         "divided by density and cell size it is beyond 64-bit numbers", "Change run.end_time");
  }
}

/// Speeds must fit particles, whose velocities may be 32-bit numbers, and energies 64-bit numbers.
void check_speeds(const Parameters& p, const Value& root) {
  constexpr double fastest = 1e30;  // its square is a 64-bit number with room for all masses
  const auto check_speed = [&](const char* table, std::size_t i, const Vec3& velocity) {
    if (velocity.cwiseAbs().maxCoeff() <= fastest) return;
    const std::string key = fmt::format("{}.{}.velocity", table, i);
    fail(location(root, key), "'" + key + "' is beyond " + number_text(fastest) + " m/s",
         "32-bit numbers of particles hold no more", "Give a velocity in m/s");
  };
  for (std::size_t i = 0; i < p.liquids.size(); ++i) check_speed("liquid", i, p.liquids[i].velocity);
  for (std::size_t i = 0; i < p.sources.size(); ++i) check_speed("source", i, p.sources[i].velocity);
  if (p.fluid.gravity.cwiseAbs().maxCoeff() <= fastest) return;
  fail(location(root, "fluid.gravity"), "'fluid.gravity' is beyond " + number_text(fastest) + " m/s^2",
       "energies would be beyond 64-bit numbers", "Give an acceleration in m/s^2");
}

/// A rotation that a step can follow, about z where the flow is plane.
void check_rotation(const Parameters& p, const Value& root) {
  constexpr double fastest = 1e6;  // [rad/s]
  const Vec3& rotation = p.fluid.rotation;
  if (rotation.cwiseAbs().maxCoeff() > fastest)
    fail(location(root, "fluid.rotation"), "'fluid.rotation' is beyond " + number_text(fastest) + " rad/s",
         "nothing turns so fast", "Give it in rad/s");
  if (p.domain.dimension == 2 && (rotation.x() != 0.0 || rotation.y() != 0.0))
    fail(location(root, "fluid.rotation"), "'fluid.rotation' turns the flow out of its plane", "domain.dimension is 2",
         "Give a rotation about z: [0, 0, w]");
}

void check_energies(const Parameters& p, const Value& root) {
  const double dx = p.domain.cell_size;
  const Vec3 extent = p.domain.cells.cast<double>() * dx;
  const double farthest = p.domain.origin.cwiseAbs().maxCoeff() + extent.maxCoeff();
  double u = 0.0;
  for (const LiquidParameters& liquid : p.liquids) u = std::max(u, liquid.velocity.norm());
  const double g = p.fluid.gravity.norm();
  const double mass = p.fluid.density * dx * dx * dx * p.domain.cells.cast<double>().prod();
  const double energy = mass * (0.5 * u * u + g * farthest);
  if (std::isfinite(energy) && std::isfinite(u * u + 4.0 * g * p.time.cfl * dx)) return;
  fail(location(root, "domain.cell_size"), "the energy of the full domain is beyond 64-bit numbers",
       "mass, gravity, velocities and coordinates multiply to it", "Give all of them in SI units");
}

/// Outputs are counted, and a time grows by a step only if the step is not lost in rounding.
void check_times(const Parameters& p, const Value& root) {
  constexpr double most = std::numeric_limits<int>::max();
  const auto check_interval = [&](const char* key, double interval) {
    if (interval == 0.0 || p.run.end_time / interval <= most) return;
    fail(location(root, key),
         fmt::format("'{}' = {} asks for more than {:.0f} files", key, number_text(interval), most),
         "run.end_time is " + number_text(p.run.end_time) + " s", "Choose a longer interval");
  };
  check_interval("output.interval", p.output.interval);
  check_interval("checkpoint.interval", p.checkpoint.interval);
  const double spacing = p.run.end_time * std::numeric_limits<double>::epsilon();
  if (p.time.max_dt == 0.0 || p.time.max_dt > spacing) return;
  fail(location(root, "time.max_dt"), "'time.max_dt' = " + number_text(p.time.max_dt) + " never reaches 'run.end_time'",
       "added to " + number_text(p.run.end_time) + " s it is lost in rounding", "Raise max_dt, or lower end_time");
}

}  // namespace

void check_sizes(const Parameters& parameters, const Value& root) {
  check_counts(parameters, root);
  check_scales(parameters, root);
  check_speeds(parameters, root);
  check_rotation(parameters, root);
  check_energies(parameters, root);
  check_times(parameters, root);
}

}  // namespace freshet::config
