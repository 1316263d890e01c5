// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "records.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace freshet {

/// The text of the side file: a series in time of particles and, if there are fields, one of meshes. Fields on faces
/// are left out. The "XDMF Reader" of ParaView 5.11 shows all of it. Its two "Xdmf3 Readers" show scalar fields only:
/// they cannot join components that have datasets of their own.
class XdmfSeries {
 public:
  /// Snapshots of its number and above, if there are any, are taken out.
  /// \param[in] file  name of the snapshot, relative to the side file
  void add(const std::string& file, const SnapshotState& state, const SnapshotPlan& plan);
  /// Add the snapshots below `iteration` that a side file written by text() lists; nothing if there is no such file.
  void add_earlier(const std::string& path, std::int64_t iteration);
  std::string text() const;

 private:
  struct Grids {
    std::string particles, meshes;  ///< empty if the snapshot has none
  };
  std::map<std::int64_t, Grids> snapshots_;  ///< by their numbers
};

}  // namespace freshet
