// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/held_response.hpp"

#include "freshet/core/contracts.hpp"

#include <cstddef>

namespace freshet {
namespace {

/// The product of a matrix and a vector.
void multiply_by(const Dense& matrix, std::span<const double> right, std::span<double> result) {
  FRESHET_EXPECT(right.size() == static_cast<std::size_t>(matrix.columns) &&
                 result.size() == static_cast<std::size_t>(matrix.rows));
  for (int r = 0; r < matrix.rows; ++r) {
    double value = 0.0;
    for (int i = 0; i < matrix.columns; ++i) value += matrix(r, i) * right[static_cast<std::size_t>(i)];
    result[static_cast<std::size_t>(r)] = value;
  }
}

}  // namespace

void HeldResponse::set(const Dense& free, const Dense& rows, std::span<const double> reference,
                       std::span<const double> compliance) {
  const int n = free.rows, n_rows = rows.rows;
  FRESHET_EXPECT(rows.columns == n && static_cast<int>(reference.size()) == n_rows);
  rows_ = rows;
  moved_.reset(n_rows, n);
  for (int r = 0; r < n_rows; ++r)
    for (int k = 0; k < n; ++k)
      if (rows_(r, k) != 0.0)
        for (int i = 0; i < n; ++i) moved_(r, i) += rows_(r, k) * free(k, i);
  system_.reset(n_rows, n_rows);
  for (int r = 0; r < n_rows; ++r)
    for (int s = 0; s <= r; ++s) {
      double value = 0.0;
      for (int i = 0; i < n; ++i) value += moved_(r, i) * rows_(s, i);
      system_(r, s) = system_(s, r) = value;
    }
  for (std::size_t r = 0; r < compliance.size(); ++r) {
    const auto row = static_cast<int>(r);
    system_(row, row) += compliance[r];
  }
  factor_.compute(system_, reference);
  factor_.halve(moved_, halved_);
  response_.reset(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double value = free(i, j);
      for (int r = 0; r < halved_.rows; ++r) value -= halved_(r, i) * halved_(r, j);
      response_(i, j) = response_(j, i) = value;
    }
}

void HeldResponse::multiply(std::span<const double> velocities, std::span<double> rates) const {
  multiply_by(rows_, velocities, rates);
}

void HeldResponse::multiply_moved(std::span<const double> impulses, std::span<double> rates) const {
  multiply_by(moved_, impulses, rates);
}

void HeldResponse::add_moved(double factor, std::span<const double> of_rows, std::span<double> of_bodies) const {
  for (int r = 0; r < moved_.rows; ++r)
    for (int i = 0; i < moved_.columns; ++i)
      of_bodies[static_cast<std::size_t>(i)] += factor * moved_(r, i) * of_rows[static_cast<std::size_t>(r)];
}

}  // namespace freshet
