// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/dense.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace freshet {
namespace {

constexpr double nothing = 1e-14;  ///< part of its reference below which a diagonal entry is rounding

void swap_rows_and_columns(Dense& matrix, int i, int j) {
  if (i == j) return;
  std::ranges::swap_ranges(matrix.row(i), matrix.row(j));
  for (int k = 0; k < matrix.rows; ++k) std::swap(matrix(k, i), matrix(k, j));
}

}  // namespace

void SemidefiniteFactor::compute(const Dense& matrix, std::span<const double> reference) {
  const int n = matrix.rows;
  order_.resize(static_cast<std::size_t>(n));
  std::iota(order_.begin(), order_.end(), 0);
  scale_.assign(static_cast<std::size_t>(n), 0.0);
  for (int i = 0; i < n; ++i)
    if (matrix(i, i) > nothing * reference[static_cast<std::size_t>(i)])
      scale_[static_cast<std::size_t>(i)] = 1.0 / std::sqrt(matrix(i, i));
  lower_.reset(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      lower_(i, j) = scale_[static_cast<std::size_t>(i)] * matrix(i, j) * scale_[static_cast<std::size_t>(j)];
  for (rank_ = 0; rank_ < n; ++rank_) {
    const int k = rank_;
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (lower_(i, i) > lower_(pivot, pivot)) pivot = i;
    if (!(lower_(pivot, pivot) > dependent)) return;
    swap_rows_and_columns(lower_, k, pivot);
    std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(pivot)]);
    const double root = std::sqrt(lower_(k, k));
    lower_(k, k) = root;
    for (int i = k + 1; i < n; ++i) lower_(i, k) /= root;
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j) lower_(i, j) -= lower_(i, k) * lower_(j, k);
  }
}

void SemidefiniteFactor::solve(std::span<double> right) {
  sorted_.assign(right.size(), 0.0);
  double* const x = sorted_.data();
  for (int i = 0; i < rank_; ++i) {
    const auto row = static_cast<std::size_t>(order_[static_cast<std::size_t>(i)]);
    x[i] = scale_[row] * right[row];
    for (int j = 0; j < i; ++j) x[i] -= lower_(i, j) * x[j];
    x[i] /= lower_(i, i);
  }
  std::ranges::fill(right, 0.0);
  for (int i = rank_ - 1; i >= 0; --i) {
    for (int j = i + 1; j < rank_; ++j) x[i] -= lower_(j, i) * x[j];
    x[i] /= lower_(i, i);
    const auto row = static_cast<std::size_t>(order_[static_cast<std::size_t>(i)]);
    right[row] = scale_[row] * x[i];
  }
}

void SemidefiniteFactor::halve(const Dense& columns, Dense& half) const {
  half.reset(rank_, columns.columns);
  for (int i = 0; i < rank_; ++i) {
    const int row = order_[static_cast<std::size_t>(i)];
    for (int c = 0; c < columns.columns; ++c) {
      double value = scale_[static_cast<std::size_t>(row)] * columns(row, c);
      for (int j = 0; j < i; ++j) value -= lower_(i, j) * half(j, c);
      half(i, c) = value / lower_(i, i);
    }
  }
}

void invert(Dense& matrix, Dense& lower) {
  const int n = matrix.rows;
  lower.reset(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      double value = matrix(i, j);
      for (int k = 0; k < j; ++k) value -= lower(i, k) * lower(j, k);
      if (i == j) FRESHET_EXPECT(value > 0.0);
      lower(i, j) = i == j ? std::sqrt(value) : value / lower(j, j);
    }
  for (int j = 0; j < n; ++j) {  // L becomes its inverse, column by column
    lower(j, j) = 1.0 / lower(j, j);
    for (int i = j + 1; i < n; ++i) {
      double value = 0.0;
      for (int k = j; k < i; ++k) value -= lower(i, k) * lower(k, j);
      lower(i, j) = value / lower(i, i);
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double value = 0.0;
      for (int k = i; k < n; ++k) value += lower(k, i) * lower(k, j);
      matrix(i, j) = matrix(j, i) = value;
    }
}

}  // namespace freshet
