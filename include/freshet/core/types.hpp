// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <cstdint>

/// Index, size and small-vector types shared by every module.
namespace freshet {

using LocalIndex = std::int32_t;     ///< blocks, cells and faces of one rank
using GlobalIndex = std::int64_t;    ///< counts and numbers over all ranks
using ParticleId = std::uint64_t;    ///< id of a particle; never repeats within a run
using ParticleIndex = std::int64_t;  ///< position in one rank's particle store

#ifdef FRESHET_PARTICLE_DOUBLE
using ParticleReal = double;
#else
using ParticleReal = float;
#endif

using Vec3 = Eigen::Vector3d;
using Vec3i = Eigen::Vector3i;

/// Axis-aligned box; it is empty if any upper < lower. [m]
struct Box {
  Vec3 lower = Vec3::Constant(0.0);
  Vec3 upper = Vec3::Constant(0.0);

  /// Distance from a point to the farthest point of the box. [m]
  double farthest(const Vec3& x) const { return (lower - x).cwiseAbs().cwiseMax((upper - x).cwiseAbs()).norm(); }
};

/// Half-open range of cell indices: lower <= cell < upper.
struct CellBox {
  Vec3i lower = Vec3i::Zero();
  Vec3i upper = Vec3i::Zero();

  bool contains(const Vec3i& cell) const {
    return cell.x() >= lower.x() && cell.y() >= lower.y() && cell.z() >= lower.z() && cell.x() < upper.x() &&
           cell.y() < upper.y() && cell.z() < upper.z();
  }
};

}  // namespace freshet
