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

/// A file format for a surface of triangles.
struct MeshFormat {
  const char* ending;  ///< ending of its file names, without the dot
  const char* text;    ///< description for help texts: the format, and what it stores
  /// Writes a file; null if the format stores the level set instead, which write_level_set_vdb() writes. Collective.
  /// Errors: InputError on all ranks if the format cannot count so many vertices or triangles
  void (*write)(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm);
};

/// The table of surface formats. To add a format, add a row.
std::span<const MeshFormat> mesh_formats();

/// Find the format of an ending, with or without a dot in front. Errors: InputError with a suggestion
const MeshFormat& find_mesh_format(std::string_view ending);

/// Write a surface to a file whose ending names its format. The file has a temporary name until it is complete; if it
/// cannot be written, no file is left under either name. The bytes are the same for the same vertices and triangles in
/// the same order, however they are spread over the ranks.
///
/// \pre the format stores triangles
/// Parallel: collective; rank 0 receives and writes it piece by piece. Errors: FileError, and InputError for an unknown
/// ending and for a mesh that is too large for its format, on all ranks
void write_surface_mesh(const SurfaceMesh& mesh, const std::string& path, const Communicator& comm);

}  // namespace freshet
