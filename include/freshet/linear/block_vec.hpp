// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/kernels/row.hpp"

#include <petscvec.h>

#include <array>
#include <cstddef>
#include <span>

/// Operations on PETSc vectors whose entries are blocks of rows of eight. They visit the rows that `rows` lists, and
/// threads share the blocks.
///
/// `rows` has n_active() blocks; active_block(n) is the number of one, active_rows(block) are its rows as bits, rows()
/// is the number of rows in a block, and is_worth_threads() says whether threads pay. Dot products are summed a block
/// at a time in a fixed order, and the blocks' sums are added without round-off: the same bits for any number of
/// threads and ranks.
namespace freshet {

/// Rows of all blocks of a vector.
struct EveryRow {
  LocalIndex n_blocks = 0;
  int n_rows = 0;  ///< number of rows in a block, at most 64

  LocalIndex n_active() const { return n_blocks; }
  LocalIndex active_block(LocalIndex n) const { return n; }
  std::uint64_t active_rows(LocalIndex /*block*/) const { return ~std::uint64_t{0} >> (64 - n_rows); }
  int rows() const { return n_rows; }
  bool is_worth_threads() const { return rows_are_worth_threads(n_blocks * n_rows); }
};

/// Call f(index of the row's first entry) for the rows, threads sharing the blocks. \pre f throws nothing
template <class Rows, class Function>
void for_each_row(const Rows& rows, Function&& f) {
  share_evenly(rows.is_worth_threads(), rows.n_active(), [&rows, &f](LocalIndex n) {
    const LocalIndex block = rows.active_block(n);
    const std::size_t begin = static_cast<std::size_t>(block) * static_cast<std::size_t>(rows.rows() * block_width);
    for_each_set_row(rows.active_rows(block), rows.rows(),
                     [&f, begin](int r) { f(begin + static_cast<std::size_t>(block_width * r)); });
  });
}

/// Dot products of pairs of arrays over the rows here. Each block has n_chains interleaved sums, which lets so many
/// additions overlap. Parallel: local; OpenMP
template <int n_chains, std::size_t n_pairs, class Rows>
std::array<ExactSum, n_pairs> local_dots(const std::array<std::array<const double*, 2>, n_pairs>& pairs,
                                         const Rows& rows) {
  std::array<ExactSum, n_pairs> all;
  const auto add_block = [&](LocalIndex n, std::array<ExactSum, n_pairs>& own) {
    const LocalIndex block = rows.active_block(n);
    const std::size_t begin = static_cast<std::size_t>(block) * static_cast<std::size_t>(rows.rows() * block_width);
    RealRow sums[n_pairs][n_chains] = {};
    for_each_set_row(rows.active_rows(block), rows.rows(), [&](int r) {
      const std::size_t row = begin + static_cast<std::size_t>(block_width * r);
      for (std::size_t p = 0; p < n_pairs; ++p)
        sums[p][r % n_chains] += load_row(pairs[p][0] + row) * load_row(pairs[p][1] + row);
    });
    for (std::size_t p = 0; p < n_pairs; ++p) {
      for (int chain = 1; chain < n_chains; ++chain) sums[p][0] += sums[p][chain];
      own[p].add(sum_lanes(sums[p][0]));
    }
  };
  const LocalIndex n_active = rows.n_active();
#pragma omp parallel if (rows.is_worth_threads())
  {
    std::array<ExactSum, n_pairs> own;
#pragma omp for schedule(static) nowait
    for (LocalIndex n = 0; n < n_active; ++n) add_block(n, own);
#pragma omp critical(freshet_local_dots)
    for (std::size_t p = 0; p < n_pairs; ++p) all[p].add(own[p]);
  }
  return all;
}

/// Add up the sums of the ranks that share a vector, in one reduction. Returns PETSc's error code. Collective
inline PetscErrorCode sum_over_ranks(Vec x, std::span<ExactSum> sums) {
  PetscFunctionBegin;
  for (ExactSum& sum : sums) sum.carry();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()) * ExactSum::n_words, MPI_INT64_T,
                             MPI_SUM, PetscObjectComm(reinterpret_cast<PetscObject>(x))));
  PetscFunctionReturn(0);
}

/// y = value(row of x, row of y) for the rows. Returns PETSc's error code. Parallel: local; OpenMP
template <class Rows, class Value>
PetscErrorCode update_rows(Vec y, Vec x, const Rows& rows, Value&& value) {
  const PetscScalar* a = nullptr;
  PetscScalar* b = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArray(y, &b));
  for_each_row(rows,
               [a, b, value](std::size_t row) { store_row(b + row, value(load_row(a + row), load_row(b + row))); });
  PetscCall(VecRestoreArray(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(0);
}

}  // namespace freshet
