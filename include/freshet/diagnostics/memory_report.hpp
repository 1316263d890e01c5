// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"

#include <array>
#include <string>

namespace freshet {

/// Bytes of freshet's own arrays, counted by its allocators. All ranks have the same report.
struct MemoryReport {
  std::array<GlobalIndex, 5> bytes{};  ///< by MemoryKind, all ranks
  GlobalIndex total = 0;               ///< all ranks
  GlobalIndex largest_rank = 0;
  GlobalIndex owned_cells = 0;  ///< allocated cells in owned blocks, all ranks
  GlobalIndex ghost_cells = 0;  ///< their copies on other ranks
  GlobalIndex particles = 0;

  double bytes_per_particle() const;  ///< particle arrays / particles
  double bytes_per_cell() const;      ///< everything else / allocated cells, owned and ghost
  std::string text() const;           ///< one line
};

/// Parallel: collective
MemoryReport measure_memory(const BlockLayout& layout, GlobalIndex local_particles);

}  // namespace freshet
