// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/edit.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace freshet {
namespace {

constexpr std::size_t n_kept_attributes = 4;  ///< position, velocity, id, tag

/// A run of adjacent particles that stay, from index `from`, and the new index `to` of its first particle.
struct Run {
  std::size_t from, to, n;
};

/// The runs that move, which are those after the first gap.
std::vector<Run> runs_behind_gaps(std::span<const std::uint8_t> remove) {
  std::vector<Run> runs;
  const auto gap = std::find_if(remove.begin(), remove.end(), [](std::uint8_t mark) { return mark != 0; });
  auto to = static_cast<std::size_t>(gap - remove.begin());
  for (std::size_t p = to; p < remove.size(); ++p) {
    if (remove[p] != 0) continue;
    if (runs.empty() || runs.back().from + runs.back().n != p) runs.push_back({p, to, 0});
    ++runs.back().n;
    ++to;
  }
  return runs;
}

[[maybe_unused]] bool ascend_by_key(std::span<const NewParticle> added, const std::vector<BlockKey>& keys) {
  return std::is_sorted(added.begin(), added.end(), [&](const NewParticle& a, const NewParticle& b) {
    return keys[static_cast<std::size_t>(a.home)] < keys[static_cast<std::size_t>(b.home)];
  });
}

/// Copy the arrays other than the first four from particle `like` to particle p.
void copy_arrays(ParticleStore& particles, std::size_t p, std::size_t like) {
  for (std::size_t a = n_kept_attributes; a < particles.attributes().size(); ++a) {
    Attribute& attribute = particles.attributes()[a];
    std::memcpy(attribute.values.data() + attribute.stride * p, attribute.values.data() + attribute.stride * like,
                attribute.stride);
  }
}

}  // namespace

void open_for_edits(ParticleStore& particles, const BlockLayout& layout) {
  FRESHET_EXPECT(particles.block_begin().size() == static_cast<std::size_t>(layout.n_owned()) + 1);
  particles.home_keys().assign(layout.owned_keys().begin(), layout.owned_keys().end());
  particles.home().resize(static_cast<std::size_t>(particles.size()));
  LocalIndex* const home = particles.home().data();
  const std::vector<ParticleIndex>& begin = particles.block_begin();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const auto block = static_cast<std::size_t>(b);
    std::fill(home + begin[block], home + begin[block + 1], b);
  });
}

void remove_particles(ParticleStore& particles, std::span<const std::uint8_t> remove) {
  FRESHET_EXPECT(remove.size() == static_cast<std::size_t>(particles.size()));
  FRESHET_EXPECT(particles.home().size() == remove.size());
  const auto n_removed = std::count_if(remove.begin(), remove.end(), [](std::uint8_t mark) { return mark != 0; });
  if (n_removed > 0) {
    const std::vector<Run> runs = runs_behind_gaps(remove);
    parallel_for_blocks(static_cast<LocalIndex>(particles.attributes().size()), [&](LocalIndex a) {
      const Attribute& attribute = particles.attributes()[static_cast<std::size_t>(a)];
      std::byte* const values = particles.attributes()[static_cast<std::size_t>(a)].values.data();
      for (const Run& run : runs)
        std::memmove(values + attribute.stride * run.to, values + attribute.stride * run.from,
                     attribute.stride * run.n);
    });
    LocalIndex* const home = particles.home().data();
    for (const Run& run : runs) std::copy_n(home + run.from, run.n, home + run.to);
  }
  particles.resize(particles.size() - n_removed);
  particles.home().resize(static_cast<std::size_t>(particles.size()));
  particles.forget_order();
}

GlobalIndex append_particles(const Communicator& comm, ParticleStore& particles, std::span<const NewParticle> added,
                             ParticleId first_id) {
  FRESHET_EXPECT(particles.home().size() == static_cast<std::size_t>(particles.size()));
  FRESHET_EXPECT(ascend_by_key(added, particles.home_keys()));
  const auto n_added = static_cast<GlobalIndex>(added.size());
  const auto before = static_cast<ParticleId>(comm.exclusive_sum(n_added));
  const auto n_old = static_cast<std::size_t>(particles.size());
  particles.resize(particles.size() + n_added);
  particles.home().resize(static_cast<std::size_t>(particles.size()));
  particles.forget_order();
  for (std::size_t m = 0; m < added.size(); ++m) {
    const NewParticle& particle = added[m];
    const std::size_t p = n_old + m;
    std::copy_n(particle.position, 3, particles.position() + 3 * p);
    std::copy_n(particle.velocity, 3, particles.velocity() + 3 * p);
    particles.id()[p] = first_id + before + m;
    particles.tag()[p] = particle.tag;
    particles.home()[p] = particle.home;
    FRESHET_EXPECT(particle.like < static_cast<ParticleIndex>(n_old));
    if (particle.like >= 0) copy_arrays(particles, p, static_cast<std::size_t>(particle.like));
  }
  return comm.sum(n_added);
}

}  // namespace freshet
