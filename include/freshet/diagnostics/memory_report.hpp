// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"

#include <array>
#include <string>

namespace freshet {

/// Bytes of freshet's own arrays, which its allocators count. All ranks have the same report.
struct MemoryReport {
  std::array<GlobalIndex, 5> bytes{};  ///< sum over all ranks for each MemoryKind
  GlobalIndex total = 0;               ///< sum over all kinds and ranks
  GlobalIndex largest_rank = 0;
  GlobalIndex owned_cells = 0;  ///< allocated cells in owned blocks, all ranks
  GlobalIndex ghost_cells = 0;  ///< copies of cells on other ranks, all ranks
  GlobalIndex particles = 0;

  double bytes_per_particle() const;  ///< particle arrays / particles
  double bytes_per_cell() const;      ///< bytes of all other arrays / allocated cells, owned and ghost
  std::string text() const;           ///< the report in one line
};

/// Measure the memory in use now. Parallel: collective
MemoryReport measure_memory(const BlockLayout& layout, GlobalIndex local_particles);

}  // namespace freshet
