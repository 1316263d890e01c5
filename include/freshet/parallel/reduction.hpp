// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/types.hpp"
#include "freshet/parallel/communicator.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace freshet {

/// Sums and maxima over the ranks, many of them in one MPI_Allreduce.
///
/// A rank registers its numbers. reduce() replaces each of them by the result over all ranks and forgets them. So a
/// number that is only reported can wait for the next reduction whose result is needed at once. All ranks register the
/// same kinds of numbers in the same order. Nothing is allocated once the largest reduction has been done.
class Reduction {
 public:
  Reduction();  ///< makes an MPI datatype and an operation; the destructor frees them
  ~Reduction();
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  // The numbers must stay where they are until reduce() or forget().
  void sum(GlobalIndex& value) { counts_.push_back(&value); }
  void sum(ExactSum& value) { sums_.push_back(&value); }  ///< the sum is without round-off
  void max(double& value) { maxima_.push_back(&value); }  ///< the largest; \pre value >= 0; NaN counts as infinity
  void any(bool& value) { flags_.push_back(&value); }     ///< whether some rank has true
  /// Replace the numbers by the results over all ranks, and forget them. Collective
  void reduce(const Communicator& comm);
  /// Forget the numbers and leave them as they are.
  void forget();

 private:
  static constexpr std::size_t n_maxima = 4;  ///< maxima in an Element
  /// The unit that MPI sends. The operation adds the words of `sums` and takes the larger ones of `maxima`. An exact
  /// sum fills the sums of one element; counts and flags share the sums of the elements after these.
  struct Element {
    std::array<std::int64_t, ExactSum::n_words> sums{};
    std::array<std::int64_t, n_maxima> maxima{};  ///< bits of doubles >= 0, which compare like integers
  };
  static void combine(void* in, void* in_out, int* n, MPI_Datatype* type);
  std::int64_t& count_word(std::size_t n);  ///< the word that holds the n-th count or flag
  std::int64_t& maximum_word(std::size_t n);

  std::vector<GlobalIndex*> counts_;
  std::vector<ExactSum*> sums_;
  std::vector<double*> maxima_;
  std::vector<bool*> flags_;
  std::vector<Element> elements_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace freshet
