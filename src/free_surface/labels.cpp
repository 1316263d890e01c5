// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/labels.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/distribution.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/bit_tile.hpp"
#include "freshet/grid/kernels/face_bits.hpp"
#include "freshet/solids/outward_neighbour.hpp"
#include "freshet/solids/wall_sides.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace freshet {
namespace {

template <class Shape>
GlobalIndex label_block(const std::uint32_t* cell_begin, const std::uint8_t* solid, Label* label) {
  int n_liquid = 0;
  for (int c = 0; c < Shape::cells; ++c) {
    const Label open = cell_begin[c + 1] != cell_begin[c] ? Label::liquid : Label::air;
    label[c] = solid[c] != 0 ? Label::solid : open;
    n_liquid += label[c] == Label::liquid ? 1 : 0;
  }
  return n_liquid;
}

/// Label cells of air that the grid alone fills as liquid. \return their number
template <class Shape>
int fill_bulk(const std::uint8_t* bulk, Label* label) {
  int n_filled = 0;
  for (int c = 0; c < Shape::cells; ++c) {
    if (bulk[c] == 0 || label[c] != Label::air) continue;
    label[c] = Label::liquid;
    ++n_filled;
  }
  return n_filled;
}

/// Label cells whose particles are all beyond a thin wall as air. \return their number
template <class Shape>
int leave_out_beyond_walls(const ParticleStore& particles, const SolidFields& solids, LocalIndex b,
                           const std::uint32_t* cell_begin, LabelField& labels) {
  const WallSides<Shape> sides(solids, labels.layout(), b);
  int n_left_out = 0;
  for (const WalledCell& walled : solids.walled_cells(b)) {
    Label& label = labels.block(b)[walled.cell];
    if (label != Label::liquid) continue;
    const int c = walled.cell;
    const Vec3i cell = Shape::place(c);
    bool any_at_home = false;
    for (ParticleIndex p = cell_begin[c]; p < cell_begin[c + 1] && !any_at_home; ++p) {
      const ParticleReal* x = particles.position() + 3 * p;
      any_at_home = sides.is_at_home(cell, Vec3(x[0], x[1], x[2]));
    }
    if (any_at_home) continue;
    label = Label::air;
    ++n_left_out;
  }
  return n_left_out;
}

/// Label cut cells without a particle as liquid if their neighbour along the body's outward normal is liquid.
/// \return the number of cells that became liquid
template <class Shape>
GlobalIndex fill_cut_cells(const SolidFields& solids, LabelField& labels) {
  const BlockLayout& layout = labels.layout();
  const LocalIndex n_owned = layout.n_owned();
  constexpr Label found = static_cast<Label>(3);  // becomes liquid when all cut cells have been visited
  GlobalIndex n_filled = 0;
  ThreadShares& shares = share_out(n_owned);
#pragma omp parallel reduction(+ : n_filled)
  shares.work(omp_get_thread_num(), [&](LocalIndex b) {
    for (const CutCell& cut : solids.cut_cells(b)) {
      const std::atomic_ref<Label> label(labels.block(b)[cut.cell]);
      if (label.load(std::memory_order_relaxed) != Label::air) continue;
      const CellPlace next = outward_neighbour<Shape>(layout, b, cut);
      const std::atomic_ref<Label> seen(labels.block(next.slot)[next.cell]);
      if (seen.load(std::memory_order_relaxed) != Label::liquid) continue;
      label.store(found, std::memory_order_relaxed);
      ++n_filled;
    }
  });
  parallel_for_blocks(n_owned, [&](LocalIndex b) {
    for (const CutCell& cut : solids.cut_cells(b))
      if (labels.block(b)[cut.cell] == found) labels.block(b)[cut.cell] = Label::liquid;
  });
  return n_filled;
}

constexpr double radius = 1.0;  ///< radius of the density's kernel [cells]

/// rho_0: sum of the kernels at a particle of the seeding lattice.
template <class Shape>
double lattice_density(int per_axis) {
  const int n_z = Shape::dim == 3 ? per_axis : 0;
  double sum = 0.0;
  for (int k = -n_z; k <= n_z; ++k)
    for (int j = -per_axis; j <= per_axis; ++j)
      for (int i = -per_axis; i <= per_axis; ++i)
        sum += loose_kernel((i * i + j * j + k * k) / static_cast<double>(per_axis * per_axis), radius * radius);
  return sum;
}

template <class Shape>
GlobalIndex label_block_by_density(const ParticleStore& particles, const ParticleNeighbours& neighbours, LocalIndex b,
                                   double threshold, const std::uint8_t* solid, Label* label) {
  double density[Shape::cells] = {};
  for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
    const ParticleReal* x = particles.position() + 3 * p;
    const Vec3i cell(static_cast<int>(x[0]), static_cast<int>(x[1]), Shape::dim == 3 ? static_cast<int>(x[2]) : 0);
    double& sum = density[Shape::cell(cell)];
    neighbours.for_each_near<Shape>(b, cell, [&](const Neighbour& q, const double* offset) {
      double r2 = 0.0;
      for (int d = 0; d < Shape::dim; ++d) r2 += (q.x[d] + offset[d] - x[d]) * (q.x[d] + offset[d] - x[d]);
      sum += loose_kernel(r2, radius * radius);
    });
  }
  GlobalIndex n_liquid = 0;
  for (int c = 0; c < Shape::cells; ++c) {
    label[c] = solid[c] != 0 ? Label::solid : density[c] >= threshold ? Label::liquid : Label::air;
    n_liquid += label[c] == Label::liquid ? 1 : 0;
  }
  return n_liquid;
}

/// Fill cut cells, and refresh the labels of ghosts unless `ghosts` is 0. Collective
/// \return the number of cells that became liquid
GlobalIndex share_labels(const SolidFields& solids, int ghosts, LabelField& labels) {
  const BlockLayout& layout = labels.layout();
  GlobalIndex n_filled = 0;
  if (solids.any_fractions()) {
    layout.halo().gather(labels, 1);
    with_shape(layout.domain().dimension(),
               [&](auto shape) { n_filled = fill_cut_cells<decltype(shape)>(solids, labels); });
  }
  if (ghosts > 0) layout.halo().gather(labels, ghosts);
  return n_filled;
}

/// \return number of liquid cells
template <class Shape>
GlobalIndex label_block_by_distance(const float* phi, const std::uint8_t* solid, Label* label) {
  int n_liquid = 0;
  for (int c = 0; c < Shape::cells; ++c) {
    label[c] = solid[c] != 0 ? Label::solid : phi[c] < 0.0F ? Label::liquid : Label::air;
    n_liquid += label[c] == Label::liquid ? 1 : 0;
  }
  return n_liquid;
}

/// Set a block of label_cells_by_distance()'s `occupied`: liquid in cells of liquid and in cells of spray.
template <class Shape>
void find_spray(const LabelPlanes& labels, const LocalIndex* around, LocalIndex b, Label* occupied) {
  using Tile = BitTile<Shape, 1>;
  const Tile liquid(labels.liquid, around);
  const Tile near = liquid.grown(1);
  const std::uint64_t* solid = labels.solid.data() + Shape::nz * static_cast<std::size_t>(b);
  for (int r = 0; r < Shape::rows; ++r) {
    const int j = r % Shape::ny, k = r / Shape::ny;
    std::uint64_t before = 0;
    std::memcpy(&before, occupied + Shape::nx * r, sizeof before);
    const std::uint64_t solids = bytes_of_bits[solid[k] >> Shape::nx * j & 0xff];
    const std::uint64_t particles = (before | before >> 1) & low_column;  // cells with particles
    const std::uint64_t wet =
        bytes_of_bits[liquid.template row<>(j, k)] | (particles & ~bytes_of_bits[near.template row<>(j, k)]);
    static_assert(static_cast<int>(Label::air) == 0 && static_cast<int>(Label::liquid) == 1);
    const std::uint64_t after = (before & 0xff * solids) | (wet & ~solids);
    std::memcpy(occupied + Shape::nx * r, &after, sizeof after);
  }
}

}  // namespace

GlobalIndex label_cells_by_distance(const CellField<float>& phi, const SolidFields& solids, LabelField& occupied,
                                    LabelField& labels, LabelPlanes& planes) {
  const BlockLayout& layout = labels.layout();
  GlobalIndex n_liquid = 0;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const LocalIndex n_owned = layout.n_owned();
#pragma omp parallel for schedule(static) reduction(+ : n_liquid)
    for (LocalIndex b = 0; b < layout.n_blocks(); ++b) {  // ghosts, too: their distances and solids are known
      const GlobalIndex n = label_block_by_distance<Shape>(phi.block(b), solids.is_solid().block(b), labels.block(b));
      if (b < n_owned) n_liquid += n;
    }
    planes.find(labels);
    parallel_for_blocks(n_owned,
                        [&](LocalIndex b) { find_spray<Shape>(planes, layout.neighbours(b), b, occupied.block(b)); });
  });
  return n_liquid;
}

GlobalIndex label_cells_by_density(const ParticleStore& particles, const ParticleNeighbours& neighbours,
                                   const SolidFields& solids, double alpha, int per_axis, LabelField& labels) {
  const BlockLayout& layout = labels.layout();
  std::atomic<GlobalIndex> n_liquid{0};
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const double per_cell = std::pow(per_axis, Shape::dim);
    const double threshold = alpha * per_cell * lattice_density<Shape>(per_axis);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      n_liquid.fetch_add(label_block_by_density<Shape>(particles, neighbours, b, threshold, solids.is_solid().block(b),
                                                       labels.block(b)),
                         std::memory_order_relaxed);
    });
  });
  return n_liquid.load() + share_labels(solids, 1, labels);
}

GlobalIndex label_cells(const ParticleStore& particles, const SolidFields& solids, LabelField& labels, int ghosts,
                        const CellField<std::uint8_t>* bulk) {
  const BlockLayout& layout = labels.layout();
  GlobalIndex n_liquid = 0;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const LocalIndex n_owned = layout.n_owned();
    FRESHET_EXPECT(particles.cell_begin().size() == static_cast<std::size_t>(n_owned) * Shape::cells + 1);
    const std::uint32_t* const cell_begin = particles.cell_begin().data();
#pragma omp parallel for schedule(static) reduction(+ : n_liquid)
    for (LocalIndex b = 0; b < n_owned; ++b) {
      const std::uint32_t* const begin = cell_begin + static_cast<std::size_t>(b) * Shape::cells;
      n_liquid += label_block<Shape>(begin, solids.is_solid().block(b), labels.block(b));
      if (bulk != nullptr) n_liquid += fill_bulk<Shape>(bulk->block(b), labels.block(b));
      if (!solids.walled_cells(b).empty())
        n_liquid -= leave_out_beyond_walls<Shape>(particles, solids, b, begin, labels);
    }
  });
  return n_liquid + share_labels(solids, ghosts, labels);
}

}  // namespace freshet
