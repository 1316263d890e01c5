// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "freshet/geometry/volume_moments.hpp"

#include <vector>

namespace freshet {

/// The points of a shape within a radius of a straight line. With radius 0 an edge, or a corner if its ends coincide;
/// else the round side and ends of a capsule, or a sphere.
struct RoundedLine {
  Vec3 start = Vec3::Zero();  ///< [m]
  Vec3 end = Vec3::Zero();    ///< [m]
  double radius = 0.0;        ///< [m]
};

/// The points of a shape within a radius of a circle: the rim of a cylinder, a section of its side, or a ring.
struct RoundedCircle {
  Vec3 center = Vec3::Zero();  ///< [m]
  Vec3 axis = Vec3::UnitZ();   ///< unit normal of the circle
  double radius = 0.0;         ///< radius of the circle [m]
  double thickness = 0.0;      ///< radius of the tube around it [m]
  bool is_edge = true;         ///< false: a section of a round side, which touches others only where it is nearest
};

/// The parts of a shape that reach out farthest in any direction, which belong to it: corners, edges, round parts.
///
/// A convex shape touches another one, or is touched by a flat side, at one of its features. In 2-D they are those of
/// the section with the plane, and lie in it.
struct SurfaceFeatures {
  std::vector<RoundedLine> lines;
  std::vector<RoundedCircle> circles;
};

/// The features of a shape.
///
/// Those of boxes, spheres, cylinders, capsules, rings and unions of them are exact; half-spaces have none. Of a mesh
/// they are its vertices, of which smooth stretches keep one in each cube of the spacing's size, and its sharp edges.
/// Where parts of intersections and differences cut each other, and in oblique sections of round shapes, features are
/// points on a lattice of the spacing, projected onto the surface by Newton's method.
/// \param[in] spacing  [m]
/// \param[in] mesh     as in volume_moments()
/// Parallel: local, if `mesh` is
SurfaceFeatures surface_features(const ShapeParameters& shape, const SectionPlane& plane, const MeshSource& mesh,
                                 double spacing);

}  // namespace freshet
