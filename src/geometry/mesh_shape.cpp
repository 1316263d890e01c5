// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/mesh_shape.hpp"

#include "freshet/core/contracts.hpp"
#include "triangle_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace freshet {
namespace {

/// Finds the signs of nodes by a flood: two nodes lie on the same side if the sum of their distances exceeds the
/// distance between the nodes, since then no triangle crosses the line between them.
class SignFlood {
 public:
  SignFlood(const LatticeNodes& nodes, std::span<double> distances)
      : nodes_(nodes), distances_(distances), done_(distances.size(), 0) {}

  template <class IsInside>
  void run(IsInside&& is_inside) {
    const Vec3i& n = nodes_.count;
    for (int k = 0; k < n.z(); ++k)
      for (int j = 0; j < n.y(); ++j)
        for (int i = 0; i < n.x(); ++i)
          if (done_[nodes_.index(i, j, k)] == 0) fill({i, j, k}, is_inside(nodes_.at(i, j, k)));
  }

 private:
  void fill(const Vec3i& start, bool inside) {
    front_.assign(1, start);
    done_[nodes_.index(start.x(), start.y(), start.z())] = 1;
    while (!front_.empty()) {
      const Vec3i node = front_.back();
      front_.pop_back();
      double& distance = distances_[nodes_.index(node.x(), node.y(), node.z())];
      for (int k = -1; k <= 1; ++k)
        for (int j = -1; j <= 1; ++j)
          for (int i = -1; i <= 1; ++i) visit(node, {i, j, k}, std::abs(distance));
      if (inside) distance = -distance;
    }
  }

  void visit(const Vec3i& node, const Vec3i& step, double distance) {
    const Vec3i next = node + step;
    if ((next.array() < 0).any() || (next.array() >= nodes_.count.array()).any()) return;
    const std::size_t at = nodes_.index(next.x(), next.y(), next.z());
    if (done_[at] != 0) return;
    constexpr double rounding = 1e-9;
    const double way = nodes_.spacing * std::sqrt(static_cast<double>(step.squaredNorm()));
    if (distance + distances_[at] <= (1.0 + rounding) * way) return;
    done_[at] = 1;
    front_.push_back(next);
  }

  const LatticeNodes& nodes_;
  std::span<double> distances_;  ///< magnitudes, which get their signs when a node is taken from the front
  std::vector<std::uint8_t> done_;
  std::vector<Vec3i> front_;
};

}  // namespace

MeshShape::MeshShape(const TriangleMesh& mesh) : tree_(std::make_unique<TriangleTree>(mesh)) {}

MeshShape::~MeshShape() = default;

double MeshShape::winding_number(const Vec3& x) const {
  return tree_->winding_number(x);
}

double MeshShape::signed_distance(const Vec3& x) const {
  const double distance = std::sqrt(tree_->nearest(x, 0).distance2);
  return std::abs(tree_->winding_number(x)) >= 0.5 ? -distance : distance;
}

Box MeshShape::bounds() const {
  return tree_->bounds();
}

void MeshShape::sample(const LatticeNodes& nodes, std::span<double> distances) const {
  FRESHET_EXPECT(distances.size() == nodes.size());
  const Vec3i& n = nodes.count;
  std::int64_t near = 0;
  for (int k = 0; k < n.z(); ++k)
    for (int row = 0; row < n.y(); ++row) {
      const int j = k % 2 == 0 ? row : n.y() - 1 - row;  // to and fro: the triangle before is always near
      for (int step = 0; step < n.x(); ++step) {
        const int i = (k + row) % 2 == 0 ? step : n.x() - 1 - step;
        const NearestTriangle found = tree_->nearest(nodes.at(i, j, k), near);
        near = found.triangle;
        distances[nodes.index(i, j, k)] = std::sqrt(found.distance2);
      }
    }
  SignFlood(nodes, distances).run([this](const Vec3& x) { return std::abs(tree_->winding_number(x)) >= 0.5; });
}

}  // namespace freshet
