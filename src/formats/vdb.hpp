// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/formats/field_file.hpp"
#include "freshet/formats/point_file.hpp"
#include "freshet/formats/vdb_file.hpp"
#include "freshet/io/atomic_file.hpp"

#include <vector>

/// Writers that need OpenVDB; only vdb.cpp includes its headers.
namespace freshet::formats {

/// A block of a level set on rank 0.
struct ReceivedBlock {
  Vec3i first;
  std::vector<float> phi;
};

#if FRESHET_OPENVDB
void write_point_vdb(const PointCloud& cloud, AtomicFile& file);
void write_field_vdb(const FrameFile& frame, const std::vector<FrameField>& fields, AtomicFile& file);
void write_level_set(const std::vector<ReceivedBlock>& blocks, const LevelSetLattice& lattice, AtomicFile& file);
std::string version_of_openvdb();
inline constexpr auto vdb_points_writer = write_point_vdb;
inline constexpr auto vdb_fields_writer = write_field_vdb;
#else
inline constexpr void (*vdb_points_writer)(const PointCloud&, AtomicFile&) = nullptr;
inline constexpr void (*vdb_fields_writer)(const FrameFile&, const std::vector<FrameField>&, AtomicFile&) = nullptr;
#endif

}  // namespace freshet::formats
