// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/migration.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/parallel/sparse_exchange.hpp"
#include "route.hpp"
#include "strides.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace freshet {
namespace {

constexpr ParticleIndex moves_worth_threads = 4096;  ///< fewer particles are copied faster than threads start

/// A message holds the block keys of its n particles, then the n values of each attribute.
Message pack(const ParticleStore& particles, std::span<const Routes::Leaver> leavers) {
  const std::size_t n = leavers.size();
  Message message{leavers.front().rank,
                  std::vector<std::byte>(n * (sizeof(BlockKey) + particles.bytes_per_particle()))};
  std::byte* target = message.bytes.data();
  for (std::size_t m = 0; m < n; ++m) std::memcpy(target + sizeof(BlockKey) * m, &leavers[m].key, sizeof(BlockKey));
  target += sizeof(BlockKey) * n;
  for (const Attribute& attribute : particles.attributes()) {
    const std::byte* const values = attribute.values.data();
    with_stride(attribute.stride, [&](auto stride) {
      for (std::size_t m = 0; m < n; ++m)
        std::memcpy(target + stride * m, values + stride * static_cast<std::size_t>(leavers[m].particle), stride);
    });
    target += attribute.stride * n;
  }
  return message;
}

/// Send leavers to their new ranks. \return the messages received, in order of rank
std::vector<Message> send_leavers(const Communicator& comm, const ParticleStore& particles,
                                  std::vector<Routes::Leaver> leavers) {
  std::sort(leavers.begin(), leavers.end(), [](const Routes::Leaver& a, const Routes::Leaver& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.particle < b.particle;
  });
  std::vector<Message> outgoing;
  for (auto first = leavers.begin(); first != leavers.end();) {
    const auto last =
        std::find_if(first, leavers.end(), [&](const auto& leaver) { return leaver.rank != first->rank; });
    outgoing.push_back(pack(particles, {first, last}));
    first = last;
  }
  return exchange(comm, outgoing);
}

std::size_t n_particles(const Message& message, const ParticleStore& particles) {
  return message.bytes.size() / (sizeof(BlockKey) + particles.bytes_per_particle());
}

std::vector<BlockKey> keys_of(const std::vector<Message>& messages, const ParticleStore& particles) {
  std::vector<BlockKey> keys;
  for (const Message& message : messages) {
    const std::size_t before = keys.size();
    keys.resize(before + n_particles(message, particles));
    std::memcpy(keys.data() + before, message.bytes.data(), sizeof(BlockKey) * (keys.size() - before));
  }
  return keys;
}

/// Whether a key differs from the key before it: particles that leave a block together often go to the same block.
bool begins_run(const std::vector<BlockKey>& keys, std::size_t m) {
  return m == 0 || keys[m] != keys[m - 1];
}

/// Set home_keys to the layout's owned keys followed, in ascending order, by keys of blocks that do not exist yet.
void list_home_keys(ParticleStore& particles, const BlockLayout& layout, const std::vector<Routes::NewHome>& new_homes,
                    const std::vector<BlockKey>& incoming) {
  std::vector<BlockKey> extra;
  for (const Routes::NewHome& new_home : new_homes) extra.push_back(new_home.key);
  for (std::size_t m = 0; m < incoming.size(); ++m)
    if (begins_run(incoming, m) && layout.find_owned(incoming[m]) == layout.background()) extra.push_back(incoming[m]);
  std::sort(extra.begin(), extra.end());
  extra.erase(std::unique(extra.begin(), extra.end()), extra.end());
  std::vector<BlockKey>& home_keys = particles.home_keys();
  home_keys.assign(layout.owned_keys().begin(), layout.owned_keys().end());
  home_keys.insert(home_keys.end(), extra.begin(), extra.end());
}

LocalIndex home_of(const std::vector<BlockKey>& home_keys, const BlockLayout& layout, BlockKey key) {
  const LocalIndex block = layout.find_owned(key);
  if (block != layout.background()) return block;
  const auto found = std::lower_bound(home_keys.begin() + layout.n_owned(), home_keys.end(), key);
  return static_cast<LocalIndex>(found - home_keys.begin());
}

/// Fill the gaps of removed particles with the last particles. The cost grows with the gaps; a sort follows anyway.
void close_gaps(ParticleStore& particles, const std::vector<ParticleIndex>& removed) {
  struct Move {
    ParticleIndex from, to;
  };
  const ParticleIndex n_left = particles.size() - static_cast<ParticleIndex>(removed.size());
  const auto removed_tail = std::lower_bound(removed.begin(), removed.end(), n_left);
  std::vector<Move> moves;
  moves.reserve(static_cast<std::size_t>(removed_tail - removed.begin()));
  auto gap = removed.begin();
  auto skipped = removed_tail;
  for (ParticleIndex p = n_left; p < particles.size(); ++p) {
    if (skipped != removed.end() && *skipped == p) {
      ++skipped;
    } else {
      moves.push_back({p, *gap++});
    }
  }
  const auto n_moves = static_cast<ParticleIndex>(moves.size());
  for (Attribute& attribute : particles.attributes()) {
    std::byte* const values = attribute.values.data();
    with_stride(attribute.stride, [&](auto stride) {
#pragma omp parallel for schedule(static) if (n_moves > moves_worth_threads)
      for (ParticleIndex m = 0; m < n_moves; ++m)
        std::memcpy(values + stride * static_cast<std::size_t>(moves[m].to),
                    values + stride * static_cast<std::size_t>(moves[m].from), stride);
    });
  }
  for (const Move& move : moves) particles.home()[move.to] = particles.home()[move.from];
}

/// Append incoming particles to the n_left particles of this rank.
void append(ParticleStore& particles, ParticleIndex n_left, const std::vector<Message>& incoming,
            const std::vector<BlockKey>& keys, const BlockLayout& layout) {
  const ParticleIndex n = n_left + static_cast<ParticleIndex>(keys.size());
  particles.resize(n);
  particles.home().resize(static_cast<std::size_t>(n));
  LocalIndex home = 0;
  for (std::size_t m = 0; m < keys.size(); ++m) {
    if (begins_run(keys, m)) home = home_of(particles.home_keys(), layout, keys[m]);
    particles.home()[static_cast<std::size_t>(n_left) + m] = home;
  }
  auto place = static_cast<std::size_t>(n_left);
  for (const Message& message : incoming) {
    const std::size_t n_here = n_particles(message, particles);
    const std::byte* source = message.bytes.data() + sizeof(BlockKey) * n_here;
    for (Attribute& attribute : particles.attributes()) {
      std::memcpy(attribute.values.data() + attribute.stride * place, source, attribute.stride * n_here);
      source += attribute.stride * n_here;
    }
    place += n_here;
  }
}

}  // namespace

MigrationReport migrate_here(ParticleStore& particles, const BlockLayout& layout, const Splitters& splitters) {
  FRESHET_EXPECT(splitters.n_ranks() == layout.splitters().n_ranks());
  const Routes routes = route_particles(particles, layout, splitters);
  const auto n_leavers = static_cast<GlobalIndex>(routes.leavers.size());
  const auto n_removed = static_cast<GlobalIndex>(routes.removed.size());
  const auto n_lost = static_cast<GlobalIndex>(routes.lost.size());
  MigrationReport report;
  report.lost_here.reserve(routes.lost.size());
  for (const ParticleIndex p : routes.lost) report.lost_here.push_back(particles.id()[p]);
  const std::vector<Message> incoming = send_leavers(layout.comm(), particles, routes.leavers);
  const std::vector<BlockKey> incoming_keys = keys_of(incoming, particles);
  list_home_keys(particles, layout, routes.new_homes, incoming_keys);
  for (const Routes::NewHome& new_home : routes.new_homes)
    particles.home()[new_home.particle] = home_of(particles.home_keys(), layout, new_home.key);
  close_gaps(particles, routes.removed);
  append(particles, particles.size() - n_removed, incoming, incoming_keys, layout);
  particles.forget_order();
  report.moved_rank = n_leavers;
  report.left_domain = n_removed - n_leavers - n_lost;
  report.total = particles.size();
  report.lost = n_lost;
  return report;
}

MigrationReport migrate(ParticleStore& particles, const BlockLayout& layout, const Splitters& splitters) {
  MigrationReport report = migrate_here(particles, layout, splitters);
  Reduction reduction;
  report.add_to(reduction);
  reduction.reduce(layout.comm());
  return report;
}

void MigrationReport::add_to(Reduction& reduction) {
  for (GlobalIndex* number : {&moved_rank, &left_domain, &total, &lost}) reduction.sum(*number);
}

}  // namespace freshet
