// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/reduction.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>

namespace freshet {
namespace {

std::int64_t as_bits(double value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return std::bit_cast<std::int64_t>(value <= infinity ? value + 0.0 : infinity);  // + 0.0 makes -0, of other bits, 0
}

}  // namespace

Reduction::Reduction() {
  check_mpi(MPI_Type_contiguous(sizeof(Element) / sizeof(std::int64_t), MPI_INT64_T, &type_), "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  check_mpi(MPI_Op_create(combine, 1, &operation_), "MPI_Op_create");
}

Reduction::~Reduction() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;  // MPI has freed everything
  MPI_Op_free(&operation_);
  MPI_Type_free(&type_);
}

void Reduction::combine(void* in, void* in_out, int* n, MPI_Datatype* /*type*/) {
  const auto* from = static_cast<const Element*>(in);
  auto* to = static_cast<Element*>(in_out);
  for (int e = 0; e < *n; ++e) {
    for (std::size_t i = 0; i < to[e].sums.size(); ++i) to[e].sums[i] += from[e].sums[i];
    for (std::size_t i = 0; i < to[e].maxima.size(); ++i)
      to[e].maxima[i] = std::max(to[e].maxima[i], from[e].maxima[i]);
  }
}

std::int64_t& Reduction::count_word(std::size_t n) {
  return elements_[sums_.size() + n / ExactSum::n_words].sums[n % ExactSum::n_words];
}

std::int64_t& Reduction::maximum_word(std::size_t n) {
  return elements_[n / n_maxima].maxima[n % n_maxima];
}

void Reduction::reduce(const Communicator& comm) {
  const std::size_t n_counts = counts_.size() + flags_.size();
  const std::size_t of_sums = sums_.size() + (n_counts + ExactSum::n_words - 1) / ExactSum::n_words;
  const std::size_t of_maxima = (maxima_.size() + n_maxima - 1) / n_maxima;
  elements_.assign(std::max(of_sums, of_maxima), Element{});
  for (std::size_t n = 0; n < sums_.size(); ++n) {
    sums_[n]->carry();
    std::memcpy(elements_[n].sums.data(), sums_[n], sizeof(ExactSum));
  }
  for (std::size_t n = 0; n < counts_.size(); ++n) count_word(n) = *counts_[n];
  for (std::size_t n = 0; n < flags_.size(); ++n) count_word(counts_.size() + n) = *flags_[n] ? 1 : 0;
  for (std::size_t n = 0; n < maxima_.size(); ++n) maximum_word(n) = as_bits(*maxima_[n]);
  if (comm.size() > 1)
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, elements_.data(), static_cast<int>(elements_.size()), type_, operation_,
                            comm.raw()),
              "MPI_Allreduce");
  for (std::size_t n = 0; n < sums_.size(); ++n)
    std::memcpy(static_cast<void*>(sums_[n]), elements_[n].sums.data(), sizeof(ExactSum));
  for (std::size_t n = 0; n < counts_.size(); ++n) *counts_[n] = count_word(n);
  for (std::size_t n = 0; n < flags_.size(); ++n) *flags_[n] = count_word(counts_.size() + n) > 0;
  for (std::size_t n = 0; n < maxima_.size(); ++n) *maxima_[n] = std::bit_cast<double>(maximum_word(n));
  forget();
}

void Reduction::forget() {
  counts_.clear();
  sums_.clear();
  maxima_.clear();
  flags_.clear();
}

}  // namespace freshet
