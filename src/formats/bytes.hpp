// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

/// Functions that turn numbers into the bytes or the words of a file.
namespace freshet::formats {

static_assert(std::endian::native == std::endian::little, "bytes are put into files as they stand in memory");

/// Append a number as it is stored in memory: least significant byte first.
template <class T>
void put(std::string& bytes, T value) {
  static_assert(std::is_arithmetic_v<T>);
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  bytes.append(raw.data(), raw.size());
}

/// Append the shortest text that reads back to the same number.
template <class T>
void put_text(std::string& bytes, T value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  bytes.append(text.data(), end);
}

/// Convert a share of full colour, 0 to 1, to a byte.
inline std::uint8_t color_byte(float share) {
  return static_cast<std::uint8_t>(std::clamp(255.0F * share + 0.5F, 0.0F, 255.0F));
}

}  // namespace freshet::formats
