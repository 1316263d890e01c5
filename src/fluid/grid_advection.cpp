// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/grid_advection.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/velocity_around.hpp"
#include "freshet/transfer/lanes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace freshet {
namespace {

Double4 load4(const double* from) {
  Double4 four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

/// Where the liquid in the cells of a block and of one layer around it has come from in a step.
///
///   x - X = h u - h^2 / 2 (u . grad) u + O(h^3)                                                          (2)
///
/// with u the mean of a cell's faces, central differences, and the cells' width as the unit of length.
/// Source: McGregor 1993
template <class Shape>
class Displacements {
 public:
  /// \param[in] values  components padded by extents.pad >= 3 \param[in] longest  bound along an axis [cells]
  void find(const TileExtents<Shape>& extents, const double* values, double h, double longest) {
    for (int d = 0; d < Shape::dim; ++d)
      find_means(extents, values + d * extents.size(), extents.stride(d), h, u_[d].data());
    for (int d = 0; d < Shape::dim; ++d)
      for (int k = -z; k <= Shape::nz - 1 + z; ++k)
        for (int j = -1; j <= Shape::ny; ++j) find_row(at(-1, j, k), d, longest);
  }
  /// Along an axis, of cells in a row. [cells]
  const double* along(int axis, int i, int j, int k) const { return displacement_[axis].data() + at(i, j, k); }
  static constexpr int stride(int axis) { return own_extents.stride(axis); }

 private:
  static constexpr int z = Shape::dim == 3 ? 1 : 0;
  static constexpr TileExtents<Shape> own_extents{2};
  static constexpr int at(int i, int j, int k) { return own_extents.at(i, j, k); }

  /// h u_d of the cells. [cells]
  static void find_means(const TileExtents<Shape>& extents, const double* component, int after, double h,
                         double* means) {
    for (int k = -2 * z; k <= Shape::nz - 1 + 2 * z; ++k)
      for (int j = -2; j <= Shape::ny + 1; ++j) {
        const double* face = component + extents.at(-2, j, k);
        double* mean = means + at(-2, j, k);
        for (int i = 0; i < own_extents.nx; ++i) mean[i] = 0.5 * h * (face[i] + face[i + after]);
      }
  }
  void find_row(int first, int d, double longest) {
    double* result = displacement_[d].data() + first;
    const double* u = u_[d].data() + first;
    for (int i = 0; i < Shape::nx + 2; ++i) result[i] = u[i];
    for (int e = 0; e < Shape::dim; ++e) {
      const double* v = u_[e].data() + first;
      for (int i = 0; i < Shape::nx + 2; ++i) result[i] -= 0.25 * v[i] * (u[i + stride(e)] - u[i - stride(e)]);
    }
    for (int i = 0; i < Shape::nx + 2; ++i) result[i] = std::min(std::max(result[i], -longest), longest);
  }

  Tile<double, Shape, 2> u_[3];
  Tile<double, Shape, 2> displacement_[3];
};

/// The faces of a row of cells with the samples around the places that their liquid came from.
template <class Shape>
class RowOfFaces {
 public:
  /// Find the samples of the low faces along axis d of the cells (0 .. 7, j, k).
  RowOfFaces(const TileExtents<Shape>& extents, const Displacements<Shape>& displacements, int d, int j, int k) {
    const int cell[3] = {0, j, k};
    std::fill_n(first_, Shape::nx, 0);
    for (int e = 0; e < Shape::dim; ++e) {
      const double* after = displacements.along(e, 0, j, k);
      const double* before = after - Displacements<Shape>::stride(d);
      const int stride = extents.stride(e);
      const double start = cell[e] + extents.pad;
      for (int i = 0; i < Shape::nx; ++i) {
        const double place = start + (e == 0 ? i : 0) - 0.5 * (before[i] + after[i]);
        const int below = static_cast<int>(place);
        const double f = place - below, up = f + 1.0, down = f - 1.0, far = f - 2.0;
        first_[i] += (below - 1) * stride;
        weight_[e][0][i] = f * down * far * (-1.0 / 6.0);
        weight_[e][1][i] = up * down * far * 0.5;
        weight_[e][2][i] = up * f * far * -0.5;
        weight_[e][3][i] = up * f * down * (1.0 / 6.0);
      }
    }
  }
  /// The value at the place of face i, from the padded component.
  double value(int i, const TileExtents<Shape>& extents, const double* component) const {
    const double* corner = component + first_[i];
    Double4 sum = plane(i, corner, extents.nx);
    if constexpr (Shape::dim == 3) {
      const std::ptrdiff_t next = extents.stride(2);
      sum = (weight_[2][0][i] * sum + weight_[2][1][i] * plane(i, corner + next, extents.nx)) +
            (weight_[2][2][i] * plane(i, corner + 2 * next, extents.nx) +
             weight_[2][3][i] * plane(i, corner + 3 * next, extents.nx));
    }
    return (weight_[0][0][i] * sum[0] + weight_[0][1][i] * sum[1]) +
           (weight_[0][2][i] * sum[2] + weight_[0][3][i] * sum[3]);
  }

 private:
  /// Four samples along x, each interpolated along y.
  Double4 plane(int i, const double* corner, std::ptrdiff_t next) const {
    return (weight_[1][0][i] * load4(corner) + weight_[1][1][i] * load4(corner + next)) +
           (weight_[1][2][i] * load4(corner + 2 * next) + weight_[1][3][i] * load4(corner + 3 * next));
  }
  int first_[Shape::nx];
  double weight_[3][4][Shape::nx];  ///< by axis: Lagrange's cubic polynomials of the samples at -1, 0, 1, 2
};

/// Advect the marked faces of one block. \param[in] values  components padded by extents
template <class Shape>
void advect_block(const TileExtents<Shape>& extents, const double* values, double h, LocalIndex b,
                  const std::uint8_t* mark, FaceField<double>& result) {
  static thread_local Displacements<Shape> displacements;
  displacements.find(extents, values, h, extents.pad - 2.0);
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j) {
      const int row = Shape::cell(0, j, k);
      for (int d = 0; d < Shape::dim; ++d) {
        unsigned wanted = 0;
        for (int i = 0; i < Shape::nx; ++i) wanted |= (mark[row + i] >> d & 1U) << i;
        if (wanted == 0) continue;
        const RowOfFaces<Shape> faces(extents, displacements, d, j, k);
        for (; wanted != 0; wanted &= wanted - 1) {
          const int i = std::countr_zero(wanted);
          result[d].block(b)[row + i] = faces.value(i, extents, values + d * extents.size());
        }
      }
    }
}

}  // namespace

void advect_faces(const FaceField<double>& velocity, const CellField<std::uint8_t>& marks, double dt, int reach,
                  FaceField<double>& result) {
  FRESHET_EXPECT(reach >= 3 && reach <= block_width);
  const BlockLayout& layout = velocity.layout();
  const double h = dt / layout.domain().dx();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const TileExtents<Shape> extents(reach);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const std::uint8_t* mark = marks.block(b);
      if (std::all_of(mark, mark + Shape::cells, [](std::uint8_t bits) { return bits == 0; })) return;
      advect_block(extents, components_around(velocity, b, extents), h, b, mark, result);
    });
  });
}

}  // namespace freshet
