// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace freshet {

/// A sum of doubles without round-off: the same bits for any order of the terms and any grouping of partial sums.
///
/// The sum is a fixed-point number. Its digits of 43 bits are stored in 64-bit integers, so that many terms can be
/// added before carries are needed. Integer addition is associative: partial sums of threads and ranks may be added
/// word by word. Bits of a term below 2^-645 are dropped, and a term of 2^601 or more counts as infinite. With these
/// limits a sum takes 256 bytes, which Open MPI 4.1 adds over 2 ranks in shared memory about as fast as 8 bytes (3 to 4
/// us; a sum for all doubles takes 544 bytes and 6 us). Source: Neal 2015, "Fast exact summation using small and large
/// superaccumulators"
class ExactSum {
 public:
  void add(double term);
  void add(const ExactSum& other);
  /// The double nearest to the sum, ties to even; NaN if some term was not finite.
  double round() const;
  /// Carry all digits. Up to 2^19 carried sums can then be added word by word.
  void carry();

  static constexpr int n_words = 32;
  static constexpr int lowest_exponent = -645;  ///< of the lowest bit
  static constexpr int largest_exponent = 600;  ///< of a term's leading bit

 private:
  static constexpr int n_digits = n_words - 2;
  enum Extra : std::size_t { n_pending = n_digits, n_not_finite = n_digits + 1 };

  std::array<std::int64_t, n_words> words_{};  ///< digits, lowest first; terms since the last carry; terms not finite
};
static_assert(sizeof(ExactSum) == ExactSum::n_words * sizeof(std::int64_t), "sent as so many integers");

}  // namespace freshet
