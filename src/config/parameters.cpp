// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/parameters.hpp"

#include <algorithm>

namespace freshet {

SampleLattice shape_lattice(const DomainOptions& domain) {
  return {domain.origin, domain.cell_size, domain.dimension};
}

SeedingOptions seeding_options(const Parameters& parameters) {
  return {parameters.particles, static_cast<std::uint64_t>(parameters.run.seed), parameters.balance};
}

SourceOptions source_options(const Parameters& parameters) {
  return {parameters.particles.per_axis, static_cast<std::uint64_t>(parameters.run.seed), parameters.fluid.density};
}

bool has_color(const Parameters& parameters) {
  const auto is_colored = [](const auto& element) { return !element.color.empty(); };
  return std::any_of(parameters.liquids.begin(), parameters.liquids.end(), is_colored) ||
         std::any_of(parameters.sources.begin(), parameters.sources.end(), is_colored);
}

}  // namespace freshet
