// SPDX-License-Identifier: Apache-2.0
#include "freshet/pressure/density_correction.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/star_rows.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/solids/cut_off.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace freshet {

namespace {

constexpr double largest_counted_error = 0.5;  ///< bound of |e|; a larger error takes several steps
constexpr double least_room = 0.05;            ///< cells with less room around their centres have no error [cells]
constexpr double surface_share = 0.05;         ///< the factor 1 / 20 of (2)
/// Least open part of a cell whose centre lies outside bodies: half of the cell, but for rounding.
constexpr double outside = 0.5 - 1e-9;

/// Trilinear weight of a cell's centre along an axis, integrated over the lower neighbour, the cell and the upper one.
constexpr double share[3] = {0.125, 0.75, 0.125};

RealRow weighted(const RealRow& low, const RealRow& here, const RealRow& high) {
  return share[0] * (low + high) + share[1] * here;
}

/// Sums of share * value over the cells around each cell of a block. \param[in] values  padded by 1
template <class Shape>
void smooth(const double* values, double* sums) {
  constexpr int nx = Shape::nx + 2, ny = Shape::ny + 2, nz = Shape::dim == 3 ? Shape::nz + 2 : 1;
  RealRow along_x[ny * nz];
  for (int r = 0; r < ny * nz; ++r, values += nx)
    along_x[r] = weighted(load_reals(values), load_reals(values + 1), load_reals(values + 2));
  RealRow along_y[Shape::ny * nz];
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < Shape::ny; ++j) {
      const RealRow* row = along_x + ny * k + j;
      along_y[Shape::ny * k + j] = weighted(row[0], row[1], row[2]);
    }
  for (int r = 0; r < Shape::rows; ++r) {
    RealRow sum = along_y[r];
    if constexpr (Shape::dim == 3) sum = weighted(along_y[r], along_y[r + Shape::ny], along_y[r + 2 * Shape::ny]);
    store_row(sums + block_width * r, sum);
  }
}

RealRow larger(const RealRow& a, const RealRow& b) {
  return select(a > b, a, b);
}

/// A(phi) of (2): part of a cell centre's weight that lies below a plane surface at the distance phi <= 0. [1]
RealRow liquid_part(const RealRow& phi) {
  const RealRow beyond = larger(1.0 + phi, RealRow{});
  return 1.0 - 0.5 * beyond * beyond;
}

/// The part of a cell centre's weight on the open side of a plane normal to an axis. [1]
/// \param[in] distance  of the centre from the plane, below 0 behind it [cells]
double part_before_plane(double distance) {
  const double d = std::clamp(distance, -1.0, 1.0);
  return 0.5 + d - 0.5 * d * std::abs(d);
}

/// The same where the open part of each cell is spread evenly over it. \param[in] normal  away from the plane
template <class Shape>
RealRow part_of_cells_before_plane(const RealRow& distance, const RealRow (&normal)[3]) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  const RealRow one = RealRow::all(1.0);
  RealRow sum{};
  for (int k = -z; k <= z; ++k)
    for (int j = -1; j <= 1; ++j) {
      const RealRow across = static_cast<double>(j) * normal[1] + static_cast<double>(k) * normal[2];
      const double weight = share[j + 1] * (Shape::dim == 3 ? share[k + 1] : 1.0);
      for (int i = -1; i <= 1; ++i) {
        const RealRow part = 0.5 + distance + (static_cast<double>(i) * normal[0] + across);
        sum += share[i + 1] * weight * larger(select(part > one, one, part), RealRow{});
      }
    }
  return sum;
}

/// Bits of the cells of a row that hold 1.
std::uint8_t ones(const std::uint8_t* row) {
  unsigned bits = 0;
  for (unsigned lane = 0; lane < block_width; ++lane) bits |= (row[lane] == 1 ? 1U : 0U) << lane;
  return static_cast<std::uint8_t>(bits);
}

/// The liquid cells of a block, row by row, and which of them lie inside the liquid.
template <class Shape>
struct LiquidRows {
  std::uint8_t liquid[Shape::rows];
  std::uint8_t inner[Shape::rows];
  bool any = false;
  bool any_at_surface = false;

  LiquidRows(const Label* label, const std::uint8_t* is_inner) {
    unsigned all = 0, at_surface = 0;
    for (int r = 0; r < Shape::rows; ++r) {
      liquid[r] = liquid_mask(label + block_width * r);
      inner[r] = row_mask(is_inner + block_width * r);
      all |= liquid[r];
      at_surface |= liquid[r] & ~static_cast<unsigned>(inner[r]);
    }
    any = all != 0;
    any_at_surface = at_surface != 0;
  }
};

/// The room around the centres of a block's cells: trilinear weights integrated over what is not solid. [cells]
template <class Shape>
class Rooms {
 public:
  /// \param[in] label  of the block's cells
  Rooms(const BlockLayout& layout, const SolidFields& solids, const Label* label, LocalIndex block)
      : walled_cells_(solids.walled_cells(block)) {
    double distance[size];
    is_open_ =
        find_open_parts(layout, solids, block, extents_, open_, walled_cells_.empty() ? nullptr : behind_, distance);
    if (is_open_) return;
    smooth<Shape>(open_, room_);
    find_beside_walls(open_, behind_, room_);
    find_corrections(distance, label);
    correct(room_);
  }
  /// The part of the cells of row r outside solids.
  RealRow open_part(int r) const { return load_reals(open_ + extents_.at(0, r % Shape::ny, r / Shape::ny)); }
  RealRow room(int r) const { return is_open_ ? RealRow::all(1.0) : load_reals(room_ + block_width * r); }

  /// Find the room that chosen cells alone give. \param[in] chosen  ghosts valid to width 1
  void find_in_chosen(const CellField<std::uint8_t>& chosen, LocalIndex block) {
    double open_chosen[size], behind_chosen[size];
    fill_tile(chosen, block, extents_, open_chosen);
    if (!walled_cells_.empty())
      for (int n = 0; n < size; ++n) behind_chosen[n] = open_chosen[n] * behind_[n];
    for (int n = 0; n < size; ++n) open_chosen[n] *= open_[n];
    smooth<Shape>(open_chosen, room_in_chosen_);
    find_beside_walls(open_chosen, behind_chosen, room_in_chosen_);
    if (!is_open_) correct(room_in_chosen_);
  }
  RealRow room_in_chosen(int r) const { return load_reals(room_in_chosen_ + block_width * r); }

  /// Find the cells that have an inner cell with an open part among their neighbours. \param[in] inner  as above
  void find_next_to_inner(const CellField<std::uint8_t>& inner, LocalIndex block) {
    fill_tile(inner, block, extents_, next_to_inner_);
    if (!is_open_)
      for (int n = 0; n < size; ++n) next_to_inner_[n] = open_[n] > 0.0 ? next_to_inner_[n] : std::uint8_t{0};
    collect_bits_around(extents_, next_to_inner_);
  }
  std::uint8_t next_to_inner(int r) const {
    return row_mask(next_to_inner_ + extents_.at(-1, r % Shape::ny - 1, r / Shape::ny - 1));
  }

 private:
  static constexpr int size = TileExtents<Shape>(1).size();

  /// Find the room around the centres of cells beside thin walls, on each cell's own side alone.
  void find_beside_walls(const double* open, const double* behind, double* room) const {
    for (const WalledCell& walled : walled_cells_) {
      const int c = walled.cell;
      const Vec3i cell = Shape::place(c);
      double sum = 0.0;
      for (int direction = 0; direction < n_directions; ++direction) {
        const Vec3i to = direction_offset(direction), there = cell + to;
        if (Shape::dim == 2 && to.z() != 0) continue;
        double weight = 1.0;
        for (int d = 0; d < Shape::dim; ++d) weight *= share[to[d] + 1];
        const int n = extents_.at(there);
        sum += weight * ((walled.seen >> direction & 1U) != 0 ? open[n] : behind[n]);
      }
      room[c] = sum;
    }
  }

  /// Find by which factor the room around the centres of cells near a body is larger than where the open part of a cell
  /// counts as spread over it. A cell that a wall cuts through its middle is full on one side of it.
  void find_corrections(const double* distance, const Label* label) {
    constexpr double farthest = Shape::dim == 3 ? 1.733 : 1.415;  // distance between the centres of neighbours
    const int step[3] = {1, extents_.nx, extents_.nx * extents_.ny};
    for (int r = 0; r < Shape::rows; ++r) {
      double to_plane[block_width] = {}, normals[3][block_width] = {};
      unsigned near_plane = 0;
      for (int lane = 0; lane < block_width; ++lane) {
        const int c = block_width * r + lane;
        correction_[c] = 1.0;
        const int here = extents_.of_cell(c);
        if (label[c] != Label::liquid || distance[here] >= 0.5 + farthest) continue;
        Vec3 normal = Vec3::Zero();
        for (int d = 0; d < Shape::dim; ++d) normal[d] = distance[here + step[d]] - distance[here - step[d]];
        if (normal.isZero(0.0)) continue;
        normal.normalize();
        if (distance[here] >= 0.5 + normal.lpNorm<1>()) continue;  // the plane cuts no cell around this one
        to_plane[lane] = distance[here];
        for (int d = 0; d < Shape::dim; ++d) normals[d][lane] = normal[d];
        near_plane |= 1U << static_cast<unsigned>(lane);
      }
      if (near_plane == 0) continue;
      const RealRow normal[3] = {load_reals(normals[0]), load_reals(normals[1]), load_reals(normals[2])};
      const RealRow spread = part_of_cells_before_plane<Shape>(load_reals(to_plane), normal);
      for (; near_plane != 0; near_plane &= near_plane - 1) {
        const int lane = std::countr_zero(near_plane);
        if (spread[lane] > least_room)
          correction_[block_width * r + lane] = part_before_plane(to_plane[lane]) / spread[lane];
      }
    }
  }
  void correct(double* room) const {
    for (int c = 0; c < Shape::cells; ++c) room[c] *= correction_[c];
  }

  const TileExtents<Shape> extents_{1};
  const std::vector<WalledCell>& walled_cells_;
  bool is_open_;  ///< no solid in or next to the block
  double open_[size];
  double behind_[size];  ///< open parts on the other sides of thin walls
  double room_[Shape::cells];
  double room_in_chosen_[Shape::cells];
  double correction_[Shape::cells];  ///< factors of the room, by find_corrections()
  std::uint8_t next_to_inner_[size];
};

}  // namespace

void DensityReport::add_to(Reduction& reduction) {
  reduction.sum(squared_errors);
  reduction.max(largest_error);
  reduction.sum(inner_cells);
  reduction.sum(overfull_cells);
}

void DensityReport::finish() {
  mean_error = inner_cells > 0 ? std::sqrt(squared_errors.round() / static_cast<double>(inner_cells)) : 0.0;
}

/// Find the errors of one block's cells. \param[in,out] outflow  n_c of all particles; on return s e times the part
/// outside solids, 0 in cells without liquid. \param[in] chosen  cells whose particles alone count for inner cells, of
/// which in_chosen holds n_c; null: all
template <class Shape>
DensityCorrection::BlockErrors DensityCorrection::find_errors(const LabelField& labels, const SolidFields& solids,
                                                              const CellField<std::uint8_t>& inner,
                                                              const CellField<std::uint8_t>* chosen,
                                                              const SurfacePlace& surface,
                                                              CellField<double>& outflow_field,
                                                              const CellField<double>& in_chosen, LocalIndex block) {
  BlockErrors result;
  double* const outflow = outflow_field.block(block);
  const LiquidRows<Shape> rows(labels.block(block), inner.block(block));
  if (!rows.any) {
    std::fill_n(outflow, Shape::cells, 0.0);
    return result;
  }
  Rooms<Shape> rooms(labels.layout(), solids, labels.block(block), block);
  const float* const phi = surface.phi(block);
  if (chosen != nullptr) rooms.find_in_chosen(*chosen, block);
  if (phi != nullptr && rows.any_at_surface) rooms.find_next_to_inner(inner, block);
  RealRow squares{}, largest{};
  for (int r = 0; r < Shape::rows; ++r) {
    const std::uint8_t is_liquid = rows.liquid[r], is_inner = rows.inner[r] & is_liquid;
    const int first = block_width * r;
    const auto in_inner = real_mask(is_inner);
    RealRow count = load_reals(outflow + first), room = rooms.room(r);
    if (chosen != nullptr) {
      count = select(in_inner, load_reals(in_chosen.block(block) + first), count);
      room = select(in_inner, rooms.room_in_chosen(r), room);
    }
    const std::uint8_t is_complete = left_out_ != nullptr
                                         ? static_cast<std::uint8_t>(~row_mask(left_out_->block(block) + first))
                                         : std::uint8_t{255};
    const std::uint8_t counts = is_liquid & is_complete & row_mask(room > least_room);
    const RealRow full = select(real_mask(counts), per_cell_ * room, RealRow::all(1.0));
    RealRow error = keep_lanes(counts, count / full - 1.0);
    if (is_inner != is_liquid) {
      RealRow least{};  // (2) in cells at the surface
      if (phi != nullptr) {
        const std::uint8_t is_near = counts & rooms.next_to_inner(r) & row_mask(rooms.open_part(r) >= outside);
        const RealRow part = liquid_part(keep_lanes(is_near, load_reals(phi + first)));  // never 0
        least = keep_lanes(is_near, surface_share * (count / (full * part) - 1.0));
      }
      error = select(in_inner, error, larger(error, least));
    }
    const RealRow of_inner = keep_lanes(is_inner, error);
    squares += of_inner * of_inner;
    largest = larger_magnitudes(largest, error);
    result.n_inner += std::popcount(static_cast<std::uint8_t>(is_inner & is_complete));
    result.n_overfull += std::popcount(static_cast<std::uint8_t>(is_liquid & ~is_inner & row_mask(error > 0.0)));
    if (left_out_ != nullptr)
      error = select(real_mask(ones(left_out_->block(block) + first)), RealRow::all(source_), error);
    const RealRow bound = RealRow::all(largest_counted_error);
    const RealRow counted = select(error > bound, bound, select(error < -bound, -bound, error));
    store_row(outflow + first, rooms.open_part(r) * parameters_.strength * counted);
  }
  result.squares = sum_lanes(squares);
  result.largest = largest_lane(largest);
  return result;
}

/// The cells whose particles alone count for inner cells: with voxels inner cells, and none that are left out. \return
/// null: all cells. \param[in] inner  ghosts valid to width 1. Collective
const CellField<std::uint8_t>* DensityCorrection::choose_cells(const CellField<std::uint8_t>& inner,
                                                               const SurfacePlace& surface) {
  const CellField<std::uint8_t>* const all = surface.cells_of_known_volume(inner);
  if (left_out_ == nullptr) return all;
  const BlockLayout& layout = inner.layout();
  chosen_.reset(layout, all == nullptr ? std::uint8_t{1} : std::uint8_t{0});
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    for (int c = 0; c < layout.cells_per_block(); ++c)
      chosen_.block(b)[c] = (all == nullptr || inner.block(b)[c] != 0) && left_out_->block(b)[c] == 0 ? 1 : 0;
  });
  layout.halo().gather(chosen_, 1);
  return &chosen_;
}

DensityReport DensityCorrection::find_outflow(const ParticleStore& particles, const LabelField& labels,
                                              const SolidFields& solids, CellField<std::uint8_t>& inner,
                                              const SurfacePlace& surface, CellField<double>& outflow,
                                              CellField<double>& in_chosen) {
  const BlockLayout& layout = labels.layout();
  outflow.reset(layout, 0.0);
  in_chosen.reset(layout, 0.0);
  layout.halo().gather(inner, 1);
  const CellField<std::uint8_t>* const chosen = choose_cells(inner, surface);
  find_cut_off(particles, solids, layout, cut_off_);
  if (chosen == nullptr) {
    deposit_(particles, cut_off_, outflow);
  } else {
    deposit_(particles, cut_off_, *chosen, outflow, in_chosen);
  }
  errors_.resize(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      errors_[static_cast<std::size_t>(b)] =
          find_errors<decltype(shape)>(labels, solids, inner, chosen, surface, outflow, in_chosen, b);
    });
  });
  DensityReport report;
  report.is_new = true;
  for (const BlockErrors& block : errors_) {
    report.squared_errors.add(block.squares);
    report.largest_error = std::max(report.largest_error, block.largest);
    report.inner_cells += block.n_inner;
    report.overfull_cells += block.n_overfull;
  }
  return report;
}

DensityReport DensityCorrection::operator()(const ParticleStore& particles, const LabelField& labels,
                                            const SolidFields& solids, CellField<std::uint8_t>& inner,
                                            const SurfacePlace& surface, Projection& projection,
                                            FaceField<double>& displacement) {
  const BlockLayout& layout = labels.layout();
  const auto [outflow, potential] = projection.displacement();  // the potential holds the counts in chosen cells before
  DensityReport report = find_outflow(particles, labels, solids, inner, surface, outflow, potential);
  displacement.reset(layout, 0.0);
  const double part_of_lack = surface.part_of_change(surface_share) * parameters_.strength;
  const SolveReport solve = projection.displace(solids, part_of_lack, displacement, parameters_.tolerance);
  report.iterations = solve.iterations;
  report.converged = solve.converged;
  if (!solve.converged) displacement.fill(0.0);
  layout.halo().gather(displacement, 1);
  return report;
}

}  // namespace freshet
