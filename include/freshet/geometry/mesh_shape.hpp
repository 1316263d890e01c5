// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "freshet/geometry/triangle_mesh.hpp"

#include <memory>

namespace freshet {

class TriangleTree;

/// The region that a closed triangle mesh winds around: where |w| >= 1/2, w its winding number.
///
/// Nested shells of the same orientation are one body; a shell of the opposite orientation inside another one is a
/// cavity. A mesh that is turned inside out encloses the same region. Overlapping bodies of one mesh are one body;
/// depths in it are measured to the nearest triangle, which may lie inside the body, so that they are lower bounds.
class MeshShape final : public Shape {
 public:
  /// \pre  close_mesh() has closed the mesh
  /// Parallel: all threads build the tree, which does not depend on their number
  explicit MeshShape(const TriangleMesh& mesh);
  ~MeshShape() override;

  double signed_distance(const Vec3& x) const override;
  Box bounds() const override;
  /// Find the distances of the nodes one after the other; each search starts from the nearest triangle of the node
  /// before. Winding numbers are computed only where a triangle may lie between two neighbours.
  void sample(const LatticeNodes& nodes, std::span<double> distances) const override;

  /// The winding number of the mesh about x: the sum of the solid angles of its triangles, divided by 4 pi. Clusters of
  /// triangles far away count by the first term of their expansion, whose error is far below the 1/2 between inside and
  /// outside. Source: Barill, Dickson, Schmidt, Levin & Jacobson 2018, section 3
  double winding_number(const Vec3& x) const;

 private:
  std::unique_ptr<const TriangleTree> tree_;
};

}  // namespace freshet
