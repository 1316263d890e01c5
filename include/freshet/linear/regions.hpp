// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace freshet {

/// The sum over regions k of S_k C_k S_k^T that bodies and bubbles add to the matrix A of the pressure.
///
/// A region has a few numbers, its columns, that all cells around it share: a rigid body that the liquid moves has its
/// six velocities, a bubble its one volume. S_k has a row for each cell that touches the region and a column for each
/// of these numbers; C_k is a small symmetric positive semidefinite matrix, the same on all ranks. So A + sum of S_k
/// C_k S_k^T is symmetric positive definite where A is (Batty, Bertails & Bridson 2007, section 3). Regions that act on
/// each other, such as bodies that joints connect, share one matrix over the columns of all of them.
///
/// Numbers J may come to S^T x, the same on all ranks: then the system is (A + sum of S_k C_k S_k^T) x = b - S C J.
/// What they add to the right-hand side ends where rows are cleared, as S C S^T does.
///
/// A rank stores the rows of the cells that it owns. S^T x is summed over all ranks without round-off from the sums of
/// single blocks: it has the same bits for any number of ranks and threads.
class Regions {
 public:
  static constexpr int most_columns = 16;  ///< largest number of columns of a region

  /// Remove all rows and set the matrices to zero. \param[in] columns  number of columns of each region, within [1,
  /// most_columns], the same on all ranks. The layout must outlive the regions' use. Parallel: local
  void reset(const BlockLayout& layout, std::span<const int> columns);
  int count() const { return static_cast<int>(regions_.size()); }
  /// The number of columns of all regions, which is the length of S^T x.
  int columns() const { return n_columns_; }
  int columns_of(int region) const { return regions_[static_cast<std::size_t>(region)].columns; }
  int first_column(int region) const { return regions_[static_cast<std::size_t>(region)].first_column; }

  /// Set the matrix C_k, row by row. \pre it is symmetric and the same on all ranks. Parallel: local
  void set_matrix(int region, std::span<const double> matrix) { couple({&region, 1}, matrix); }
  /// Let regions share one matrix, row by row over their columns in the order of `regions`.
  /// A later call for the same regions replaces the matrix.
  /// \pre the matrix is symmetric positive semidefinite, the call is the same on all ranks, and no other call has had
  /// some of these regions only. Parallel: local
  void couple(std::span<const int> regions, std::span<const double> matrix);
  /// Add a row to S_k. A cell may have several rows of a region, which add up.
  ///
  /// \param[in] block, cell  an owned cell that holds an unknown of the linear system
  /// \param[in] row  one number for each column of the region
  /// Parallel: local, one thread
  void add_row(int region, LocalIndex block, int cell, std::span<const double> row);
  /// Sort the rows; to be called after the last add_row(). Parallel: local
  void finish();
  /// Remove the matrices and J, and let the rows be those of finish() again. Parallel: local
  void begin_again();

  /// Add S^T x of this rank's rows to `sums`. \param[in] x  one value a cell of the layout's blocks
  /// \param[in,out] sums  one for each column of all regions. Parallel: local, one thread
  void add_products(const double* x, std::span<ExactSum> sums) const;
  /// S^T x, the same on all ranks. Parallel: collective, one reduction
  void multiply_transposed(const double* x, std::span<double> products) const;
  /// Set J, one number for each column of all regions; none: 0. Parallel: local
  void set_offset(std::span<const double> offset) { offset_.assign(offset.begin(), offset.end()); }
  /// y -= S C J. Parallel: local, one thread
  void subtract_offset(double* y) const {
    if (!offset_.empty()) add(-1.0, offset_, y);
  }
  /// y += factor S C products, on the cells that have rows. Parallel: local, one thread
  void add(double factor, std::span<const double> products, double* y) const;
  /// Add the diagonal of S C S^T to `diagonal`. Parallel: local
  void add_diagonal(double* diagonal) const;

  /// Call f(region, block, cell, numbers) for every row of this rank. Parallel: local
  template <class Function>
  void for_each_row(Function&& f) const;
  /// Set the rows of cells to 0 for which f(block, cell) is true. Parallel: local
  template <class Predicate>
  void clear_rows(Predicate f);
  /// C products, over the columns of all regions. Parallel: local
  void multiply_matrix(std::span<const double> products, std::span<double> result) const;
  /// The diagonal of C, over the columns of all regions.
  std::vector<double> matrix_diagonal() const;

 private:
  struct Region {
    int columns = 0;
    int first_column = 0;
    int group = -1;        ///< regions that share a matrix with this one; -1: its matrix is 0
    int row = 0;           ///< row of the matrix of its first column
    bool is_here = false;  ///< whether this rank has rows of it
  };
  /// Regions that share a matrix.
  struct Group {
    std::size_t begin, end;    ///< their range in members_
    std::size_t first_matrix;  ///< index of the first entry of C in matrices_
    int columns;
  };
  /// A row as add_row() received it.
  struct Entry {
    int region;
    LocalIndex block;
    int cell;
    std::size_t first;  ///< index of the row's first number in given_
  };
  /// The rows of a region in one block.
  struct Piece {
    int region;
    std::size_t begin, end;     ///< range of rows in cells_
    std::size_t first_of_rows;  ///< index of the first row's numbers in rows_
  };

  void arrange_rows();
  void set_weights(double factor, std::span<const double> products) const;
  void add_diagonal_of(const Piece& piece, double* diagonal) const;
  void add_diagonal_of(const Piece& one, const Piece& other, double* diagonal) const;
  double entry(const Region& row, std::size_t i, const Region& column, std::size_t j) const;

  const BlockLayout* layout_ = nullptr;
  int n_columns_ = 0;
  std::vector<double> offset_;  ///< J; empty: 0
  std::vector<Region> regions_;
  std::vector<Group> groups_;
  std::vector<int> members_;
  std::vector<double> matrices_;
  std::vector<Entry> entries_;
  std::vector<double> given_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> cells_;  ///< by row: index of the cell in arrays over the layout's cells
  std::vector<double> rows_;
  mutable std::vector<ExactSum> sums_;   ///< buffer of multiply_transposed()
  mutable std::vector<double> weights_;  ///< buffer of add(): factor C times products, one for each column
};

template <class Predicate>
void Regions::clear_rows(Predicate f) {
  const auto n_cells = static_cast<std::size_t>(layout_->cells_per_block());
  for (const Piece& piece : pieces_) {
    const auto n = static_cast<std::size_t>(columns_of(piece.region));
    for (std::size_t r = piece.begin; r < piece.end; ++r)
      if (f(static_cast<LocalIndex>(cells_[r] / n_cells), static_cast<int>(cells_[r] % n_cells)))
        std::fill_n(rows_.begin() + static_cast<std::ptrdiff_t>(piece.first_of_rows + (r - piece.begin) * n), n, 0.0);
  }
}

template <class Function>
void Regions::for_each_row(Function&& f) const {
  const auto n_cells = static_cast<std::size_t>(layout_->cells_per_block());
  for (const Piece& piece : pieces_) {
    const auto n = static_cast<std::size_t>(columns_of(piece.region));
    for (std::size_t r = piece.begin; r < piece.end; ++r)
      f(piece.region, static_cast<LocalIndex>(cells_[r] / n_cells), static_cast<int>(cells_[r] % n_cells),
        std::span(rows_).subspan(piece.first_of_rows + (r - piece.begin) * n, n));
  }
}

}  // namespace freshet
