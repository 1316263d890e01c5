// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace freshet {

/// A sum of doubles without round-off: the same bits for any order of the terms and any grouping of partial sums.
///
/// A fixed-point number over the whole range of doubles, its digits of 32 bits in 64-bit integers, so that carries may
/// wait for 2^28 terms. Integers add associatively: partial sums of threads and ranks may be added word by word.
/// Source: Neal 2015, "Fast exact summation using small and large superaccumulators"
class ExactSum {
 public:
  void add(double term);
  void add(const ExactSum& other);
  /// The double nearest to the sum, ties to even; infinite beyond their range; NaN if some term was not finite.
  double round() const;

  static constexpr int n_digits = 66;           ///< 2^-1074 to 2^1038 and the sign
  static constexpr int n_words = n_digits + 2;  ///< of a sum
  /// Carry, so that up to 2^30 sums can be added word by word, and their result be carried again.
  void carry();

 private:
  enum Extra : std::size_t { n_pending = n_digits, n_not_finite = n_digits + 1 };
  static constexpr std::int64_t most_pending = std::int64_t{1} << 28;  ///< terms below 2^33 a digit

  std::array<std::int64_t, n_words>
      words_{};  ///< digits, the lowest first; terms since the last carry; NaN and infinite
};
static_assert(sizeof(ExactSum) == ExactSum::n_words * sizeof(std::int64_t), "sent as so many integers");

}  // namespace freshet
