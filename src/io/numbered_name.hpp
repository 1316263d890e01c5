// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace freshet {

/// 12 for "chk_000012.h5" with prefix "chk_" and ending ".h5"; nothing for a name that is not of this form.
inline std::optional<std::int64_t> number_in_name(std::string_view name, std::string_view prefix,
                                                  std::string_view ending) {
  if (!name.starts_with(prefix) || !name.ends_with(ending) || name.size() <= prefix.size() + ending.size())
    return std::nullopt;
  const char* const end = name.data() + name.size() - ending.size();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, number);
  return error == std::errc() && stop == end && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace freshet
