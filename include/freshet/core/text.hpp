// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/floating_point.hpp"

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace freshet {

/// The number that the whole text is; nothing for any other text. A float beyond the range of T becomes infinite or 0.
/// \pre outside of parallel regions
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc()) return value;
  if constexpr (std::floating_point<T>) {
    const WithoutTraps suspended;
    return static_cast<T>(std::strtod(std::string(text).c_str(), nullptr));
  }
  return std::nullopt;
}

/// The number in a name between prefix and ending: 12 for "chk_000012.h5" with "chk_" and ".h5"; else nothing.
std::optional<std::int64_t> number_in_name(std::string_view name, std::string_view prefix, std::string_view ending);

/// FNV-1a hash of 64 bits. It detects changes by accident, not changes made on purpose to keep the hash.
/// \param[in] hash  the hash of the preceding bytes, if there are any
inline std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = 14695981039346656037ULL) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

/// The text with its ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// The text as a string of TOML: in quotes, with escapes for control characters, quotes and backslashes.
std::string quote(std::string_view text);

/// A word of a file for a message: cut after 40 characters, with ? for each character that is not printable ASCII.
std::string printable(std::string_view word);

}  // namespace freshet
