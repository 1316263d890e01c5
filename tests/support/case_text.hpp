// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>

namespace freshet::test {

const std::string reproducible = "reproducible = true\n";  ///< a line of [run]

/// The head of a case's text: 10 s in a box of cubic cells [m]; two numbers of cells make it 2-D. `run` is more of
/// [run].
template <std::size_t dimension>
std::string case_text(const int (&cells)[dimension], double cell_size, const std::string& run = "") {
  return fmt::format("[run]\nend_time = 10\n{}[domain]\ndimension = {}\ncells = [{}]\ncell_size = {}\n", run, dimension,
                     fmt::join(cells, ", "), cell_size);
}

}  // namespace freshet::test
