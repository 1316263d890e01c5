// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <vector>

namespace freshet::test {

const std::string reproducible = "reproducible = true\n";  ///< a line of [run]

/// Pressure 0 at the centres of the cells of air next to the liquid, where a test's figures take it to be.
const std::string at_voxels = "[labels]\nsurface = \"voxels\"\n";

/// Walls that hold the liquid, for tests whose figures have it so.
const std::string sticky_walls = "[pressure.walls]\ncondition = \"sticky\"\n";
/// Particles that only the flow moves, for tests of that motion.
const std::string uncorrected = "[density]\ncorrection = \"off\"\n";

/// The head of a case's text: a box of cubic cells [m], in 2-D with two numbers of them. `run` is more of [run], whose
/// end_time advance() does not heed.
template <std::size_t dimension>
std::string case_text(const int (&cells)[dimension], double cell_size, const std::string& run = "") {
  return fmt::format("[run]\nend_time = 10\n{}[domain]\ndimension = {}\ncells = [{}]\ncell_size = {}\n", run, dimension,
                     fmt::join(cells, ", "), cell_size);
}

/// A part of a case's text: its box is periodic along all axes and full of liquid, without gravity. The last table is
/// that of the liquid, so that a velocity may follow.
inline std::string full_periodic_box(int dimension) {
  std::string text = "[domain.boundary]\n";
  for (int d = 0; d < dimension; ++d)
    text += fmt::format("{0}_low = \"periodic\"\n{0}_high = \"periodic\"\n", "xyz"[d]);
  const auto vector = [dimension](int value) {
    return fmt::format("[{}]\n", fmt::join(std::vector<int>(static_cast<std::size_t>(dimension), value), ", "));
  };
  return text + "[fluid]\ngravity = " + vector(0) + "[[liquid]]\nshape = \"box\"\nlower = " + vector(-1) +
         "upper = " + vector(10);
}

}  // namespace freshet::test
