// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/shift_to_faces.hpp"

#include "closed_planes.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/bit_tile.hpp"
#include "freshet/grid/kernels/face_bits.hpp"
#include "freshet/grid/kernels/rows_around.hpp"

#include <bit>
#include <cmath>

namespace freshet {
namespace {

constexpr float deepest = -0.95F;       ///< least phi of corrected faces; c is about 0 below it
constexpr float highest = 0.75F;        ///< bound of phi on faces of liquid cells
constexpr float found_within = 1.5F;    ///< bound of |phi| near the surface
constexpr double least_gradient = 0.3;  ///< least |grad phi| that defines a normal
constexpr double largest_factor = 1.0;  ///< bound of the factor of (2)
constexpr double steepest = 2.0;        ///< bound of a difference / that between the next two faces inwards
constexpr float bodies_within = 2.0F;   ///< bodies farther from a block close none of the faces beside it [cells]

RealRow magnitude(const RealRow& value) {
  return select(value < 0.0, -value, value);
}

/// c(phi) of (1).
RealRow depth_of_mean(const RealRow& phi) {
  const RealRow size = magnitude(phi);
  const RealRow p = select(size < 1.0, size, RealRow::all(1.0));
  const RealRow moment = 1.0 / 6.0 - 0.5 * p * p + p * p * p / 3.0;
  const RealRow outside = 0.5 * (1.0 - p) * (1.0 - p);
  const RealRow content = select(phi >= 0.0, outside, 1.0 - outside);
  const RealMask any = content > 1e-6;
  return select(any, moment / select(any, content, RealRow::all(1.0)), RealRow::all(1.0));
}

/// The factor of (2).
RealRow factor(const RealRow& phi) {
  const RealRow c = depth_of_mean(phi);
  const RealRow quotient = c / (1.0 - c + depth_of_mean(phi - 1.0));
  return select(quotient < largest_factor, quotient, RealRow::all(largest_factor));
}

/// The difference to the next face inwards, limited by that between the next two.
RealRow limited(const RealRow& difference, const RealRow& next) {
  const RealRow most = select(magnitude(difference) < steepest * magnitude(next), difference, steepest * next);
  return select(difference * next > 0.0, most, RealRow{});
}

RealRow square_root(const RealRow& value) {
  double lanes[block_width];
  store_row(lanes, value);
  for (double& lane : lanes) lane = std::sqrt(lane);
  return load_row(lanes);
}

/// True if phi is the same in all cells of a block, and none of these is near the surface.
template <class Shape>
bool is_far(const float* phi) {
  if (std::abs(phi[0]) < found_within) return false;
  int differs = 0;
  for (int c = 0; c < Shape::cells; ++c) differs |= phi[c] != phi[0] ? 1 : 0;
  return differs == 0;
}

/// Find the faces of a component that the deposit reached and no solid closes, as planes of all slots. Ghosts off the
/// rim are undefined and must not be compared as numbers: positive weights are positive as integers, too.
template <class Shape>
void find_reached(const CellField<double>& weight, const CellPlanes& closed, CellPlanes& reached) {
  const auto n_slots = static_cast<std::size_t>(weight.layout().n_slots());
  reached.resize(n_slots * Shape::nz);
#pragma omp parallel for schedule(static)
  for (std::size_t slot = 0; slot < n_slots; ++slot) {
    const double* of_slot = weight.block(static_cast<LocalIndex>(slot));
    for (int k = 0; k < Shape::nz; ++k) {
      std::uint64_t plane = 0;
      for (int j = 0; j < Shape::ny; ++j)
        plane |= std::uint64_t{bits_of(std::bit_cast<RealMask>(load_row(of_slot + Shape::cell(0, j, k))) > 0)}
                 << Shape::nx * j;
      const std::size_t n = slot * Shape::nz + static_cast<std::size_t>(k);
      reached[n] = plane & ~closed[n];
    }
  }
}

/// The faces of one component of a block at the surface, a row at a time.
template <class Shape, int axis>
class FacesAtSurface {
 public:
  using Tile = BitTile<Shape, 1>;

  /// \param[in] reached  faces that the deposit reached and no solid closes
  /// \param[in] walls    closed faces by axis; null: no body closes any
  FacesAtSurface(const RowsAround<Shape, float>& phi, const CellField<double>& velocity, const Tile& liquid,
                 const Tile& solid, const Tile& reached, const Tile* walls, LocalIndex b)
      : phi_(phi),
        u_(velocity, b),
        reached_(reached),
        closed_(solid | solid.template neighbours<axis, -1>()),
        faces_(liquid_faces<axis>(liquid, solid) & reached) {
    if (walls != nullptr)
      for_each_axis<Shape>([&](auto a) {
        if constexpr (a != axis) blocked_[a] = walls[a] & walls[a].template neighbours<axis, -1>();
      });
  }

  /// Call f(j, k, bits, values) for each row with faces to correct.
  template <class Function>
  void for_each_row(Function&& f) const {
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j) {
        unsigned bits = faces_.row(j, k);
        if (bits == 0) continue;
        const FloatRow sum = phi_.template get<0>(j, k) + phi_.template at<axis, -1>(j, k);  // twice phi of the face
        bits &= bits_of((sum > 2.0F * deepest) & (sum < 2.0F * highest));
        if (bits == 0) continue;
        const RealRow change = difference_inwards(j, k, bits);
        bits &= bits_of(change != 0.0);
        if (bits == 0) continue;
        f(j, k, bits, u_.template get<0>(j, k) + factor(0.5 * to_reals(sum)) * change);
      }
  }

 private:
  /// sum_a |n_a| (u_f - u_a) of (2), limited; 0 if the gradient of phi is too small for a normal.
  RealRow difference_inwards(int j, int k, unsigned bits) const {
    RealRow gradient[3] = {};
    RealRow square{};
    for_each_axis<Shape>([&](auto a) {
      FloatRow slope;
      if constexpr (a == axis) {
        slope = phi_.template get<0>(j, k) - phi_.template at<axis, -1>(j, k);
      } else {
        slope = 0.25F * (beside<a, 1>(j, k) - beside<a, -1>(j, k));
      }
      gradient[a] = to_reals(slope);
      square += gradient[a] * gradient[a];
    });
    const RealMask is_steep = (square >= least_gradient * least_gradient) & real_mask(bits);
    const RealRow here = u_.template get<0>(j, k);
    RealRow sum{};
    for_each_axis<Shape>([&](auto a) {
      // the deposit must have reached the next face inwards, which lies neither at a solid nor behind one
      const unsigned below = row_beside<a, -1>(reached_, j, k) & ~way_is_blocked<a, -1>(j, k);
      const unsigned above = row_beside<a, 1>(reached_, j, k) & ~way_is_blocked<a, 1>(j, k);
      const RealMask goes_down = gradient[a] > 0.0;
      const RealMask counts = select(goes_down, real_mask(below), real_mask(above));
      const RealRow first = select(goes_down, u_.template at<a, -1>(j, k), u_.template at<a, 1>(j, k));
      const RealRow second = select(goes_down, u_.template at<a, -2>(j, k), u_.template at<a, 2>(j, k));
      const RealRow part = magnitude(gradient[a]) * limited(here - first, first - second);
      sum += select(counts & is_steep, part, RealRow{});
    });
    return select(is_steep, sum / square_root(select(is_steep, square, RealRow::all(1.0))), RealRow{});
  }

  /// Bits of the faces one cell away along an axis.
  template <int a, int side>
  static unsigned row_beside(const Tile& tile, int j, int k) {
    return tile.template row < a == 0 ? side : 0 > (j + (a == 1 ? side : 0), k + (a == 2 ? side : 0));
  }
  /// Bits of the faces from which a wall cuts off the next face along an axis.
  template <int a, int side>
  unsigned way_is_blocked(int j, int k) const {
    return side < 0 ? unsigned{blocked_[a].template row<>(j, k)} : row_beside<a, side>(blocked_[a], j, k);
  }
  /// Twice phi of the faces one cell away along another axis; phi is constant into and behind solids.
  template <int a, int side>
  FloatRow beside(int j, int k) const {
    const FloatRow there = phi_.template at<a, side>(j, k) + phi_.template at<a, side, axis, -1>(j, k);
    const unsigned closed = row_beside<a, side>(closed_, j, k) | way_is_blocked<a, side>(j, k);
    if (closed == 0) return there;
    const FloatRow here = phi_.template get<0>(j, k) + phi_.template at<axis, -1>(j, k);
    return float_mask(closed) ? here : there;
  }

  const RowsAround<Shape, float>& phi_;
  RowsAround<Shape, double> u_;
  Tile reached_;
  Tile closed_;  ///< faces at solids; valid in the block and, along other axes, beside it
  Tile faces_;
  Tile blocked_[3];  ///< by axis other than the faces': faces that a wall cuts off from the next lower one
};

}  // namespace

template <class Shape>
void ShiftToFaces::find(const CellField<float>& phi, const LabelPlanes& labels, bool any_bodies,
                        const FaceField<double>& velocity, LocalIndex b) {
  std::vector<FaceUpdates::Update>& updates = updates_.begin(b);
  if (is_far<Shape>(phi.block(b))) return;
  const LocalIndex* around = phi.layout().neighbours(b);
  const RowsAround<Shape, float> phi_around(phi, b);
  const BitTile<Shape, 1> liquid(labels.liquid, around);
  const BitTile<Shape, 1> solid(labels.solid, around);
  BitTile<Shape, 1> walls[3];
  for (int d = 0; any_bodies && d < Shape::dim; ++d) walls[d] = BitTile<Shape, 1>(closed_[d], around);
  for_each_axis<Shape>([&](auto d) {
    const BitTile<Shape, 1> reached(reached_[d], around);
    const FacesAtSurface<Shape, d> faces(phi_around, velocity[d], liquid, solid, reached, any_bodies ? walls : nullptr,
                                         b);
    faces.for_each_row([&](int j, int k, unsigned bits, const RealRow& values) {
      for (; bits != 0; bits &= bits - 1) {
        const int i = std::countr_zero(bits);
        updates.push_back({d, Shape::cell(i, j, k), values[i]});
      }
    });
  });
}

void ShiftToFaces::operator()(const CellField<float>& phi, const LabelPlanes& labels, const SolidFields& solids,
                              const FaceField<double>& weight, FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  layout.halo().gather(velocity, 2);
  updates_.reset(n_owned);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_closed_planes<Shape>(solids, closed_);
    for (int d = 0; d < Shape::dim; ++d) find_reached<Shape>(weight[d], closed_[d], reached_[d]);
    parallel_for_blocks(n_owned, [&](LocalIndex b) {
      const bool any_bodies = !solids.bodies().empty() && solids.nearest(b) < bodies_within;
      find<Shape>(phi, labels, any_bodies, velocity, b);
    });
  });
  updates_.write(velocity);
}

}  // namespace freshet
