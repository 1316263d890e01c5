// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mesh_records.hpp"
#include "particle_records.hpp"

#include <string>
#include <vector>

namespace freshet {

/// One snapshot as the side file lists it.
struct XdmfEntry {
  std::string file;  ///< relative to the side file
  std::int64_t iteration = 0;
  double time = 0.0;  ///< [s]
  GlobalIndex n_particles = 0;
  struct Particles {
    std::string name;
    hid_t type = H5I_INVALID_HID;
    std::vector<std::string> components;  ///< paths below the species
  };
  std::vector<Particles> particles;
  openpmd::Mesh mesh;
  std::vector<MeshRecord> fields;
};

/// The text of the side file: a series in time of particles and, if there are fields, one of meshes. Fields on faces
/// are left out. The "XDMF Reader" of ParaView 5.11 shows all of it. Its two "Xdmf3 Readers" show scalar fields only:
/// they cannot join components that have datasets of their own.
class XdmfSeries {
 public:
  void add(const XdmfEntry& entry);
  /// Add the snapshots below `iteration` that a side file written by text() lists; nothing if there is no such file.
  void add_earlier(const std::string& path, std::int64_t iteration);
  std::string text() const;

 private:
  std::string particles_;
  std::string meshes_;
};

}  // namespace freshet
