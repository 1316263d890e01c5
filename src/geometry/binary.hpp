// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace freshet {

/// A number of type T at a byte. \pre  at + sizeof(T) <= bytes.size()
template <class T>
T read_binary(std::string_view bytes, std::size_t at, std::endian order) {
  FRESHET_EXPECT(bytes.size() >= sizeof(T) && at <= bytes.size() - sizeof(T));
  char raw[sizeof(T)];
  std::memcpy(raw, bytes.data() + at, sizeof(T));
  if (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

/// ASCII letters in lower case.
inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace freshet
