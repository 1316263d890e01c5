// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/geometry/shape_parameters.hpp"
#include "freshet/geometry/triangle_mesh.hpp"

#include <functional>
#include <optional>

namespace freshet {

/// Volume, centroid and second moments of a region of space; in 2-D those of its section with the plane.
struct VolumeMoments {
  double volume = 0.0;                               ///< [m^3]; in 2-D an area [m^2]
  Vec3 centroid = Vec3::Zero();                      ///< [m]
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  ///< integral of (x - centroid) (x - centroid)^T [m^5]; 2-D [m^4]

  /// The integral of |r|^2 - r r^T, r = x - centroid: the inertia of a region of density 1. [m^5]; in 2-D [m^4]
  Eigen::Matrix3d inertia() const { return second.trace() * Eigen::Matrix3d::Identity() - second; }
};

/// The plane of a 2-D case.
struct SectionPlane {
  int dimension = 3;
  double height = 0.0;  ///< height z of the plane [m]
};

/// Returns a mesh that a shape names.
using MeshSource = std::function<const TriangleMesh&(const ShapeParameters&)>;

/// The moments of a shape by closed forms, and of a mesh by the divergence theorem. Both are exact.
///
/// A mesh counts its volume as often as it winds around it; one whose triangles show their inner sides has the same
/// moments as turned outwards. Source: Eberly 2002, "Polyhedral mass properties", for the integrals over triangles
/// \return nothing if the region is infinite, has no volume, or is one for which no closed form is known here: unions,
/// intersections and differences, and in 2-D oblique sections of cylinders, capsules and rings
/// Parallel: local, if `mesh` is
std::optional<VolumeMoments> volume_moments(const ShapeParameters& shape, const SectionPlane& plane,
                                            const MeshSource& mesh);

/// The moments of the region that a closed mesh encloses. A volume below 0 counts as one of a mesh turned inside out.
VolumeMoments moments_of_mesh(const TriangleMesh& mesh);
/// The moments of the section of a closed mesh with a plane z = height.
VolumeMoments moments_of_section(const TriangleMesh& mesh, double height);

}  // namespace freshet
