// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/coarse_solve.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <map>

namespace freshet::pressure {
namespace {

/// Relative rise of the diagonal: small beside the relevant eigenvalues, large beside round-off.
constexpr double shift = 1e-6;

/// The cell next to (i, j, k) of a block in direction f: its place in the level's arrays.
template <class Shape>
std::size_t neighbour_cell(const MultigridLevel::Block& block, std::array<int, 3> cell, int f) {
  const int axis = f / 2;
  const int n = Shape::n(axis);
  cell[axis] += f % 2 == 0 ? -1 : 1;
  const bool inside = cell[axis] >= 0 && cell[axis] < n;
  cell[axis] = (cell[axis] + n) % n;
  const LocalIndex slot = inside ? block.number : block.neighbours[f];
  return static_cast<std::size_t>(slot) * Shape::cells + Checkerboard<Shape>::index(cell[0], cell[1], cell[2]);
}

/// f(block, {i, j, k}, place in the block) for every unknown, in a fixed order.
template <class Shape, class Function>
void for_each_unknown(const MultigridLevel& level, Function&& f) {
  for (const MultigridLevel::Block& block : level.blocks()) {
    const float* inverse = level.inverse().block(block.inverse);
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j)
        for (int i = 0; i < Shape::nx; ++i) {
          const int c = Checkerboard<Shape>::index(i, j, k);
          if (inverse[c] != 0.0F) f(block, std::array<int, 3>{i, j, k}, c);
        }
  }
}

/// A symmetric matrix by its lower triangle: row i has i + 1 entries that are of use.
struct LowerTriangle {
  explicit LowerTriangle(std::size_t n_rows) : n(n_rows), values(n_rows * n_rows, 0.0) {}
  double* row(std::size_t i) { return values.data() + i * n; }

  std::size_t n;
  std::vector<double> values;
};

/// A level's matrix. \param[in] cells  place of each unknown in the level's arrays
template <class Shape>
LowerTriangle make_matrix(const MultigridLevel& level, const std::vector<std::size_t>& cells) {
  LowerTriangle matrix(cells.size());
  std::map<std::size_t, std::size_t> number;  // of the unknown at a place
  for (const std::size_t cell : cells) number.emplace(cell, number.size());
  std::size_t row = 0;
  for_each_unknown<Shape>(level, [&](const MultigridLevel::Block& block, const std::array<int, 3>& cell, int c) {
    double diagonal = level.excess().block(block.number)[c];
    for (int f = 0; f < 2 * Shape::dim; ++f) {
      const double weight = to_float(level.weight().block(block.number)[weight_index<Shape>(f, c)]);
      diagonal += weight;
      if (weight == 0.0) continue;
      const auto column = number.find(neighbour_cell<Shape>(block, cell, f));
      if (column != number.end() && column->second <= row) matrix.row(row)[column->second] -= weight;
    }
    matrix.row(row)[row] += (1.0 + shift) * diagonal;
    ++row;
  });
  return matrix;
}

/// A becomes -A^-1, by Gauss-Jordan elimination, one pivot after the other. \pre positive definite
void invert_to_negative(LowerTriangle& matrix) {
  const std::size_t n = matrix.n;
  std::vector<double> column(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = 1.0 / matrix.row(k)[k];
    for (std::size_t i = 0; i < n; ++i) column[i] = i <= k ? matrix.row(k)[i] : matrix.row(i)[k];
    column[k] = 0.0;  // so that the elimination leaves the pivot's row and column
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = pivot * column[i];
      if (factor == 0.0) continue;
      double* row = matrix.row(i);
#pragma omp simd
      for (std::size_t j = 0; j <= i; ++j) row[j] -= factor * column[j];
    }
    for (std::size_t i = 0; i < n; ++i) (i <= k ? matrix.row(k)[i] : matrix.row(i)[k]) = pivot * column[i];
    matrix.row(k)[k] = -pivot;
  }
}

}  // namespace

LocalIndex CoarseSolve::count(const MultigridLevel& level) {
  const int cells = level.grid().layout->cells_per_block();
  LocalIndex n = 0;
  for (const MultigridLevel::Block& block : level.blocks()) {
    const float* inverse = level.inverse().block(block.inverse);
    n += cells - static_cast<LocalIndex>(std::count(inverse, inverse + cells, 0.0F));
  }
  return n;
}

void CoarseSolve::reset(const MultigridLevel& level) {
  with_shape(level.grid().layout->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    cell_.clear();
    for_each_unknown<Shape>(level, [&](const MultigridLevel::Block& block, const std::array<int, 3>&, int c) {
      cell_.push_back(static_cast<std::size_t>(block.number) * Shape::cells + static_cast<std::size_t>(c));
    });
    LowerTriangle matrix = make_matrix<Shape>(level, cell_);
    invert_to_negative(matrix);
    inverse_.resize(matrix.values.size());
    for (std::size_t i = 0; i < matrix.n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        inverse_[i * matrix.n + j] = inverse_[j * matrix.n + i] = static_cast<float>(-matrix.row(i)[j]);
    b_.resize(cell_.size());
  });
}

void CoarseSolve::solve(MultigridLevel& level) {
  const auto n = static_cast<Eigen::Index>(cell_.size());
  const float* b = level.b().data();
  float* x = level.x().data();
  for (std::size_t i = 0; i < cell_.size(); ++i) b_[i] = b[cell_[i]];
  for (std::size_t i = 0; i < cell_.size(); ++i) {
    const auto row = Eigen::Map<const Eigen::VectorXf>(inverse_.data() + i * cell_.size(), n);
    x[cell_[i]] = row.dot(Eigen::Map<const Eigen::VectorXf>(b_.data(), n));
  }
}

}  // namespace freshet::pressure
