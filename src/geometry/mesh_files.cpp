// SPDX-License-Identifier: Apache-2.0
#include "mesh_files.hpp"

#include <cstring>

namespace freshet {
namespace {

/// Elements of a vector as bytes, from rank 0 to all.
template <class T>
void broadcast_vector(const Communicator& comm, std::vector<T>& values) {
  static_assert(std::is_standard_layout_v<T>);
  const std::string bytes =
      comm.broadcast(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  values.resize(bytes.size() / sizeof(T));
  std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
}

}  // namespace

void broadcast_mesh(const Communicator& comm, TriangleMesh& mesh) {
  if (comm.size() == 1) return;
  broadcast_vector(comm, mesh.points);
  broadcast_vector(comm, mesh.triangles);
}

}  // namespace freshet
