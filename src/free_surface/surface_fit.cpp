// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/surface_fit.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "surface_crossings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr double largest_error = 0.75;  ///< bound of random |theta* - theta|; corners and films exceed it

/// Distance along a direction from a point to the shapes' surface, positive if the point lies inside; infinite if there
/// is no surface nearby. [cells]
double way_to_surface(const std::vector<std::shared_ptr<const Shape>>& shapes, const Domain& domain, const Vec3& from,
                      const Vec3& direction) {
  constexpr double farthest = 2.0;
  constexpr double close = 1e-6;
  constexpr int most_steps = 32;
  double s = 0.0;
  for (int step = 0; step < most_steps; ++step) {
    const Vec3 x = domain.origin() + domain.dx() * (from + s * direction);
    double distance = std::numeric_limits<double>::infinity();
    for (const auto& shape : shapes) distance = std::min(distance, shape->signed_distance(x) / domain.dx());
    s -= distance;
    if (std::abs(s) > farthest) break;
    if (std::abs(distance) < close) return s;
  }
  return std::numeric_limits<double>::infinity();
}

/// Set the displacement (1) on the owned faces of a block between liquid and air, 0 on the others.
template <class Shape>
void find_shifts(const CellField<float>& phi, const LabelField& labels, const SolidFields& solids,
                 const std::vector<std::shared_ptr<const freshet::Shape>>& liquids, double gain, LocalIndex b,
                 FaceField<double>& shift) {
  const BlockLayout& layout = phi.layout();
  for (int d = 0; d < Shape::dim; ++d) std::fill_n(shift[d].block(b), Shape::cells, 0.0);
  for_each_crossing<Shape>(phi, labels, solids, b, [&](const SurfaceCrossing& crossing) {
    const Vec3i cell = layout.first_cell(b) + crossing.cell;
    const Vec3 direction = crossing.outwards * Vec3::Unit(crossing.axis);
    Vec3 from = cell.cast<double>() + Vec3::Constant(0.5);
    if (crossing.outwards > 0.0) from -= direction;
    const double error = way_to_surface(liquids, layout.domain(), from, direction) - crossing.theta;
    if (!(std::abs(error) < largest_error)) return;
    shift[crossing.axis].block(b)[crossing.face] = gain * crossing.outwards * error * crossing.part * crossing.part;
  });
}

}  // namespace

void find_surface_fit(const CellField<float>& phi, const LabelField& labels, const SolidFields& solids,
                      const std::vector<std::shared_ptr<const Shape>>& liquids, double gain,
                      FaceField<double>& displacement) {
  const BlockLayout& layout = phi.layout();
  FaceField<double> shift(layout, 0.0);
  displacement.reset(layout, 0.0);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Grid = decltype(shape);
    parallel_for_blocks(layout.n_owned(),
                        [&](LocalIndex b) { find_shifts<Grid>(phi, labels, solids, liquids, gain, b, shift); });
    layout.halo().gather(shift, 1);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { spread_shifts<Grid>(shift, b, displacement); });
  });
  layout.halo().gather(displacement, 1);
}

}  // namespace freshet
