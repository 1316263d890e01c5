// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/select.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace freshet {

std::vector<std::uint8_t> among_smallest(const Communicator& comm, std::span<const std::uint64_t> keys, GlobalIndex n) {
  constexpr int digit_bits = 8;
  constexpr int n_digits = 64 / digit_bits;
  std::vector<std::uint8_t> in(keys.size(), 0);
  if (n <= 0) return in;
  if (comm.sum(static_cast<GlobalIndex>(keys.size())) <= n) {
    std::fill(in.begin(), in.end(), std::uint8_t{1});
    return in;
  }
  std::uint64_t nth = 0;     // known leading digits of the n-th smallest key
  GlobalIndex missing = n;   // number of keys still to choose among those that begin with these digits
  bool all_of_last = false;  // whether keys equal to the n-th smallest are chosen
  for (int digit = n_digits - 1; digit >= 0; --digit) {
    const int shift = digit * digit_bits;
    const std::uint64_t found = digit == n_digits - 1 ? 0 : ~std::uint64_t{0} << (shift + digit_bits);
    std::array<GlobalIndex, 1U << digit_bits> counts{};
    for (const std::uint64_t key : keys)
      if ((key & found) == nth) ++counts[key >> shift & (counts.size() - 1)];
    comm.sum_in_place(std::span<GlobalIndex>(counts));
    std::size_t value = 0;
    for (; counts[value] < missing; ++value) missing -= counts[value];
    nth |= static_cast<std::uint64_t>(value) << shift;
    all_of_last = counts[value] == missing;
  }
  for (std::size_t k = 0; k < keys.size(); ++k) in[k] = keys[k] < nth || (all_of_last && keys[k] == nth) ? 1 : 0;
  return in;
}

}  // namespace freshet
