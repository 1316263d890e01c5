// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/transfer/lanes.hpp"

namespace freshet {

/// A staggered vector field around one block that can be read at any point: each component is trilinear (bilinear in
/// 2-D) between its own faces. A constant field is reproduced exactly.
template <class Shape>
class PaddedVelocity {
 public:
  /// \param[in] values  components one after the other, each of extents.size() values as in a FaceTile
  PaddedVelocity(const TileExtents<Shape>& extents, const double* values)
      : stride_y_(extents.nx), stride_z_(extents.nx * extents.ny), values_(values), size_(extents.size()) {
    const double pad = extents.pad;
    shift_ = Double4{pad, pad, Shape::dim == 3 ? pad : 0.0, 0.0};
    stride_ = Int4{1, stride_y_, Shape::dim == 3 ? stride_z_ : 0, 0};
  }
  template <int pad>
  explicit PaddedVelocity(const FaceTile<double, Shape, pad>& faces) : PaddedVelocity(faces.extents, faces.data()) {}

  /// \param[in] x  relative to the block [cells]; lane 3 is not used
  /// \return one component a lane; 0 along z in 2-D. \pre 0.5 - pad <= x < 7 + pad on every axis
  [[gnu::always_inline]] Double4 at(const Double4& x) const {
    const Place place = locate(x);
    const Double4& f = place.from_face;
    const Double4& c = place.from_center;
    const Double2 u = row(values_ + place.first[0], c[1], c[2]);
    const Double2 v = row(values_ + size_ + place.first[1], f[1], c[2]);
    Double2 w{};
    if constexpr (Shape::dim == 3) w = row(values_ + 2 * size_ + place.first[2], c[1], f[2]);
    const Double2 low_uv = __builtin_shufflevector(u, v, 0, 2);
    const Double2 high_uv = __builtin_shufflevector(u, v, 1, 3);
    const Double4 low = __builtin_shufflevector(low_uv, w, 0, 1, 2, 2);
    const Double4 high = __builtin_shufflevector(high_uv, w, 0, 1, 3, 3);
    const Double4 along_x = __builtin_shufflevector(f, c, 0, 4, 4, 4);
    return low + along_x * (high - low);
  }

  /// The gradient of at(): row d is the gradient of component d; rows and lanes of z are 0 in 2-D.
  [[gnu::always_inline]] void gradient_at(const Double4& x, Double4 (&rows)[3]) const {
    const Place place = locate(x);
    rows[2] = Double4{};
    for (int d = 0; d < Shape::dim; ++d) {
      Double4 t = place.from_center;
      t[d] = place.from_face[d];
      rows[d] = gradient(values_ + d * size_ + place.first[d], t);
    }
  }

 private:
  /// The samples around a point: those of component d start at first[d] in its values.
  struct Place {
    Int4 first;
    Double4 from_face;    ///< distance from the next lower face along each axis, 0 .. 1
    Double4 from_center;  ///< distance from the next lower cell centre, 0 .. 1
  };

  [[gnu::always_inline]] Place locate(const Double4& x) const {
    const Double4 to_face = x + shift_;
    const Double4 to_center = to_face - Double4{0.5, 0.5, Shape::dim == 3 ? 0.5 : 0.0, 0.0};
    const Int4 face = __builtin_convertvector(to_face, Int4);
    const Int4 center = __builtin_convertvector(to_center, Int4);
    const Double4 f = to_face - to_double(face);
    const Double4 c = to_center - to_double(center);

    // Component d counts from faces along d and from centres along the other axes.
    const Int4 at_face = face * stride_;
    const Int4 at_center = center * stride_;
    Int4 first = at_center + __builtin_shufflevector(at_center, at_center, 1, 0, 3, 2);
    first += __builtin_shufflevector(first, first, 2, 3, 0, 1);
    first += at_face - at_center;
    for (int d = 0; d < Shape::dim; ++d) FRESHET_ASSERT(first[d] >= 0 && first[d] + last_corner() < size_);
    return {first, f, c};
  }

  /// The values at two neighbours along x, each interpolated along y and z.
  [[gnu::always_inline]] Double2 row(const double* corner, double y, double z) const {
    const Double2 front = between(load2(corner), load2(corner + stride_y_), y);
    if constexpr (Shape::dim == 2) return front;
    const double* behind = corner + stride_z_;
    return between(front, between(load2(behind), load2(behind + stride_y_), y), z);
  }
  [[gnu::always_inline]] static Double2 between(const Double2& a, const Double2& b, double t) {
    return a + t * (b - a);
  }

  /// Gradient of one component from the samples at `corner` and after it; t is the distance from it along each axis.
  [[gnu::always_inline]] Double4 gradient(const double* corner, const Double4& t) const {
    const auto along_x = [&](const Double2& pair) { return pair[0] + t[0] * (pair[1] - pair[0]); };
    const Double2 front = between(load2(corner), load2(corner + stride_y_), t[1]);
    const Double2 rise_y = load2(corner + stride_y_) - load2(corner);
    if constexpr (Shape::dim == 2) return Double4{front[1] - front[0], along_x(rise_y), 0.0, 0.0};
    const double* far = corner + stride_z_;
    const Double2 behind = between(load2(far), load2(far + stride_y_), t[1]);
    const Double2 middle = between(front, behind, t[2]);
    const Double2 far_rise_y = load2(far + stride_y_) - load2(far);
    return Double4{middle[1] - middle[0], along_x(between(rise_y, far_rise_y, t[2])), along_x(behind - front), 0.0};
  }

  /// Offset of the farthest of the samples around a point.
  int last_corner() const { return 1 + stride_y_ + (Shape::dim == 3 ? stride_z_ : 0); }

  Double4 shift_;
  Int4 stride_;
  int stride_y_;
  int stride_z_;
  const double* values_;
  int size_;
};

}  // namespace freshet
