// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace freshet {

/// FNV-1a of 64 bits: tells whether bytes are the same as before, not whether somebody meant to deceive.
/// \param[in] hash  of the bytes before these, if there are any
inline std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = 14695981039346656037ULL) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

}  // namespace freshet
