// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/air_divergence_removal.hpp"

#include "closed_planes.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/bit_tile.hpp"
#include "freshet/grid/kernels/rows_around.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace freshet {
namespace {

constexpr float bodies_close_within = 3.0F;  ///< bodies farther from a block close none of the faces around it [cells]

/// The air in and around a block, and the velocities of its faces.
template <class Shape>
class FacesInAir {
 public:
  /// \param[in] closed       the faces that bodies close; null: there are no bodies
  /// \param[in] skips_walls  whether cells of air beside solids are left out
  FacesInAir(const LabelPlanes& labels, const FaceField<double>& velocity, const FaceField<float>& of_solids,
             LocalIndex b, const ClosedPlanes* closed, bool skips_walls)
      : liquid_(labels.liquid, velocity.layout().neighbours(b)),
        solid_(labels.solid, velocity.layout().neighbours(b)),
        air_(~(liquid_ | solid_)),
        velocity_(velocity),
        of_solids_(of_solids),
        b_(b),
        has_solids_(solid_.any()) {
    BitTile<Shape, 2> once;  // cells with at least one liquid neighbour
    BitTile<Shape, 2> more;
    BitTile<Shape, 2> at_wall;
    const auto count = [&](const BitTile<Shape, 2>& neighbours) {
      more = more | (once & neighbours);
      once = once | neighbours;
    };
    for_each_axis<Shape>([&](auto axis) {
      if (closed != nullptr) {
        closed_[axis] = BitTile<Shape, 2>((*closed)[axis], velocity.layout().neighbours(b));
        has_solids_ = has_solids_ || closed_[axis].any();
      }
      count(liquid_below<axis>());
      count(liquid_above<axis>());
      if (skips_walls && has_solids_)
        at_wall = at_wall | solid_.template neighbours<axis, -1>() | solid_.template neighbours<axis, 1>();
    });
    beside_one_ = air_ & once & ~more & ~at_wall;
  }

  /// Call f(j, k, bits, values, own values) for each row of low faces to correct: faces between two cells of air, one
  /// of which has exactly one liquid neighbour, opposite to the face.
  template <int axis, class Function>
  void for_each_row(Function&& f) const {
    const BitTile<Shape, 2> liquid_beyond = liquid_below<axis>().template neighbours<axis, -1>();
    const BitTile<Shape, 2> faces =
        air_ & air_.template neighbours<axis, -1>() & (liquid_above<axis>() ^ liquid_beyond);
    const BitTile<Shape, 2> above = faces & beside_one_ & liquid_above<axis>();
    const BitTile<Shape, 2> below = faces & beside_one_.template neighbours<axis, -1>() & liquid_beyond & ~above;
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j) {
        const unsigned of_above = above.template row<>(j, k);
        const unsigned bits = of_above | below.template row<>(j, k);
        if (bits == 0) continue;
        RealRow values{};
        if (of_above != 0) values = low<axis, axis, 1>(j, k) + outflow_beside<axis, 0>(j, k);
        if (of_above != bits)
          values = select(real_mask(of_above), values, low<axis, axis, -1>(j, k) - outflow_beside<axis, -1>(j, k));
        f(j, k, bits, values, low<axis, axis, 0>(j, k));
      }
  }

 private:
  /// Cells whose lower neighbour along an axis is liquid, with an open face between.
  template <int axis>
  BitTile<Shape, 2> liquid_below() const {
    return liquid_.template neighbours<axis, -1>() & ~closed_[axis];
  }
  template <int axis>
  BitTile<Shape, 2> liquid_above() const {
    return liquid_.template neighbours<axis, 1>() & ~closed_[axis].template neighbours<axis, 1>();
  }
  /// Velocity of the low faces normal to d of the cells at offset n along `axis` and m along `other`.
  template <int d, int axis, int n, int other = 0, int m = 0>
  RealRow low(int j, int k) const {
    const RealRow u = RowsAround<Shape, double>(velocity_[d], b_).template at<axis, n, other, m>(j, k);
    if (!has_solids_) return u;
    constexpr int dx = (axis == 0 ? n : 0) + (other == 0 ? m : 0);
    const int y = j + (axis == 1 ? n : 0) + (other == 1 ? m : 0);
    const int z = k + (axis == 2 ? n : 0) + (other == 2 ? m : 0);
    const unsigned walls = closed_[d].template row<dx>(y, z) | solid_.template row<dx>(y, z) |
                           solid_.template row<dx - (d == 0 ? 1 : 0)>(y - (d == 1 ? 1 : 0), z - (d == 2 ? 1 : 0));
    if (walls == 0) return u;
    const FloatRow of_solids = RowsAround<Shape, float>(of_solids_[d], b_).template at<axis, n, other, m>(j, k);
    return select(real_mask(walls), to_reals(of_solids), u);
  }
  /// Net outflow of the cells at offset n along `axis` through their faces normal to the other axes.
  template <int axis, int n>
  RealRow outflow_beside(int j, int k) const {
    RealRow sum{};
    for_each_axis<Shape>([&](auto d) {
      if constexpr (d != axis) sum += low<d, axis, n, d, 1>(j, k) - low<d, axis, n>(j, k);
    });
    return sum;
  }

  BitTile<Shape, 2> liquid_;
  BitTile<Shape, 2> solid_;
  BitTile<Shape, 2> air_;
  BitTile<Shape, 2> closed_[3];   ///< by axis: low faces that bodies close
  BitTile<Shape, 2> beside_one_;  ///< cells of air with one liquid neighbour that count
  const FaceField<double>& velocity_;
  const FaceField<float>& of_solids_;
  LocalIndex b_;
  bool has_solids_;
};

}  // namespace

template <class Shape>
void AirDivergenceRemoval::find(const SolidFields& solids, double fastest, const FaceField<double>& velocity,
                                LocalIndex b) {
  std::vector<FaceUpdates::Update>& updates = updates_.begin(b);
  const BlockLayout& layout = velocity.layout();
  if (!any_around(layout, labels_.has_liquid, b) || !any_around(layout, labels_.has_air, b)) return;
  const bool body_near = !solids.bodies().empty() && solids.nearest(b) < bodies_close_within;
  const FacesInAir<Shape> around(labels_, velocity, solids.velocity(), b, body_near ? &closed_ : nullptr,
                                 solids.any_separating_fractions());
  for_each_axis<Shape>([&](auto d) {
    around.template for_each_row<d>([&](int j, int k, unsigned bits, const RealRow& values, const RealRow& before) {
      for (; bits != 0; bits &= bits - 1) {
        const int i = std::countr_zero(bits);
        const double limit = std::max(fastest, std::abs(before[i]));
        updates.push_back({d, Shape::cell(i, j, k), std::clamp(values[i], -limit, limit)});
      }
    });
  });
}

void AirDivergenceRemoval::operator()(const LabelField& known, const SolidFields& solids, double fastest,
                                      FaceField<double>& velocity) {
  const BlockLayout& layout = known.layout();
  const LocalIndex n_owned = layout.n_owned();
  updates_.reset(n_owned);
  labels_.find(known);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    if (!solids.bodies().empty()) find_closed_planes<Shape>(solids, closed_);
    parallel_for_blocks(n_owned, [&](LocalIndex b) { find<Shape>(solids, fastest, velocity, b); });
  });
  updates_.write(velocity);
}

}  // namespace freshet
