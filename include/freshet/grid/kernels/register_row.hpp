// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/real_lanes.hpp"
#include "freshet/grid/block_shape.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace freshet {

/// A vector of eight numbers, cut into parts that each fill one register.
///
/// GCC 12 keeps a vector that is wider than the machine's registers in memory, and compares, selects and shuffles its
/// lanes one by one. The parts stay in registers. Operators work on each lane, as those of the compiler's vectors do.
template <class T>
struct RegisterRow {
  static constexpr int bytes = std::min(register_bytes, block_width* static_cast<int>(sizeof(T)));
  static constexpr int n = bytes / static_cast<int>(sizeof(T));  ///< lanes of a part
  static constexpr int n_parts = block_width / n;
  using Part [[gnu::vector_size(bytes)]] = T;
  using EveryPart = std::make_index_sequence<n_parts>;
  using Mask = RegisterRow<std::int64_t>;
  static_assert(sizeof(T) == sizeof(std::int64_t));

  Part part[n_parts];

  T operator[](int lane) const { return part[lane / n][lane % n]; }

  /// The row whose part number p is f(p). \param[in] f  takes an integral constant
  template <class Function>
  [[gnu::always_inline]] static constexpr RegisterRow of_parts(Function&& f) {
    return [&f]<std::size_t... p>(std::index_sequence<p...>) {
      return RegisterRow{{f(std::integral_constant<int, static_cast<int>(p)>{})...}};
    }
    (EveryPart{});
  }
  /// The row of given lanes.
  static constexpr RegisterRow of(const T (&lanes)[block_width]) {
    return of_parts([&lanes](auto p) {
      constexpr int first = p * n;
      return [&lanes]<std::size_t... lane>(std::index_sequence<lane...>) {
        return Part{lanes[first + static_cast<int>(lane)]...};
      }
      (std::make_index_sequence<n>{});
    });
  }

  [[gnu::always_inline]] friend RegisterRow operator+(const RegisterRow& a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a.part[p] + b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator-(const RegisterRow& a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a.part[p] - b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator*(const RegisterRow& a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a.part[p] * b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator/(const RegisterRow& a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a.part[p] / b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator&(const RegisterRow& a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a.part[p] & b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator|(const RegisterRow& a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a.part[p] | b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator>>(const RegisterRow& a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a.part[p] >> b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator-(const RegisterRow& a) {
    return of_parts([&](auto p) { return -a.part[p]; });
  }
  [[gnu::always_inline]] RegisterRow& operator+=(const RegisterRow& b) { return *this = *this + b; }
  [[gnu::always_inline]] RegisterRow& operator-=(const RegisterRow& b) { return *this = *this - b; }
  [[gnu::always_inline]] RegisterRow& operator*=(const RegisterRow& b) { return *this = *this * b; }
  [[gnu::always_inline]] RegisterRow& operator|=(const RegisterRow& b) { return *this = *this | b; }

  /// \name With one number for all lanes
  ///@{
  [[gnu::always_inline]] static RegisterRow all(T value) {
    return of_parts([value](auto) { return Part{} + value; });
  }
  [[gnu::always_inline]] friend RegisterRow operator+(const RegisterRow& a, T b) {
    return of_parts([&](auto p) { return a.part[p] + b; });
  }
  [[gnu::always_inline]] friend RegisterRow operator+(T a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a + b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator-(const RegisterRow& a, T b) {
    return of_parts([&](auto p) { return a.part[p] - b; });
  }
  [[gnu::always_inline]] friend RegisterRow operator-(T a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a - b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator*(const RegisterRow& a, T b) {
    return of_parts([&](auto p) { return a.part[p] * b; });
  }
  [[gnu::always_inline]] friend RegisterRow operator*(T a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a * b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator/(const RegisterRow& a, T b) {
    return of_parts([&](auto p) { return a.part[p] / b; });
  }
  [[gnu::always_inline]] friend RegisterRow operator/(T a, const RegisterRow& b) {
    return of_parts([&](auto p) { return a / b.part[p]; });
  }
  [[gnu::always_inline]] friend RegisterRow operator&(const RegisterRow& a, T b) {
    return of_parts([&](auto p) { return a.part[p] & b; });
  }
  ///@}

  /// \name Masks: all bits of a lane are set where the comparison holds.
  ///@{
  [[gnu::always_inline]] friend Mask operator<(const RegisterRow& a, const RegisterRow& b) {
    return mask([&](auto p) { return a.part[p] < b.part[p]; });
  }
  [[gnu::always_inline]] friend Mask operator>(const RegisterRow& a, const RegisterRow& b) { return b < a; }
  [[gnu::always_inline]] friend Mask operator<=(const RegisterRow& a, const RegisterRow& b) {
    return mask([&](auto p) { return a.part[p] <= b.part[p]; });
  }
  [[gnu::always_inline]] friend Mask operator>=(const RegisterRow& a, const RegisterRow& b) { return b <= a; }
  [[gnu::always_inline]] friend Mask operator!=(const RegisterRow& a, const RegisterRow& b) {
    return mask([&](auto p) { return a.part[p] != b.part[p]; });
  }
  [[gnu::always_inline]] friend Mask operator==(const RegisterRow& a, const RegisterRow& b) {
    return mask([&](auto p) { return a.part[p] == b.part[p]; });
  }
  [[gnu::always_inline]] friend Mask operator<(const RegisterRow& a, T b) { return a < all(b); }
  [[gnu::always_inline]] friend Mask operator>(const RegisterRow& a, T b) { return a > all(b); }
  [[gnu::always_inline]] friend Mask operator<=(const RegisterRow& a, T b) { return a <= all(b); }
  [[gnu::always_inline]] friend Mask operator>=(const RegisterRow& a, T b) { return a >= all(b); }
  [[gnu::always_inline]] friend Mask operator!=(const RegisterRow& a, T b) { return a != all(b); }
  [[gnu::always_inline]] friend Mask operator==(const RegisterRow& a, T b) { return a == all(b); }
  ///@}

 private:
  template <class Compare>
  [[gnu::always_inline]] static Mask mask(Compare&& compare) {
    return Mask::of_parts([&](auto p) { return reinterpret_cast<typename Mask::Part>(compare(p)); });
  }
};

/// The lanes of a where the mask is set, those of b elsewhere.
template <class T>
[[gnu::always_inline]] inline RegisterRow<T> select(const RegisterRow<std::int64_t>& mask, const RegisterRow<T>& a,
                                                    const RegisterRow<T>& b) {
  return RegisterRow<T>::of_parts([&](auto p) { return mask.part[p] ? a.part[p] : b.part[p]; });
}
[[gnu::always_inline]] inline double select(bool condition, double a, double b) {
  return condition ? a : b;
}

/// Lanes first .. first + 7 of the sixteen lanes of two rows.
template <int first, class T>
[[gnu::always_inline]] inline RegisterRow<T> lanes_from(const RegisterRow<T>& low, const RegisterRow<T>& high) {
  using Row = RegisterRow<T>;
  return Row::of_parts([&](auto p) {
    constexpr int begin = first + p * Row::n, shift = begin % Row::n, at = begin / Row::n;
    const auto part = [&](auto q) {
      return q < Row::n_parts ? low.part[q % Row::n_parts] : high.part[q % Row::n_parts];
    };
    if constexpr (shift == 0) {
      return part(std::integral_constant<int, at>{});
    } else {
      const auto a = part(std::integral_constant<int, at>{}), b = part(std::integral_constant<int, at + 1>{});
      return [&]<std::size_t... lane>(std::index_sequence<lane...>) {
        return __builtin_shufflevector(a, b, (shift + static_cast<int>(lane))...);
      }
      (std::make_index_sequence<Row::n>{});
    }
  });
}

template <class T>
[[gnu::always_inline]] inline RegisterRow<T> load_register_row(const T* row) {
  return RegisterRow<T>::of_parts([row](auto p) {
    typename RegisterRow<T>::Part part;
    std::memcpy(&part, row + p * RegisterRow<T>::n, sizeof part);
    return part;
  });
}
template <class T>
[[gnu::always_inline]] inline void store_row(T* row, const RegisterRow<T>& value) {
  std::memcpy(row, value.part, sizeof value.part);
}

/// Convert each lane of eight numbers.
template <class To, class From>
[[gnu::always_inline]] inline RegisterRow<To> to_register_row(const From* row) {
  using Row = RegisterRow<To>;
  using Narrow [[gnu::vector_size(Row::n * sizeof(From))]] = From;
  return Row::of_parts([row](auto p) {
    Narrow part;
    std::memcpy(&part, row + p * Row::n, sizeof part);
    return convert<typename Row::Part>(part);
  });
}
template <class To, class From>
[[gnu::always_inline]] inline void store_converted(To* target, const RegisterRow<From>& row) {
  using Row = RegisterRow<From>;
  using Narrow [[gnu::vector_size(Row::n * sizeof(To))]] = To;
  for (int p = 0; p < Row::n_parts; ++p) {
    const Narrow part = __builtin_convertvector(row.part[p], Narrow);
    std::memcpy(target + p * Row::n, &part, sizeof part);
  }
}

/// A bit for each lane of a part of a mask.
template <class Part>
[[gnu::always_inline]] inline unsigned bits_of_part(const Part& mask) {
#if defined(__AVX512DQ__)
  if constexpr (sizeof(Part) == 64) return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask));
#endif
#if defined(__AVX__)
  if constexpr (sizeof(Part) == 32) return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(Part) == 16) return static_cast<unsigned>(_mm_movemask_pd(reinterpret_cast<__m128d>(mask)));
#endif
  unsigned bits = 0;
  for (std::size_t lane = 0; lane < sizeof(Part) / sizeof mask[0]; ++lane)
    bits |= static_cast<unsigned>(mask[lane] & 1) << lane;
  return bits;
}

/// The lanes of a mask as bits: bit i is set if lane i is selected.
[[gnu::always_inline]] inline std::uint8_t bits_of(const RegisterRow<std::int64_t>& selected) {
  using Mask = RegisterRow<std::int64_t>;
  return [&selected]<std::size_t... p>(std::index_sequence<p...>) {
    return static_cast<std::uint8_t>(((bits_of_part(selected.part[p]) << (p * Mask::n)) | ...));
  }
  (Mask::EveryPart{});
}

}  // namespace freshet
