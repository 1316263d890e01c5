// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/regions.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace freshet {

void Regions::reset(const BlockLayout& layout, std::span<const int> columns) {
  layout_ = &layout;
  n_columns_ = 0;
  regions_.clear();
  matrices_.clear();
  entries_.clear();
  given_.clear();
  pieces_.clear();
  cells_.clear();
  rows_.clear();
  for (const int n : columns) {
    FRESHET_EXPECT(n >= 1 && n <= most_columns);
    regions_.push_back({n, n_columns_, matrices_.size()});
    matrices_.resize(matrices_.size() + static_cast<std::size_t>(n * n), 0.0);
    n_columns_ += n;
  }
}

void Regions::set_matrix(int region, std::span<const double> matrix) {
  const Region& of = regions_[static_cast<std::size_t>(region)];
  FRESHET_EXPECT(matrix.size() == static_cast<std::size_t>(of.columns * of.columns));
  std::ranges::copy(matrix, matrices_.begin() + static_cast<std::ptrdiff_t>(of.first_matrix));
}

void Regions::add_row(int region, LocalIndex block, int cell, std::span<const double> row) {
  FRESHET_EXPECT(row.size() == static_cast<std::size_t>(regions_[static_cast<std::size_t>(region)].columns));
  FRESHET_EXPECT(block >= 0 && block < layout_->n_owned() && cell >= 0 && cell < layout_->cells_per_block());
  entries_.push_back({region, block, cell, given_.size()});
  given_.insert(given_.end(), row.begin(), row.end());
}

void Regions::finish() {
  // Rows of the same cell stay in the order in which they came, because `first` grows.
  std::ranges::sort(entries_, {},
                    [](const Entry& entry) { return std::tuple(entry.region, entry.block, entry.cell, entry.first); });
  const auto n_cells = static_cast<std::size_t>(layout_->cells_per_block());
  pieces_.clear();
  cells_.clear();
  rows_.clear();
  const Entry* last = nullptr;
  for (const Entry& entry : entries_) {
    if (last == nullptr || last->region != entry.region || last->block != entry.block)
      pieces_.push_back({entry.region, cells_.size(), cells_.size(), rows_.size()});
    const auto n = static_cast<std::size_t>(regions_[static_cast<std::size_t>(entry.region)].columns);
    cells_.push_back(static_cast<std::size_t>(entry.block) * n_cells + static_cast<std::size_t>(entry.cell));
    for (std::size_t i = 0; i < n; ++i) rows_.push_back(given_[entry.first + i]);
    ++pieces_.back().end;
    last = &entry;
  }
}

void Regions::add_products(const double* x, std::span<ExactSum> sums) const {
  FRESHET_EXPECT(sums.size() == static_cast<std::size_t>(n_columns_));
  for (const Piece& piece : pieces_) {
    const Region& region = regions_[static_cast<std::size_t>(piece.region)];
    const auto n = static_cast<std::size_t>(region.columns);
    std::array<double, most_columns> of_block{};
    const double* row = &rows_[piece.first_of_rows];
    for (std::size_t r = piece.begin; r < piece.end; ++r, row += n)
      for (std::size_t i = 0; i < n; ++i) of_block[i] += row[i] * x[cells_[r]];
    for (std::size_t i = 0; i < n; ++i) sums[static_cast<std::size_t>(region.first_column) + i].add(of_block[i]);
  }
}

void Regions::multiply_transposed(const double* x, std::span<double> products) const {
  sums_.assign(static_cast<std::size_t>(n_columns_), ExactSum());
  add_products(x, sums_);
  layout_->comm().sum_in_place(std::span<ExactSum>(sums_));
  for (std::size_t i = 0; i < sums_.size(); ++i) products[i] = sums_[i].round();
}

void Regions::add(double factor, std::span<const double> products, double* y) const {
  FRESHET_EXPECT(products.size() == static_cast<std::size_t>(n_columns_));
  for (const Piece& piece : pieces_) {
    const Region& region = regions_[static_cast<std::size_t>(piece.region)];
    const auto n = static_cast<std::size_t>(region.columns);
    const double* matrix = &matrices_[region.first_matrix];
    const double* of_region = &products[static_cast<std::size_t>(region.first_column)];
    std::array<double, most_columns> weights{};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) weights[i] += factor * matrix[i * n + j] * of_region[j];
    const double* row = &rows_[piece.first_of_rows];
    for (std::size_t r = piece.begin; r < piece.end; ++r, row += n) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += row[i] * weights[i];
      y[cells_[r]] += sum;
    }
  }
}

void Regions::add_diagonal(double* diagonal) const {
  for (const Piece& piece : pieces_) {
    const Region& region = regions_[static_cast<std::size_t>(piece.region)];
    const auto n = static_cast<std::size_t>(region.columns);
    const double* matrix = &matrices_[region.first_matrix];
    std::size_t begin = piece.begin;
    while (begin < piece.end) {  // rows of the same cell add up to one row
      std::array<double, most_columns> row{};
      std::size_t end = begin;
      for (; end < piece.end && cells_[end] == cells_[begin]; ++end)
        for (std::size_t i = 0; i < n; ++i) row[i] += rows_[piece.first_of_rows + (end - piece.begin) * n + i];
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) diagonal[cells_[begin]] += row[i] * matrix[i * n + j] * row[j];
      begin = end;
    }
  }
}

}  // namespace freshet
