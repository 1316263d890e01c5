// SPDX-License-Identifier: Apache-2.0
#include "particle_selection.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/counter_random.hpp"
#include "freshet/core/parallel_for.hpp"
#include "records.hpp"

#include <cstring>

namespace freshet {
namespace {

constexpr std::uint64_t seed_of_share = 0x736e6170;  // any number that seeds no other random choice

/// Decides for each particle whether it is chosen.
class Chooser {
 public:
  Chooser(const ParticleStore& particles, const BlockLayout& layout, const OutputOptions& options)
      : particles_(particles),
        layout_(layout),
        share_(options.particle_share),
        random_(seed_of_share, Vec3i::Zero()),
        has_box_(is_box(options.particle_lower, options.particle_upper, layout.domain().dimension())),
        lower_(options.particle_lower),
        upper_(options.particle_upper) {
    const CellBox cells = mesh_in_box(layout, lower_, upper_).cells;
    for (int d = 0; d < 3; ++d) {
      if (lower_[d] != upper_[d]) continue;
      lower_[d] = place_of(d, cells.lower[d]);
      upper_[d] = place_of(d, cells.upper[d]);
    }
  }

  bool chooses(LocalIndex block, ParticleIndex p) const {
    if (share_ < 1.0 && random_.uniform(particles_.id()[p]) >= share_) return false;
    if (!has_box_) return true;
    const Vec3i corner = layout_.first_cell(block);
    for (int d = 0; d < layout_.domain().dimension(); ++d) {
      const double x = place_of(d, corner[d] + static_cast<double>(particles_.position()[3 * p + d]));
      if (!(x >= lower_[d] && x <= upper_[d])) return false;
    }
    return true;
  }

 private:
  /// Position along axis d. \param[in] cells  distance from the domain's low corner [cells]. \return [m]
  double place_of(int d, double cells) const { return layout_.domain().origin()[d] + layout_.domain().dx() * cells; }

  const ParticleStore& particles_;
  const BlockLayout& layout_;
  double share_;
  CellRandom random_;
  bool has_box_;
  Vec3 lower_, upper_;  ///< corners of the box [m]
};

}  // namespace

bool leaves_particles_out(const OutputOptions& options, int dimension) {
  return options.particle_share < 1.0 || is_box(options.particle_lower, options.particle_upper, dimension);
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
