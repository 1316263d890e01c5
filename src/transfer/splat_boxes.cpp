// SPDX-License-Identifier: Apache-2.0
#include "boxes.hpp"
#include "splat.hpp"

#include <algorithm>

/// The trilinear deposit in 3-D, by boxes.
///
/// What limits the deposit: the instructions that find a particle's boxes and add it to them, and the wait of two
/// consecutive particles in the same box for the memory between them. Sums of a whole cell in registers, written once a
/// cell, take more: 21 vectors of four doubles to multiply and add for a particle, and one mispredicted branch a cell.
namespace freshet {
namespace {

constexpr int box_batch = 64;
using Sums = SplatSums<BlockShape<3>>;

/// The planes of boxes that the particles of one plane of cells reach. Components x and y are on centres along z, so
/// they have two planes, by the parity of the plane's number; component z is on faces. All sums are zero between calls.
struct Planes {
  using X = BoxPlane<true, false>;
  using Y = BoxPlane<false, true>;
  using Z = BoxPlane<false, false>;
  BoxOf<2>::Sums x[2 * X::size] = {};
  BoxOf<2>::Sums y[2 * Y::size] = {};
  BoxOf<2>::Sums z[Z::size] = {};
  unsigned rows_x[2] = {}, rows_y[2] = {}, rows_z = 0;

  /// Move the sums of plane k of boxes between centres along z to nodes k - 1 and k.
  void finish_centers(int k, Sums& sums) {
    const int odd = k & 1;
    X::move(x + odd * X::size, rows_x[odd], sums.node[0] + k * X::node_plane, sums.touched[0] + k);
    Y::move(y + odd * Y::size, rows_y[odd], sums.node[1] + k * Y::node_plane, sums.touched[1] + k);
  }
  void finish_faces(int k, Sums& sums) {
    Z::move(z, rows_z, sums.node[2] + (k + 1) * Z::node_plane, sums.touched[2] + k + 1);
  }
};

/// The planes of this thread. In shared code an address of thread-local memory costs a call, which the compiler repeats
/// for every particle unless a function hides that the address is thread-local.
[[gnu::noinline]] Planes& planes_of_thread() {
  static thread_local Planes planes;
  return planes;
}

struct Batch {
  BoxPlaces<Lattices::faces, box_batch> at;
  alignas(64) ParticleReal u[3][box_batch];  ///< velocities [m/s]

  void load(const SplatSource& source, ParticleIndex first, int n) {
    using Real = ParticleReal;
    constexpr int width = n_lanes<Real>;
    at.load(source.x + 3 * first, n);
    for (int p = 0; p < n; p += width) {
      const Real* from = source.u + 3 * (first + p);
      const LaneTriple<Real> u_p = p + width <= n ? load_triples<Real>(from) : load_last_triples<Real>(from, n - p);
      for (int d = 0; d < 3; ++d) std::memcpy(u[d] + p, &u_p[d], sizeof(u_p[d]));
    }
  }
};

/// Add particles [begin, end) of a batch, which all lie in one plane of cells.
void add_particles(const Batch& batch, int begin, int end, Planes& planes) {
  const auto& at = batch.at;
  const auto& [x, y, z] = at.axis;
  for (int parity = 0; parity < 2; ++parity) {
    planes.rows_x[parity] |= at.center_rows;
    planes.rows_y[parity] |= at.cell_rows;
  }
  planes.rows_z |= at.center_rows;
  for (int p = begin; p < end; ++p) {
    const BoxOf<2>::Vector center_x = weights_along<0>(x.from_center[p]), center_y = weights_along<1>(y.from_center[p]);
    const BoxOf<2>::Vector center_z = weights_along<2>(z.from_center[p]);
    add_to_box(planes.x[at.box[0][p]], center_y * center_z * weights_along<0>(x.from_face[p]),
               with_ones(batch.u[0][p]));
    add_to_box(planes.y[at.box[1][p]], center_x * center_z * weights_along<1>(y.from_face[p]),
               with_ones(batch.u[1][p]));
    add_to_box(planes.z[at.box[2][p]], center_x * center_y * weights_along<2>(z.from_face[p]),
               with_ones(batch.u[2][p]));
  }
}

}  // namespace

template <>
void splat<DepositKernel::trilinear, BlockShape<3>>(const SplatSource& source, ParticleIndex n, Sums& sums) {
  Planes& planes = planes_of_thread();
  for (auto& touched : sums.touched) std::fill_n(touched, Sums::nz, 0U);
  Batch batch;
  int k = 0;  // the plane of cells whose particles are being added
  const auto go_to_plane = [&](int next) {
    planes.finish_faces(k, sums);
    planes.finish_centers(k, sums);
    if (next != k + 1) planes.finish_centers(k + 1, sums);
    k = next;
  };
  for (ParticleIndex first = 0; first < n; first += box_batch) {
    const int n_batch = static_cast<int>(std::min<ParticleIndex>(box_batch, n - first));
    batch.load(source, first, n_batch);
    batch.at.for_each_plane(n_batch, [&](int next, int begin, int end) {
      if (next != k) go_to_plane(next);
      add_particles(batch, begin, end, planes);
    });
  }
  constexpr int none = -2;
  go_to_plane(none);
}

}  // namespace freshet
