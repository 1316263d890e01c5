// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/parallel/communicator.hpp"

#include <span>
#include <string>

namespace freshet {

/// The version of OpenVDB that this build writes .vdb files with; empty if it was built without OpenVDB.
std::string openvdb_version();

/// phi [m] at a cube of `width`^3 lattice points, x fastest.
struct LevelSetBlock {
  Vec3i first = Vec3i::Zero();  ///< lattice point of phi[0]
  const float* phi = nullptr;
};

/// The position and the resolution of a lattice, and the value of phi outside the blocks.
struct LevelSetLattice {
  int width = 8;               ///< number of points of a block along an axis
  double dx = 1.0;             ///< spacing of lattice points [m]
  Vec3 origin = Vec3::Zero();  ///< position of lattice point (0, 0, 0) [m]
  float band = 1.0F;           ///< value of phi far outside; points with |phi| >= band are not stored [m]
};

/// Write a level set as the float grid "surface" of a .vdb file, which has a temporary name until it is complete.
/// Regions of liquid without blocks become interior tiles.
///
/// Parallel: collective; rank 0 receives all blocks with a point in the band and holds them as OpenVDB's tree.
/// Errors: FileError, and InputError if this build lacks OpenVDB, on all ranks
void write_level_set_vdb(std::span<const LevelSetBlock> blocks, const LevelSetLattice& lattice, const std::string& path,
                         const Communicator& comm);

}  // namespace freshet
