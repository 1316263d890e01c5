// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/surface_fit.hpp"

#include "find_cells.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/padded.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr double least_gradient = 0.5;  ///< |grad phi| that shows where the liquid lies
constexpr double largest_error = 0.75;  ///< |theta* - theta| where chance makes it, not a corner or a film
constexpr double least_part = 0.25;     ///< |n_d| of faces that count

/// Distance along a direction from a point to the shapes' surface, positive if the point lies inside; NaN if there is
/// none nearby. All in cells.
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
  return std::numeric_limits<double>::quiet_NaN();
}

/// phi and labels of a block, padded by 2.
template <class Shape>
struct Neighbourhood {
  static constexpr int width = Shape::nx + 4;
  static constexpr int size = width * width * (Shape::dim == 3 ? width : 1);
  static constexpr int stride[3] = {1, width, width* width};

  PaddedExtents<Shape> extents{2};
  float phi[size];
  Label label[size];

  bool is_open(int at, int axis) const { return label[at] != Label::solid && label[at - stride[axis]] != Label::solid; }
  double on_face(int at, int axis) const { return 0.5 * (double{phi[at]} + double{phi[at - stride[axis]]}); }
  /// The gradient at a low face; beyond solids phi is what it is here.
  Vec3 gradient(int at, int axis) const {
    Vec3 result = Vec3::Zero();
    const double here = on_face(at, axis);
    for (int a = 0; a < Shape::dim; ++a) {
      if (a == axis) {
        result[a] = double{phi[at]} - double{phi[at - stride[a]]};
        continue;
      }
      const double high = is_open(at + stride[a], axis) ? on_face(at + stride[a], axis) : here;
      const double low = is_open(at - stride[a], axis) ? on_face(at - stride[a], axis) : here;
      result[a] = 0.5 * (high - low);
    }
    return result;
  }
};

/// (1) on the owned faces of a block between liquid and air, 0 on the others.
template <class Shape>
void find_shifts(const CellField<float>& phi, const LabelField& labels, const SolidFields& solids,
                 const std::vector<std::shared_ptr<const freshet::Shape>>& liquids, double gain, LocalIndex b,
                 FaceField<double>& shift) {
  const BlockLayout& layout = phi.layout();
  for (int d = 0; d < Shape::dim; ++d) std::fill_n(shift[d].block(b), Shape::cells, 0.0);
  Neighbourhood<Shape> around;
  fill_padded(labels, b, around.extents, around.label);
  fill_padded(phi, b, around.extents, around.phi);
  const Vec3 first_centre = layout.first_cell(b).template cast<double>() + Vec3::Constant(0.5);
  int cells[Shape::cells];
  for (int d = 0; d < Shape::dim; ++d) {
    const int s = Neighbourhood<Shape>::stride[d];
    const auto is_at_surface = [&](int at, int) {
      const Label high = around.label[at], low = around.label[at - s];
      return (high != Label::solid) & (low != Label::solid) & (high != low);
    };
    const int n = find_cells(around.extents, is_at_surface, cells);
    for (const int* c = cells; c < cells + n; ++c) {
      const Vec3i cell(*c % Shape::nx, *c / Shape::nx % Shape::ny, *c / (Shape::nx * Shape::ny));
      const int at = around.extents.at(cell.x(), cell.y(), cell.z());
      const Vec3 gradient = around.gradient(at, d);
      const double part = gradient[d] / gradient.norm();
      if (!(gradient.norm() > least_gradient) || std::abs(part) < least_part) continue;
      const double outwards = part > 0.0 ? 1.0 : -1.0;
      Vec3 from = first_centre + cell.template cast<double>();
      if (outwards > 0.0) from[d] -= 1.0;
      const int inside = outwards > 0.0 ? at - s : at;
      const int deeper = outwards > 0.0 ? inside - s : inside + s;
      const double phi_c = around.phi[inside];
      if (around.label[deeper] != Label::liquid) continue;  // a film
      const Vec3 middle = layout.domain().origin() + layout.domain().dx() * (from + 0.5 * outwards * Vec3::Unit(d));
      const auto is_near = [&](const auto& body) { return body->signed_distance(middle) < layout.domain().dx(); };
      if (std::any_of(solids.shapes().begin(), solids.shapes().end(), is_near)) continue;
      const double way = way_to_surface(liquids, layout.domain(), from, outwards * Vec3::Unit(d));
      const double error = way + phi_c / std::abs(gradient[d]);
      if (std::abs(error) < largest_error) shift[d].block(b)[*c] = gain * outwards * error * part * part;
    }
  }
}

/// Spread (1) to the next faces along its axis.
template <class Shape>
void spread_shifts(const FaceField<double>& shift, LocalIndex b, FaceField<double>& displacement) {
  constexpr int width = Shape::nx + 2;
  double around[width * width * (Shape::dim == 3 ? width : 1)];
  const PaddedExtents<Shape> extents(1);
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  for (int d = 0; d < Shape::dim; ++d) {
    fill_padded(shift[d], b, extents, around);
    for (int c = 0; c < Shape::cells; ++c) {
      const int at = extents.at(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny));
      const double low = around[at - stride[d]], high = around[at + stride[d]];
      const double both = low != 0.0 && high != 0.0 ? 0.5 * (low + high) : low + high;
      displacement[d].block(b)[c] = around[at] != 0.0 ? around[at] : both;
    }
  }
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
