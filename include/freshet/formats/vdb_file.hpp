// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/parallel/communicator.hpp"

#include <span>
#include <string>

namespace freshet {

/// The version of OpenVDB that this build writes .vdb files with; empty if it was built without OpenVDB.
std::string openvdb_version();

/// phi [m] in a cube of `width`^3 lattice points, x fastest.
struct LevelSetBlock {
  Vec3i first = Vec3i::Zero();  ///< lattice point of phi[0]
  const float* phi = nullptr;
};

/// Where the lattice stands, and what phi is between the blocks.
struct LevelSetLattice {
  int width = 8;               ///< points of a block along an axis
  double dx = 1.0;             ///< distance of lattice points [m]
  Vec3 origin = Vec3::Zero();  ///< place of lattice point (0, 0, 0) [m]
  float band = 1.0F;           ///< phi of points far outside; points with |phi| >= band are not stored [m]
};

/// Write a level set as the float grid "surface" of a .vdb file, which has a temporary name until it is whole. Regions
/// inside the liquid without blocks become interior tiles.
///
/// Parallel: collective; rank 0 gets all blocks with a point in the band, and holds them as OpenVDB's tree. Errors:
/// FileError on all ranks, and InputError on all ranks if this build lacks OpenVDB
void write_level_set_vdb(std::span<const LevelSetBlock> blocks, const LevelSetLattice& lattice, const std::string& path,
                         const Communicator& comm);

}  // namespace freshet
