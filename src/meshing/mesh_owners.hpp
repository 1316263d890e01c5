// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/surface_mesh.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/sparse_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace freshet::meshing {

/// Knows which rank owns which vertex of a mesh, and which vertices of other ranks the triangles of this rank name.
///
/// A place is the number of a vertex on this rank: 0 .. n_own - 1 are its own vertices, then come those of other ranks
/// in the order of their numbers over all ranks.
class MeshOwners {
 public:
  /// Parallel: collective
  MeshOwners(const Communicator& comm, const SurfaceMesh& mesh)
      : comm_(comm), first_(static_cast<std::size_t>(comm.size()) + 1, 0) {
    const auto n_own = static_cast<std::int64_t>(mesh.positions.size());
    first_[static_cast<std::size_t>(comm.rank()) + 1] = n_own;
    comm.sum_in_place(std::span<GlobalIndex>(first_));
    for (std::size_t r = 1; r < first_.size(); ++r) first_[r] += first_[r - 1];
    for (const auto& triangle : mesh.triangles)
      for (const std::int64_t v : triangle)
        if (!owns(v)) remote_.push_back(v);
    std::sort(remote_.begin(), remote_.end());
    remote_.erase(std::unique(remote_.begin(), remote_.end()), remote_.end());
  }

  std::int64_t first() const { return first_[static_cast<std::size_t>(comm_.rank())]; }
  std::int64_t n_own() const { return first_[static_cast<std::size_t>(comm_.rank()) + 1] - first(); }
  bool owns(std::int64_t v) const { return v >= first() && v < first() + n_own(); }
  int owner(std::int64_t v) const {
    return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), v) - first_.begin()) - 1;
  }
  std::size_t n_places() const { return static_cast<std::size_t>(n_own()) + remote_.size(); }
  std::size_t place(std::int64_t v) const {
    if (owns(v)) return static_cast<std::size_t>(v - first());
    return static_cast<std::size_t>(n_own()) +
           static_cast<std::size_t>(std::lower_bound(remote_.begin(), remote_.end(), v) - remote_.begin());
  }
  const std::vector<std::int64_t>& remote() const { return remote_; }

  /// Send one value for each vertex of other ranks named here to the vertex's owner. \return what came. Collective
  template <class T>
  std::vector<std::pair<std::int64_t, T>> send_to_owners(const std::vector<T>& values) const {
    struct Item {
      std::int64_t vertex;
      T value;
    };
    std::vector<Parcel<Item>> out;
    for (std::size_t m = 0; m < remote_.size(); ++m) {
      const int rank = owner(remote_[m]);
      if (out.empty() || out.back().rank != rank) out.push_back({rank, {}});
      out.back().items.push_back({remote_[m], values[m]});
    }
    std::vector<std::pair<std::int64_t, T>> result;
    for (const Parcel<Item>& parcel : exchange(comm_, out))
      for (const Item& item : parcel.items) result.push_back({item.vertex, item.value});
    return result;
  }

  /// Fetch values for the vertices of other ranks named here. \param[in] own  one for each own vertex. Collective
  template <class T>
  std::vector<T> fetch(const std::vector<T>& own) const {
    std::vector<Parcel<std::int64_t>> requests;
    for (const std::int64_t v : remote_) {
      const int rank = owner(v);
      if (requests.empty() || requests.back().rank != rank) requests.push_back({rank, {}});
      requests.back().items.push_back(v);
    }
    std::vector<Parcel<T>> answers;
    for (const Parcel<std::int64_t>& parcel : exchange(comm_, requests)) {
      answers.push_back({parcel.rank, {}});
      for (const std::int64_t v : parcel.items)
        answers.back().items.push_back(own[static_cast<std::size_t>(v - first())]);
    }
    std::vector<T> result;  // parcels come in order of rank, as remote_ is sorted
    for (const Parcel<T>& parcel : exchange(comm_, answers))
      result.insert(result.end(), parcel.items.begin(), parcel.items.end());
    return result;
  }

 private:
  const Communicator& comm_;
  std::vector<GlobalIndex> first_;  ///< number of each rank's first vertex, and the total at the end
  std::vector<std::int64_t> remote_;
};

/// Sets that grow together: the number of a set is its least element.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) {
    for (std::size_t m = 0; m < n; ++m) parent_[m] = m;
  }
  std::size_t find(std::size_t m) {
    while (parent_[m] != m) m = parent_[m] = parent_[parent_[m]];
    return m;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace freshet::meshing
