// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/seeding.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/parallel/sparse_exchange.hpp"
#include "freshet/particles/named_attributes.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "sampler.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace freshet {
namespace {

/// A block with samples.
struct SeededBlock {
  BlockKey key;
  GlobalIndex n;             ///< number of its samples
  GlobalIndex is_empty = 0;  ///< 1: no particles are made of them
  GlobalIndex made() const { return is_empty != 0 ? 0 : n; }
};

/// Bounds for one rank: more candidate blocks take minutes to sample, and sort_particles() takes no more particles.
constexpr GlobalIndex most_candidates = GlobalIndex{1} << 28;
constexpr GlobalIndex most_particles = std::numeric_limits<std::uint32_t>::max();

struct Census {
  std::vector<SeededBlock> blocks;
  GlobalIndex dropped = 0;
};

/// Count the samples in the candidate blocks begin .. end-1, numbered x fastest in their box.
Census count_stretch(const Sampler& sampler, const CellBox& candidates, GlobalIndex begin, GlobalIndex end) {
  const Vec3i size = candidates.upper - candidates.lower;
  Census census;
  std::vector<Sample> samples;
  for (GlobalIndex n = begin; n < end; ++n) {
    const GlobalIndex row = n / size.x();
    const Vec3i in_box(static_cast<int>(n % size.x()), static_cast<int>(row % size.y()),
                       static_cast<int>(row / size.y()));
    const Vec3i block = candidates.lower + in_box;
    samples.clear();
    census.dropped += sampler.sample_block(block, samples);
    if (!samples.empty()) census.blocks.push_back({morton_key(block), static_cast<GlobalIndex>(samples.size())});
  }
  return census;
}

/// Count this rank's equal share of the candidate blocks. Errors: InputError if there are too many
Census count_share(const Communicator& comm, const Sampler& sampler) {
  const CellBox candidates = sampler.candidate_blocks();
  const auto size = (candidates.upper - candidates.lower).cast<GlobalIndex>().eval();
  const GlobalIndex n = size.prod();
  if (n / comm.size() > most_candidates)
    throw InputError(
        fmt::format("the liquids' boxes span {} blocks of the grid (more than {} ranks can look through). Check "
                    "domain.cell_size and [[liquid]], or use more ranks",
                    n, comm.size()));
  const auto first_of = [](GlobalIndex count, GlobalIndex parts, GlobalIndex part) {
    return count / parts * part + count % parts * part / parts;
  };
  const GlobalIndex begin = first_of(n, comm.size(), comm.rank());
  const GlobalIndex n_here = first_of(n, comm.size(), comm.rank() + 1) - begin;
  // Blocks differ widely in cost, so there are many more chunks than threads.
  const auto n_stretches = static_cast<LocalIndex>(std::min<GlobalIndex>(n_here, 64 * omp_get_max_threads()));
  std::vector<Census> of_stretch(static_cast<std::size_t>(n_stretches));
  parallel_for_blocks(n_stretches, [&](LocalIndex s) {
    of_stretch[static_cast<std::size_t>(s)] = count_stretch(
        sampler, candidates, begin + first_of(n_here, n_stretches, s), begin + first_of(n_here, n_stretches, s + 1));
  });
  Census census;
  for (const Census& part : of_stretch) {
    census.blocks.insert(census.blocks.end(), part.blocks.begin(), part.blocks.end());
    census.dropped += part.dropped;
  }
  return census;
}

/// Send blocks to their owners. \return the blocks that this rank owns, in order of key. Collective
std::vector<SeededBlock> redistribute(const Communicator& comm, const Splitters& splitters,
                                      std::vector<SeededBlock> blocks) {
  const auto by_key = [](const SeededBlock& a, const SeededBlock& b) { return a.key < b.key; };
  std::sort(blocks.begin(), blocks.end(), by_key);
  std::vector<SeededBlock> owned;
  std::vector<Parcel<SeededBlock>> outgoing;
  for (const SeededBlock& block : blocks) {  // blocks ascend, so owners ascend too
    const int owner = splitters.owner(block.key);
    if (owner == comm.rank()) {
      owned.push_back(block);
      continue;
    }
    if (outgoing.empty() || outgoing.back().rank != owner) outgoing.push_back({owner, {}});
    outgoing.back().items.push_back(block);
  }
  for (const Parcel<SeededBlock>& parcel : exchange(comm, outgoing))
    owned.insert(owned.end(), parcel.items.begin(), parcel.items.end());
  std::sort(owned.begin(), owned.end(), by_key);
  return owned;
}

/// Splitters of nearly equal cost. \pre ranks hold ascending ranges of blocks. Collective
Splitters balance(const Communicator& comm, const Domain& domain, const BalanceOptions& costs_of,
                  const std::vector<SeededBlock>& blocks) {
  std::vector<BlockKey> keys;
  std::vector<double> costs;
  for (const SeededBlock& block : blocks) {
    keys.push_back(block.key);
    costs.push_back(costs_of.particle_cost * static_cast<double>(block.made()) +
                    costs_of.cell_cost * domain.block_cells().prod());
  }
  return balanced_splitters(comm, keys, costs);
}

/// Make the particles of one block from its samples; `first` is the store's index of the first particle.
void fill_block(const std::vector<Sample>& samples, const std::vector<LiquidBody>& liquids, LocalIndex home,
                ParticleIndex first, GlobalIndex first_id, ParticleStore& particles) {
  const bool has_color = particles.has_attribute(color_name);
  for (std::size_t m = 0; m < samples.size(); ++m) {
    const auto p = static_cast<std::size_t>(first) + m;
    const LiquidBody& liquid = liquids[static_cast<std::size_t>(samples[m].liquid)];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      particles.position()[3 * p + axis] = samples[m].position[axis];
      particles.velocity()[3 * p + axis] = static_cast<ParticleReal>(liquid.velocity[static_cast<int>(axis)]);
    }
    particles.id()[p] = static_cast<ParticleId>(first_id) + m;
    particles.tag()[p] = static_cast<std::uint8_t>(liquid.tag);
    if (has_color) NamedAttributes::set_color(liquid.color, static_cast<ParticleIndex>(p), particles);
    particles.home()[p] = home;
  }
}

/// The id of the first sample of each block. Collective
std::vector<GlobalIndex> first_ids(const Communicator& comm, const std::vector<SeededBlock>& blocks) {
  std::vector<GlobalIndex> first(blocks.size());
  GlobalIndex n = 0;
  for (const SeededBlock& block : blocks) n += block.n;
  n = comm.exclusive_sum(n);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    first[b] = n;
    n += blocks[b].n;
  }
  return first;
}

/// Call f(key) for the places of blocks around a block, itself included. \return whether none lies beyond an open side
template <class Function>
bool for_each_block_around(const Domain& domain, BlockKey key, Function&& f) {
  const Vec3i coords = morton_block(key), width = domain.block_cells();
  bool all_inside = true;
  for (int direction = 0; direction < n_directions; ++direction) {
    const Vec3i offset = direction_offset(direction);
    if (domain.dimension() == 2 && offset.z() != 0) continue;
    Vec3i place = coords + offset;
    bool is_inside = true;
    for (int axis = 0; axis < domain.dimension(); ++axis) {
      if (domain.periodic(axis)) continue;
      const int cell = place[axis] * width[axis];
      if (cell >= 0 && cell < domain.cells()[axis]) continue;
      is_inside = false;
      all_inside = all_inside && domain.is_wall(axis, cell < 0 ? 0 : 1);
    }
    if (is_inside && domain.wrap_block(place)) f(morton_key(place));
  }
  return all_inside;
}

/// Mark full blocks among full blocks as empty. \pre blocks ascend and belong to their owners. Collective
void empty_deep_blocks(const Communicator& comm, const Domain& domain, const Splitters& splitters,
                       GlobalIndex n_of_full_block, std::vector<SeededBlock>& blocks) {
  std::vector<BlockKey> full;
  std::vector<std::pair<int, BlockKey>> to_send;
  for (const SeededBlock& block : blocks) {
    if (block.n != n_of_full_block) continue;
    full.push_back(block.key);
    for_each_block_around(domain, block.key, [&](BlockKey there) {
      const int owner = splitters.owner(there);
      if (owner != comm.rank()) to_send.emplace_back(owner, block.key);
    });
  }
  std::sort(to_send.begin(), to_send.end());
  to_send.erase(std::unique(to_send.begin(), to_send.end()), to_send.end());
  std::vector<Parcel<BlockKey>> outgoing;
  for (const auto& [rank, key] : to_send) {
    if (outgoing.empty() || outgoing.back().rank != rank) outgoing.push_back({rank, {}});
    outgoing.back().items.push_back(key);
  }
  for (const Parcel<BlockKey>& parcel : exchange(comm, outgoing))
    full.insert(full.end(), parcel.items.begin(), parcel.items.end());
  std::sort(full.begin(), full.end());
  for (SeededBlock& block : blocks) {
    bool is_deep = true;
    const bool is_closed = for_each_block_around(domain, block.key, [&](BlockKey there) {
      is_deep = is_deep && std::binary_search(full.begin(), full.end(), there);
    });
    block.is_empty = is_deep && is_closed ? 1 : 0;
  }
}

/// Number of particles of a block that is full.
GlobalIndex samples_of_full_block(const Domain& domain, int per_axis) {
  GlobalIndex n = domain.block_cells().cast<GlobalIndex>().prod();
  for (int axis = 0; axis < domain.dimension(); ++axis) n *= per_axis;
  return n;
}

/// Replace the store's particles by the particles of the owned blocks. Collective
void fill(const Communicator& comm, const Sampler& sampler, const std::vector<LiquidBody>& liquids,
          const std::vector<SeededBlock>& blocks, ParticleStore& particles) {
  std::vector<ParticleIndex> begin(blocks.size() + 1, 0);
  particles.home_keys().clear();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    begin[b + 1] = begin[b] + blocks[b].made();
    particles.home_keys().push_back(blocks[b].key);
  }
  const std::vector<GlobalIndex> first_id = first_ids(comm, blocks);
  particles.resize(0);
  particles.resize(begin.back());
  particles.home().resize(static_cast<std::size_t>(begin.back()));
  particles.forget_order();
  std::vector<std::vector<Sample>> scratch(static_cast<std::size_t>(omp_get_max_threads()));
  parallel_for_blocks(static_cast<LocalIndex>(blocks.size()), [&](LocalIndex b) {
    std::vector<Sample>& samples = scratch[static_cast<std::size_t>(omp_get_thread_num())];
    const auto block = static_cast<std::size_t>(b);
    if (blocks[block].is_empty != 0) return;
    samples.clear();
    sampler.sample_block(morton_block(blocks[block].key), samples);
    FRESHET_ASSERT(static_cast<GlobalIndex>(samples.size()) == blocks[block].n);
    fill_block(samples, liquids, b, begin[block], first_id[block], particles);
  });
}

}  // namespace

std::string SeedingReport::outside_text() const {
  return fmt::format(
      "{} lie outside the domain, in files or moved there through open sides before the first step, and "
      "were left out",
      dropped_outside);
}

SeedingReport seed_particles(const Communicator& comm, const Domain& domain, const SeedingOptions& options,
                             const std::vector<LiquidBody>& liquids,
                             const std::vector<std::shared_ptr<const Shape>>& solids, Splitters& splitters,
                             ParticleStore& particles, const std::function<void(GlobalIndex n_blocks)>& count,
                             std::vector<BlockKey>* deep_blocks) {
  const Sampler sampler(domain, options.sampling, options.seed, liquids, solids);
  Census census = count_share(comm, sampler);
  const Splitters uniform = uniform_splitters(domain, comm.size());
  std::vector<SeededBlock> blocks = redistribute(comm, uniform, std::move(census.blocks));
  if (count) count(comm.sum(static_cast<GlobalIndex>(blocks.size())));
  const auto same_velocity = [&](const LiquidBody& liquid) { return liquid.velocity == liquids.front().velocity; };
  if (deep_blocks != nullptr && std::all_of(liquids.begin(), liquids.end(), same_velocity))
    empty_deep_blocks(comm, domain, uniform, samples_of_full_block(domain, options.sampling.per_axis), blocks);
  splitters = comm.any(!blocks.empty()) ? balance(comm, domain, options.balance, blocks) : uniform;
  blocks = redistribute(comm, splitters, std::move(blocks));
  GlobalIndex n_here = 0;
  GlobalIndex left_out = 0;
  for (const SeededBlock& block : blocks) {
    n_here += block.made();
    left_out += block.n - block.made();
    if (block.is_empty != 0) deep_blocks->push_back(block.key);
  }
  if (comm.max(n_here) > most_particles)
    throw InputError(
        fmt::format("the liquids make {} particles for one rank (it can hold {}). "
                    "Use more ranks, or larger cells",
                    comm.max(n_here), most_particles));
  fill(comm, sampler, liquids, blocks, particles);
  return {comm.sum(GlobalIndex{particles.size()}), comm.sum(census.dropped), 0, comm.sum(left_out)};
}

}  // namespace freshet
