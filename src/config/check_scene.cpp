// SPDX-License-Identifier: Apache-2.0
// Checks of liquids, solids, sources, sinks and attributes of particles.
#include "check.hpp"
#include "freshet/geometry/wave_maker.hpp"

#include <fmt/format.h>

#include <cmath>

namespace freshet::config {
namespace {

using keys::number_text;

/// Check that numbers of particles fit in 64-bit integers, and speeds in the particles' type.
void check_amount(const Parameters& p, const SourceParameters& source, const Table& table) {
  constexpr double fastest = 1e30;  // [m/s], as for liquids
  constexpr double most = 1e15;     // number of particles
  const double volume = std::pow(p.domain.cell_size, 3) / std::pow(p.particles.per_axis, p.domain.dimension);
  table.require(source.rate * p.run.end_time / volume <= most, "rate",
                "= " + number_text(source.rate) + " makes too many particles",
                fmt::format("more than {:.0e} until run.end_time", most), "Give a rate in m^3/s");
  table.require(std::sqrt(2.0 * source.pressure / p.fluid.density) <= fastest, "pressure", "is too high",
                "the speed is beyond the particles' 32-bit numbers", "Give a pressure in Pa");
}

}  // namespace

void check_scene(const Parameters& p, const Table& table) {
  table.require(!p.liquids.empty() || !p.sources.empty(), "liquid", "is missing",
                "without it and without a source there is nothing to simulate", "Add a [[liquid]] or a [[source]]");
  for (std::size_t i = 0; i < p.sources.size(); ++i) {
    const SourceParameters& source = p.sources[i];
    const Table entry = table.entry("source", i);
    check_source(source, entry);
    check_amount(p, source, entry);
  }
  for (std::size_t i = 0; i < p.solids.size(); ++i) {
    const WaveMaker::Flaw flaw = WaveMaker::flaw_of(p.solids[i].motion.wave, p.fluid.gravity, p.domain.dimension);
    table.entry("solid", i).require(flaw.problem.empty(), "wave." + flaw.key, flaw.problem, flaw.why, flaw.remedy);
  }
  for (std::size_t i = 0; i < p.sinks.size(); ++i) check_schedule(p.sinks[i].schedule, table.entry("sink", i));
  check_attributes(p.attributes, table);
}

}  // namespace freshet::config
