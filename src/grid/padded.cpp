// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/padded.hpp"

#include "freshet/grid/outer_faces.hpp"

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
    if (domain.condition(axis, side) != FaceCondition::no_slip) continue;
    image.factor = -image.factor;
    image.side = domain.extrapolates_no_slip() && image.side < 0 ? side : -1;
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
void for_each_in_plane(const PaddedExtents<Shape>& extents, int axis, Set set) {
  const int extent[3] = {extents.nx, extents.ny, extents.nz};
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  const int inner = axis == 0 ? 1 : 0;
  const int outer = axis == 2 ? 1 : 2;
  for (int b = 0; b < extent[outer]; ++b)
    for (int a = 0; a < extent[inner]; ++a) set(a * stride[inner] + b * stride[outer]);
}

template <class Shape, class Number>
Number* plane(const PaddedExtents<Shape>& extents, int axis, int index, Number* padded) {
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  return padded + (index + extents.pad) * stride[axis];
}

}  // namespace

template <class Shape, class Number>
void apply_domain_faces(const Domain& domain, const Vec3i& first_cell, int component,
                        const PaddedExtents<Shape>& extents, Number* padded) {
  for (int axis = 0; axis < Shape::dim; ++axis) {  // later axes copy the values of earlier ones into corners
    if (domain.periodic(axis)) continue;
    const int end = Shape::n(axis) + extents.pad;
    for (int target = -extents.pad; target < end; ++target) {
      const int index = first_cell[axis] + target;
      const Image image = component == axis ? normal_image(domain, axis, index) : tangential_image(domain, axis, index);
      if (image.index == index && image.factor == 1.0) continue;
      // An image outside the array belongs to a sample too far from the domain for any particle to need it.
      const auto at = [&](int sample) {
        return plane(extents, axis, std::clamp(sample - first_cell[axis], -extents.pad, end - 1), padded);
      };
      Number* to = plane(extents, axis, target, padded);
      const Number* from = at(image.index);
      if (image.side >= 0) {
        const int n_cells = domain.cells()[axis];
        const Number* first = at(image.side == 0 ? 0 : n_cells - 1);
        const Number* second = at(image.side == 0 ? 1 : n_cells - 2);
        for_each_in_plane(extents, axis, [&](int n) {
          to[n] = static_cast<Number>(2.0 * velocity_at_wall(first[n], second[n]) - from[n]);
        });
      } else {
        const auto factor = static_cast<Number>(image.factor);
        for_each_in_plane(extents, axis, [&](int n) { to[n] = factor == 0 ? Number(0) : factor * from[n]; });
      }
    }
  }
}

template void apply_domain_faces(const Domain&, const Vec3i&, int, const PaddedExtents<BlockShape<2>>&, double*);
template void apply_domain_faces(const Domain&, const Vec3i&, int, const PaddedExtents<BlockShape<3>>&, double*);
template void apply_domain_faces(const Domain&, const Vec3i&, int, const PaddedExtents<BlockShape<2>>&, float*);
template void apply_domain_faces(const Domain&, const Vec3i&, int, const PaddedExtents<BlockShape<3>>&, float*);

}  // namespace freshet
