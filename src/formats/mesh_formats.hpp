// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/surface_mesh.hpp"
#include "freshet/io/ordered_file.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <string>

/// The writers that the table of mesh_file.cpp names; all are collective.
namespace freshet::formats {

void write_obj(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm);
void write_ply(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm);
void write_stl(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm);
void write_vtp(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm);

/// Whether any rank has normals; a rank without vertices has none. Collective
bool has_normals(const SurfaceMesh& mesh, const Communicator& comm);

/// Name a component: "velocity_x", or the name alone if there is one component.
std::string component_name(const std::string& name, int components, int c);

/// Check that a format can count n items. Errors: InputError if n > most
void expect_room(std::int64_t n, std::int64_t most, const char* what, const char* format);

}  // namespace freshet::formats
