// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

namespace freshet {

/// Call f(stride) with the size of a particle's value [B]. Strides that occur are passed as constants, so that copies
/// of single values become instructions instead of calls.
template <class Function>
void with_stride(std::size_t stride, Function&& f) {
  switch (stride) {
    case 1:
      return f(std::integral_constant<std::size_t, 1>{});
    case 4:
      return f(std::integral_constant<std::size_t, 4>{});
    case 8:
      return f(std::integral_constant<std::size_t, 8>{});
    case 12:
      return f(std::integral_constant<std::size_t, 12>{});
    case 24:
      return f(std::integral_constant<std::size_t, 24>{});
    default:
      return f(stride);
  }
}

}  // namespace freshet
