// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/coarse_solve.hpp"

#include <Eigen/Cholesky>

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

/// The lower triangle of a level's matrix. \param[in] cells  place of each unknown in the level's arrays
template <class Shape>
Eigen::MatrixXd make_matrix(const MultigridLevel& level, const std::vector<std::size_t>& cells) {
  const auto n = static_cast<Eigen::Index>(cells.size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  std::map<std::size_t, Eigen::Index> number;  // of the unknown at a place
  for (const std::size_t cell : cells) number.emplace(cell, static_cast<Eigen::Index>(number.size()));
  Eigen::Index row = 0;
  for_each_unknown<Shape>(level, [&](const MultigridLevel::Block& block, const std::array<int, 3>& cell, int c) {
    double diagonal = level.excess().block(block.number)[c];
    for (int f = 0; f < 2 * Shape::dim; ++f) {
      const double weight = to_float(level.weight().block(block.number)[weight_index<Shape>(f, c)]);
      diagonal += weight;
      if (weight == 0.0) continue;
      const auto column = number.find(neighbour_cell<Shape>(block, cell, f));
      if (column != number.end() && column->second <= row) matrix(row, column->second) -= weight;
    }
    matrix(row, row) += (1.0 + shift) * diagonal;
    ++row;
  });
  return matrix;
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
    const auto n = static_cast<Eigen::Index>(cell_.size());
    const Eigen::MatrixXd matrix = make_matrix<Shape>(level, cell_);
    const Eigen::MatrixXd inverse =
        matrix.selfadjointView<Eigen::Lower>().ldlt().solve(Eigen::MatrixXd::Identity(n, n));
    inverse_.resize(cell_.size() * cell_.size());
    Eigen::Map<Eigen::MatrixXf>(inverse_.data(), n, n) = (0.5 * (inverse + inverse.transpose())).cast<float>();
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
