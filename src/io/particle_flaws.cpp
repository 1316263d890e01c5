// SPDX-License-Identifier: Apache-2.0
#include "particle_flaws.hpp"

#include "freshet/core/error.hpp"

#include <fmt/format.h>

namespace freshet {

std::string plain_word(std::string word) {
  constexpr std::size_t longest = 40;
  if (word.size() > longest) word = word.substr(0, longest) + "...";
  for (char& c : word)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return word;
}

void refuse_particles(const std::string& file, std::size_t line, const std::string& problem, const std::string& why) {
  throw InputError(fmt::format("{}:{}: {} ({}). Correct the file", file, line, problem, why));
}

}  // namespace freshet
