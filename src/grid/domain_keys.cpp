// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/domain_options.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {

keys::Keys keys_of(DomainOptions& domain) {
  using namespace keys;
  Keys rows = {
      {"dimension", number(domain.dimension, {2, 3}), "", "Number of space dimensions."},
      {"cells", cells(domain.cells, {1, 1 << 20}), "",
       "Number of cells along each axis. In 2-D the third number is 1 or left out.", required},
      {"cell_size", number(domain.cell_size, above(0.0)), "m", "Edge length of a cell, the same along every axis.",
       required},
      {"origin", vector(domain.origin, ThirdEntry::zero), "m", "Low corner of the domain."},
  };
  append(rows, keys_of(domain.wall_roughness));
  const auto condition = [&domain](std::size_t axis, std::size_t side) {
    std::vector<std::string> names = wall_model_names();
    names.insert(names.end(), {"periodic", "open"});
    return choice(domain.boundary[axis][side], names);
  };
  append(rows, in_table("boundary", side_keys("Boundary condition", condition)));
  return rows;
}

void check_coordinates(const DomainOptions& domain, const keys::Table& table) {
  const Vec3 upper = domain.origin + domain.cells.cast<double>() * domain.cell_size;
  const double farthest = std::max(domain.origin.cwiseAbs().maxCoeff(), upper.cwiseAbs().maxCoeff());
  constexpr double steps_within_a_cell = 1e6;  // as fine as single precision in a block
  const double spacing = farthest * std::numeric_limits<double>::epsilon();
  if (std::isfinite(farthest) && spacing * steps_within_a_cell <= domain.cell_size) return;
  table.refuse("domain.cell_size",
               "a cell of " + keys::number_text(domain.cell_size) + " m cannot be placed at coordinates of " +
                   keys::number_text(farthest) + " m",
               "64-bit numbers are too coarse there to tell points of one cell apart",
               "Move domain.origin nearer to 0, or change the cell size");
}

void check_periodic_axis(const DomainOptions& domain, int axis, const keys::Table& table) {
  constexpr int block_cells = 8;  // cells along an axis
  const auto a = static_cast<std::size_t>(axis);
  const auto& sides = domain.boundary[a];
  const bool low = sides[0] == FaceCondition::periodic;
  if (!low && sides[1] != FaceCondition::periodic) return;
  const std::string given = "domain.boundary." + keys::side_name(a, low ? 0 : 1);
  const std::string other = "domain.boundary." + keys::side_name(a, low ? 1 : 0);
  table.require(sides[0] == sides[1], given, "is periodic but '" + other + "' is not",
                "what leaves one side enters the other", "Make both periodic, or neither");
  if (domain.cells[axis] % block_cells != 0)
    table.refuse("domain.cells", fmt::format("{} cells along the periodic axis {}", domain.cells[axis], "xyz"[axis]),
                 fmt::format("a periodic axis takes a multiple of {}", block_cells), "Change domain.cells");
}

}  // namespace freshet
