// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "freshet/parallel/sparse_exchange.hpp"
#include "freshet/particles/locate.hpp"
#include "freshet/particles/seeding.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace freshet {
namespace {

/// A given particle as its owner receives it.
struct PlacedParticle {
  BlockKey key;
  ParticleId id;
  std::array<ParticleReal, 3> position;  ///< relative to its block [cells]
  std::array<ParticleReal, 3> velocity;  ///< [m/s]
  std::uint8_t tag;
};

bool inside_any(const std::vector<std::shared_ptr<const Shape>>& shapes, const Vec3& x) {
  return std::any_of(shapes.begin(), shapes.end(), [&](const auto& shape) { return shape->signed_distance(x) <= 0.0; });
}

std::array<ParticleReal, 3> to_real(const Vec3& v) {
  return {static_cast<ParticleReal>(v.x()), static_cast<ParticleReal>(v.y()), static_cast<ParticleReal>(v.z())};
}

/// The id of this rank's first given particle: it follows all ids in the stores and those of lower ranks. Collective
ParticleId first_free_id(const Communicator& comm, const GivenParticles& given, const ParticleStore& particles) {
  const ParticleId* const id = particles.id();
  GlobalIndex after = 0;
  for (ParticleIndex p = 0; p < particles.size(); ++p) after = std::max(after, static_cast<GlobalIndex>(id[p]) + 1);
  return static_cast<ParticleId>(comm.max(after) + comm.exclusive_sum(static_cast<GlobalIndex>(given.position.size())));
}

/// Append particles to the store, which may already hold particles with valid homes.
void append(const std::vector<PlacedParticle>& placed, ParticleStore& particles) {
  std::vector<BlockKey>& home_keys = particles.home_keys();
  std::unordered_map<BlockKey, LocalIndex> home_of;
  for (const BlockKey key : home_keys) home_of.emplace(key, static_cast<LocalIndex>(home_of.size()));
  auto p = static_cast<std::size_t>(particles.size());
  particles.resize(particles.size() + static_cast<ParticleIndex>(placed.size()));
  particles.home().resize(static_cast<std::size_t>(particles.size()));
  for (const PlacedParticle& particle : placed) {
    const auto [home, is_new] = home_of.emplace(particle.key, static_cast<LocalIndex>(home_keys.size()));
    if (is_new) home_keys.push_back(particle.key);
    std::copy_n(particle.position.begin(), 3, particles.position() + 3 * p);
    std::copy_n(particle.velocity.begin(), 3, particles.velocity() + 3 * p);
    particles.id()[p] = particle.id;
    particles.tag()[p] = particle.tag;
    particles.home()[p++] = home->second;
  }
}

}  // namespace

PlacementReport place_particles(const Communicator& comm, const Domain& domain, const GivenParticles& given,
                                const std::vector<std::shared_ptr<const Shape>>& solids, const Splitters& splitters,
                                ParticleStore& particles) {
  const std::size_t n = given.position.size();
  FRESHET_EXPECT(given.velocity.size() == n && (given.ids.empty() || given.ids.size() == n));
  FRESHET_EXPECT(given.tags.empty() || given.tags.size() == n);
  FRESHET_EXPECT(particles.home().size() == static_cast<std::size_t>(particles.size()));
  const ParticleId first_id = first_free_id(comm, given, particles);
  std::map<int, Parcel<PlacedParticle>> by_owner;
  PlacementReport report;
  for (std::size_t m = 0; m < n; ++m) {
    PlacedParticle particle{};
    Vec3 x = given.position[m];
    const std::optional<Place> place = locate(domain, x);
    if (!place) {
      ++report.outside_domain;
    } else if (inside_any(solids, x)) {
      ++report.inside_solid;
    } else {
      particle.key = place->key;
      particle.position = place->position;
      particle.id = given.ids.empty() ? first_id + m : given.ids[m];
      particle.velocity = to_real(given.velocity[m]);
      particle.tag = given.tags.empty() ? std::uint8_t{0} : given.tags[m];
      const int owner = splitters.owner(particle.key);
      by_owner[owner].rank = owner;
      by_owner[owner].items.push_back(particle);
      ++report.placed;
    }
  }
  std::vector<Parcel<PlacedParticle>> outgoing;
  for (auto& [owner, parcel] : by_owner)
    if (owner != comm.rank()) outgoing.push_back(std::move(parcel));
  append(by_owner[comm.rank()].items, particles);
  for (const Parcel<PlacedParticle>& parcel : exchange(comm, outgoing)) append(parcel.items, particles);
  particles.forget_order();
  return {comm.sum(report.placed), comm.sum(report.outside_domain), comm.sum(report.inside_solid)};
}

}  // namespace freshet
