// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "freshet/geometry/triangle_mesh.hpp"

#include <memory>

namespace freshet {

class TriangleTree;

/// The region that a closed triangle mesh winds around: where |w| >= 1/2, w its winding number.
///
/// Nested shells that wind alike are one body, a shell that winds against the one around it is a cavity, and a mesh
/// that is inside out encloses what it would the right way round. Where bodies of one mesh overlap they are one body;
/// depths there are measured to the nearest triangle, which may lie inside, and are bounds of the true ones.
class MeshShape final : public Shape {
 public:
  /// \pre  the mesh has been through close_mesh()
  /// Parallel: builds its tree with all threads; the same for any number of them
  explicit MeshShape(const TriangleMesh& mesh);
  ~MeshShape() override;

  double signed_distance(const Vec3& x) const override;
  Box bounds() const override;
  /// Distances one after the other, each from a good guess; winding numbers only where the distances of neighbours do
  /// not tell that no triangle lies between them.
  void sample(const LatticeNodes& nodes, std::span<double> distances) const override;

  /// How often the mesh winds around x: the sum of its solid angles over 4 pi, far clusters by the first term of their
  /// expansion, within about 0.03 of the true one for a body that winds once.
  /// Source: Barill, Dickson, Schmidt, Levin & Jacobson 2018, section 3
  double winding_number(const Vec3& x) const;

 private:
  std::unique_ptr<const TriangleTree> tree_;
};

}  // namespace freshet
