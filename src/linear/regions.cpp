// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/regions.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace freshet {

void Regions::reset(const BlockLayout& layout, std::span<const int> columns) {
  layout_ = &layout;
  n_columns_ = 0;
  offset_.clear();
  regions_.clear();
  groups_.clear();
  members_.clear();
  matrices_.clear();
  entries_.clear();
  given_.clear();
  pieces_.clear();
  cells_.clear();
  rows_.clear();
  for (const int n : columns) {
    FRESHET_EXPECT(n >= 1 && n <= most_columns);
    regions_.push_back({n, n_columns_});
    n_columns_ += n;
  }
  weights_.assign(static_cast<std::size_t>(n_columns_), 0.0);
}

void Regions::couple(std::span<const int> regions, std::span<const double> matrix) {
  int number = regions_[static_cast<std::size_t>(regions.front())].group;
  if (number < 0) {
    number = static_cast<int>(groups_.size());
    groups_.push_back({members_.size(), members_.size() + regions.size(), matrices_.size(), 0});
    members_.insert(members_.end(), regions.begin(), regions.end());
    for (const int member : regions) {
      Region& region = regions_[static_cast<std::size_t>(member)];
      FRESHET_EXPECT(region.group < 0);
      region.group = number;
      region.row = groups_.back().columns;
      groups_.back().columns += region.columns;
    }
    matrices_.resize(matrices_.size() + matrix.size());
  }
  const Group& group = groups_[static_cast<std::size_t>(number)];
  FRESHET_EXPECT(std::ranges::equal(std::span(members_).subspan(group.begin, group.end - group.begin), regions));
  FRESHET_EXPECT(matrix.size() == static_cast<std::size_t>(group.columns * group.columns));
  std::ranges::copy(matrix, matrices_.begin() + static_cast<std::ptrdiff_t>(group.first_matrix));
}

/// Entry of C. \pre the regions share a matrix
double Regions::entry(const Region& row, std::size_t i, const Region& column, std::size_t j) const {
  const Group& group = groups_[static_cast<std::size_t>(row.group)];
  const std::size_t at = (static_cast<std::size_t>(row.row) + i) * static_cast<std::size_t>(group.columns);
  return matrices_[group.first_matrix + at + static_cast<std::size_t>(column.row) + j];
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
  arrange_rows();
}

void Regions::begin_again() {
  offset_.clear();
  groups_.clear();
  members_.clear();
  matrices_.clear();
  for (Region& region : regions_) {
    region.group = -1;
    region.row = 0;
  }
  arrange_rows();
}

/// Set the rows by those that add_row() received. \pre entries_ are sorted
void Regions::arrange_rows() {
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
  for (const Piece& piece : pieces_) regions_[static_cast<std::size_t>(piece.region)].is_here = true;
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

void Regions::multiply_matrix(std::span<const double> products, std::span<double> result) const {
  FRESHET_EXPECT(products.size() == static_cast<std::size_t>(n_columns_) && result.size() == products.size());
  std::ranges::fill(result, 0.0);
  for (const Group& group : groups_)
    for (std::size_t m = group.begin; m < group.end; ++m)
      for (std::size_t k = group.begin; k < group.end; ++k) {
        const Region& row = regions_[static_cast<std::size_t>(members_[m])];
        const Region& column = regions_[static_cast<std::size_t>(members_[k])];
        for (int i = 0; i < row.columns; ++i)
          for (int j = 0; j < column.columns; ++j)
            result[static_cast<std::size_t>(row.first_column + i)] +=
                entry(row, static_cast<std::size_t>(i), column, static_cast<std::size_t>(j)) *
                products[static_cast<std::size_t>(column.first_column + j)];
      }
}

std::vector<double> Regions::matrix_diagonal() const {
  std::vector<double> diagonal;
  for (const Region& region : regions_)
    for (std::size_t i = 0; i < static_cast<std::size_t>(region.columns); ++i)
      diagonal.push_back(region.group >= 0 ? entry(region, i, region, i) : 0.0);
  return diagonal;
}

/// Set the weights of the columns that this rank's rows need: factor C products.
void Regions::set_weights(double factor, std::span<const double> products) const {
  for (const Group& group : groups_) {
    const auto is_here = [this](int member) { return regions_[static_cast<std::size_t>(member)].is_here; };
    if (std::ranges::none_of(std::span(members_).subspan(group.begin, group.end - group.begin), is_here)) continue;
    const double* row = &matrices_[group.first_matrix];
    for (std::size_t m = group.begin; m < group.end; ++m) {
      const Region& region = regions_[static_cast<std::size_t>(members_[m])];
      for (int i = 0; i < region.columns; ++i) {
        double weight = 0.0;
        for (std::size_t k = group.begin; k < group.end; ++k) {
          const Region& other = regions_[static_cast<std::size_t>(members_[k])];
          const double* of_region = &products[static_cast<std::size_t>(other.first_column)];
          for (int j = 0; j < other.columns; ++j) weight += factor * *row++ * of_region[j];
        }
        weights_[static_cast<std::size_t>(region.first_column + i)] = weight;
      }
    }
  }
}

void Regions::add(double factor, std::span<const double> products, double* y) const {
  FRESHET_EXPECT(products.size() == static_cast<std::size_t>(n_columns_));
  set_weights(factor, products);
  for (const Piece& piece : pieces_) {
    const Region& region = regions_[static_cast<std::size_t>(piece.region)];
    if (region.group < 0) continue;
    const auto n = static_cast<std::size_t>(region.columns);
    const double* weights = &weights_[static_cast<std::size_t>(region.first_column)];
    const double* row = &rows_[piece.first_of_rows];
    for (std::size_t r = piece.begin; r < piece.end; ++r, row += n) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += row[i] * weights[i];
      y[cells_[r]] += sum;
    }
  }
}

/// Add what the rows of one region in one block add to the diagonal.
void Regions::add_diagonal_of(const Piece& piece, double* diagonal) const {
  const Region& region = regions_[static_cast<std::size_t>(piece.region)];
  const auto n = static_cast<std::size_t>(region.columns);
  std::size_t begin = piece.begin;
  while (begin < piece.end) {  // rows of the same cell add up to one row
    std::array<double, most_columns> row{};
    std::size_t end = begin;
    for (; end < piece.end && cells_[end] == cells_[begin]; ++end)
      for (std::size_t i = 0; i < n; ++i) row[i] += rows_[piece.first_of_rows + (end - piece.begin) * n + i];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) diagonal[cells_[begin]] += row[i] * entry(region, i, region, j) * row[j];
    begin = end;
  }
}

/// The same for the cells that two regions of one group touch in one block.
void Regions::add_diagonal_of(const Piece& one, const Piece& other, double* diagonal) const {
  const Region& first = regions_[static_cast<std::size_t>(one.region)];
  const Region& second = regions_[static_cast<std::size_t>(other.region)];
  const auto n = static_cast<std::size_t>(first.columns), m = static_cast<std::size_t>(second.columns);
  std::size_t begin = other.begin;
  for (std::size_t r = one.begin; r < one.end; ++r) {
    while (begin < other.end && cells_[begin] < cells_[r]) ++begin;
    for (std::size_t s = begin; s < other.end && cells_[s] == cells_[r]; ++s)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j)
          diagonal[cells_[r]] += 2.0 * rows_[one.first_of_rows + (r - one.begin) * n + i] * entry(first, i, second, j) *
                                 rows_[other.first_of_rows + (s - other.begin) * m + j];
  }
}

void Regions::add_diagonal(double* diagonal) const {
  const auto n_cells = static_cast<std::size_t>(layout_->cells_per_block());
  const auto place = [&](const Piece& piece) { return std::pair(piece.region, cells_[piece.begin] / n_cells); };
  for (const Piece& piece : pieces_) {
    const int number = regions_[static_cast<std::size_t>(piece.region)].group;
    if (number < 0) continue;
    add_diagonal_of(piece, diagonal);
    const Group& group = groups_[static_cast<std::size_t>(number)];
    for (std::size_t m = group.begin; m < group.end; ++m) {
      if (members_[m] <= piece.region) continue;
      const std::pair wanted(members_[m], place(piece).second);
      const auto other = std::ranges::lower_bound(pieces_, wanted, {}, place);
      if (other != pieces_.end() && place(*other) == wanted) add_diagonal_of(piece, *other, diagonal);
    }
  }
}

}  // namespace freshet
