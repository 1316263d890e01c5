// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/surface_smoothing.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "surface_crossings.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr double largest_roughness = 0.75;  ///< bound of |theta* - theta|; beyond it lies a film, a tip or spray
constexpr double least_slope = 0.1;         ///< least difference of G between two cells that locates its zero
constexpr int mean_reach = 2;               ///< reach of the mean [cells]

/// Weights of the mean along an axis for cells from -mean_reach on: for faces without offset, half a cell above, and
/// half a cell below.
constexpr double mean_weights[3][2 * mean_reach + 1] = {{1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0},
                                                        {1.0 / 8.0, 3.0 / 8.0, 3.0 / 8.0, 1.0 / 8.0, 0.0},
                                                        {0.0, 1.0 / 8.0, 3.0 / 8.0, 3.0 / 8.0, 1.0 / 8.0}};

/// Weighted sum around a cell's low face normal to d, of values on low faces normal to `axis`.
template <class Shape>
double sum_around(const FaceTile<double, Shape, mean_reach>& values, int axis, const Vec3i& cell, int d) {
  const auto weights = [&](int a) { return mean_weights[axis == d ? 0 : a == d ? 1 : a == axis ? 2 : 0]; };
  const double *along_x = weights(0), *along_y = weights(1), *along_z = weights(2);
  constexpr int z = Shape::dim == 3 ? mean_reach : 0;
  double sum = 0.0;
  for (int k = -z; k <= z; ++k)
    for (int j = -mean_reach; j <= mean_reach; ++j) {
      const double* row = values[axis] + values.extents.at(cell.x(), cell.y() + j, cell.z() + k);
      double of_row = 0.0;
      for (int i = -mean_reach; i <= mean_reach; ++i) of_row += along_x[mean_reach + i] * row[i];
      sum += along_y[mean_reach + j] * (Shape::dim == 3 ? along_z[mean_reach + k] : 1.0) * of_row;
    }
  return sum;
}

}  // namespace

template <class Shape>
void SurfaceSmoothing::find_errors(const CellField<float>& phi, const LabelField& labels, const SolidFields& solids,
                                   const CellField<float>& smooth, LocalIndex b) {
  std::vector<Error>& errors = errors_[static_cast<std::size_t>(b)];
  errors.clear();
  for (int d = 0; d < Shape::dim; ++d)
    for (FaceField<double>* field : {&sum_, &weight_}) std::fill_n((*field)[d].block(b), Shape::cells, 0.0);
  Tile<double, Shape, 1> around;
  bool is_filled = false;
  for_each_crossing<Shape>(phi, labels, solids, b, [&](const SurfaceCrossing& crossing) {
    if (!is_filled) around.fill(smooth, b);
    is_filled = true;
    const int at = around.extents.at(crossing.cell);
    const int below = at - around.extents.stride(crossing.axis);
    const double inside = around[crossing.outwards > 0.0 ? below : at];
    const double outside = around[crossing.outwards > 0.0 ? at : below];
    if (!(outside - inside > least_slope)) return;
    const double along_axis = inside / (inside - outside) - crossing.theta;
    if (!(std::abs(along_axis) < largest_roughness)) return;
    const double error = along_axis * std::abs(crossing.part);
    errors.push_back({crossing.axis, crossing.face, crossing.part, error});
    sum_[crossing.axis].block(b)[crossing.face] = crossing.part * crossing.part * error;
    weight_[crossing.axis].block(b)[crossing.face] = crossing.part * crossing.part;
  });
}

template <class Shape>
void SurfaceSmoothing::find_shifts(double gain, LocalIndex b) {
  for (int d = 0; d < Shape::dim; ++d) std::fill_n(shift_[d].block(b), Shape::cells, 0.0);
  const std::vector<Error>& errors = errors_[static_cast<std::size_t>(b)];
  if (errors.empty()) return;
  const FaceTile<double, Shape, mean_reach> sum(sum_, b), weight(weight_, b);
  for (const Error& of : errors) {
    const Vec3i cell = Shape::place(of.face);
    double sums = 0.0, weights = 0.0;
    for (int d = 0; d < Shape::dim; ++d) {
      sums += sum_around(sum, d, cell, of.axis);
      weights += sum_around(weight, d, cell, of.axis);
    }
    const double mean = sums / weights;
    shift_[of.axis].block(b)[of.face] = gain * (of.error - mean) * of.part;
  }
}

const FaceField<double>& SurfaceSmoothing::operator()(CellField<float>& phi, LabelField& labels,
                                                      const SolidFields& solids, const CellField<float>& smooth,
                                                      double gain) {
  const BlockLayout& layout = phi.layout();
  layout.halo().gather_together(2, phi, labels);
  errors_.resize(static_cast<std::size_t>(layout.n_owned()));
  sum_.reset(layout, 0.0);
  weight_.reset(layout, 0.0);
  shift_.reset(layout, 0.0);
  displacement_.reset(layout, 0.0);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Grid = decltype(shape);
    const auto for_blocks = [&](const auto& f) { parallel_for_blocks(layout.n_owned(), f); };
    for_blocks([&](LocalIndex b) { find_errors<Grid>(phi, labels, solids, smooth, b); });
    layout.halo().gather_together(mean_reach, sum_, weight_);
    for_blocks([&](LocalIndex b) { find_shifts<Grid>(gain, b); });
    layout.halo().gather(shift_, 1);
    for_blocks([&](LocalIndex b) { spread_shifts<Grid>(shift_, b, displacement_); });
  });
  layout.halo().gather(displacement_, 1);
  return displacement_;
}

}  // namespace freshet
