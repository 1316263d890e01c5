// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/surface_mesh.hpp"
#include "freshet/io/ordered_file.hpp"
#include "freshet/parallel/communicator.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace freshet {

/// A kind of file that holds a surface of triangles.
struct MeshFormat {
  const char* ending;  ///< of its names, without the dot
  const char* text;    ///< what it is and what it keeps, for help texts
  /// Null: the format holds the level set instead, and write_level_set_vdb() writes it.
  /// Collective. Errors: InputError on all ranks if the format has no room for so large a mesh
  void (*write)(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm);
};

/// All of them. To add a format, add a row.
std::span<const MeshFormat> mesh_formats();

/// The format of that ending, which may have a dot in front. Errors: InputError with a suggestion
const MeshFormat& find_mesh_format(std::string_view ending);

/// Write a surface to a file whose ending names its format. The file has a temporary name until it is whole; if it
/// cannot be written, nothing is left under either name. The bytes are the same for the same vertices and triangles in
/// the same order, however they are spread over the ranks.
///
/// \pre the format holds triangles
/// Parallel: collective; rank 0 writes what it receives piece by piece. Errors: FileError, and InputError for an ending
/// that no format has and for a mesh that is too large for its format, on all ranks
void write_surface_mesh(const SurfaceMesh& mesh, const std::string& path, const Communicator& comm);

}  // namespace freshet
