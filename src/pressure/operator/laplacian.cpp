// SPDX-License-Identifier: Apache-2.0
#include "pressure/operator/laplacian.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"

#include <algorithm>
#include <array>

namespace freshet::pressure {
namespace {

/// Sum of the neighbours, each times the weight of the face between.
template <class Shape>
Row weighted_neighbours(const Around<double>& x, const FacesAround<double>& weight, int r) {
  Row sum{};
  for_each_axis<Shape>([&](auto axis) {
    sum += load(weight[axis].self + block_width * r) * lower_cells<Shape, axis>(x, r);
    sum += on_high_faces<Shape, axis>(weight[axis], r) * upper_cells<Shape, axis>(x, r);
  });
  return sum;
}

template <class Shape>
Row unit_neighbours(const Around<double>& x, int r) {
  Row sum{};
  for_each_axis<Shape>([&](auto axis) { sum += lower_cells<Shape, axis>(x, r) + upper_cells<Shape, axis>(x, r); });
  return sum;
}

/// Call write(r, values) with A x for every row of a block.
template <class Shape, class Write>
void apply_rows(const PoissonCoefficients& system, const Around<double>& x, LocalIndex block, Coefficients kind,
                Write&& write) {
  if (kind == Coefficients::interior) {
    for (int r = 0; r < Shape::rows; ++r)
      write(r, (2.0 * Shape::dim) * load(x.self + block_width * r) - unit_neighbours<Shape>(x, r));
    return;
  }
  const double* diagonal = system.diagonal.block(block);
  if (kind == Coefficients::unit) {
    for (int r = 0; r < Shape::rows; ++r)
      write(r, load(diagonal + block_width * r) * load(x.self + block_width * r) - unit_neighbours<Shape>(x, r));
    return;
  }
  const FacesAround<double> weight = around(system.weight, block);
  for (int r = 0; r < Shape::rows; ++r)
    write(r,
          load(diagonal + block_width * r) * load(x.self + block_width * r) - weighted_neighbours<Shape>(x, weight, r));
}

}  // namespace

void Laplacian::reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
  const BlockLayout& layout = unknowns.layout();
  x_.reset(layout, 0.0);
  x_blocks_.resize(static_cast<std::size_t>(layout.n_slots()));
  for (LocalIndex slot = 0; slot < layout.n_slots(); ++slot) x_blocks_[slot] = x_.block(slot);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
    if (unknowns.fill(block) != Fill::empty) return;
    x_blocks_[block] = x_.block(layout.background());  // zeros, and in the cache
    if (unknowns.is_shared(block)) std::fill_n(x_.block(block), layout.cells_per_block(), 0.0);
  });
}

void Laplacian::place(const double* x) {
  const LocalIndex n_active = unknowns_->n_active();
#pragma omp parallel for schedule(static)
  for (LocalIndex n = 0; n < n_active; ++n) {
    const LocalIndex block = unknowns_->active_blocks()[n];
    const double* source = x + unknowns_->first(block);
    const bool full = unknowns_->fill(block) == Fill::full;
    if (full) x_blocks_[block] = source;
    if (!full || unknowns_->is_shared(block)) unknowns_->expand_block(block, source, x_.block(block));
  }
  unknowns_->layout().halo().gather(x_, 1);
}

template <class Shape>
void Laplacian::apply_block(LocalIndex block, double* y) const {
  const auto x =
      around<double>(face_neighbours(unknowns_->layout(), block), [this](LocalIndex slot) { return x_blocks_[slot]; });
  const Coefficients kind = unknowns_->coefficients(block);
  double* target = y + unknowns_->first(block);
  if (unknowns_->fill(block) == Fill::full) {
    apply_rows<Shape>(*system_, x, block, kind,
                      [target](int r, const Row& values) { store(target + block_width * r, values); });
    return;
  }
  const std::uint8_t* masks = unknowns_->masks(block);
  apply_rows<Shape>(*system_, x, block, kind, [&target, masks](int r, const Row& values) {
    alignas(64) double row[block_width];
    store(row, values);
    target = compress_row(masks[r], row, target);
  });
}

void Laplacian::apply(const double* x, double* y) {
  place(x);
  const LocalIndex n_active = unknowns_->n_active();
  with_shape(unknowns_->layout().domain().dimension(), [&](auto shape) {
#pragma omp parallel for schedule(static)
    for (LocalIndex n = 0; n < n_active; ++n) apply_block<decltype(shape)>(unknowns_->active_blocks()[n], y);
  });
}

void Laplacian::diagonal(double* diagonal) const {
  unknowns_->compress(system_->diagonal, diagonal);
}

}  // namespace freshet::pressure
