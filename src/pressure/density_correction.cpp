// SPDX-License-Identifier: Apache-2.0
#include "freshet/pressure/density_correction.hpp"

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/padded.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr double largest_counted_error = 0.5;  ///< more is corrected over several steps
constexpr double least_room = 0.05;            ///< of a cell: less room than this around a centre says nothing [cells]
constexpr double surface_share = 0.05;         ///< of (2) that counts
constexpr double outside = 0.5;                ///< open part of a cell whose centre lies outside bodies: at least this

/// Trilinear weight of a cell's centre, integrated over the cell itself and over each neighbour along an axis.
constexpr double share[3] = {0.125, 0.75, 0.125};

/// Sum of share * value over the cells around one cell. \param[in] values  padded by 1
template <class Shape>
double smoothed(const PaddedExtents<Shape>& extents, const double* values, int i, int j, int k) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  double sum = 0.0;
  for (int c = -z; c <= z; ++c)
    for (int b = -1; b <= 1; ++b) {
      const double* row = values + extents.at(i - 1, j + b, k + c);
      const double along = share[0] * (row[0] + row[2]) + share[1] * row[1];
      sum += (Shape::dim == 3 ? share[c + 1] : 1.0) * share[b + 1] * along;
    }
  return sum;
}

/// The part of a cell centre's weight that lies below a plane surface at the distance phi <= 0. [cells]
double liquid_part(double phi) {
  const double beyond = std::max(1.0 + phi, 0.0);
  return 1.0 - 0.5 * beyond * beyond;
}

/// Whether any of the cells around one has a value above 0. \param[in] values  padded by 1
template <class Shape>
bool any_around(const PaddedExtents<Shape>& extents, const double* values, int i, int j, int k) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  for (int c = -z; c <= z; ++c)
    for (int b = -1; b <= 1; ++b) {
      const double* row = values + extents.at(i - 1, j + b, k + c);
      if (std::max({row[0], row[1], row[2]}) > 0.0) return true;
    }
  return false;
}

/// Values of a block and one rim around.
template <class Shape, class T>
struct PaddedBlock {
  static constexpr int size = (Shape::nx + 2) * (Shape::ny + 2) * (Shape::dim == 3 ? Shape::nz + 2 : 1);
  T value[size];
};

}  // namespace

/// all_ becomes the error of each liquid cell, 0 elsewhere, and in_inner_ the part of that cell outside solids.
template <class Shape>
void DensityCorrection::find_errors(const LabelField& labels, const SolidFields& solids,
                                    const CellField<std::uint8_t>& inner, const CellField<float>* phi) {
  const BlockLayout& layout = labels.layout();
  const PaddedExtents<Shape> extents(1);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const Label* label = labels.block(b);
    double* error = all_.block(b);
    if (std::find(label, label + Shape::cells, Label::liquid) == label + Shape::cells)
      return static_cast<void>(std::fill_n(error, Shape::cells, 0.0));
    PaddedBlock<Shape, double> open, open_inner;
    find_open_parts(layout, solids, b, extents, open.value);
    fill_padded(inner, b, extents, open_inner.value);
    for (int n = 0; n < PaddedBlock<Shape, double>::size; ++n) open_inner.value[n] *= open.value[n];
    for (int cell = 0; cell < Shape::cells; ++cell) {
      const int i = cell % Shape::nx, j = cell / Shape::nx % Shape::ny, k = cell / (Shape::nx * Shape::ny);
      const bool is_inner = inner.block(b)[cell] != 0;
      const bool leaves_out = is_inner && phi == nullptr;
      const double room = smoothed(extents, leaves_out ? open_inner.value : open.value, i, j, k);
      const double count = leaves_out ? in_inner_.block(b)[cell] : error[cell];
      const bool counts = label[cell] == Label::liquid && room > least_room;
      const bool is_surface = counts && !is_inner && phi != nullptr && open.value[extents.at(i, j, k)] >= outside &&
                              any_around(extents, open_inner.value, i, j, k);
      const double full = per_cell_ * room;
      const double found = counts ? count / full - 1.0 : 0.0;
      double at_surface = 0.0;
      if (is_surface) at_surface = surface_share * (count / (full * liquid_part(phi->block(b)[cell])) - 1.0);
      error[cell] = is_inner ? found : is_surface ? std::max(found, at_surface) : std::max(found, 0.0);
      in_inner_.block(b)[cell] = open.value[extents.at(i, j, k)];
    }
  });
}

/// The errors as they stand. Collective.
DensityReport DensityCorrection::measure(const LabelField& labels, const CellField<std::uint8_t>& inner) const {
  const BlockLayout& layout = labels.layout();
  ExactSum squares;
  double largest = 0.0;
  GlobalIndex counts[2] = {0, 0};
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      if (labels.block(b)[c] != Label::liquid) continue;
      const double error = all_.block(b)[c];
      const bool is_inner = inner.block(b)[c] != 0;
      if (is_inner) squares.add(error * error);
      counts[is_inner ? 0 : 1] += is_inner || error > 0.0 ? 1 : 0;
      largest = std::max(largest, std::abs(error));
    }
  layout.comm().sum_in_place(std::span<GlobalIndex>(counts));
  DensityReport report;
  report.inner_cells = counts[0];
  report.overfull_cells = counts[1];
  report.largest_error = layout.comm().max(largest);
  const double sum = layout.comm().sum(squares);
  if (counts[0] > 0) report.mean_error = std::sqrt(sum / static_cast<double>(counts[0]));
  return report;
}

DensityReport DensityCorrection::operator()(const ParticleStore& particles, const LabelField& labels,
                                            const SolidFields& solids, CellField<std::uint8_t>& inner,
                                            const CellField<float>* phi, Projection& projection,
                                            FaceField<double>& displacement) {
  const BlockLayout& layout = labels.layout();
  all_.reset(layout, 0.0);
  in_inner_.reset(layout, 0.0);
  displacement.reset(layout, 0.0);
  layout.halo().gather(inner, 1);
  deposit_(particles, inner, all_, in_inner_);
  with_shape(layout.domain().dimension(),
             [&](auto shape) { find_errors<decltype(shape)>(labels, solids, inner, phi); });
  DensityReport report = measure(labels, inner);
  const LocalIndex n_owned = layout.n_owned();
  const int cells = layout.cells_per_block();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b)
    for (int c = 0; c < cells; ++c) {
      double& e = all_.block(b)[c];
      const double part = e != 0.0 ? in_inner_.block(b)[c] : 0.0;
      e = part * parameters_.strength * std::clamp(e, -largest_counted_error, largest_counted_error);
    }
  CellField<double>& potential = in_inner_;  // the parts are no longer needed
  const SolveReport solve = projection.displace(solids, all_, potential, displacement, parameters_.tolerance);
  report.iterations = solve.iterations;
  report.converged = solve.converged;
  if (!solve.converged) displacement.fill(0.0);
  layout.halo().gather(displacement, 1);
  return report;
}

}  // namespace freshet
