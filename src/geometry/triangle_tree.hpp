// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/geometry/triangle_mesh.hpp"
#include "triangle_groups.hpp"

#include <Eigen/Geometry>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace freshet {

/// The nearest triangle that was found, and the square of its distance. [m^2]
struct NearestTriangle {
  std::int64_t triangle;  ///< index in the order of the tree
  double distance2;
};

/// A binary tree of boxes around the triangles of a mesh, for distances and winding numbers.
///
/// The tree is complete: the children of node n are 2n + 1 and 2n + 2, and every node halves its triangles by their
/// centres along its longest side. So no links are stored, and the tree does not depend on the number of threads. A
/// search goes down three levels at a time, by discs around the eight nodes there.
class TriangleTree {
 public:
  /// \pre  there is at least one triangle, and each has an area
  explicit TriangleTree(const TriangleMesh& mesh);

  Box bounds() const;

  /// The triangle nearest to x. \param[in] guess  a triangle that an earlier search found, or 0; a near one makes the
  /// search faster. Thread-safe, no allocation
  NearestTriangle nearest(const Vec3& x, std::int64_t guess) const;
  /// The winding number of the mesh about x, as MeshShape::winding_number(). Thread-safe, no allocation
  double winding_number(const Vec3& x) const;

 private:
  /// First-order expansion of a node's triangles, for distant points.
  struct Dipole {
    Vec3 area;      ///< sum of vector areas [m^2]
    Vec3 center;    ///< mean of the centres, weighted by area [m]
    double reach2;  ///< square of the distance beyond which the dipole is accurate enough [m^2]
  };

  std::int64_t first_triangle(std::int64_t node, int level) const;
  int n_in_leaf(std::int64_t leaf) const;
  std::vector<Corners> sorted_triangles(const TriangleMesh& mesh) const;
  void fill_leaves(const std::vector<Corners>& triangles);
  void fit_bounds();
  void fit_dipoles();
  void fit_discs(const std::vector<Corners>& triangles);

  std::int64_t n_triangles_ = 0;
  int depth_ = 0;                            ///< level of the leaves
  std::vector<TriangleGroup> leaves_;        ///< by leaf; lanes beyond a leaf's triangles repeat its last one
  std::vector<Eigen::AlignedBox3d> bounds_;  ///< by node: box around the triangles
  std::vector<Dipole> dipoles_;              ///< by node: expansion of the triangles
  std::vector<DiscGroup> discs_;             ///< by node: discs around the descendants three levels below
};

}  // namespace freshet
