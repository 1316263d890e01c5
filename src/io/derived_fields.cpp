// SPDX-License-Identifier: Apache-2.0
#include "io/derived_fields.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/grid/domain_faces.hpp"
#include "freshet/pressure/density_correction.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace freshet {
namespace {

/// Make f(shape, block, values) a BlockFunction, with the BlockShape of the layout.
template <class Function>
BlockFunction with_shape_of(const SnapshotState& state, Function f) {
  const int dimension = state.layout->domain().dimension();
  return [dimension, f](LocalIndex block, double* values) {
    with_shape(dimension, [&](auto shape) { f(shape, block, values); });
  };
}

/// Set one number for each liquid cell of a block, 0 for others. \param[in] f  gives it for cell (i, j, k)
template <class Shape, class Function>
void fill_liquid(const LabelField& labels, LocalIndex block, double* values, Function f) {
  const Label* label = labels.block(block);
  for (int c = 0; c < Shape::cells; ++c)
    values[c] =
        label[c] == Label::liquid ? f(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny)) : 0.0;
}

/// A velocity component in a block and one cell around it, extended beyond the domain's faces.
template <class Shape>
class Component {
 public:
  Component(const FaceField<double>& velocity, int axis, LocalIndex block) : axis_(axis), u_(velocity[axis], block) {
    const BlockLayout& layout = velocity.layout();
    apply_domain_faces(layout.domain(), layout.first_cell(block), axis, u_.extents, u_.data());
  }
  /// Velocity at the centre of a cell within one cell of the block: the mean of its two faces. [m/s]
  double at_centre(Vec3i cell) const {
    const double low = u_(cell);
    ++cell[axis_];
    return 0.5 * (low + u_(cell));
  }

 private:
  int axis_;
  Tile<double, Shape, 1> u_;
};

}  // namespace

BlockFunction surface_distance(const SnapshotState& state, int) {
  const FreeSurface& surface = *state.surface;
  const double dx = state.layout->domain().dx();
  const int n = state.layout->cells_per_block();
  return [&surface, dx, n](LocalIndex block, double* values) {
    surface.distances(block, values);
    for (int c = 0; c < n; ++c) values[c] *= dx;
  };
}

BlockFunction surface_curvature(const SnapshotState& state, int) {
  const CellField<float>* const curvature = state.surface->curvature();
  const double dx = state.layout->domain().dx();
  const int n = state.layout->cells_per_block();
  return [curvature, dx, n](LocalIndex block, double* values) {
    if (curvature == nullptr) return static_cast<void>(std::fill_n(values, n, 0.0));
    for (int c = 0; c < n; ++c) values[c] = curvature->block(block)[c] / dx;
  };
}

BlockFunction velocity_divergence(const SnapshotState& state, int) {
  const FaceField<double>& velocity = *state.velocity;
  const SolidFields& solids = *state.solids_on_grid;
  const LabelField& labels = *state.labels;
  const double dx = state.layout->domain().dx();
  return with_shape_of(state, [&velocity, &solids, &labels, dx](auto shape, LocalIndex block, double* values) {
    using Shape = decltype(shape);
    std::array<double, Shape::cells> sum{};
    for (int d = 0; d < Shape::dim; ++d) {
      const Tile<double, Shape, 1> u(velocity[d], block), open(solids.open_fraction()[d], block),
          of_solid(solids.velocity()[d], block);
      const int next = u.extents.stride(d);
      const auto flow = [&](int n) { return open[n] * u[n] + (1.0 - open[n]) * of_solid[n]; };
      for (int c = 0; c < Shape::cells; ++c) {
        const int n = u.extents.of_cell(c);
        sum[static_cast<std::size_t>(c)] += flow(n + next) - flow(n);
      }
    }
    fill_liquid<Shape>(labels, block, values,
                       [&](int i, int j, int k) { return sum[static_cast<std::size_t>(Shape::cell(i, j, k))] / dx; });
  });
}

BlockFunction velocity_curl(const SnapshotState& state, int d) {
  const FaceField<double>& velocity = *state.velocity;
  const LabelField& labels = *state.labels;
  const double dx = state.layout->domain().dx();
  return with_shape_of(state, [&velocity, &labels, d, dx](auto shape, LocalIndex block, double* values) {
    using Shape = decltype(shape);
    const int first = (d + 1) % 3, second = (d + 2) % 3;
    if (std::max(first, second) >= Shape::dim) return static_cast<void>(std::fill_n(values, Shape::cells, 0.0));
    const Component<Shape> u(velocity, first, block), v(velocity, second, block);
    fill_liquid<Shape>(labels, block, values, [&](int i, int j, int k) {
      const Vec3i cell(i, j, k), a = Vec3i::Unit(first), b = Vec3i::Unit(second);
      return (v.at_centre(cell + a) - v.at_centre(cell - a) - u.at_centre(cell + b) + u.at_centre(cell - b)) /
             (2.0 * dx);
    });
  });
}

BlockFunction density_error(const SnapshotState& state, int) {
  DensityOptions options;
  options.strength = 1.0;
  const auto outflow = std::make_shared<CellField<double>>();
  CellField<double> in_inner;
  FreeSurface& surface = *state.surface;
  DensityCorrection(options, state.particles_per_cell)
      .find_outflow(*state.particles, surface.labels(), *state.solids_on_grid, surface.inner_cells(), surface.place(),
                    *outflow, in_inner);
  const int n = state.layout->cells_per_block();
  return [outflow, n](LocalIndex block, double* values) { std::copy_n(outflow->block(block), n, values); };
}

BlockFunction open_part(const SnapshotState& state, int) {
  const BlockLayout& layout = *state.layout;
  const SolidFields& solids = *state.solids_on_grid;
  return with_shape_of(state, [&layout, &solids](auto shape, LocalIndex block, double* values) {
    using Shape = decltype(shape);
    Tile<double, Shape, 1> open;
    find_open_parts(layout, solids, block, open.extents, open.data());
    for (int c = 0; c < Shape::cells; ++c) values[c] = open[open.extents.of_cell(c)];
  });
}

BlockFunction owner_rank(const SnapshotState& state, int) {
  const double rank = state.layout->comm().rank();
  const int n = state.layout->cells_per_block();
  return [rank, n](LocalIndex, double* values) { std::fill_n(values, n, rank); };
}

}  // namespace freshet
