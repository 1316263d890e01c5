// SPDX-License-Identifier: Apache-2.0
#include "particle_bins.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/parallel/sparse_exchange.hpp"
#include "images.hpp"

#include <atomic>
#include <cstring>
#include <map>
#include <unordered_map>

namespace freshet::meshing {
namespace {

/// The order of particles in a bin. Only particles with the same place, radius and attributes are equal in it.
struct Before {
  const float* attributes;  ///< [source][component]
  std::size_t n_components;
  bool operator()(const Item& a, const Item& b) const {
    for (int d = 0; d < 3; ++d)
      if (a.x[d] != b.x[d]) return a.x[d] < b.x[d];
    if (a.r != b.r) return a.r < b.r;
    const float *of_a = attributes + a.source * n_components, *of_b = attributes + b.source * n_components;
    return std::lexicographical_compare(of_a, of_a + n_components, of_b, of_b + n_components);
  }
};

}  // namespace

ParticleBins::ParticleBins(const Communicator* comm, const Lattice& lattice, const Walls& walls,
                           const SurfaceOptions& options, const SurfaceParticles& particles)
    : lattice_(lattice),
      reach_(((2 * lattice.ring + 2) * lattice.resolution + 7) / 8),
      radius_((options.radius > 0.0 ? options.radius : 0.5) * lattice.resolution),
      min_cell_particles_(options.min_cell_particles),
      has_radii_(comm != nullptr ? comm->any(!particles.radii.empty()) : !particles.radii.empty()) {
  for (const SurfaceParticles::Attribute& a : particles.attributes) {
    attribute_list_.push_back({a.name, a.components, a.integer, {}});
    n_components_ += static_cast<std::size_t>(a.components);
  }
  attributes_.resize(particles.positions.size() * n_components_);
  std::size_t first = 0;
  for (const SurfaceParticles::Attribute& a : particles.attributes) {
    const auto width = static_cast<std::size_t>(a.components);
    for (std::size_t p = 0; p < particles.positions.size(); ++p)
      std::copy_n(&a.values[p * width], width, &attributes_[p * n_components_ + first]);
    first += width;
  }
  std::vector<Copy> copies = make_copies(walls, particles);
  if (comm != nullptr && comm->size() > 1) {
    choose_owners(*comm, copies);
    send(*comm, copies, attributes_);
  }
  sort(std::move(copies));
}

std::vector<ParticleBins::Copy> ParticleBins::make_copies(const Walls& walls, const SurfaceParticles& particles) const {
  const double reach = (lattice_.ring + 1) * lattice_.resolution;
  const auto n = static_cast<std::int64_t>(particles.positions.size());
  constexpr std::int64_t chunk = 4096;
  const auto n_chunks = static_cast<LocalIndex>((n + chunk - 1) / chunk);
  const auto visit = [&](LocalIndex c, auto&& use) {
    SolidImages solid_images(walls, lattice_, reach);
    for (std::int64_t p = c * chunk; p < std::min(n, (c + 1) * chunk); ++p) {
      const Vec3 x = (particles.positions[static_cast<std::size_t>(p)] - lattice_.origin) / lattice_.dx +
                     Vec3::Constant(lattice_.pad);
      for_each_copy(walls, x, reach, solid_images, [&](const Vec3& copy) { use(p, copy); });
    }
  };
  std::vector<std::int64_t> first(static_cast<std::size_t>(n_chunks) + 1, 0);
  parallel_for_blocks(n_chunks, [&](LocalIndex c) {
    visit(c, [&](std::int64_t, const Vec3&) { ++first[static_cast<std::size_t>(c) + 1]; });
  });
  for (std::size_t c = 0; c < static_cast<std::size_t>(n_chunks); ++c) first[c + 1] += first[c];
  std::vector<Copy> copies(static_cast<std::size_t>(first.back()));
  parallel_for_blocks(n_chunks, [&](LocalIndex c) {
    auto next = static_cast<std::size_t>(first[static_cast<std::size_t>(c)]);
    visit(c, [&](std::int64_t p, const Vec3& x) {
      Copy& copy = copies[next++];
      for (int d = 0; d < 3; ++d) {
        const auto bin = static_cast<int>(std::floor((x[d] - lattice_.pad) / lattice_.resolution)) + lattice_.bin_pad;
        copy.bin[d] = std::clamp(bin, 0, lattice_.bins[d] - 1);
        copy.x[d] = static_cast<float>(x[d] - lattice_.bin_edge(copy.bin[d]));
      }
      copy.r = static_cast<float>(has_radii_ ? particles.radii[static_cast<std::size_t>(p)] / lattice_.dx : radius_);
      copy.source = static_cast<std::uint32_t>(p);
    });
  });
  return copies;
}

Vec3i ParticleBins::block_of(const Copy& copy) const {
  Vec3i block;
  for (int d = 0; d < 3; ++d) block[d] = (lattice_.bin_edge(copy.bin[d]) + static_cast<int>(copy.x[d])) / 8;
  return block.cwiseMin(lattice_.domain.lattice() - Vec3i::Ones()).cwiseMax(0);
}

/// Give each rank a range of blocks with about the same number of particles.
void ParticleBins::choose_owners(const Communicator& comm, const std::vector<Copy>& copies) {
  std::unordered_map<BlockKey, std::uint64_t> here;
  for (const Copy& copy : copies) ++here[morton_key(block_of(copy))];
  const Splitters uniform = uniform_splitters(lattice_.domain, comm.size());
  std::map<int, std::vector<std::array<std::uint64_t, 2>>> to;
  for (const auto& [key, count] : here) to[uniform.owner(key)].push_back({key, count});
  std::vector<Parcel<std::array<std::uint64_t, 2>>> parcels;
  for (auto& [rank, items] : to) parcels.push_back({rank, std::move(items)});
  std::map<BlockKey, double> counts;
  for (const auto& parcel : exchange(comm, parcels))
    for (const auto& [key, count] : parcel.items) counts[key] += static_cast<double>(count);
  std::vector<BlockKey> keys;
  std::vector<double> costs;
  for (const auto& [key, count] : counts) {
    keys.push_back(key);
    costs.push_back(count);
  }
  splitters_ = balanced_splitters(comm, keys, costs);
}

/// Send each particle to all ranks with blocks that it may reach.
void ParticleBins::send(const Communicator& comm, std::vector<Copy>& copies, std::vector<float>& attributes) const {
  std::unordered_map<BlockKey, std::vector<int>> ranks_near;
  std::vector<Parcel<Copy>> out(static_cast<std::size_t>(comm.size()));
  std::vector<Parcel<float>> out_attributes(static_cast<std::size_t>(comm.size()));
  for (int r = 0; r < comm.size(); ++r)
    out[static_cast<std::size_t>(r)].rank = out_attributes[static_cast<std::size_t>(r)].rank = r;
  for (const Copy& copy : copies) {
    const Vec3i block = block_of(copy);
    const auto [found, is_new] = ranks_near.try_emplace(morton_key(block));
    std::vector<int>& ranks = found->second;
    if (is_new) {
      for (int c = -reach_; c <= reach_; ++c)
        for (int b = -reach_; b <= reach_; ++b)
          for (int a = -reach_; a <= reach_; ++a) {
            Vec3i other = block + Vec3i(a, b, c);
            if (lattice_.domain.wrap_block(other)) ranks.push_back(splitters_.owner(morton_key(other)));
          }
      std::sort(ranks.begin(), ranks.end());
      ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    }
    for (const int rank : ranks) {
      auto& values = out_attributes[static_cast<std::size_t>(rank)].items;
      Copy sent = copy;
      sent.source = static_cast<std::uint32_t>(out[static_cast<std::size_t>(rank)].items.size());
      out[static_cast<std::size_t>(rank)].items.push_back(sent);
      const auto row = attributes.begin() + static_cast<std::ptrdiff_t>(copy.source * n_components_);
      values.insert(values.end(), row, row + static_cast<std::ptrdiff_t>(n_components_));
    }
  }
  copies.clear();
  attributes.clear();
  for (const Parcel<Copy>& parcel : exchange(comm, out)) {
    const auto offset = static_cast<std::uint32_t>(copies.size());
    for (Copy copy : parcel.items) {
      copy.source += offset;
      copies.push_back(copy);
    }
  }
  if (n_components_ == 0) return;
  for (const Parcel<float>& parcel : exchange(comm, out_attributes))
    attributes.insert(attributes.end(), parcel.items.begin(), parcel.items.end());
}

/// Index of a copy's block in slot_.
std::size_t ParticleBins::lattice_index(const Copy& copy) const {
  return static_cast<std::size_t>(
      (copy.bin[0] >> 3) - low_.x() +
      static_cast<std::int64_t>(size_.x()) *
          ((copy.bin[1] >> 3) - low_.y() + static_cast<std::int64_t>(size_.y()) * ((copy.bin[2] >> 3) - low_.z())));
}

/// Set blocks_ to the blocks that hold copies, and slot_ to their places there. \pre there is a copy
void ParticleBins::find_blocks(const std::vector<Copy>& copies) {
  const auto n = static_cast<std::int64_t>(copies.size());
  int lower[3] = {1 << 28, 1 << 28, 1 << 28}, upper[3] = {0, 0, 0};
#pragma omp parallel for reduction(min : lower[:3]) reduction(max : upper[:3])
  for (std::int64_t p = 0; p < n; ++p)
    for (int d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], copies[static_cast<std::size_t>(p)].bin[d] >> 3);
      upper[d] = std::max(upper[d], copies[static_cast<std::size_t>(p)].bin[d] >> 3);
    }
  for (int d = 0; d < 3; ++d) {
    low_[d] = lower[d];
    size_[d] = upper[d] - lower[d] + 1;
  }
  slot_.assign(
      static_cast<std::size_t>(size_.x()) * static_cast<std::size_t>(size_.y()) * static_cast<std::size_t>(size_.z()),
      -1);
  for (const Copy& copy : copies) slot_[lattice_index(copy)] = 0;
  for (std::size_t m = 0; m < slot_.size(); ++m) {
    if (slot_[m] < 0) continue;
    slot_[m] = static_cast<std::int32_t>(blocks_.size());
    const auto x = static_cast<std::size_t>(size_.x()), y = static_cast<std::size_t>(size_.y());
    blocks_.push_back(low_ + Vec3i(int(m % x), int(m / x % y), int(m / (x * y))));
  }
}

void ParticleBins::sort(std::vector<Copy>&& copies) {
  if (copies.empty()) {
    begin_.assign(1, 0);
    return;
  }
  find_blocks(copies);
  const auto n = static_cast<std::int64_t>(copies.size());
  const auto place = [&](const Copy& copy) {
    return static_cast<std::size_t>(slot_[lattice_index(copy)]) * block_cells +
           static_cast<std::size_t>((copy.bin[0] & 7) + 8 * ((copy.bin[1] & 7) + 8 * (copy.bin[2] & 7)));
  };
  begin_.assign(blocks_.size() * block_cells + 1, 0);
#pragma omp parallel for schedule(static)
  for (std::int64_t p = 0; p < n; ++p) {
    std::uint32_t& count = begin_[place(copies[static_cast<std::size_t>(p)]) + 1];
#pragma omp atomic
    ++count;
  }
  if (min_cell_particles_ > 1)
    for (std::size_t m = 1; m < begin_.size(); ++m)
      if (begin_[m] < static_cast<std::uint32_t>(min_cell_particles_)) begin_[m] = 0;
  for (std::size_t m = 1; m < begin_.size(); ++m) begin_[m] += begin_[m - 1];
  items_.resize(begin_.back());
  TrackedVector<std::uint32_t, MemoryKind::scratch> next(begin_.begin(), begin_.end());
#pragma omp parallel for schedule(static)
  for (std::int64_t p = 0; p < n; ++p) {
    const Copy& copy = copies[static_cast<std::size_t>(p)];
    const std::size_t here = place(copy);
    if (begin_[here] == begin_[here + 1]) continue;
    std::uint32_t target = 0;
#pragma omp atomic capture
    target = next[here]++;
    items_[target] = {{copy.x[0], copy.x[1], copy.x[2]}, copy.r, copy.source};
  }
  const Before before{attributes_.data(), n_components_};
  parallel_for_blocks(static_cast<LocalIndex>(blocks_.size()), [&](LocalIndex block) {
    for (std::size_t m = static_cast<std::size_t>(block) * block_cells;
         m < (static_cast<std::size_t>(block) + 1) * block_cells; ++m)
      if (begin_[m + 1] - begin_[m] > 1) std::sort(items_.begin() + begin_[m], items_.begin() + begin_[m + 1], before);
  });
}

bool ParticleBins::all_occupied(const Vec3i& first_cell, const Vec3i& last_cell, int rings) const {
  Vec3i first, last;
  for (int d = 0; d < 3; ++d) {
    first[d] = lattice_.bin_of(first_cell[d]) - rings;
    last[d] = lattice_.bin_of(last_cell[d]) + rings;
  }
  for (int k = first.z(); k <= last.z(); ++k)
    for (int j = first.y(); j <= last.y(); ++j)
      for (int i = first.x(); i <= last.x(); ++i)
        if (bin({i, j, k}).empty()) return false;
  return true;
}

}  // namespace freshet::meshing
