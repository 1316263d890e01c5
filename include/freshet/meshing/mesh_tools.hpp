// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/surface_mesh.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <vector>

namespace freshet {

/// Counts and measures of a mesh, summed over all ranks.
struct MeshReport {
  std::int64_t vertices = 0;
  std::int64_t faces = 0;
  std::int64_t components = 0;
  std::int64_t open_edges = 0;  ///< edges with one triangle
  std::int64_t bad_edges = 0;   ///< edges with more than two triangles, or with two that run along it in one direction
  double volume = 0.0;          ///< volume that the triangles enclose; without a meaning if there are open edges [m^3]
  double area = 0.0;            ///< [m^2]
  bool closed() const { return open_edges == 0 && bad_edges == 0; }
};

/// Count the triangles of every edge and the components; measure volume and area. Parallel: collective
MeshReport check_mesh(const Communicator& comm, const SurfaceMesh& mesh);

/// Remove vertices that no triangle names; the order of the others stays. Parallel: collective
void remove_unused_vertices(const Communicator& comm, SurfaceMesh& mesh);

/// Remove the components, drops as well as bubbles, that enclose less than a volume [m^3]. \return number removed
/// Parallel: collective
std::int64_t remove_small_components(const Communicator& comm, double volume, SurfaceMesh& mesh);

/// Bring the whole mesh to rank 0. Vertices and triangles keep their order. Parallel: collective
void gather_mesh(const Communicator& comm, SurfaceMesh& mesh);

/// Smooth the surface by Taubin's filter (1995): in each round every vertex moves half the way to the mean of its
/// neighbours and then a little more than half the way back. At the end vertices move along their normals until the
/// mesh encloses its first volume. Vertices on open edges stay. Same bits on any number of ranks. Parallel: collective
void smooth_mesh(const Communicator& comm, int rounds, SurfaceMesh& mesh);

/// Collapse edges until a part of the triangles is left or no edge may go; the edge that changes the surface least goes
/// first (quadrics, Garland & Heckbert 1997). A closed manifold stays one: an edge may go if its ends have two
/// neighbours in common and lie on no open edge, and if no triangle turns over. Vertices without triangles are removed.
///
/// Each rank first collapses edges between vertices that only its own triangles name; rank 0 then does so in the bands
/// of triangles along the seams between ranks. The cheapest edge depends on all collapses before it, so the triangles,
/// though not their number, depend on the number of ranks. Parallel: collective
void decimate_mesh(const Communicator& comm, double part, SurfaceMesh& mesh);

}  // namespace freshet
