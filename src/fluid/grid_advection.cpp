// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/grid_advection.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/velocity_around.hpp"
#include "freshet/grid/kernels/row.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace freshet {
namespace {

void store_row(float* to, const FloatRow& row) {
  std::memcpy(to, &row, sizeof row);
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
  void find(const TileExtents<Shape>& extents, const float* values, float h, float longest) {
    for (int d = 0; d < Shape::dim; ++d)
      find_means(extents, values + d * extents.size(), extents.stride(d), h, u_[d].data());
    for (int d = 0; d < Shape::dim; ++d)
      for (int k = -z; k <= Shape::nz - 1 + z; ++k)
        for (int j = -1; j <= Shape::ny; ++j) find_row(at(-1, j, k), d, longest);
  }
  /// Along an axis, of cells in a row. [cells]
  const float* along(int axis, int i, int j, int k) const { return displacement_[axis].data() + at(i, j, k); }
  static constexpr int stride(int axis) { return own_extents.stride(axis); }

 private:
  static constexpr int z = Shape::dim == 3 ? 1 : 0;
  static constexpr TileExtents<Shape> own_extents{2};
  static constexpr int at(int i, int j, int k) { return own_extents.at(i, j, k); }

  /// h u_d of the cells. [cells]
  static void find_means(const TileExtents<Shape>& extents, const float* component, int after, float h, float* means) {
    const float half = 0.5F * h;
    for (int k = -2 * z; k <= Shape::nz - 1 + 2 * z; ++k)
      for (int j = -2; j <= Shape::ny + 1; ++j) {
        const float* const face = component + extents.at(-2, j, k);
        float* const mean = means + at(-2, j, k);
        for (const int i : {0, 4})  // rows of 12 cells
          store_row(mean + i, half * (load_row(face + i) + load_row(face + i + after)));
      }
  }
  void find_row(int first, int d, float longest) {
    for (const int i : {0, 2}) {  // rows of 10 cells
      const int n = first + i;
      const FloatRow u = load_row(u_[d].data() + n);
      FloatRow result = u;
      for (int e = 0; e < Shape::dim; ++e) {
        const float* const of_d = u_[d].data() + n;
        const FloatRow difference = load_row(of_d + stride(e)) - load_row(of_d - stride(e));
        result -= 0.25F * load_row(u_[e].data() + n) * difference;
      }
      result = result < -longest ? FloatRow{} - longest : result;
      result = result > longest ? FloatRow{} + longest : result;
      store_row(displacement_[d].data() + n, result);
    }
  }

  Tile<float, Shape, 2> u_[3];
  Tile<float, Shape, 2> displacement_[3];
};

/// The faces of a row of cells, with the weights of the samples around the places that their liquid came from.
///
/// All faces of the row read the samples that any of them needs along an axis, four if their places lie in the same
/// cells from them; the others' weights are 0. So eight faces are found at once.
template <class Shape>
class RowOfFaces {
 public:
  /// Find the samples of the low faces along axis d of the cells (0 .. 7, j, k). \param[in] wanted  bits of the faces
  /// whose values will be read: not 0
  RowOfFaces(const TileExtents<Shape>& extents, const Displacements<Shape>& displacements, int d, int j, int k,
             unsigned wanted) {
    const int cell[3] = {0, j, k};
    for (int e = 0; e < Shape::dim; ++e) {
      const float* const after = displacements.along(e, 0, j, k);
      const FloatRow way = 0.5F * (load_row(after) + load_row(after - Displacements<Shape>::stride(d)));
      FloatRow start = FloatRow{} + static_cast<float>(cell[e] + extents.pad);
      if (e == 0) start += FloatRow{0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 7.0F};
      const FloatRow place = start - way;
      FloatMask below = __builtin_convertvector(place, FloatMask);  // cells below the places
      const FloatRow part = place - __builtin_convertvector(below, FloatRow);
      if (e == 0) below -= FloatMask{0, 1, 2, 3, 4, 5, 6, 7};
      set_weights(e, wanted, below, part);
      corner_ += (first_ - 1) * extents.stride(e);
    }
  }
  /// The values at the places of the faces, from the padded component.
  FloatRow values(const TileExtents<Shape>& extents, const float* component) const {
    const float* const corner = component + corner_;
    if (n_samples_[0] == 4) return sum<4>(extents, corner);
    if (n_samples_[0] == 5) return sum<5>(extents, corner);
    return sum<0>(extents, corner);
  }

 private:
  static constexpr int most_samples = 4 + 2 * block_width;

  /// \tparam n  number of samples along x; 0: any
  template <int n>
  FloatRow sum(const TileExtents<Shape>& extents, const float* corner) const {
    if constexpr (Shape::dim == 2) return plane<n>(corner, extents.nx);
    FloatRow result = weight_[2][0] * plane<n>(corner, extents.nx);
    for (int k = 1; k < n_samples_[2]; ++k)
      result += weight_[2][k] * plane<n>(corner + k * extents.stride(2), extents.nx);
    return result;
  }
  template <int n>
  FloatRow plane(const float* corner, std::ptrdiff_t next) const {
    FloatRow result = weight_[1][0] * line<n>(corner);
    for (int j = 1; j < n_samples_[1]; ++j) result += weight_[1][j] * line<n>(corner + j * next);
    return result;
  }
  template <int n>
  FloatRow line(const float* corner) const {
    FloatRow result = weight_[0][0] * load_row(corner);
    for (int i = 1; i < (n > 0 ? n : n_samples_[0]); ++i) result += weight_[0][i] * load_row(corner + i);
    return result;
  }
  /// Set Lagrange's cubic polynomials of the samples at -1, 0, 1, 2 along an axis, and `first_`, the lowest cell below
  /// a wanted face's place. \param[in] below  the cell below the place of each face, from that of the first face
  void set_weights(int axis, unsigned wanted, FloatMask below, const FloatRow& f) {
    const FloatMask some = FloatMask{} + below[std::countr_zero(wanted)];
    below = float_mask(wanted) ? below : some;
    first_ = below[0];
    int last = first_;
    for (int i = 1; i < Shape::nx; ++i) {
      first_ = std::min(first_, below[i]);
      last = std::max(last, below[i]);
    }
    const FloatRow up = f + 1.0F, down = f - 1.0F, far = f - 2.0F;
    const FloatRow cubic[4] = {f * down * far * (-1.0F / 6.0F), up * down * far * 0.5F, up * f * far * -0.5F,
                               up * f * down * (1.0F / 6.0F)};
    FloatRow* const weight = weight_[axis];
    n_samples_[axis] = 4 + last - first_;
    for (int n = 0; n < n_samples_[axis]; ++n) weight[n] = FloatRow{};
    for (int shift = 0; shift <= last - first_; ++shift) {
      const FloatMask here = below == first_ + shift;
      for (int q = 0; q < 4; ++q) weight[shift + q] = here ? cubic[q] : weight[shift + q];
    }
  }

  std::ptrdiff_t corner_ = 0;  ///< index of the first face's first sample
  int first_ = 0;
  int n_samples_[3] = {};
  FloatRow weight_[3][most_samples];  ///< by axis and sample
};

/// Advect the marked faces of one block. \param[in] values  components padded by extents
template <class Shape>
void advect_block(const TileExtents<Shape>& extents, const float* values, float h, LocalIndex b,
                  const std::uint8_t* mark, FaceField<double>& result) {
  static thread_local Displacements<Shape> displacements;
  displacements.find(extents, values, h, static_cast<float>(extents.pad) - 2.0F);
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j) {
      const int row = Shape::cell(0, j, k);
      for (int d = 0; d < Shape::dim; ++d) {
        unsigned wanted = 0;
        for (int i = 0; i < Shape::nx; ++i) wanted |= (mark[row + i] >> d & 1U) << i;
        if (wanted == 0) continue;
        const RowOfFaces<Shape> faces(extents, displacements, d, j, k, wanted);
        const FloatRow found = faces.values(extents, values + d * extents.size());
        double* const to = result[d].block(b) + row;
        for (int i = 0; i < Shape::nx; ++i) to[i] = (wanted >> i & 1U) != 0 ? static_cast<double>(found[i]) : to[i];
      }
    }
}

}  // namespace

void advect_faces(const FaceField<double>& velocity, const CellField<std::uint8_t>& marks, double dt, int reach,
                  FaceField<double>& result) {
  FRESHET_EXPECT(reach >= 3 && reach <= block_width);
  const BlockLayout& layout = velocity.layout();
  const auto h = static_cast<float>(dt / layout.domain().dx());
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const TileExtents<Shape> extents(reach);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const std::uint8_t* mark = marks.block(b);
      if (std::all_of(mark, mark + Shape::cells, [](std::uint8_t bits) { return bits == 0; })) return;
      advect_block(extents, components_around<float>(velocity, b, extents), h, b, mark, result);
    });
  });
}

}  // namespace freshet
