// SPDX-License-Identifier: Apache-2.0
// Checks of values that are legal alone but whose products or quotients overflow or underflow.
#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace freshet::config {
namespace {

using keys::number_text;

/// Check that ids of particles and numbers of cells fit in 64-bit integers with a sign.
void check_counts(const Parameters& p, const Table& table) {
  const double cells = p.domain.cells.cast<double>().prod();
  const double particles = cells * std::pow(p.particles.per_axis, p.domain.dimension);
  table.require(particles < std::ldexp(1.0, 63), "domain.cells",
                fmt::format("full of liquid would hold {:.3g} particles", particles),
                "their ids are integers below 2^63", "Take fewer cells, or a smaller particles.per_axis");
}

/// Check the cube of the cell size, masses, and the scale of pressure: time over density and cell size.
void check_scales(const Parameters& p, const Table& table) {
  const double dx = p.domain.cell_size;
  const double mass = p.fluid.density * dx * dx * dx;
  const double per_cell = std::pow(p.particles.per_axis, p.domain.dimension);
  if (!std::isnormal(dx * dx * dx) || !std::isnormal(mass / per_cell) ||
      !std::isnormal(mass * p.domain.cells.cast<double>().prod()))
    table.refuse("domain.cell_size",
                 fmt::format("a cell of {} m and a density of {} kg/m^3 give masses beyond 64-bit numbers",
                             number_text(dx), number_text(p.fluid.density)),
                 "a particle's share of a cell and the full domain must both be finite and not 0",
                 "Change domain.cell_size or fluid.density");
  const double scale = p.run.end_time / (p.fluid.density * dx);
  table.require(std::isnormal(scale) && std::isnormal(1.0 / scale), "run.end_time",
                "= " + number_text(p.run.end_time) + " is beyond what the pressure solve can scale",
                "divided by density and cell size it is beyond 64-bit numbers", "Change run.end_time");
}

void check_energies(const Parameters& p, const Table& table) {
  const double dx = p.domain.cell_size;
  const Vec3 extent = p.domain.cells.cast<double>() * dx;
  const double farthest = p.domain.origin.cwiseAbs().maxCoeff() + extent.maxCoeff();
  double u = 0.0;
  for (const LiquidParameters& liquid : p.liquids) u = std::max(u, liquid.velocity.norm());
  const double g = p.fluid.gravity.norm();
  const double mass = p.fluid.density * dx * dx * dx * p.domain.cells.cast<double>().prod();
  const double energy = mass * (0.5 * u * u + g * farthest);
  if (std::isfinite(energy) && std::isfinite(u * u + 4.0 * g * p.time.cfl * dx)) return;
  table.refuse("domain.cell_size", "the energy of the full domain is beyond 64-bit numbers",
               "it grows with mass, gravity, coordinates and squares of velocities", "Give all of them in SI units");
}

/// Check that outputs can be counted, and that no step is lost in the rounding of the time.
void check_times(const Parameters& p, const Table& table) {
  constexpr double most = std::numeric_limits<int>::max();
  const auto check_interval = [&](const char* key, double interval) {
    table.require(interval == 0.0 || p.run.end_time / interval <= most, key,
                  fmt::format("= {} asks for more than {:.0f} files", number_text(interval), most),
                  "run.end_time is " + number_text(p.run.end_time) + " s", "Choose a longer interval");
  };
  check_interval("output.interval", p.output.interval);
  check_interval("checkpoint.interval", p.checkpoint.interval);
  check_interval("output.surface.interval", p.surface.interval);
  const double spacing = p.run.end_time * std::numeric_limits<double>::epsilon();
  table.require(p.time.max_dt == 0.0 || p.time.max_dt > spacing, "time.max_dt",
                "= " + number_text(p.time.max_dt) + " never reaches 'run.end_time'",
                "added to " + number_text(p.run.end_time) + " s it is lost in rounding",
                "Raise max_dt, or lower end_time");
}

}  // namespace

void check_amounts(const Parameters& p, const Table& table) {
  check_counts(p, table);
  check_scales(p, table);
}

void check_extremes(const Parameters& p, const Table& table) {
  check_energies(p, table);
  check_times(p, table);
}

}  // namespace freshet::config
