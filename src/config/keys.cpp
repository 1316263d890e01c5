// SPDX-License-Identifier: Apache-2.0
#include "keys.hpp"

#include "freshet/keys/slots.hpp"
#include "freshet/pressure/preconditioners.hpp"

#include <string>
#include <utility>
#include <vector>

namespace freshet::config {
namespace {

/// Names of the preconditioners with which pressures have the same bits on any number of ranks: "a, b and c".
std::string rank_independent_preconditioners() {
  std::vector<std::string> names;
  for (const PreconditionerRow& row : preconditioners())
    if (row.agreement == RankAgreement::same_bits) names.emplace_back(row.name);
  const std::string last = names.back();
  names.pop_back();
  return keys::joined(names) + " and " + last;
}

keys::Keys keys_of(Parameters::Run& run) {
  using namespace keys;
  constexpr std::int64_t most_steps = 1'000'000'000'000'000;  // the sum of two is far below the largest integer
  Keys rows = changeable({
      {"end_time", number(run.end_time, above(0.0)), "s", "Simulated time at which the run ends.", required},
      {"max_steps", number(run.max_steps, {0, most_steps}), "", "The run stops after this many steps; 0: no limit."},
      {"max_wall_time", number(run.max_wall_time, at_least(0.0)), "s",
       "The run stops in good order after this much wall-clock time; 0: no limit."},
      {"reproducible", flag(run.reproducible), "",
       "Order the particles of a cell by id. A run then has the same bits on any number of ranks and threads, "
       "with the preconditioners " +
           rank_independent_preconditioners() + "."},
  });
  rows.push_back({"seed", number(run.seed, at_least<std::int64_t>(0)), "", "Seed of all random numbers."});
  return rows;
}

keys::Keys keys_of(Parameters::Time& time) {
  using namespace keys;
  return changeable({
      {"splitting", choice(time.splitting, {"first_order", "strang", "reflection", "auto"}), "",
       "How a step is split into acceleration and motion. first_order: both take dt, one after the other. strang: "
       "velocities are half a step behind positions, so that both are of second order in time where forces and "
       "pressure depend on positions only. reflection: as strang, in pairs of steps, in whose first one particles "
       "get the change of the second in advance (Zehnder, Narain & Thomaszewski 2018): at the same cost swirling "
       "liquid loses less than a third of the energy that it loses with the others. After odd steps, particles have "
       "the velocities of half a step ahead. auto: strang for wave makers and tanks that move, else first_order."},
      {"cfl", number(time.cfl, {0.1, 5.0}), "cells",
       "Displacement of the fastest particle for which the time step is chosen. A step in which anything would move "
       "more than 1.5 times as far is begun again with a smaller dt."},
      {"capillary", number(time.capillary, above(0.0, 4.0)), "",
       "With surface tension, the longest step as a multiple of sqrt(density cell_size^3 / (2 pi surface_tension)), in "
       "which a wave as short as two cells moves by 0.7 cells. Longer steps hold with method flip, as such waves "
       "have little tension; with apic they do not."},
      {"max_dt", number(time.max_dt, at_least(0.0)), "s", "Longest step; 0: no limit."},
      {"min_dt", number(time.min_dt, above(0.0)), "s", "A step shorter than this stops the run."},
      {"runaway_cfl", number(time.runaway_cfl, {6.0, 1e6}), "cells",
       "A step that would move anything farther than this is not taken: it is begun again with a smaller dt, or the "
       "run stops."},
      {"max_retries", number(time.max_retries, {0, 30}), "",
       "How often a step that fails, or that would move anything too far, is begun again with a smaller dt. A step "
       "that is too long even then is taken with a warning, up to runaway_cfl."},
  });
}

/// The lists of which a case is made.
keys::Keys list_keys(Parameters& p) {
  using namespace keys;
  Keys rows = {
      {"liquid", tables(p.liquids), "",
       "A body of liquid at the start. Where bodies overlap, the first one holds. A case has at least one "
       "liquid or source."},
      {"solid", tables(p.solids), "", "An obstacle, at rest or moving as its keys say."},
      {"joint", tables(p.joints), "",
       "A joint between two bodies that the liquid moves, or between one and the ground."},
      {"mooring", tables(p.moorings), "", "A line between a fixed point and a body that the liquid moves."},
      {"source", tables(p.sources), "", "A region that emits liquid."},
      {"sink", tables(p.sinks), "", "A region that absorbs liquid."},
      {"attribute", tables(p.attributes), "", "A named number or vector that every particle carries."},
  };
  rows.push_back({"gauge", tables(p.gauges), "", "An instrument that writes numbers of steps to gauges/NAME.csv."});
  rows.back().change = at_restart;
  return rows;
}

}  // namespace

keys::Keys keys_of(Parameters& p) {
  using namespace keys;
  Keys rows = changeable({
      {"title", line(p.title), "", "Title of the case, a few words."},
      {"reference", line(p.reference), "", "Publication or experiment from which the case is taken."},
  });
  const auto add = [&rows](const std::string& table, Keys more) { append(rows, in_table(table, std::move(more))); };
  add("run", keys_of(p.run));
  add("domain", keys_of(p.domain));
  add("fluid", keys_of(p.fluid));
  append(rows, freshet::keys_of(p.forces));
  add("particles", keys_of(p.particles));
  add("particles", keys_of(p.particles.narrow_band));
  add("transfer", keys_of(p.transfer));
  add("extrapolation", keys_of(p.extrapolation));
  add("time", keys_of(p.time));
  add("motion", keys_of(p.motion));
  add("frame", keys_of(p.frame));
  add("particles.reseeding", keys_of(p.particles.reseeding));
  add("particles.distribution", keys_of(p.particles.distribution));
  add("labels", keys_of(p.labels));
  add("pressure", keys_of(p.pressure));
  add("air", keys_of(p.air));
  add("viscosity", keys_of(p.viscosity));
  add("turbulence", keys_of(p.turbulence));
  add("density", keys_of(p.density));
  add("balance", keys_of(p.balance));
  add("output", keys_of(p.output));
  add("checkpoint", keys_of(p.checkpoint));
  add("output.surface", keys_of(p.surface));
  append(rows, list_keys(p));
  return rows;
}

}  // namespace freshet::config
