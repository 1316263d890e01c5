// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/moment_deposit.hpp"

#include "cell_rim.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

struct MomentDeposit::Buffers {
  CellRimPool<Moments> rims;
  std::vector<std::uint8_t> is_used;  ///< of each owned block: some node may differ from 0
};

namespace {

static_assert(sizeof(Moments) == sizeof(Double4));

/// Sums at the nodes of CellSums.
template <class Shape>
struct MomentSums {
  using At = CellSums<Shape>;
  Double4 node[At::size];  ///< weight, x, y, z
};

/// The three cells that a particle reaches along an axis: weights and distances from their centres.
struct Spline {
  int first;
  double w[3];
  double s[3];
  explicit Spline(double x) : first(static_cast<int>(std::floor(x)) - 1) {
    const double t = x - first - 1.5;  // from the centre of the middle cell, -1/2 .. 1/2
    w[0] = 0.5 * (0.5 - t) * (0.5 - t);
    w[1] = 0.75 - t * t;
    w[2] = 0.5 * (0.5 + t) * (0.5 + t);
    for (int i = 0; i < 3; ++i) s[i] = t + 1.0 - i;
  }
};

/// The part of three cells that lies among the nodes along an axis.
struct Part {
  int begin;
  int end;
  Part(int first, int n) : begin(std::max(0, -1 - first)), end(std::min(3, n + 1 - first)) {}
};

/// Add a point that may lie outside the block: not all cells that it reaches are nodes.
template <class Shape>
void add_point(double x, double y, double z, MomentSums<Shape>& sums) {
  using At = CellSums<Shape>;
  const Spline along_x(x), along_y(y), along_z(z);
  const Part part_x(along_x.first, Shape::nx), part_y(along_y.first, Shape::ny);
  Part part_z(along_z.first, Shape::nz);
  if (Shape::dim == 2) part_z.begin = 0, part_z.end = 1;
  for (int k = part_z.begin; k < part_z.end; ++k)
    for (int j = part_y.begin; j < part_y.end; ++j) {
      const double w = along_y.w[j] * (Shape::dim == 3 ? along_z.w[k] : 1.0);
      const Double4 plane{1.0, 0.0, along_y.s[j], Shape::dim == 3 ? along_z.s[k] : 0.0};
      for (int i = part_x.begin; i < part_x.end; ++i) {
        Double4 value = plane;
        value[1] = along_x.s[i];
        const int node = At::at(along_x.first + i, along_y.first + j, Shape::dim == 3 ? along_z.first + k : 0);
        sums.node[node] += value * (w * along_x.w[i]);
      }
    }
}

/// Sums over particles of one cell, at the cell and those that touch it. They stay in registers until the last of the
/// particles: at the nodes, each sum would wait for the one before.
template <class Shape>
class CellMoments {
 public:
  static constexpr int most = 64;  ///< particles whose sums particle reals hold to 1e-5

  CellMoments() { clear(); }
  /// \param[in] t  from the cell's centre
  [[gnu::always_inline]] void add(const ParticleReal* t) {
    using Quarter [[gnu::vector_size(4 * sizeof(ParticleReal))]] = ParticleReal;
    const Quarter one_and_offset{1, t[0], t[1], Shape::dim == 3 ? t[2] : ParticleReal{0}};
    const Lanes offsets =
        __builtin_shufflevector(one_and_offset, one_and_offset, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
    // weights of the three cells along x: (t - 1/2)^2 / 2, 3/4 - t^2, (t + 1/2)^2 / 2, as b + a (t + s)^2
    constexpr ParticleReal h = half;
    const Lanes shifted = Lanes{-h, -h, -h, -h, 0, 0, 0, 0, h, h, h, h, 0, 0, 0, 0} + t[0];
    const Lanes scaled = Lanes{h, h, h, h, -1, -1, -1, -1, h, h, h, h, 0, 0, 0, 0} * shifted;
    const ParticleReal q = three_quarters;
    const Lanes along_x = scaled * shifted + Lanes{0, 0, 0, 0, q, q, q, q, 0, 0, 0, 0, 0, 0, 0, 0};
    const Lanes values = offsets * along_x;
    ParticleReal w[3][3];
    for (int d = 1; d < Shape::dim; ++d) {
      const ParticleReal low = half - t[d];
      const ParticleReal high = half + t[d];
      w[d][0] = half * low * low;
      w[d][1] = three_quarters - t[d] * t[d];
      w[d][2] = half * high * high;
    }
    for (int k = 0; k < n_planes; ++k)
      for (int j = 0; j < 3; ++j) sum_[3 * k + j] += values * (Shape::dim == 3 ? w[1][j] * w[2][k] : w[1][j]);
    ++n_;
  }
  int n() const { return n_; }
  /// Add what has been summed up to the nodes around the cell, and begin anew.
  void move_to(MomentSums<Shape>& sums, int i, int j, int k) {
    using At = CellSums<Shape>;
    for (int c = 0; c < n_planes; ++c)
      for (int b = 0; b < 3; ++b) {
        const Lanes& sum = sum_[3 * c + b];
        Double4* node = &sums.node[At::at(i - 1, j - 1 + b, Shape::dim == 3 ? k - 1 + c : 0)];
        for (int a = 0; a < 3; ++a) {
          const Double4 to_centre{0.0, 1.0 - a, 1.0 - b, Shape::dim == 3 ? 1.0 - c : 0.0};
          const Double4 about{sum[4 * a], sum[4 * a + 1], sum[4 * a + 2], sum[4 * a + 3]};
          node[a] += about + to_centre * about[0];
        }
      }
    clear();
  }

 private:
  using Lanes [[gnu::vector_size(16 * sizeof(ParticleReal))]] = ParticleReal;
  static constexpr int n_planes = Shape::dim == 3 ? 3 : 1;
  static constexpr ParticleReal half = 0.5;
  static constexpr ParticleReal three_quarters = 0.75;

  void clear() {
    for (Lanes& sum : sum_) sum = Lanes{};
    n_ = 0;
  }

  Lanes sum_[3 * n_planes];  ///< by cell along y and z; lanes: weight, x, y, z from the middle cell, of 3 cells along x
  int n_;
};

/// Add the nodes beyond the domain's faces to those that they mirror.
template <class Shape>
void mirror(const BlockLayout& layout, LocalIndex b, MomentSums<Shape>& sums) {
  using At = CellSums<Shape>;
  const Domain& domain = layout.domain();
  const Vec3i first = layout.first_cell(b);
  constexpr int stride[3] = {1, At::nx, At::nx * At::ny};
  for (int axis = 0; axis < Shape::dim; ++axis) {
    if (domain.periodic(axis)) continue;
    for (int side = 0; side < 2; ++side) {
      // the cell inside that touches the face, from the block's node -1
      const int inside = side == 0 ? -first[axis] + 1 : domain.cells()[axis] - first[axis];
      if (inside < 1 || inside > Shape::n(axis)) continue;
      const int outside = side == 0 ? inside - 1 : inside + 1;
      Double4 sign{1.0, 1.0, 1.0, 1.0};
      sign[axis + 1] = -1.0;
      const int width = stride[axis] * (Shape::n(axis) + 2);
      for (int begin = outside * stride[axis]; begin < At::size; begin += width)
        for (int n = begin; n < begin + stride[axis]; ++n) {
          sums.node[n + (inside - outside) * stride[axis]] += sign * sums.node[n];
          sums.node[n] = Double4{};
        }
    }
  }
}

/// \param[in] cell_begin  numbers of the first particle of each cell of the block
/// \return true if there were any points
template <class Shape>
bool splat(const ParticleReal* position, const std::uint32_t* cell_begin, const std::uint8_t* chosen,
           const std::vector<ExtraPoint>& extra, MomentSums<Shape>& sums) {
  bool any = false;
  const auto begin = [&any, &sums] {
    if (!any) std::fill_n(sums.node, CellSums<Shape>::size, Double4{});
    any = true;
  };
  CellMoments<Shape> moments;
  for (int c = 0; c < Shape::cells; ++c) {
    const std::uint32_t end = cell_begin[c + 1];
    if (chosen[c] == 0 || cell_begin[c] == end) continue;
    begin();
    const int i = c % Shape::nx, j = c / Shape::nx % Shape::ny, k = c / (Shape::nx * Shape::ny);
    const ParticleReal middle[3] = {i + ParticleReal{0.5}, j + ParticleReal{0.5}, k + ParticleReal{0.5}};
    for (std::uint32_t p = cell_begin[c]; p < end; ++p) {
      const ParticleReal* x = position + 3 * std::size_t{p};
      const ParticleReal t[3] = {x[0] - middle[0], x[1] - middle[1], x[2] - middle[2]};
      moments.add(t);
      if (moments.n() == CellMoments<Shape>::most) moments.move_to(sums, i, j, k);
    }
    moments.move_to(sums, i, j, k);
  }
  for (const ExtraPoint& point : extra) {
    begin();
    add_point(point[0], point[1], point[2], sums);
  }
  return any;
}

/// Copy the sums of the block's own cells to the field, and those of the cells around it to the pool.
template <class Shape>
void store(const MomentSums<Shape>& sums, Moments* moments, Moments* rim) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      std::memcpy(moments + Shape::cell(0, j, k), &sums.node[CellSums<Shape>::at(0, j, k)],
                  Shape::nx * sizeof(Moments));
  for (int n = 0; n < CellRim<Shape>::size; ++n)
    std::memcpy(rim + n, &sums.node[cell_rim<Shape>.source[static_cast<std::size_t>(n)]], sizeof(Moments));
}

/// Add to a block the sums of its neighbours' particles, in order of direction.
template <class Shape>
void add_rims(const BlockLayout& layout, LocalIndex b, const std::vector<std::uint8_t>& is_used,
              CellRimPool<Moments>& rims, Moments* moments) {
  constexpr const CellRim<Shape>& rim = cell_rim<Shape>;
  for (int t = 0; t < n_directions; ++t) {
    const LocalIndex neighbour = layout.neighbours(b)[t];
    if (t == self_direction || neighbour == layout.background()) continue;
    if (neighbour < layout.n_owned() && is_used[static_cast<std::size_t>(neighbour)] == 0) continue;
    const int back = n_directions - 1 - t;  // from the neighbour to the block
    const Moments* values = rims.rim<Shape>(neighbour);
    for (int n = rim.begin[back]; n < rim.begin[back + 1]; ++n) {
      Moments& sum = moments[rim.cell[n]];
      sum.weight += values[n].weight;
      for (int d = 0; d < 3; ++d) sum.offset[d] += values[n].offset[d];
    }
  }
}

}  // namespace

MomentDeposit::MomentDeposit() : buffers_(std::make_unique<Buffers>()) {}
MomentDeposit::~MomentDeposit() = default;

void MomentDeposit::operator()(const ParticleStore& particles, const CellField<std::uint8_t>& chosen,
                               const std::vector<std::vector<ExtraPoint>>& extra, CellField<Moments>& moments) {
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
        if (touches_ghosts(layout, b))  // other ranks read the rim
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
