// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr int digit_bits = 32;
constexpr std::uint64_t digit_mask = 0xffffffffU;
constexpr int lowest_exponent = -1074;  ///< of the first digit's lowest bit

using Words = std::array<std::int64_t, ExactSum::n_words>;

/// Bring all digits but the last, which keeps the sign, into [0, 2^32).
void carry_digits(Words& words) {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < ExactSum::n_digits; ++i) {
    const std::int64_t digit = words[i] + carry;
    carry = digit >> digit_bits;
    words[i] = digit & static_cast<std::int64_t>(digit_mask);
  }
  words[ExactSum::n_digits - 1] += carry;
}

/// The nearest double of a number that is not negative. \pre carried
double round_positive(const Words& words) {
  int top = ExactSum::n_digits - 1;
  while (top >= 0 && words[static_cast<std::size_t>(top)] == 0) --top;
  if (top < 0) return 0.0;
  const auto digit = [&words](int i) {
    return i < 0 ? 0 : static_cast<std::uint64_t>(words[static_cast<std::size_t>(i)]);
  };
  if (digit(top) > digit_mask) return std::numeric_limits<double>::infinity();
  // 64 bits from the leading one on; of what follows it matters only whether there is any.
  const int leading_zeros = std::countl_zero(static_cast<std::uint32_t>(digit(top)));
  const std::uint64_t third = digit(top - 2) << leading_zeros;
  std::uint64_t significant = ((digit(top) << digit_bits | digit(top - 1)) << leading_zeros) | third >> digit_bits;
  bool more = (third & digit_mask) != 0;
  for (int i = 0; i < top - 2; ++i) more = more || words[static_cast<std::size_t>(i)] != 0;
  significant |= more ? 1U : 0U;
  // Below the normal numbers nothing is lost in either rounding: every term is a multiple of 2^-1074.
  return std::ldexp(static_cast<double>(significant), digit_bits * (top - 1) - leading_zeros + lowest_exponent);
}

}  // namespace

void ExactSum::add(double term) {
  constexpr int mantissa_bits = 52;
  constexpr std::uint64_t hidden_bit = std::uint64_t{1} << mantissa_bits;
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const auto exponent = static_cast<unsigned>(bits >> mantissa_bits) & 0x7ffU;
  if (exponent == 0x7ffU) {
    ++words_[n_not_finite];
    return;
  }
  const std::uint64_t mantissa = (bits & (hidden_bit - 1)) | (exponent > 0 ? hidden_bit : 0);
  const unsigned place = exponent > 0 ? exponent - 1 : 0;
  const unsigned shift = place % digit_bits;
  const std::uint64_t low = (mantissa & digit_mask) << shift;
  const std::uint64_t high = (mantissa >> digit_bits) << shift;
  const std::int64_t sign = -static_cast<std::int64_t>(bits >> 63U);
  const auto with_sign = [sign](std::uint64_t digit) { return (static_cast<std::int64_t>(digit) ^ sign) - sign; };
  std::int64_t* const digits = &words_[place / digit_bits];
  digits[0] += with_sign(low & digit_mask);
  digits[1] += with_sign((low >> digit_bits) + (high & digit_mask));
  digits[2] += with_sign(high >> digit_bits);
  if (++words_[n_pending] >= most_pending) carry();
}

void ExactSum::add(const ExactSum& other) {
  for (std::size_t i = 0; i < n_words; ++i) words_[i] += other.words_[i];
  if (words_[n_pending] >= most_pending) carry();
}

void ExactSum::carry() {
  carry_digits(words_);
  words_[n_pending] = 1;
}

double ExactSum::round() const {
  if (words_[n_not_finite] != 0) return std::numeric_limits<double>::quiet_NaN();
  Words words = words_;
  carry_digits(words);
  if (words[n_digits - 1] >= 0) return round_positive(words);
  std::transform(words.begin(), words.begin() + n_digits, words.begin(), [](std::int64_t digit) { return -digit; });
  carry_digits(words);
  return -round_positive(words);
}

}  // namespace freshet
