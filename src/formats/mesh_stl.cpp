// SPDX-License-Identifier: Apache-2.0
#include "formats/bytes.hpp"
#include "formats/mesh_formats.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"
#include "freshet/parallel/sparse_exchange.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace freshet::formats {
namespace {

using Point = std::array<float, 3>;

/// Knows the positions of all vertices that this rank's triangles name, also of those on other ranks.
class Corners {
 public:
  /// Collective
  Corners(const SurfaceMesh& mesh, const Communicator& comm) : mesh_(mesh) {
    for (const auto& triangle : mesh.triangles)
      for (const std::int64_t v : triangle)
        if (!is_here(v)) remote_.push_back(v);
    std::sort(remote_.begin(), remote_.end());
    remote_.erase(std::unique(remote_.begin(), remote_.end()), remote_.end());
    fetch(comm);
  }

  const Point& operator[](std::int64_t v) const {
    if (is_here(v)) return mesh_.positions[static_cast<std::size_t>(v - mesh_.first_vertex)];
    const auto found = std::lower_bound(remote_.begin(), remote_.end(), v);
    return fetched_[static_cast<std::size_t>(found - remote_.begin())];
  }

 private:
  bool is_here(std::int64_t v) const {
    return v >= mesh_.first_vertex && v < mesh_.first_vertex + static_cast<std::int64_t>(mesh_.positions.size());
  }

  /// Ask the owners of remote_ for positions. A list of each rank's first vertex tells the owners.
  void fetch(const Communicator& comm) {
    std::vector<double> begins = comm.gather_to_root(static_cast<double>(mesh_.first_vertex));
    comm.broadcast(begins);
    std::vector<Parcel<std::int64_t>> wanted;
    for (const std::int64_t v : remote_) {
      // the owner is the last rank that begins at or before v: a rank without vertices begins where the next one does
      const auto after = std::upper_bound(begins.begin(), begins.end(), static_cast<double>(v));
      const int owner = static_cast<int>(after - begins.begin()) - 1;
      if (wanted.empty() || wanted.back().rank != owner) wanted.push_back({owner, {}});
      wanted.back().items.push_back(v);
    }
    std::vector<Parcel<Point>> answers;
    for (const Parcel<std::int64_t>& parcel : exchange(comm, wanted)) {
      answers.push_back({parcel.rank, {}});
      for (const std::int64_t v : parcel.items) {
        FRESHET_EXPECT(is_here(v));
        answers.back().items.push_back((*this)[v]);
      }
    }
    for (const Parcel<Point>& parcel : exchange(comm, answers))  // parcels come in order of rank, and so of vertices
      fetched_.insert(fetched_.end(), parcel.items.begin(), parcel.items.end());
    FRESHET_ENSURE(fetched_.size() == remote_.size());
  }

  const SurfaceMesh& mesh_;
  std::vector<std::int64_t> remote_;  ///< numbers of other ranks' vertices, ascending
  std::vector<Point> fetched_;        ///< positions of the vertices in remote_
};

/// Unit normal of a triangle; 0 for a triangle without area.
Point normal_of(const Point& a, const Point& b, const Point& c) {
  std::array<double, 3> e, f;
  for (std::size_t d = 0; d < 3; ++d) {
    e[d] = double{b[d]} - double{a[d]};
    f[d] = double{c[d]} - double{a[d]};
  }
  const std::array<double, 3> n{e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
  const double size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (size == 0.0) return {};
  return {static_cast<float>(n[0] / size), static_cast<float>(n[1] / size), static_cast<float>(n[2] / size)};
}

}  // namespace

void write_stl(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm) {
  expect_room(mesh.n_triangles, std::numeric_limits<std::uint32_t>::max(), "triangles", "stl");
  const Corners corners(mesh, comm);
  std::string header = "made by freshet, lengths in metres";
  header.resize(80, ' ');
  put(header, static_cast<std::uint32_t>(mesh.n_triangles));
  file.append_once(header);
  file.append(static_cast<std::int64_t>(mesh.triangles.size()),
              [&](std::int64_t first, std::int64_t last, std::string& bytes) {
                for (std::int64_t t = first; t < last; ++t) {
                  const auto& [i, j, k] = mesh.triangles[static_cast<std::size_t>(t)];
                  const Point &a = corners[i], &b = corners[j], &c = corners[k];
                  for (const Point& point : {normal_of(a, b, c), a, b, c})
                    for (const float x : point) put(bytes, x);
                  put(bytes, std::uint16_t{0});
                }
              });
}

}  // namespace freshet::formats
