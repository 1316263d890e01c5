// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/surface_mesh.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <vector>

namespace freshet {

/// What a mesh is, as its own triangles tell.
struct MeshReport {
  std::int64_t vertices = 0;
  std::int64_t faces = 0;
  std::int64_t components = 0;
  std::int64_t open_edges = 0;  ///< edges with one triangle
  std::int64_t bad_edges = 0;   ///< edges with more than two triangles, or two that run along it in the same direction
  double volume = 0.0;          ///< that the triangles enclose; without a meaning if there are open edges [m^3]
  double area = 0.0;            ///< [m^2]
  bool closed() const { return open_edges == 0 && bad_edges == 0; }
};

/// Count the triangles of every edge, the components and what the mesh encloses. Parallel: collective
MeshReport check_mesh(const Communicator& comm, const SurfaceMesh& mesh);

/// Remove vertices that no triangle names; the order of the others stays. Parallel: collective
void remove_unused_vertices(const Communicator& comm, SurfaceMesh& mesh);

/// For each triangle of this rank the lowest vertex number of its component. Parallel: collective
std::vector<std::int64_t> label_components(const Communicator& comm, const SurfaceMesh& mesh);

/// Remove the components, drops as well as bubbles, that enclose less than a volume [m^3]. \return how many
/// Parallel: collective
std::int64_t remove_small_components(const Communicator& comm, double volume, SurfaceMesh& mesh);

/// Bring the whole mesh to rank 0. Vertices and triangles keep their order. Parallel: collective
void gather_mesh(const Communicator& comm, SurfaceMesh& mesh);

/// Smooth the surface by Taubin's filter (1995): in each round every vertex moves to the mean of its neighbours by half
/// and back by a little more, and at the end along the normals until the mesh encloses the volume that it enclosed.
/// Vertices on open edges stay. The same bits on any number of ranks. Parallel: collective
void smooth_mesh(const Communicator& comm, int rounds, SurfaceMesh& mesh);

/// Collapse edges, the ones first that change the surface least (quadrics, Garland & Heckbert 1997), until a part of
/// the triangles is left or no edge may go. A closed manifold stays one: an edge may go if its ends have two neighbours
/// in common, lie on no open edge, and no triangle turns over. Vertices that are left over are removed.
///
/// On several ranks each first collapses edges between vertices that its triangles alone name; then rank 0 does so in
/// the bands of triangles along the seams between ranks. Which edge is the cheapest depends on all that went before:
/// so the triangles, though not their number, depend on the number of ranks. Parallel: collective
void decimate_mesh(const Communicator& comm, double part, SurfaceMesh& mesh);

}  // namespace freshet
