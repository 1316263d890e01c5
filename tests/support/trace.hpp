// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/simulation.hpp"
#include "freshet/driver/step_numbers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What a run leaves behind, as lines of text that any different bit changes.
namespace freshet::test {

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {  // a step of SplitMix64
  hash = (hash ^ value) + 0x9e3779b97f4a7c15U;
  hash = (hash ^ hash >> 30U) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ hash >> 27U) * 0x94d049bb133111ebU;
  return hash ^ hash >> 31U;
}

inline std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// Names of the numbers of a step that tell of blocks, ranks and the machine.
inline bool is_of_the_machine(std::string_view name) {
  constexpr std::string_view names[] = {"moved_rank", "blocks", "imbalance", "memory", "seconds"};
  return std::ranges::find(names, name) != std::end(names);
}

/// Sum of hashes over all particles, of all their numbers and their blocks: order plays no part. Collective
inline std::uint64_t hash_of_particles(const Simulation& simulation) {
  const BlockLayout& layout = simulation.layout();
  const ParticleStore& particles = simulation.particles();
  std::uint64_t sum = 0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      std::uint64_t hash = layout.key(b);
      for (const Attribute& attribute : particles.attributes()) {
        const std::byte* const values = attribute.values.data() + static_cast<std::size_t>(p) * attribute.stride;
        for (std::size_t n = 0; n < attribute.stride; ++n) hash = mix(hash, static_cast<std::uint64_t>(values[n]));
      }
      sum += hash;
    }
  return static_cast<std::uint64_t>(layout.comm().sum(static_cast<GlobalIndex>(sum)));
}

/// Likewise over the cells whose pressure is not 0. Collective
inline std::uint64_t hash_of_pressure(const Simulation& simulation) {
  const BlockLayout& layout = simulation.layout();
  std::uint64_t sum = 0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      const double pressure = simulation.pressure().block(b)[c];
      if (pressure != 0.0) sum += mix(mix(layout.key(b), static_cast<std::uint64_t>(c)), bits_of(pressure));
    }
  return static_cast<std::uint64_t>(layout.comm().sum(static_cast<GlobalIndex>(sum)));
}

using Trace = std::vector<std::string>;

/// A line for each number of the last step and of the gauges, and for particles and pressure. Collective
inline void add_to(Trace& trace, const Simulation& simulation, const StepReport& report) {
  const auto add = [&](std::string_view name, const auto& value) {
    trace.push_back(fmt::format("step {}: {} = {}", report.step, name, value));
  };
  for (const StepNumber& number : step_numbers())
    if (!is_of_the_machine(number.name)) add(number.name, text_of(number, report));
  for (std::size_t n = 0; n < simulation.gauges().size(); ++n)
    if (simulation.gauges().has_row(n))
      for (const double value : simulation.gauges().values(n)) add(simulation.gauges().name(n), value);
  add("particles", hash_of_particles(simulation));
  add("pressure", hash_of_pressure(simulation));
}

/// The trace of so many steps of a case. Collective
inline Trace trace_of(const Communicator& comm, const Parameters& parameters, int n_steps) {
  Simulation simulation(comm, parameters);
  Trace trace;
  for (int n = 0; n < n_steps; ++n) add_to(trace, simulation, simulation.advance(simulation.largest_dt()));
  return trace;
}

/// Names the first number that differs.
inline void expect_same(const Trace& trace, const Trace& reference) {
  EXPECT_EQ(trace.size(), reference.size());
  const auto differ = std::ranges::mismatch(trace, reference);
  if (differ.in1 != trace.end() && differ.in2 != reference.end()) {
    EXPECT_EQ(*differ.in1, *differ.in2);
  }
}

}  // namespace freshet::test
