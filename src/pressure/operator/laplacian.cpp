// SPDX-License-Identifier: Apache-2.0
#include "pressure/operator/laplacian.hpp"

#include "freshet/grid/halo.hpp"

namespace freshet::pressure {
namespace {

/// Sum of the neighbours, each times the weight of the face between.
template <class Shape>
[[gnu::always_inline]] inline Row weighted_neighbours(const Around<double>& x, const FacesAround<float>& weight,
                                                      int r) {
  Row sum{};
  for_each_axis<Shape>([&](auto axis) {
    sum += load(weight[axis].self + block_width * r) * lower_cells<Shape, axis>(x, r);
    sum += on_high_faces<Shape, axis>(weight[axis], r) * upper_cells<Shape, axis>(x, r);
  });
  return sum;
}

template <class Shape>
[[gnu::always_inline]] inline Row unit_neighbours(const Around<double>& x, int r) {
  Row sum{};
  for_each_axis<Shape>([&](auto axis) { sum += lower_cells<Shape, axis>(x, r) + upper_cells<Shape, axis>(x, r); });
  return sum;
}

/// Call write(r, values) with A x for the given rows of a block; values have no meaning where there is no unknown.
template <class Shape, class Write>
void apply_rows(const PoissonCoefficients& system, const Around<double>& x, LocalIndex block, Coefficients kind,
                std::uint64_t rows, Write&& write) {
  const double* diagonal = system.diagonal.block(block);
  if (kind == Coefficients::interior) {
    for (int r = 0; r < Shape::rows; ++r)
      write(r, (2.0 * Shape::dim) * load(x.self + block_width * r) - unit_neighbours<Shape>(x, r));
  } else if (kind == Coefficients::unit) {
    for_each_set_row(rows, Shape::rows, [&](int r) {
      write(r, load(diagonal + block_width * r) * load(x.self + block_width * r) - unit_neighbours<Shape>(x, r));
    });
  } else {
    const FacesAround<float> weight = around(*system.weight, block);
    for_each_set_row(rows, Shape::rows, [&](int r) {
      write(r, load(diagonal + block_width * r) * load(x.self + block_width * r) -
                   weighted_neighbours<Shape>(x, weight, r));
    });
  }
}

/// Blocks that may have a ghost beside them, the others, or both.
enum class Part { inner, outer, all };

/// Call write(row of the arrays, A x) for every row with unknowns, threads sharing the blocks.
template <class Write>
void for_each_row(const PoissonCoefficients& system, const Unknowns& unknowns, Part part, const double* x,
                  Write&& write) {
  with_shape(unknowns.layout().domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    unknowns.for_each_active([&](LocalIndex block) {
      if (part != Part::all && (part == Part::outer) != unknowns.is_shared(block)) return;
      const auto place = [x](LocalIndex slot) { return x + Shape::cells * static_cast<std::size_t>(slot); };
      const std::size_t first = Shape::cells * static_cast<std::size_t>(block);
      const std::uint8_t* masks = unknowns.masks(block);
      apply_rows<Shape>(system, around<double>(face_neighbours(unknowns.layout(), block), place), block,
                        unknowns.coefficients(block), unknowns.active_rows(block),
                        [&write, first, masks](int r, const Row& values) {
                          write(first + static_cast<std::size_t>(block_width * r), keep(masks[r], values));
                        });
    });
  });
}

}  // namespace

void Laplacian::reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
}

void Laplacian::apply(double* x, double* y) const {
  const auto apply_to = [this, x, y](Part part) {
    for_each_row(*system_, *unknowns_, part, x, [y](std::size_t row, const Row& values) { store(y + row, values); });
  };
  if (unknowns_->layout().comm().size() == 1) return apply_to(Part::all);
  const Halo& halo = unknowns_->layout().halo();
  halo.begin_gather(x, 1);
  apply_to(Part::inner);
  halo.end_gather(x, 1);
  apply_to(Part::outer);
}

void Laplacian::residual(const double* b, const double* x, double* r) const {
  for_each_row(*system_, *unknowns_, Part::all, x,
               [b, r](std::size_t row, const Row& values) { store(r + row, load(b + row) - values); });
}

void Laplacian::diagonal(double* diagonal) const {
  unknowns_->copy(system_->diagonal.data(), diagonal);
}

}  // namespace freshet::pressure
