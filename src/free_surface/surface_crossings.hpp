// SPDX-License-Identifier: Apache-2.0
// Crossings of the surface with the lines between cell centres, and displacements on such faces.
#pragma once

#include "find_cells.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/nearest_body.hpp"
#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

/// A face between the centres of a cell of liquid and one of air.
struct SurfaceCrossing {
  int axis;
  int face;         ///< number of the cell in the block whose low face it is
  Vec3i cell;       ///< coordinates of that cell
  double outwards;  ///< 1 or -1: direction of the air along the axis
  double part;      ///< n_d of the unit normal
  double theta;     ///< distance of the surface from the centre in the liquid [cells]
};

namespace detail {

/// phi and labels of a block and two cells around it.
template <class Shape>
struct CrossingTiles {
  static constexpr TileExtents<Shape> extents{2};
  Tile<float, Shape, 2> phi;
  Tile<Label, Shape, 2> label;

  bool is_open(int at, int axis) const {
    return label[at] != Label::solid && label[at - extents.stride(axis)] != Label::solid;
  }
  double on_face(int at, int axis) const { return 0.5 * (double{phi[at]} + double{phi[at - extents.stride(axis)]}); }
  /// The gradient of phi at a low face; phi is constant towards solids.
  Vec3 gradient(int at, int axis) const {
    Vec3 result = Vec3::Zero();
    const double here = on_face(at, axis);
    for (int a = 0; a < Shape::dim; ++a) {
      const int stride = extents.stride(a);
      if (a == axis) {
        result[a] = double{phi[at]} - double{phi[at - stride]};
        continue;
      }
      const double high = is_open(at + stride, axis) ? on_face(at + stride, axis) : here;
      const double low = is_open(at - stride, axis) ? on_face(at - stride, axis) : here;
      result[a] = 0.5 * (high - low);
    }
    return result;
  }
};

}  // namespace detail

/// Call f(SurfaceCrossing) for the low faces of a block between liquid and air, except at corners, in films, within a
/// cell of a body and on the domain's open sides.
/// \param[in]  phi, labels  ghosts valid to width 2
template <class Shape, class Function>
void for_each_crossing(const CellField<float>& phi, const LabelField& labels, const SolidFields& solids, LocalIndex b,
                       Function&& f) {
  constexpr double least_gradient = 0.5;  // least |grad phi| that defines a normal
  constexpr double least_part = 0.25;     // least |n_d| of faces that count
  const auto is_air = [](Label label) { return label == Label::air; };
  const BlockLayout& layout = phi.layout();
  detail::CrossingTiles<Shape> around;
  around.label.fill(labels, b);
  if (std::none_of(around.label.begin(), around.label.end(), is_air)) return;
  around.phi.fill(phi, b);
  const Domain& domain = layout.domain();
  const NearBodies near(solids, b);
  const Vec3 first_centre = layout.first_cell(b).template cast<double>() + Vec3::Constant(0.5);
  int cells[Shape::cells];
  for (int d = 0; d < Shape::dim; ++d) {
    const int s = around.extents.stride(d);
    const int first_face = layout.first_cell(b)[d];
    const auto is_at_side = [&](int face) {
      return !domain.periodic(d) && (first_face + face <= 0 || first_face + face >= domain.cells()[d]);
    };
    const auto is_at_surface = [&](int at, int) {
      const Label high = around.label[at], low = around.label[at - s];
      return (high != Label::solid) & (low != Label::solid) & (high != low);
    };
    const int n = find_cells(around.extents, is_at_surface, cells);
    for (const int* c = cells; c < cells + n; ++c) {
      const Vec3i cell(*c % Shape::nx, *c / Shape::nx % Shape::ny, *c / (Shape::nx * Shape::ny));
      if (is_at_side(cell[d])) continue;
      const int at = around.extents.at(cell);
      const Vec3 gradient = around.gradient(at, d);
      const double steepness = gradient.norm();
      if (!(steepness > least_gradient) || std::abs(gradient[d]) < least_part * steepness) continue;
      const double part = gradient[d] / steepness;
      const double outwards = part > 0.0 ? 1.0 : -1.0;
      const int inside = outwards > 0.0 ? at - s : at;
      const int deeper = outwards > 0.0 ? inside - s : inside + s;
      if (around.label[deeper] != Label::liquid) continue;  // it is a film
      const Vec3 middle =
          domain.origin() + domain.dx() * (first_centre + cell.template cast<double>() - 0.5 * Vec3::Unit(d));
      if (near.nearest_within(domain.dx(), middle, any_body).distance < domain.dx()) continue;
      f(SurfaceCrossing{d, *c, cell, outwards, part, -double{around.phi[inside]} / std::abs(gradient[d])});
    }
  }
}

/// Copy displacements of faces at the surface to the next faces along their axes. \param[in] shift  0 on other faces;
/// ghosts valid to width 1 \param[out] displacement  displacement on the block's faces
template <class Shape>
void spread_shifts(const FaceField<double>& shift, LocalIndex b, FaceField<double>& displacement) {
  for (int d = 0; d < Shape::dim; ++d) {
    const Tile<double, Shape, 1> around(shift[d], b);
    const int stride = around.extents.stride(d);
    for (int c = 0; c < Shape::cells; ++c) {
      const int at = around.extents.of_cell(c);
      const double low = around[at - stride], high = around[at + stride];
      const double both = low != 0.0 && high != 0.0 ? 0.5 * (low + high) : low + high;
      displacement[d].block(b)[c] = around[at] != 0.0 ? around[at] : both;
    }
  }
}

}  // namespace freshet
