// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/moment_deposit.hpp"

#include "cell_rim.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/core/real_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

namespace freshet {

struct MomentDeposit::Buffers {
  explicit Buffers(std::shared_ptr<ScratchMemory> memory) : rims(std::move(memory)) {}
  CellRimPool<Moments> rims;
  std::vector<std::uint8_t> is_used;  ///< by owned block: whether some node may differ from 0
};

namespace {

using Quarter [[gnu::vector_size(sizeof(Moments))]] = ParticleReal;  ///< lanes: weight, x, y, z
static_assert(sizeof(Moments) == 4 * sizeof(ParticleReal));

/// Sums at the nodes of CellSums.
template <class Shape>
struct MomentSums {
  using At = CellSums<Shape>;
  alignas(64) Quarter node[At::size];
};

/// The three cells that a particle reaches along an axis: weights, and distances of the particle from their centres.
struct Spline {
  int first;
  double w[3];
  double s[3];
  explicit Spline(double x) : first(static_cast<int>(std::floor(x)) - 1) {
    const double t = x - first - 1.5;  // distance from the centre of the middle cell, -1/2 .. 1/2
    w[0] = 0.5 * (0.5 - t) * (0.5 - t);
    w[1] = 0.75 - t * t;
    w[2] = 0.5 * (0.5 + t) * (0.5 + t);
    for (int i = 0; i < 3; ++i) s[i] = t + 1.0 - i;
  }
};

/// The range of three cells that lies within one cell of another cell along an axis.
struct Part {
  int begin;
  int end;
  Part(int first, int cell) : begin(std::max(0, cell - 1 - first)), end(std::min(3, cell + 2 - first)) {}
};

/// Add a point that may lie outside the block. The cells that it counts for do not depend on where the block ends.
template <class Shape>
void add_point(const ExtraPoint& point, MomentSums<Shape>& sums) {
  using At = CellSums<Shape>;
  const Spline along_x(point.x[0]), along_y(point.x[1]), along_z(point.x[2]);
  const Part part_x(along_x.first, point.cell[0]), part_y(along_y.first, point.cell[1]);
  Part part_z(along_z.first, point.cell[2]);
  if (Shape::dim == 2) part_z.begin = 0, part_z.end = 1;
  for (int k = part_z.begin; k < part_z.end; ++k)
    for (int j = part_y.begin; j < part_y.end; ++j) {
      const double w = along_y.w[j] * (Shape::dim == 3 ? along_z.w[k] : 1.0);
      const double s_z = Shape::dim == 3 ? along_z.s[k] : 0.0;
      for (int i = part_x.begin; i < part_x.end; ++i) {
        if ((point.cells >> direction_index(i - 1, j - 1, Shape::dim == 3 ? k - 1 : 0) & 1U) == 0) continue;
        const double weight = w * along_x.w[i];
        const Double4 value = weight * Double4{1.0, along_x.s[i], along_y.s[j], s_z};
        const int node = At::at(along_x.first + i, along_y.first + j, Shape::dim == 3 ? along_z.first + k : 0);
        sums.node[node] += __builtin_convertvector(value, Quarter);
      }
    }
}

/// What a particle adds to three cells along x: a weight and three offsets each, padded to sixteen numbers. They stand
/// in vectors as wide as the machine's registers, since GCC 12 would keep wider vectors in memory.
struct Row {
  static constexpr int n = 16;
  static constexpr int width = n_lanes<ParticleReal>;
  static constexpr int n_parts = (12 + width - 1) / width;  ///< parts without padding alone
  using Part = Lanes<ParticleReal>;
  Part part[n_parts];

  [[gnu::always_inline]] static Part of(const ParticleReal (&numbers)[n], int p) {
    Part part;
    std::memcpy(&part, numbers + p * width, sizeof part);
    return part;
  }
};

/// Particles of a row of cells, one after the other, with their weights.
template <class Shape>
class RowBatch {
 public:
  static constexpr int most = 96;
  static constexpr int n_planes = Shape::dim == 3 ? 3 : 1;

  void load(const ParticleReal* position, int n) {
    for (int p = 0; p < n; ++p)
      for (int d = 0; d < Shape::dim; ++d) {
        const ParticleReal x = position[3 * p + d];
        from_middle_[d][p] = x - static_cast<ParticleReal>(static_cast<int>(x)) - half;
      }
    for (int p = 0; p < n; ++p) {
      ParticleReal w[3][3] = {};
      for (int d = 1; d < Shape::dim; ++d) {
        const ParticleReal t = from_middle_[d][p];
        w[d][0] = half * (half - t) * (half - t);
        w[d][1] = three_quarters - t * t;
        w[d][2] = half * (half + t) * (half + t);
      }
      for (int k = 0; k < n_planes; ++k)
        for (int j = 0; j < 3; ++j) weight_[3 * k + j][p] = Shape::dim == 3 ? w[1][j] * w[2][k] : w[1][j];
    }
    for (int p = 0; p < n; ++p)
      for (int part = 0; part < Row::n_parts; ++part) values_[p].part[part] = value(p, part);
  }
  /// What a particle adds to a row of three cells whose weight along y and z is 1.
  const Row& values(int p) const { return values_[p]; }
  /// Weight of a particle along y and z for a row of cells. \param[in] row  j + 3 k
  ParticleReal weight(int row, int p) const { return weight_[row][p]; }

 private:
  static constexpr ParticleReal half = 0.5;
  static constexpr ParticleReal three_quarters = 0.75;

  [[gnu::always_inline]] Row::Part value(int p, int part) const {
    constexpr ParticleReal h = half;
    constexpr ParticleReal q = three_quarters;
    constexpr ParticleReal one[Row::n] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    constexpr ParticleReal along[3][Row::n] = {{0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0},
                                               {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0},
                                               {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
    constexpr ParticleReal shift[Row::n] = {-h, -h, -h, -h, 0, 0, 0, 0, h, h, h, h, 0, 0, 0, 0};
    constexpr ParticleReal scale[Row::n] = {h, h, h, h, -1, -1, -1, -1, h, h, h, h, 0, 0, 0, 0};
    constexpr ParticleReal base[Row::n] = {0, 0, 0, 0, q, q, q, q, 0, 0, 0, 0, 0, 0, 0, 0};
    const ParticleReal x = from_middle_[0][p];
    // 1, x, y, z: exact
    Row::Part offsets = Row::of(one, part) + x * Row::of(along[0], part) + from_middle_[1][p] * Row::of(along[1], part);
    if constexpr (Shape::dim == 3) offsets += from_middle_[2][p] * Row::of(along[2], part);
    // weights of the three cells along x: (x - 1/2)^2 / 2, 3/4 - x^2, (x + 1/2)^2 / 2, as b + a (x + s)^2
    const Row::Part shifted = Row::of(shift, part) + x;
    return offsets * (Row::of(scale, part) * shifted * shifted + Row::of(base, part));
  }

  alignas(64) ParticleReal from_middle_[Shape::dim][most];
  alignas(64) ParticleReal weight_[3 * n_planes][most];
  alignas(64) Row values_[most];
};

/// Sums over the particles of one cell, at the cell and those that touch it. They stay in registers until the last
/// particle: at the nodes, each sum would wait for the one before. What limits the sums: instructions.
template <class Shape>
class CellMoments {
 public:
  [[gnu::always_inline]] void add(const RowBatch<Shape>& batch, int first, int end) {
    constexpr int at_once = Row::n_parts == 1 ? n_rows : Row::n_parts == 2 ? 5 : 3;  // as many as fit into registers
    add_rows<0, std::min(at_once, n_rows)>(batch, first, end);
    if constexpr (at_once < n_rows) add_rows<at_once, std::min(at_once, n_rows - at_once)>(batch, first, end);
    if constexpr (2 * at_once < n_rows) add_rows<2 * at_once, n_rows - 2 * at_once>(batch, first, end);
  }
  /// Add the sums to the nodes around the cell. A row of three nodes is contiguous in memory.
  void move_to(MomentSums<Shape>& sums, int i, int j, int k) const {
    using At = CellSums<Shape>;
    for (int c = 0; c < n_planes; ++c)
      for (int b = 0; b < 3; ++b) {
        Quarter* node = &sums.node[At::at(i - 1, j - 1 + b, Shape::dim == 3 ? k - 1 + c : 0)];
        const ParticleReal y = 1 - b;
        const ParticleReal z = Shape::dim == 3 ? 1 - c : 0;
        for (int a = 0; a < 3; ++a) {
          Quarter sum;
          std::memcpy(&sum, reinterpret_cast<const ParticleReal*>(&sum_[3 * c + b]) + 4 * a, sizeof sum);
          const Quarter to_centre{0, static_cast<ParticleReal>(1 - a), y, z};
          node[a] = node[a] + sum + to_centre * sum[0];
        }
      }
  }

 private:
  static constexpr int n_planes = RowBatch<Shape>::n_planes;
  static constexpr int n_rows = 3 * n_planes;

  template <int first_row, int count>
  [[gnu::always_inline]] void add_rows(const RowBatch<Shape>& batch, int first, int end) {
    Row sum[count] = {};
    for (int p = first; p < end; ++p) {
      const Row& values = batch.values(p);
#pragma GCC unroll 9
      for (int row = 0; row < count; ++row) {
        const ParticleReal weight = batch.weight(first_row + row, p);
#pragma GCC unroll 4
        for (int part = 0; part < Row::n_parts; ++part) sum[row].part[part] += values.part[part] * weight;
      }
    }
    for (int row = 0; row < count; ++row) sum_[first_row + row] = sum[row];
  }

  Row sum_[n_rows];  ///< by cell along y and z; lanes: weight, x, y, z from the middle, of 3 cells along x
};

/// Add the nodes beyond the domain's faces to the nodes that they mirror.
template <class Shape>
void mirror(const BlockLayout& layout, LocalIndex b, MomentSums<Shape>& sums) {
  using At = CellSums<Shape>;
  const Domain& domain = layout.domain();
  const Vec3i first = layout.first_cell(b);
  constexpr int stride[3] = {1, At::nx, At::nx * At::ny};
  for (int axis = 0; axis < Shape::dim; ++axis) {
    if (domain.periodic(axis)) continue;
    for (int side = 0; side < 2; ++side) {
      // index of the cell inside that touches the face, counted from the block's node -1
      const int inside = side == 0 ? -first[axis] + 1 : domain.cells()[axis] - first[axis];
      if (inside < 1 || inside > Shape::n(axis)) continue;
      const int outside = side == 0 ? inside - 1 : inside + 1;
      Quarter sign{1, 1, 1, 1};
      sign[axis + 1] = -1;
      const int width = stride[axis] * (Shape::n(axis) + 2);
      for (int begin = outside * stride[axis]; begin < At::size; begin += width)
        for (int n = begin; n < begin + stride[axis]; ++n) {
          sums.node[n + (inside - outside) * stride[axis]] += sign * sums.node[n];
          sums.node[n] = Quarter{};
        }
    }
  }
}

/// Sum the particles of one block. \param[in] cell_begin  index of the first particle of each cell of the block
/// \return whether there were any points
template <class Shape>
bool splat(const ParticleReal* position, const std::uint32_t* cell_begin, const std::uint8_t* chosen,
           const std::vector<ExtraPoint>& extra, MomentSums<Shape>& sums) {
  bool any = false;
  const auto begin = [&any, &sums] {
    if (!any) std::fill_n(sums.node, std::size(sums.node), Quarter{});
    any = true;
  };
  RowBatch<Shape> batch;
  constexpr std::uint32_t most = RowBatch<Shape>::most;
  for (int r = 0; r < Shape::rows; ++r) {
    const std::uint8_t* of_row = chosen + Shape::nx * r;
    const std::uint32_t* cells = cell_begin + Shape::nx * r;
    int first = 0;
    int last = Shape::nx;
    while (first < last && (of_row[first] & 1) == 0) ++first;
    while (last > first && (of_row[last - 1] & 1) == 0) --last;
    for (std::uint32_t begin_of_batch = cells[first]; begin_of_batch < cells[last]; begin_of_batch += most) {
      begin();
      const std::uint32_t end_of_batch = std::min(cells[last], begin_of_batch + most);
      batch.load(position + 3 * std::size_t{begin_of_batch}, static_cast<int>(end_of_batch - begin_of_batch));
      for (int i = first; i < last; ++i) {
        const std::uint32_t from = std::max(cells[i], begin_of_batch);
        const std::uint32_t to = std::min(cells[i + 1], end_of_batch);
        if ((of_row[i] & 1) == 0 || from >= to) continue;
        CellMoments<Shape> moments;
        moments.add(batch, static_cast<int>(from - begin_of_batch), static_cast<int>(to - begin_of_batch));
        moments.move_to(sums, i, r % Shape::ny, r / Shape::ny);
      }
    }
  }
  for (const ExtraPoint& point : extra) {
    begin();
    add_point(point, sums);
  }
  return any;
}

/// Copy the sums of the block's own cells to the field, and the sums of the cells around the block to the pool.
template <class Shape>
void store(const MomentSums<Shape>& sums, Moments* moments, Moments* rim) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      std::memcpy(moments + Shape::cell(0, j, k), &sums.node[CellSums<Shape>::at(0, j, k)],
                  Shape::nx * sizeof(Moments));
  for (int n = 0; n < CellRim<Shape>::size; ++n)
    std::memcpy(rim + n, &sums.node[cell_rim<Shape>.source[static_cast<std::size_t>(n)]], sizeof(Moments));
}

/// Add the sums of the neighbours' particles to a block, in order of direction.
template <class Shape>
void add_rims(const BlockLayout& layout, LocalIndex b, const std::vector<std::uint8_t>& is_used,
              CellRimPool<Moments>& rims, Moments* moments) {
  constexpr const CellRim<Shape>& rim = cell_rim<Shape>;
  for (int t = 0; t < n_directions; ++t) {
    const LocalIndex neighbour = layout.neighbours(b)[t];
    if (t == self_direction || neighbour == layout.background()) continue;
    if (neighbour < layout.n_owned() && is_used[static_cast<std::size_t>(neighbour)] == 0) continue;
    const int back = n_directions - 1 - t;  // the direction from the neighbour to the block
    const Moments* values = rims.rim<Shape>(neighbour);
    for (int n = rim.begin[back]; n < rim.begin[back + 1]; ++n) {
      Quarter sum, value;
      std::memcpy(&sum, moments + rim.cell[n], sizeof sum);
      std::memcpy(&value, values + n, sizeof value);
      sum += value;
      std::memcpy(moments + rim.cell[n], &sum, sizeof sum);
    }
  }
}

}  // namespace

MomentDeposit::MomentDeposit(std::shared_ptr<ScratchMemory> memory)
    : buffers_(std::make_unique<Buffers>(std::move(memory))) {}
MomentDeposit::~MomentDeposit() = default;

void MomentDeposit::operator()(const ParticleStore& particles, const CellField<std::uint8_t>& chosen,
                               const ExtraPoints& extra, CellField<Moments>& moments) {
  const BlockLayout& layout = chosen.layout();
  const auto n_owned = static_cast<std::size_t>(layout.n_owned());
  FRESHET_EXPECT(moments.is_bound_to(layout) && extra.size() == n_owned);
  CellRimPool<Moments>& rims = buffers_->rims;
  std::vector<std::uint8_t>& is_used = buffers_->is_used;
  is_used.assign(n_owned, 0);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    FRESHET_EXPECT(particles.cell_begin().size() == n_owned * Shape::cells + 1);
    rims.bind<Shape>(layout);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const auto block = static_cast<std::size_t>(b);
      MomentSums<Shape> sums;
      const bool any = splat(particles.position(), particles.cell_begin().data() + block * Shape::cells,
                             chosen.block(b), extra[block], sums);
      is_used[block] = any ? 1 : 0;
      if (!any) {
        std::fill_n(moments.block(b), Shape::cells, Moments{});
        if (layout.touches_ghosts(b))  // other ranks read the rim
          std::fill_n(rims.rim<Shape>(b), CellRim<Shape>::size, Moments{});
        return;
      }
      mirror(layout, b, sums);
      store(sums, moments.block(b), rims.rim<Shape>(b));
    });
    rims.gather();
    parallel_for_blocks(layout.n_owned(),
                        [&](LocalIndex b) { add_rims<Shape>(layout, b, is_used, rims, moments.block(b)); });
  });
}

}  // namespace freshet
