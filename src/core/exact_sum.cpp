// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace freshet {
namespace {

constexpr int digit_bits = 43;
constexpr std::uint64_t digit_mask = (std::uint64_t{1} << digit_bits) - 1;
constexpr std::int64_t most_pending = std::int64_t{1} << 18;  ///< two sums of so many terms below 2^43 fit into 63 bits

constexpr int mantissa_bits = 52;
constexpr std::uint64_t hidden_bit = std::uint64_t{1} << mantissa_bits;
constexpr int bias = 1023;

// A mantissa of 53 bits, shifted by up to 42, touches three digits.
static_assert((ExactSum::largest_exponent - mantissa_bits - ExactSum::lowest_exponent) / digit_bits + 3 <=
              ExactSum::n_words - 2);

/// Bring all digits but the last, which keeps the sign, into [0, 2^43).
void carry_digits(std::span<std::int64_t> digits) {
  std::int64_t carry = 0;
  for (std::int64_t& digit : digits.first(digits.size() - 1)) {
    const std::int64_t sum = digit + carry;
    carry = sum >> digit_bits;
    digit = sum & static_cast<std::int64_t>(digit_mask);
  }
  digits.back() += carry;
}

/// The double nearest to a number that is not negative. \pre the digits are carried
double round_positive(std::span<const std::int64_t> digits) {
  auto top = static_cast<int>(digits.size()) - 1;
  while (top >= 0 && digits[static_cast<std::size_t>(top)] == 0) --top;
  if (top < 0) return 0.0;
  // `significant` takes 64 bits from the leading one on. Rounding needs only to know whether any lower bit is set.
  const auto leading_digit = static_cast<std::uint64_t>(digits[static_cast<std::size_t>(top)]);
  int room = std::countl_zero(leading_digit);
  const int lowest_bit = digit_bits * top - room + ExactSum::lowest_exponent;
  std::uint64_t significant = leading_digit << room;
  bool more = false;
  for (int i = top - 1; i >= 0; --i) {
    const auto digit = static_cast<std::uint64_t>(digits[static_cast<std::size_t>(i)]);
    const int excess = std::max(0, digit_bits - room);
    significant |= digit >> excess << (room + excess - digit_bits);
    more = more || (digit & ((std::uint64_t{1} << excess) - 1)) != 0;
    room -= digit_bits - excess;
  }
  return std::ldexp(static_cast<double>(significant | (more ? 1U : 0U)), lowest_bit);
}

}  // namespace

void ExactSum::add(double term) {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const int exponent = static_cast<int>(bits >> mantissa_bits & 0x7ffU) - bias;
  if (exponent > largest_exponent) {
    ++words_[n_not_finite];
    return;
  }
  std::uint64_t mantissa = (bits & (hidden_bit - 1)) | hidden_bit;
  int place = exponent - mantissa_bits - lowest_exponent;
  if (place < 0) {
    if (place < -mantissa_bits) return;
    mantissa >>= -place;
    place = 0;
  }
  const int shift = place % digit_bits;
  const std::uint64_t low = mantissa << shift;
  const std::uint64_t high = mantissa >> 1 >> (63 - shift);
  const std::int64_t sign = -static_cast<std::int64_t>(bits >> 63U);
  const auto with_sign = [sign](std::uint64_t digit) { return (static_cast<std::int64_t>(digit) ^ sign) - sign; };
  std::int64_t* const digits = &words_[static_cast<std::size_t>(place / digit_bits)];
  digits[0] += with_sign(low & digit_mask);
  digits[1] += with_sign((low >> digit_bits | high << (64 - digit_bits)) & digit_mask);
  digits[2] += with_sign(high >> (2 * digit_bits - 64));
  if (++words_[n_pending] >= most_pending) carry();
}

void ExactSum::add(const ExactSum& other) {
  for (std::size_t i = 0; i < n_words; ++i) words_[i] += other.words_[i];
  if (words_[n_pending] >= most_pending) carry();
}

void ExactSum::carry() {
  carry_digits(std::span(words_).first<n_digits>());
  words_[n_pending] = 1;
}

double ExactSum::round() const {
  if (words_[n_not_finite] != 0) return std::numeric_limits<double>::quiet_NaN();
  std::array<std::int64_t, n_digits> digits;
  std::copy_n(words_.begin(), n_digits, digits.begin());
  carry_digits(digits);
  if (digits.back() >= 0) return round_positive(digits);
  for (std::int64_t& digit : digits) digit = -digit;
  carry_digits(digits);
  return -round_positive(digits);
}

}  // namespace freshet
