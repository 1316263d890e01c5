// SPDX-License-Identifier: Apache-2.0
#include "pressure/operator/laplacian.hpp"

#include "freshet/grid/halo.hpp"

#include <algorithm>

namespace freshet::pressure {
namespace {

/// Sum over the neighbours, each times the weight of the face between.
template <class Shape>
[[gnu::always_inline]] inline RealRow weighted_neighbours(const Star<double>& x, const FaceStar<float>& weight, int r) {
  RealRow sum{};
  for_each_axis<Shape>([&](auto axis) {
    sum += load_reals(weight[axis].self + block_width * r) * lower_cells<Shape, axis>(x, r);
    sum += on_high_faces<Shape, axis>(weight[axis], r) * upper_cells<Shape, axis>(x, r);
  });
  return sum;
}

template <class Shape>
[[gnu::always_inline]] inline RealRow unit_neighbours(const Star<double>& x, int r) {
  RealRow sum{};
  for_each_axis<Shape>([&](auto axis) { sum += lower_cells<Shape, axis>(x, r) + upper_cells<Shape, axis>(x, r); });
  return sum;
}

/// Call write(r, values) with A x for the given rows of a block; values are undefined without an unknown.
template <class Shape, class Write>
void apply_rows(const PoissonCoefficients& system, const Star<double>& x, LocalIndex block, Coefficients kind,
                std::uint64_t rows, Write&& write) {
  const double* diagonal = system.diagonal.block(block);
  if (kind == Coefficients::interior) {
    for (int r = 0; r < Shape::rows; ++r)
      write(r, (2.0 * Shape::dim) * load_reals(x.self + block_width * r) - unit_neighbours<Shape>(x, r));
  } else if (kind == Coefficients::unit) {
    for_each_set_row(rows, Shape::rows, [&](int r) {
      write(r, load_reals(diagonal + block_width * r) * load_reals(x.self + block_width * r) -
                   unit_neighbours<Shape>(x, r));
    });
  } else {
    const FaceStar<float> weight = star_of(*system.weight, block);
    for_each_set_row(rows, Shape::rows, [&](int r) {
      write(r, load_reals(diagonal + block_width * r) * load_reals(x.self + block_width * r) -
                   weighted_neighbours<Shape>(x, weight, r));
    });
  }
}

/// Blocks without ghost neighbours, the others, or both.
enum class Part { inner, outer, all };

/// Call write(r, values) with A x for the rows of a block with unknowns.
template <class Shape, class Write>
void multiply_block(const PoissonCoefficients& system, const Unknowns& unknowns, const double* x, LocalIndex block,
                    Write&& write) {
  const auto place = [x](LocalIndex slot) { return x + Shape::cells * static_cast<std::size_t>(slot); };
  const std::uint8_t* masks = unknowns.masks(block);
  apply_rows<Shape>(system, star_of<double>(star_slots(unknowns.layout(), block), place), block,
                    unknowns.coefficients(block), unknowns.active_rows(block),
                    [&write, masks](int r, const RealRow& values) { write(r, keep_lanes(masks[r], values)); });
}

/// Call write(row of the arrays, A x) for every row with unknowns, threads sharing the blocks.
template <class Write>
void for_each_row(const PoissonCoefficients& system, const Unknowns& unknowns, Part part, const double* x,
                  Write&& write) {
  with_shape(unknowns.layout().domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    unknowns.for_each_active([&](LocalIndex block) {
      if (part != Part::all && (part == Part::outer) != unknowns.is_shared(block)) return;
      const std::size_t first = Shape::cells * static_cast<std::size_t>(block);
      multiply_block<Shape>(system, unknowns, x, block, [&write, first](int r, const RealRow& values) {
        write(first + static_cast<std::size_t>(block_width * r), values);
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
    for_each_row(*system_, *unknowns_, part, x,
                 [y](std::size_t row, const RealRow& values) { store_row(y + row, values); });
  };
  if (unknowns_->layout().comm().size() == 1) return apply_to(Part::all);
  const Halo& halo = unknowns_->layout().halo();
  halo.begin_gather(1, x);
  apply_to(Part::inner);
  halo.end_gather(1, x);
  apply_to(Part::outer);
}

ResidualSize Laplacian::measure_residual(const double* b, const double* x) const {
  ResidualSize all;
  with_shape(unknowns_->layout().domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
#pragma omp parallel if (unknowns_->is_worth_threads())
    {
      ResidualSize own;
#pragma omp for schedule(static) nowait
      for (LocalIndex n = 0; n < unknowns_->n_active(); ++n) {
        const LocalIndex block = unknowns_->active_blocks()[static_cast<std::size_t>(n)];
        const double* source = b + Shape::cells * static_cast<std::size_t>(block);
        RealRow sums[4] = {};
        RealRow largest{};
        multiply_block<Shape>(*system_, *unknowns_, x, block, [&](int r, const RealRow& values) {
          const RealRow residual = load_reals(source + block_width * r) - values;
          sums[r % 4] += residual * residual;
          largest = larger_magnitudes(largest, residual);
        });
        own.squares.add(sum_lanes((sums[0] + sums[2]) + (sums[1] + sums[3])));
        own.largest = std::max(own.largest, largest_lane(largest));
      }
#pragma omp critical(freshet_measure_residual)
      {
        all.squares.add(own.squares);
        all.largest = std::max(all.largest, own.largest);
      }
    }
  });
  return all;
}

void Laplacian::diagonal(double* diagonal) const {
  unknowns_->copy(system_->diagonal.data(), diagonal);
}

}  // namespace freshet::pressure
