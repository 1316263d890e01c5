// SPDX-License-Identifier: Apache-2.0
#include "particle_selection.hpp"

#include "../core/counter_random.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"

#include <cstring>

namespace freshet {
namespace {

constexpr std::uint64_t seed_of_share = 0x736e6170;  // any number that no other random choice is seeded with

/// Says of each particle whether it is chosen.
class Chooser {
 public:
  Chooser(const ParticleStore& particles, const BlockLayout& layout, const OutputOptions& options)
      : particles_(particles),
        layout_(layout),
        options_(options),
        random_(seed_of_share, Vec3i::Zero()),
        has_box_(options.particle_lower != options.particle_upper) {}

  bool chooses(LocalIndex block, ParticleIndex p) const {
    if (options_.particle_share < 1.0 && random_.uniform(particles_.id()[p]) >= options_.particle_share) return false;
    if (!has_box_) return true;
    const Domain& domain = layout_.domain();
    const Vec3i corner = layout_.first_cell(block);
    for (int d = 0; d < domain.dimension(); ++d) {
      const double x =
          domain.origin()[d] + domain.dx() * (corner[d] + static_cast<double>(particles_.position()[3 * p + d]));
      if (!(x >= options_.particle_lower[d] && x <= options_.particle_upper[d])) return false;
    }
    return true;
  }

 private:
  const ParticleStore& particles_;
  const BlockLayout& layout_;
  const OutputOptions& options_;
  CellRandom random_;
  bool has_box_;
};

}  // namespace

bool leaves_particles_out(const OutputOptions& options) {
  return options.particle_share < 1.0 || options.particle_lower != options.particle_upper;
}

ParticleStore selected_particles(const ParticleStore& particles, const BlockLayout& layout,
                                 const OutputOptions& options) {
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  const Chooser chooser(particles, layout, options);
  const std::vector<ParticleIndex>& begin = particles.block_begin();
  ParticleStore chosen;
  for (const Attribute& attribute : particles.attributes())
    if (!chosen.has_attribute(attribute.name))
      chosen.add_attribute(attribute.name, attribute.type, attribute.width, attribute.initial.data());
  std::vector<ParticleIndex>& chosen_begin = chosen.block_begin();
  chosen_begin.assign(begin.size(), 0);
  const auto for_each_chosen = [&](LocalIndex b, auto&& use) {
    const auto block = static_cast<std::size_t>(b);
    for (ParticleIndex p = begin[block]; p < begin[block + 1]; ++p)
      if (chooser.chooses(b, p)) use(p);
  };
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    for_each_chosen(b, [&](ParticleIndex) { ++chosen_begin[static_cast<std::size_t>(b) + 1]; });
  });
  for (std::size_t b = 1; b < chosen_begin.size(); ++b) chosen_begin[b] += chosen_begin[b - 1];
  const std::vector<ParticleIndex> places = chosen_begin;
  chosen.resize(chosen_begin.back());
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    ParticleIndex to = places[static_cast<std::size_t>(b)];
    for_each_chosen(b, [&](ParticleIndex from) {
      for (std::size_t a = 0; a < particles.attributes().size(); ++a) {
        const Attribute& source = particles.attributes()[a];
        std::memcpy(chosen.attributes()[a].values.data() + source.stride * static_cast<std::size_t>(to),
                    source.values.data() + source.stride * static_cast<std::size_t>(from), source.stride);
      }
      ++to;
    });
  });
  chosen.block_begin() = places;
  return chosen;
}

}  // namespace freshet
