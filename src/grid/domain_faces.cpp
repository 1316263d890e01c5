// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/domain_faces.hpp"

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/outer_faces.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

/// The sample inside the domain that a sample beyond a face copies, and the factor of the copy.
struct Image {
  int index;
  double factor;
  int side = -1;  ///< side of the wall whose velocity is extrapolated; -1: the factor is enough
};

/// Faces normal to the axis have the indices 0 .. n_cells. A face on a wall holds 0, unless liquid may leave or enter.
Image normal_image(const Domain& domain, int axis, int index) {
  const int n_cells = domain.cells()[axis];
  Image image{index, 1.0};
  while (image.index < 0 || image.index > n_cells) {  // several times if the domain is thinner than the pad
    const int side = image.index < 0 ? 0 : 1;
    const int face = side * n_cells;
    if (!domain.is_wall(axis, side)) return {face, image.factor};
    image = {2 * face - image.index, -image.factor};
  }
  if ((image.index == 0 && is_at_rest(domain, axis, 0)) || (image.index == n_cells && is_at_rest(domain, axis, 1)))
    image.factor = 0.0;
  return image;
}

/// Samples of the other components lie in the middle of cells 0 .. n_cells - 1.
Image tangential_image(const Domain& domain, int axis, int index) {
  const int n_cells = domain.cells()[axis];
  Image image{index, 1.0};
  while (image.index < 0 || image.index >= n_cells) {
    const int side = image.index < 0 ? 0 : 1;
    if (!domain.is_wall(axis, side)) return {side == 0 ? 0 : n_cells - 1, image.factor};
    image.index = (side == 0 ? 0 : 2 * n_cells) - 1 - image.index;
    if (!model_of(domain.condition(axis, side)).is_held) continue;
    image.factor = -image.factor;
    // one cell between two walls has no profile: the velocity falls to 0 at both
    image.side = n_cells > 1 && image.side < 0 ? side : -1;
  }
  return image;
}

/// The tangential velocity at a no-slip wall, from the samples half a cell and one and a half cells away. It is 0 where
/// the velocity falls linearly to the wall, and the first sample where the boundary layer is too thin for the grid.
double velocity_at_wall(double first, double second) {
  const double at_wall = 1.5 * first - 0.5 * second;
  return first > 0.0 ? std::clamp(at_wall, 0.0, first) : std::clamp(at_wall, first, 0.0);
}

/// Call set(a + b) for all offsets (a, b) of a plane normal to the axis.
template <class Shape, class Set>
void for_each_in_plane(const TileExtents<Shape>& extents, int axis, Set set) {
  const int extent[3] = {extents.nx, extents.ny, extents.nz};
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  const int inner = axis == 0 ? 1 : 0;
  const int outer = axis == 2 ? 1 : 2;
  for (int b = 0; b < extent[outer]; ++b)
    for (int a = 0; a < extent[inner]; ++a) set(a * stride[inner] + b * stride[outer]);
}

template <class Shape, class Number>
Number* plane(const TileExtents<Shape>& extents, int axis, int index, Number* padded) {
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  return padded + (index + extents.pad) * stride[axis];
}

/// What the samples of one plane normal to an axis become: planes beyond the domain, or on a wall.
template <class Shape, class Number>
struct PlaneBeyond {
  Image image;
  bool changes;          ///< whether the plane gets new samples
  Number* to;            ///< the plane
  const Number* from;    ///< plane of the image
  const Number* first;   ///< nearest to the wall, inside it
  const Number* second;  ///< the next one

  /// \param[in] target  of the plane, relative to the block
  PlaneBeyond(const Domain& domain, const Vec3i& first_cell, int component, int axis, int target,
              const TileExtents<Shape>& extents, Number* padded)
      : to(plane(extents, axis, target, padded)) {
    const int n_cells = domain.cells()[axis];
    const int index = first_cell[axis] + target;
    image = component == axis ? normal_image(domain, axis, index) : tangential_image(domain, axis, index);
    changes = image.index != index || image.factor != 1.0;
    // An image outside the array belongs to a sample too far from the domain for any particle to need it.
    const auto at = [&](int sample) {
      const int last = Shape::n(axis) + extents.pad - 1;
      return plane(extents, axis, std::clamp(sample - first_cell[axis], -extents.pad, last), padded);
    };
    from = at(image.index);
    first = at(image.side == 1 ? n_cells - 1 : 0);
    second = at(image.side == 1 ? n_cells - 2 : 1);
  }
  bool is_extrapolated() const { return image.side >= 0; }
  /// \param[in] n  offset in the plane
  Number extrapolated(std::ptrdiff_t n) const {
    const auto mirrored = static_cast<Number>(2.0 * velocity_at_wall(first[n], second[n]) - from[n]);
    const Number bound = std::max(std::abs(first[n]), std::abs(from[n]));
    return std::clamp(mirrored, -bound, bound);
  }
};

/// Give the samples beyond one axis their values.
template <class Shape, class Number>
void continue_beyond(const Domain& domain, const Vec3i& first_cell, int component, int axis,
                     const TileExtents<Shape>& extents, Number* padded) {
  for (int target = -extents.pad; target < Shape::n(axis) + extents.pad; ++target) {
    const PlaneBeyond<Shape, Number> beyond(domain, first_cell, component, axis, target, extents, padded);
    if (!beyond.changes) continue;
    if (beyond.is_extrapolated()) {
      for_each_in_plane(extents, axis, [&](int n) { beyond.to[n] = beyond.extrapolated(n); });
    } else {
      const auto factor = static_cast<Number>(beyond.image.factor);
      for_each_in_plane(extents, axis,
                        [&](int n) { beyond.to[n] = factor == 0 ? Number(0) : factor * beyond.from[n]; });
    }
  }
}

/// Make the samples beyond an edge of two walls independent of the order of the axes. Where both walls extrapolate the
/// velocity at the wall, its bounds give another value for each order; here it becomes the mean of both.
template <class Number>
void mean_of_orders_at_edges(const Domain& domain, const Vec3i& first_cell, int component,
                             const TileExtents<BlockShape<3>>& extents, Number* padded) {
  using Shape = BlockShape<3>;
  const int one = component == 0 ? 1 : 0, other = component == 2 ? 1 : 2;
  if (!domain.has_no_slip_side() || domain.periodic(one) || domain.periodic(other)) return;
  const auto beyond = [&](int axis, int target) {
    return PlaneBeyond<Shape, Number>(domain, first_cell, component, axis, target, extents, padded);
  };
  for (int a = -extents.pad; a < Shape::n(one) + extents.pad; ++a) {
    const PlaneBeyond<Shape, Number> of_one = beyond(one, a);
    if (!of_one.is_extrapolated()) continue;
    for (int b = -extents.pad; b < Shape::n(other) + extents.pad; ++b) {
      if (!beyond(other, b).is_extrapolated()) continue;
      for (int c = -extents.pad; c < Shape::n(component) + extents.pad; ++c) {
        const std::ptrdiff_t n = plane(extents, component, c, plane(extents, other, b, padded)) - padded;
        of_one.to[n] = static_cast<Number>(0.5 * (of_one.to[n] + of_one.extrapolated(n)));
      }
    }
  }
}

}  // namespace

template <class Shape, class Number>
void apply_domain_faces(const Domain& domain, const Vec3i& first_cell, int component, const TileExtents<Shape>& extents,
                        Number* padded) {
  for (int axis = 0; axis < Shape::dim; ++axis)  // later axes copy the values of earlier ones into corners
    if (!domain.periodic(axis)) continue_beyond(domain, first_cell, component, axis, extents, padded);
  if constexpr (Shape::dim == 3) mean_of_orders_at_edges(domain, first_cell, component, extents, padded);
}

template void apply_domain_faces(const Domain&, const Vec3i&, int, const TileExtents<BlockShape<2>>&, double*);
template void apply_domain_faces(const Domain&, const Vec3i&, int, const TileExtents<BlockShape<3>>&, double*);
template void apply_domain_faces(const Domain&, const Vec3i&, int, const TileExtents<BlockShape<2>>&, float*);
template void apply_domain_faces(const Domain&, const Vec3i&, int, const TileExtents<BlockShape<3>>&, float*);

}  // namespace freshet
