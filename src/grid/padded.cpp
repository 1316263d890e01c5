// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/padded.hpp"

namespace freshet {
namespace {

/// The sample inside the domain that a sample beyond a face copies, and the factor of the copy.
struct Image {
  int index;
  double factor;
};

/// Faces normal to the axis stand at 0 .. n_cells; those on a wall hold 0, unless liquid may leave or enter there.
Image normal_image(const Domain& domain, int axis, int index) {
  const int n_cells = domain.cells()[axis];
  Image image{index, 1.0};
  while (image.index < 0 || image.index > n_cells) {  // repeated if the domain is thinner than the pad
    const int side = image.index < 0 ? 0 : 1;
    const int face = side * n_cells;
    if (!domain.is_wall(axis, side)) return {face, image.factor};
    image = {2 * face - image.index, -image.factor};
  }
  const auto at_rest = [&](int side) {
    return domain.is_wall(axis, side) && !domain.separates(axis, side) && !domain.stores_walls();
  };
  if ((image.index == 0 && at_rest(0)) || (image.index == n_cells && at_rest(1))) image.factor = 0.0;
  return image;
}

/// Samples of the other components stand in the middle of cells 0 .. n_cells - 1.
Image tangential_image(const Domain& domain, int axis, int index) {
  const int n_cells = domain.cells()[axis];
  Image image{index, 1.0};
  while (image.index < 0 || image.index >= n_cells) {
    const int side = image.index < 0 ? 0 : 1;
    if (!domain.is_wall(axis, side)) return {side == 0 ? 0 : n_cells - 1, image.factor};
    image.index = (side == 0 ? 0 : 2 * n_cells) - 1 - image.index;
    if (domain.condition(axis, side) == FaceCondition::no_slip) image.factor = -image.factor;
  }
  return image;
}

/// plane(target) = factor * plane(source), planes being normal to the axis.
template <class Shape>
void copy_plane(const PaddedExtents<Shape>& extents, int axis, int target, int source, double factor, double* padded) {
  const int extent[3] = {extents.nx, extents.ny, extents.nz};
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  const int inner = axis == 0 ? 1 : 0;
  const int outer = axis == 2 ? 1 : 2;
  const double* from = padded + (source + extents.pad) * stride[axis];
  double* to = padded + (target + extents.pad) * stride[axis];
  for (int b = 0; b < extent[outer]; ++b)
    for (int a = 0; a < extent[inner]; ++a) {
      const int offset = a * stride[inner] + b * stride[outer];
      to[offset] = factor == 0.0 ? 0.0 : factor * from[offset];
    }
}

}  // namespace

template <class Shape>
void apply_domain_faces(const Domain& domain, const Vec3i& first_cell, int component,
                        const PaddedExtents<Shape>& extents, double* padded) {
  for (int axis = 0; axis < Shape::dim; ++axis) {  // later axes copy the values of earlier ones into corners
    if (domain.periodic(axis)) continue;
    const int end = Shape::n(axis) + extents.pad;
    for (int target = -extents.pad; target < end; ++target) {
      const int index = first_cell[axis] + target;
      const Image image = component == axis ? normal_image(domain, axis, index) : tangential_image(domain, axis, index);
      if (image.index == index && image.factor == 1.0) continue;
      // An image outside the array belongs to a sample that is too far from the domain for any particle to need it.
      const int source = std::clamp(image.index - first_cell[axis], -extents.pad, end - 1);
      copy_plane(extents, axis, target, source, image.factor, padded);
    }
  }
}

template void apply_domain_faces(const Domain&, const Vec3i&, int, const PaddedExtents<BlockShape<2>>&, double*);
template void apply_domain_faces(const Domain&, const Vec3i&, int, const PaddedExtents<BlockShape<3>>&, double*);

}  // namespace freshet
