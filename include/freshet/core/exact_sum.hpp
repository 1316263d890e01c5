// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace freshet {

/// A sum of doubles without round-off, which has the same bits for any order and any grouping of the terms.
///
/// The sum is a fixed-point number. Its digits of 43 bits are stored in 64-bit integers, so that many terms can be
/// added before carries are needed. Integer addition is associative: partial sums of threads and ranks may be added
/// word by word. Bits of a term below 2^-645 are dropped, and a term of 2^601 or more counts as infinite. With these
/// limits a sum takes 256 bytes, which MPI adds about as fast as one double; a sum for the whole range of doubles takes
/// 544 bytes. Source: Neal 2015, "Fast exact summation using small and large superaccumulators"
class ExactSum {
 public:
  void add(double term);
  void add(const ExactSum& other);
  /// The double nearest to the sum, ties to even; NaN if some term was not finite.
  double round() const;
  /// Carry all digits. Up to 2^19 carried sums can then be added word by word.
  void carry();

  static constexpr int n_words = 32;
  static constexpr int lowest_exponent = -645;  ///< exponent of the sum's lowest bit
  static constexpr int largest_exponent = 600;  ///< largest exponent of a term's leading bit

 private:
  static constexpr int n_digits = n_words - 2;
  enum Extra : std::size_t { n_pending = n_digits, n_not_finite = n_digits + 1 };

  std::array<std::int64_t, n_words> words_{};  ///< digits, lowest first; terms since the last carry; terms not finite
};
static_assert(sizeof(ExactSum) == ExactSum::n_words * sizeof(std::int64_t), "sent as so many integers");

}  // namespace freshet
