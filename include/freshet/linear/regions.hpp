// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/layout.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace freshet {

/// What bodies and bubbles add to the matrix A of the pressure: the sum over regions k of S_k C_k S_k^T.
///
/// A region is something whose few numbers, its columns, all cells around it share: a rigid body that the liquid moves
/// has its six velocities, a bubble its one volume. S_k has a row for each cell that touches the region and a column
/// for each of these numbers; C_k is a small symmetric positive semidefinite matrix, the same on all ranks. So A + sum
/// of S_k C_k S_k^T is symmetric positive definite where A is (Batty, Bertails & Bridson 2007, section 3).
///
/// Nothing is stored but the rows of the cells that a rank owns. S^T x is summed over all ranks without round-off, from
/// sums of single blocks: the same bits for any number of ranks and threads, for any order of regions' rows.
class Regions {
 public:
  static constexpr int most_columns = 16;  ///< of a region

  /// Begin anew, without rows and with matrices of zeros. \param[in] columns  by region, the same on all ranks, each
  /// within [1, most_columns]. The layout must outlive the regions' use. Parallel: local
  void reset(const BlockLayout& layout, std::span<const int> columns);
  int count() const { return static_cast<int>(regions_.size()); }
  /// Of all regions: the length of S^T x.
  int columns() const { return n_columns_; }
  int first_column(int region) const { return regions_[static_cast<std::size_t>(region)].first_column; }

  /// Set C_k, by rows. \pre symmetric, the same on all ranks. Parallel: local
  void set_matrix(int region, std::span<const double> matrix);
  /// Add a row to S_k. A cell may have several rows of a region, which add up.
  ///
  /// \param[in] block, cell  an owned cell that holds an unknown of the systems to come
  /// \param[in] row          as many numbers as the region has columns
  /// Parallel: local, one thread
  void add_row(int region, LocalIndex block, int cell, std::span<const double> row);
  /// Bring the rows into order; to be called when all are there. Parallel: local
  void finish();

  /// Add S^T x of this rank's rows to `sums`. \param[in] x  an array over the cells of the layout's slots
  /// \param[in,out] sums  columns() many. Parallel: local; OpenMP
  void add_products(const double* x, std::span<ExactSum> sums) const;
  /// S^T x, the same on all ranks. Parallel: collective, one reduction; OpenMP
  void multiply_transposed(const double* x, std::span<double> products) const;
  /// y += factor S C products, on the cells that have rows. Parallel: local; OpenMP
  void add(double factor, std::span<const double> products, double* y) const;
  /// Add the diagonal of S C S^T. Parallel: local
  void add_diagonal(double* diagonal) const;

 private:
  struct Region {
    int columns = 0;
    int first_column = 0;
    std::size_t first_matrix = 0;  ///< of C in matrices_
  };
  /// A row as it came.
  struct Entry {
    int region;
    LocalIndex block;
    int cell;
    std::size_t first;  ///< of its numbers in given_
  };
  /// The rows of a region in a block.
  struct Piece {
    int region;
    std::size_t begin, end;     ///< rows
    std::size_t first_of_rows;  ///< of the first row's numbers in rows_
  };
  template <class Function>
  void for_each_piece(Function&& f) const;

  const BlockLayout* layout_ = nullptr;
  int n_columns_ = 0;
  std::vector<Region> regions_;
  std::vector<double> matrices_;
  std::vector<Entry> entries_;
  std::vector<double> given_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> cells_;  ///< by row: place in arrays over the layout's cells
  std::vector<double> rows_;
  mutable std::vector<ExactSum> sums_;  ///< room of multiply_transposed()
};

}  // namespace freshet
