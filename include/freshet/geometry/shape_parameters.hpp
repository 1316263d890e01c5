// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/declare.hpp"

#include <string>
#include <vector>

namespace freshet {

enum class ShapeKind {
  box,
  sphere,
  cylinder,
  half_space,
  union_of,
  capsule,
  torus,
  mesh,
  intersection_of,
  difference_of,
  particles
};

/// The transform x -> translate + R (scale x - center) + center, R the rotation about `axis` by `angle`.
///
/// In 2-D the scale leaves the middle plane where it is.
struct TransformParameters {
  double scale = 1.0;
  Vec3 axis = Vec3::UnitZ();  ///< axis of the rotation, of any length
  double angle = 0.0;         ///< [degrees], counter-clockwise seen from the end of the axis
  Vec3 center = Vec3::Zero();
  Vec3 translate = Vec3::Zero();
};

/// One closed shape. Its kind decides which of the members are used.
struct ShapeParameters {
  ShapeKind kind = ShapeKind::box;
  Vec3 lower = Vec3::Zero();           ///< box [m]
  Vec3 upper = Vec3::Zero();           ///< box [m]
  Vec3 center = Vec3::Zero();          ///< sphere, torus [m]
  double radius = 0.0;                 ///< sphere, cylinder, capsule [m]
  Vec3 start = Vec3::Zero();           ///< cylinder: centre of one cap; capsule: centre of the sphere at one end [m]
  Vec3 end = Vec3::Zero();             ///< cylinder, capsule: the point at the other end [m]
  Vec3 point = Vec3::Zero();           ///< half_space: a point of its plane [m]
  Vec3 normal = Vec3::UnitY();         ///< half_space: points out of the shape
  Vec3 axis = Vec3::UnitY();           ///< torus: axis of symmetry, of any length
  double major_radius = 0.0;           ///< torus: radius of the tube's centre line [m]
  double minor_radius = 0.0;           ///< torus: radius of the tube [m]
  std::string file;                    ///< mesh, particles: path, from the directory of the case file if it is relative
  std::string file_hash;               ///< hash of the file's bytes, 16 hex digits; empty: not known yet
  std::string where;                   ///< "<case file>:<line>" of the file's or the shape's key, for messages
  std::vector<ShapeParameters> parts;  ///< union_of, intersection_of, difference_of
  TransformParameters transform;
};

keys::Entry entry_of(ShapeParameters& shape);

}  // namespace freshet
