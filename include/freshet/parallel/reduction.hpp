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
/// A rank adds what it has. reduce() replaces each number by the one of all ranks and forgets them. A number that is
/// only reported can so wait for the next reduction that somebody needs at once. All ranks add the same kinds of
/// numbers in the same order. Nothing is allocated once the largest reduction has been done.
class Reduction {
 public:
  Reduction();  ///< makes an MPI datatype and an operation
  ~Reduction();
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  // The numbers must live, where they are, until reduce() or forget().
  void sum(GlobalIndex& value) { counts_.push_back(&value); }
  void sum(ExactSum& value) { sums_.push_back(&value); }  ///< without round-off
  void max(double& value) { maxima_.push_back(&value); }  ///< of numbers >= 0; NaN counts as infinity
  void any(bool& value) { flags_.push_back(&value); }     ///< whether some rank has true
  /// Replace the numbers by those of all ranks, and forget them. Collective
  void reduce(const Communicator& comm);
  /// Forget the numbers and leave them as they are.
  void forget();

 private:
  static constexpr std::size_t n_maxima = 4;  ///< of an element
  /// What MPI sends. The operation adds the words of `sums` and takes the larger ones of `maxima`. An exact sum fills
  /// the sums of an element; counts and flags share the elements after them.
  struct Element {
    std::array<std::int64_t, ExactSum::n_words> sums{};
    std::array<std::int64_t, n_maxima> maxima{};  ///< bits of doubles >= 0, which compare like integers
  };
  static void combine(void* in, void* in_out, int* n, MPI_Datatype* type);
  std::int64_t& count_word(std::size_t n);  ///< of the n-th count or flag
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
