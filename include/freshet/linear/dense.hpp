// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace freshet {

/// A small matrix of any size, row by row. It keeps its memory when its size changes.
struct Dense {
  int rows = 0;
  int columns = 0;
  std::vector<double> entries;

  /// Set the size, and all entries to 0.
  void reset(int n_rows, int n_columns) {
    rows = n_rows;
    columns = n_columns;
    entries.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 0.0);
  }
  double& operator()(int i, int j) { return entries[static_cast<std::size_t>(i * columns + j)]; }
  double operator()(int i, int j) const { return entries[static_cast<std::size_t>(i * columns + j)]; }
  std::span<double> row(int i) { return {&entries[static_cast<std::size_t>(i * columns)], std::size_t(columns)}; }
  std::span<const double> row(int i) const {
    return {&entries[static_cast<std::size_t>(i * columns)], std::size_t(columns)};
  }
};

/// A matrix that is symmetric and positive semidefinite, split by Cholesky's method with the largest pivots.
///
/// It works on the matrix with unit diagonal, and ends when the largest pivot is below `dependent`: the rows that are
/// left are combinations of those before, and count no more. A pivot is the squared sine of the angle between a row and
/// those before.
/// Source: Higham 2002, section 10.3. Parallel: local
class SemidefiniteFactor {
 public:
  static constexpr double dependent = 1e-10;

  /// \param[in] reference  what the diagonal would be if nothing were held: rows below 1e-14 of it count as 0
  void compute(const Dense& matrix, std::span<const double> reference);
  int rank() const { return rank_; }
  /// Solve A x = b in place, which gives one of the solutions. \pre b is in the range of A, up to rounding
  void solve(std::span<double> right);
  /// Y of Y^T Y = B^T A^+ B, with rank() rows. \pre the columns of B are in the range of A
  void halve(const Dense& columns, Dense& half) const;

 private:
  int rank_ = 0;
  std::vector<int> order_;
  std::vector<double> scale_;  ///< by row of the matrix: 1 / sqrt of its diagonal; 0: it counts no more
  Dense lower_;                ///< factor of the scaled matrix in the order of the pivots
  std::vector<double> sorted_;
};

/// Replace a symmetric positive definite matrix by its inverse, which is symmetric to the last bit.
/// \param[out] lower  buffer. \pre the matrix is positive definite. Parallel: local
void invert(Dense& matrix, Dense& lower);

}  // namespace freshet
