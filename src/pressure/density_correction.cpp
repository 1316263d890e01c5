// SPDX-License-Identifier: Apache-2.0
#include "freshet/pressure/density_correction.hpp"

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/padded.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr double largest_counted_error = 0.5;  ///< more is corrected over several steps
constexpr double least_room = 0.05;            ///< of a cell: less room than this around a centre says nothing [cells]

/// Trilinear weight of a cell's centre, integrated over the cell itself and over each neighbour along an axis.
constexpr double share[3] = {0.125, 0.75, 0.125};

/// Calls f(cell, i, j, k) for the cells of a block and one rim around.
template <class Shape, class Function>
void for_each_padded(Function&& f) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  for (int k = -z; k < Shape::nz + z; ++k)
    for (int j = -1; j <= Shape::ny; ++j)
      for (int i = -1; i <= Shape::nx; ++i) f(Vec3i(i, j, k));
}

/// Part of a cell that particles can be in: a body's surface cuts it where its signed distance says so, as a plane
/// across would.
double open_part(const Vec3& center, double dx, const std::vector<SolidBody>& bodies) {
  double open = 1.0;
  for (const SolidBody& body : bodies)
    open = std::min(open, std::clamp(0.5 + body.shape->signed_distance(center) / dx, 0.0, 1.0));
  return open;
}

/// open_part of a block's cells and of one rim around; 0 beyond walls.
template <class Shape>
void find_open_parts(const BlockLayout& layout, const SolidFields& solids, LocalIndex b, double* open) {
  const Domain& domain = layout.domain();
  const PaddedExtents<Shape> extents(1);
  const Vec3i first = layout.first_cell(b);
  const bool bodies_near = !solids.bodies().empty() && solids.nearest(b) < 2.0F;
  for_each_padded<Shape>([&](const Vec3i& local) {
    double& part = open[extents.at(local.x(), local.y(), local.z())];
    const Vec3i cell = domain.wrap_cell(first + local);
    if (!domain.contains_cell(cell)) {
      part = domain.outside_is_solid(cell) ? 0.0 : 1.0;
    } else {
      const Vec3 center = domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
      part = bodies_near ? open_part(center, domain.dx(), solids.bodies()) : 1.0;
    }
  });
}

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

/// Cells beyond walls count as solid, cells beyond open faces as air.
template <class Shape>
void label_beyond_domain(const BlockLayout& layout, LocalIndex b, Label* labels) {
  if (!layout.touches_boundary(b)) return;
  const PaddedExtents<Shape> extents(1);
  for_each_padded<Shape>([&](const Vec3i& local) {
    const Vec3i cell = layout.domain().wrap_cell(layout.first_cell(b) + local);
    if (layout.domain().contains_cell(cell)) return;
    labels[extents.at(local.x(), local.y(), local.z())] =
        layout.domain().outside_is_solid(cell) ? Label::solid : Label::air;
  });
}

/// Values of a block and one rim around.
template <class Shape, class T>
struct PaddedBlock {
  static constexpr int size = (Shape::nx + 2) * (Shape::ny + 2) * (Shape::dim == 3 ? Shape::nz + 2 : 1);
  T value[size];
};

}  // namespace

template <class Shape>
void DensityCorrection::find_inner_cells(const LabelField& labels) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  const BlockLayout& layout = labels.layout();
  const PaddedExtents<Shape> extents(1);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    PaddedBlock<Shape, Label> around;
    fill_padded(labels, b, extents, around.value);
    label_beyond_domain<Shape>(layout, b, around.value);
    std::uint8_t* inner = inner_.block(b);
    for (int cell = 0; cell < Shape::cells; ++cell) {
      const int i = cell % Shape::nx, j = cell / Shape::nx % Shape::ny, k = cell / (Shape::nx * Shape::ny);
      bool any_air = false;
      for (int dz = -z; dz <= z; ++dz)
        for (int dy = -1; dy <= 1; ++dy) {
          const Label* row = &around.value[extents.at(i - 1, j + dy, k + dz)];
          any_air = any_air || row[0] == Label::air || row[1] == Label::air || row[2] == Label::air;
        }
      inner[cell] = any_air ? 0 : 1;
    }
  });
}

/// all_ becomes the error of each liquid cell, 0 elsewhere.
template <class Shape>
void DensityCorrection::find_errors(const LabelField& labels, const SolidFields& solids) {
  const BlockLayout& layout = labels.layout();
  const PaddedExtents<Shape> extents(1);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const Label* label = labels.block(b);
    double* error = all_.block(b);
    if (std::find(label, label + Shape::cells, Label::liquid) == label + Shape::cells)
      return static_cast<void>(std::fill_n(error, Shape::cells, 0.0));
    PaddedBlock<Shape, double> open, inner;
    find_open_parts<Shape>(layout, solids, b, open.value);
    fill_padded(inner_, b, extents, inner.value);
    for (int n = 0; n < PaddedBlock<Shape, double>::size; ++n) inner.value[n] *= open.value[n];
    for (int cell = 0; cell < Shape::cells; ++cell) {
      const int i = cell % Shape::nx, j = cell / Shape::nx % Shape::ny, k = cell / (Shape::nx * Shape::ny);
      const bool is_inner = inner_.block(b)[cell] != 0;
      const double room = smoothed(extents, is_inner ? inner.value : open.value, i, j, k);
      const double count = is_inner ? in_inner_.block(b)[cell] : error[cell];
      const bool counts = label[cell] == Label::liquid && room > least_room;
      const double found = counts ? count / (per_cell_ * room) - 1.0 : 0.0;
      error[cell] = is_inner ? found : std::max(found, 0.0);
    }
  });
}

/// The errors as they stand. Collective.
DensityReport DensityCorrection::measure(const LabelField& labels) const {
  const BlockLayout& layout = labels.layout();
  ExactSum squares;
  double largest = 0.0;
  GlobalIndex counts[2] = {0, 0};
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      if (labels.block(b)[c] != Label::liquid) continue;
      const double error = all_.block(b)[c];
      const bool is_inner = inner_.block(b)[c] != 0;
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
                                            const SolidFields& solids, Projection& projection,
                                            FaceField<double>& displacement) {
  const BlockLayout& layout = labels.layout();
  inner_.reset(layout, std::uint8_t{0});
  all_.reset(layout, 0.0);
  in_inner_.reset(layout, 0.0);
  potential_.reset(layout, 0.0);
  displacement.reset(layout, 0.0);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_inner_cells<Shape>(labels);
    layout.halo().gather(inner_, 1);
    deposit_(particles, inner_, all_, in_inner_);
    find_errors<Shape>(labels, solids);
  });
  DensityReport report = measure(labels);
  const LocalIndex n_owned = layout.n_owned();
  const int cells = layout.cells_per_block();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b)
    for (int c = 0; c < cells; ++c) {
      double& e = all_.block(b)[c];
      e = parameters_.strength * std::clamp(e, -largest_counted_error, largest_counted_error);
    }
  potential_.fill(0.0);
  const SolveReport solve = projection.displace(solids, all_, potential_, displacement, parameters_.tolerance);
  report.iterations = solve.iterations;
  report.converged = solve.converged;
  if (!solve.converged) displacement.fill(0.0);
  layout.halo().gather(displacement, 1);
  return report;
}

}  // namespace freshet
