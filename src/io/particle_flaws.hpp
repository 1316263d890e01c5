// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace freshet {

constexpr double farthest_particle = 1e100;  ///< [m] squares of coordinates stay finite
constexpr double fastest_particle = 1e30;    ///< [m/s], as for liquids

/// A word of a file, fit for a message.
std::string plain_word(std::string word);

/// Errors: InputError "<file>:<line>: <problem> (<why>). Correct the file"
[[noreturn]] void refuse_particles(const std::string& file, std::size_t line, const std::string& problem,
                                   const std::string& why);

}  // namespace freshet
