// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace freshet {

/// FNV-1a of 64 bits. It detects changes by accident, not changes made on purpose to keep the hash.
/// \param[in] hash  that of the preceding bytes, if there are any
inline std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = 14695981039346656037ULL) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

}  // namespace freshet
