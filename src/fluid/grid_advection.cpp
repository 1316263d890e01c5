// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/grid_advection.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/transfer/lanes.hpp"
#include "runge_kutta.hpp"
#include "velocity_around.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace freshet {
namespace {

/// Lagrange's cubic polynomials of samples at -1, 0, 1, 2.
Double4 cubic_weights(double f) {
  const double below = f + 1.0, above = f - 1.0, far = f - 2.0;
  return Double4{-f * above * far / 6.0, below * above * far / 2.0, -below * f * far / 2.0, below * f * above / 6.0};
}

Double4 load4(const double* from) {
  Double4 four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

/// One block with the velocity around it.
template <class Shape>
class FacesOfBlock {
 public:
  FacesOfBlock(const double* values, const PaddedExtents<Shape>& extents, const Tableau& scheme, double h)
      : values_(values),
        extents_(extents),
        around_(extents, values),
        scheme_(scheme),
        h_(h),
        longest_(extents.pad - 2.0) {}

  /// The advected velocity (1) of the low face along axis d of cell c.
  double operator()(int c, int d) const {
    const Vec3i cell = Shape::place(c);
    Double4 x{};
    for (int e = 0; e < 3; ++e) x[e] = cell[e] + (e == d ? 0.0 : 0.5);
    const Double4 from = start_of_path(x);
    double weights[3][4];
    int first[3] = {0, 0, 0};
    for (int e = 0; e < Shape::dim; ++e) {
      const double place = from[e] + extents_.pad - (e == d ? 0.0 : 0.5);
      const double below = std::floor(place);
      const Double4 w = cubic_weights(place - below);
      for (int n = 0; n < 4; ++n) weights[e][n] = w[n];
      first[e] = static_cast<int>(below) - 1;
    }
    const double* corner = values_ + d * extents_.size() + first[0] + extents_.nx * (first[1] + extents_.ny * first[2]);
    Double4 sum{};
    for (int k = 0; k < (Shape::dim == 3 ? 4 : 1); ++k)
      for (int j = 0; j < 4; ++j) {
        const double w = Shape::dim == 3 ? weights[1][j] * weights[2][k] : weights[1][j];
        sum += w * load4(corner + extents_.nx * (j + extents_.ny * k));
      }
    return (sum[0] * weights[0][0] + sum[1] * weights[0][1]) + (sum[2] * weights[0][2] + sum[3] * weights[0][3]);
  }

 private:
  Double4 start_of_path(const Double4& x) const {
    Double4 k{}, displacement{};
    for (int s = 0; s < scheme_.n_stages; ++s) {
      k = around_.at(x - bounded((h_ * scheme_.a[s]) * k));
      displacement += (h_ * scheme_.b[s]) * k;
    }
    return x - bounded(displacement);
  }
  Double4 bounded(Double4 displacement) const {
    for (int e = 0; e < Shape::dim; ++e) displacement[e] = std::clamp(displacement[e], -longest_, longest_);
    return displacement;
  }

  const double* values_;
  const PaddedExtents<Shape>& extents_;
  PaddedVelocity<Shape> around_;
  Tableau scheme_;
  double h_;        ///< dt / dx [s/m]
  double longest_;  ///< [cells]
};

}  // namespace

void advect_faces(const FaceField<double>& velocity, const CellField<std::uint8_t>& marks, double dt, int reach,
                  MotionScheme scheme, FaceField<double>& result) {
  FRESHET_EXPECT(reach >= 3 && reach <= block_width);
  const BlockLayout& layout = velocity.layout();
  const double h = dt / layout.domain().dx();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const PaddedExtents<Shape> extents(reach);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const std::uint8_t* mark = marks.block(b);
      if (std::all_of(mark, mark + Shape::cells, [](std::uint8_t bits) { return bits == 0; })) return;
      const FacesOfBlock<Shape> faces(components_around(velocity, b, extents), extents, tableau(scheme), h);
      for (int c = 0; c < Shape::cells; ++c)
        for (unsigned bits = mark[c]; bits != 0; bits &= bits - 1) {
          const int d = std::countr_zero(bits);
          result[d].block(b)[c] = faces(c, d);
        }
    });
  });
}

}  // namespace freshet
