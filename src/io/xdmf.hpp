// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "records.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace freshet {

/// The text of the XDMF side file: a time series of particles and, if there are fields, one of meshes. Fields on faces
/// are left out. The "XDMF Reader" of ParaView 5.11 shows all of it. Its two "Xdmf3 Readers" show only scalar fields:
/// they cannot join components from datasets of their own.
class XdmfSeries {
 public:
  /// Add a snapshot; snapshots with the same or a higher number are removed.
  /// \param[in] file  name of the snapshot, relative to the side file
  void add(const std::string& file, const SnapshotState& state, const SnapshotPlan& plan);
  /// Add the snapshots below `iteration` that a side file written by text() lists; nothing if there is no such file.
  void add_earlier(const std::string& path, std::int64_t iteration);
  std::string text() const;

 private:
  struct Grids {
    std::string particles, meshes;  ///< XML of the grids; empty if the snapshot has none
  };
  std::map<std::int64_t, Grids> snapshots_;  ///< grids by number of the snapshot
};

}  // namespace freshet
