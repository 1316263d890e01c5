// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace freshet {

/// A snapshot file of a run.
struct RunFrame {
  std::int64_t number = 0;
  std::string path;
};

/// Find the snapshots in the output directory of a run, in ascending order. For one rank.
/// Errors: InputError if there is no such directory, or if it holds no snapshot
std::vector<RunFrame> frames_of_run(const std::string& directory);

/// Choose the frames that a range names: "7", or "first:last:step" with both ends included. A missing end means the
/// first or the last frame; a missing step means 1.
/// Errors: InputError for text that is no range, and for a range whose first or last frame does not exist
std::vector<RunFrame> choose_frames(const std::vector<RunFrame>& frames, const std::string& range);

/// A record of a frame: the same numbers for each particle.
struct FrameRecord {
  std::string name;  ///< "position", "velocity", "id", ...
  AttributeType type = AttributeType::float32;
  std::vector<std::string> components;  ///< "x", "y", "z", or "0", "1", ...; empty if a particle has one number
  int n_components() const { return components.empty() ? 1 : static_cast<int>(components.size()); }
};

/// A field of a frame in the cells of a box of the grid.
struct FrameField {
  std::string name;
  AttributeType type = AttributeType::float64;
  std::vector<std::string> components;
  bool on_faces = false;       ///< whether component d stands on the low face normal to axis d, not at the centre
  Vec3i cells;                 ///< number of cells of the box along each axis; 0 on a grid without blocks
  double dx = 1.0;             ///< cell size [m]
  Vec3 corner = Vec3::Zero();  ///< low corner of the box [m]
  int n_components() const { return components.empty() ? 1 : static_cast<int>(components.size()); }
};

/// Reads a snapshot. Each rank that opened it may read any part of it without the others.
///
/// Errors: FileError, on this rank alone unless stated otherwise; callers use agree()
class FrameFile {
 public:
  /// Check that the file is as freshet wrote it, and open it on each rank.
  /// Collective. Errors: FileError "<path>: ..." on all ranks for a file that is missing, damaged or no snapshot
  FrameFile(const Communicator& comm, const std::string& path);
  ~FrameFile();
  FrameFile(const FrameFile&) = delete;
  FrameFile& operator=(const FrameFile&) = delete;

  double time() const;  ///< [s]
  std::int64_t n_particles() const;
  double particle_share() const;  ///< part of the box's particles that are written, 0 to 1
  /// Number of the run's particles that output.particle_share or the particles' box left out; 0 in files of 0.2.0.
  std::int64_t n_left_out() const;
  const std::vector<FrameRecord>& records() const;  ///< records of the particles, position first
  const std::vector<FrameField>& fields() const;
  /// Whether the grid of the snapshot has no blocks, because no particle was left: then fields have no cells, and
  /// fields() has only those that are cut to a box.
  bool is_without_blocks() const;
  /// The poses of all solids, twelve numbers each: rows of [rotation | translation], as for points of the case file
  /// [m]; empty if no solid moves.
  const std::vector<double>& solid_poses() const;
  /// The resolved case file of the run, with every key, as `freshet check` prints it.
  std::string resolved_input() const;

  /// Read component c of particles first ... first + values.size() - 1 and convert it to T. Positions are in metres.
  /// \pre T is float, double, std::int64_t or std::uint64_t
  template <class T>
  void read(const FrameRecord& record, int c, std::int64_t first, std::span<T> values) const;

  /// Read component c in layers z = first ... last - 1 of the box, x fastest: cells.x * cells.y values for each layer.
  void read(const FrameField& field, int c, int first, int last, std::span<double> values) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace freshet
