// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/coarse_solve.hpp"

#include <algorithm>

namespace freshet::pressure {
namespace {

/// Relative increase of the diagonal: small against the relevant eigenvalues, large against round-off.
constexpr double shift = 1e-6;

/// Place in the level's arrays of the neighbour of a block's cell in direction f.
template <class Shape>
std::size_t neighbour_index(const MultigridLevel::Block& block, std::array<int, 3> cell, int f) {
  const int axis = f / 2;
  const int n = Shape::n(axis);
  cell[axis] += f % 2 == 0 ? -1 : 1;
  const bool inside = cell[axis] >= 0 && cell[axis] < n;
  cell[axis] = (cell[axis] + n) % n;
  const LocalIndex slot = inside ? block.number : block.neighbours[f];
  return static_cast<std::size_t>(slot) * Shape::cells + Checkerboard<Shape>::index(cell[0], cell[1], cell[2]);
}

/// Call f(block, {i, j, k}) for every unknown.
template <class Shape, class Function>
void for_each_unknown(const MultigridLevel& level, Function&& f) {
  for (const MultigridLevel::Block& block : level.blocks()) {
    const float* inverse = level.inverse().block(block.inverse);
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j)
        for (int i = 0; i < Shape::nx; ++i)
          if (inverse[Checkerboard<Shape>::index(i, j, k)] != 0.0F) f(block, std::array<int, 3>{i, j, k});
  }
}

template <class Shape>
int index_in_block(const std::array<int, 3>& cell) {
  return Checkerboard<Shape>::index(cell[0], cell[1], cell[2]);
}

/// y += a x
void add_multiple(double a, const double* x, std::size_t n, double* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

double dot(const double* x, const double* y, std::size_t n) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

LocalIndex CoarseSolve::count(const MultigridLevel& level) {
  const int cells = level.grid().layout->cells_per_block();
  LocalIndex result = 0;
  for (const MultigridLevel::Block& block : level.blocks()) {
    const float* inverse = level.inverse().block(block.inverse);
    result += static_cast<LocalIndex>(cells - std::count(inverse, inverse + cells, 0.0F));
  }
  return result;
}

/// List the unknowns by planes across the longest side of their bounding box.
template <class Shape>
void CoarseSolve::find_unknowns(const MultigridLevel& level) {
  const BlockLayout& layout = *level.grid().layout;
  unknowns_.clear();
  for_each_unknown<Shape>(level, [&](const MultigridLevel::Block& block, const std::array<int, 3>& cell) {
    unknowns_.push_back({&block, cell, layout.first_cell(block.number) + Vec3i(cell[0], cell[1], cell[2])});
  });
  if (unknowns_.empty()) return;
  Vec3i lower = unknowns_.front().place;
  Vec3i upper = lower;
  for (const Unknown& unknown : unknowns_) {
    lower = lower.cwiseMin(unknown.place);
    upper = upper.cwiseMax(unknown.place);
  }
  std::array<int, 3> axes{0, 1, 2};
  std::stable_sort(axes.begin(), axes.end(), [side = Vec3i(upper - lower)](int a, int b) { return side[a] > side[b]; });
  std::sort(unknowns_.begin(), unknowns_.end(), [&axes](const Unknown& a, const Unknown& b) {
    for (const int axis : axes)
      if (a.place[axis] != b.place[axis]) return a.place[axis] < b.place[axis];
    return false;
  });
}

/// Find the columns where the rows of U end, and their places in entries_.
template <class Shape>
void CoarseSolve::find_envelope(const MultigridLevel& level) {
  const std::size_t n = unknowns_.size();
  index_.resize(n);
  number_.assign(static_cast<std::size_t>(level.grid().n_array_blocks()) * Shape::cells, -1);
  for (std::size_t k = 0; k < n; ++k) {
    const Unknown& unknown = unknowns_[k];
    index_[k] = static_cast<std::size_t>(unknown.block->number) * Shape::cells +
                static_cast<std::size_t>(index_in_block<Shape>(unknown.cell));
    number_[index_[k]] = static_cast<int>(k);
  }
  begin_.resize(n);
  end_.resize(n);
  std::size_t n_entries = 0;
  std::size_t end = 0;
  for (std::size_t k = 0; k < n; ++k) {
    end = std::max(end, k + 1);
    for (int f = 0; f < Checkerboard<Shape>::faces; ++f) {
      const int neighbour = number_[neighbour_index<Shape>(*unknowns_[k].block, unknowns_[k].cell, f)];
      end = std::max(end, static_cast<std::size_t>(neighbour + 1));
    }
    begin_[k] = n_entries;
    end_[k] = end;
    n_entries += end - k;
  }
  entries_.assign(n_entries, 0.0);
}

/// Set entries_ to the upper triangle of A.
template <class Shape>
void CoarseSolve::set_matrix(const MultigridLevel& level) {
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const Unknown& unknown = unknowns_[k];
    const int c = index_in_block<Shape>(unknown.cell);
    double diagonal = level.excess().block(unknown.block->number)[c];
    for (int f = 0; f < Checkerboard<Shape>::faces; ++f) {
      const double weight = to_float(level.weight().block(unknown.block->number)[weight_index<Shape>(f, c)]);
      diagonal += weight;
      if (weight == 0.0) continue;
      const int neighbour = number_[neighbour_index<Shape>(*unknown.block, unknown.cell, f)];
      if (neighbour >= static_cast<int>(k)) row(k)[static_cast<std::size_t>(neighbour) - k] -= weight;
    }
    row(k)[0] += (1.0 + shift) * diagonal;
  }
}

/// Turn entries_ into U and D^-1. \pre A is positive definite
void CoarseSolve::factorise() {
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    double* const pivots = row(k);
    const std::size_t n = end_[k] - k;
    pivots[0] = 1.0 / pivots[0];
    for (std::size_t i = 1; i < n; ++i)
      if (pivots[i] != 0.0) add_multiple(-pivots[0] * pivots[i], pivots + i, n - i, row(k + i));
    for (std::size_t i = 1; i < n; ++i) pivots[i] *= pivots[0];
  }
}

void CoarseSolve::reset(const MultigridLevel& level) {
  with_shape(level.grid().layout->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_unknowns<Shape>(level);
    find_envelope<Shape>(level);
    set_matrix<Shape>(level);
  });
  factorise();
  x_.resize(unknowns_.size());
}

void CoarseSolve::solve(MultigridLevel& level) {
  const std::size_t n = index_.size();
  const float* b = level.b().data();
  float* x = level.x().data();
  for (std::size_t k = 0; k < n; ++k) x_[k] = b[index_[k]];
  for (std::size_t k = 0; k < n; ++k) {
    add_multiple(-x_[k], row(k) + 1, end_[k] - k - 1, x_.data() + k + 1);
    x_[k] *= row(k)[0];
  }
  for (std::size_t k = n; k-- > 0;) {
    x_[k] -= dot(row(k) + 1, x_.data() + k + 1, end_[k] - k - 1);
    x[index_[k]] = static_cast<float>(x_[k]);
  }
}

}  // namespace freshet::pressure
