// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/memory_report.hpp"

#include "freshet/core/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace freshet {

double MemoryReport::bytes_per_particle() const {
  const GlobalIndex bytes_held = bytes[static_cast<std::size_t>(MemoryKind::particles)];
  return particles > 0 ? static_cast<double>(bytes_held) / static_cast<double>(particles) : 0.0;
}

double MemoryReport::bytes_per_cell() const {
  const GlobalIndex rest = total - bytes[static_cast<std::size_t>(MemoryKind::particles)];
  const GlobalIndex cells = owned_cells + ghost_cells;
  return cells > 0 ? static_cast<double>(rest) / static_cast<double>(cells) : 0.0;
}

std::string MemoryReport::text() const {
  std::string text;
  for (std::size_t kind = 0; kind < bytes.size(); ++kind)
    text += fmt::format("{} {:.1f} MB, ", memory_kind_name(static_cast<MemoryKind>(kind)),
                        static_cast<double>(bytes[kind]) / 1e6);
  return text + fmt::format("largest rank {:.1f} MB; {:.0f} B a particle, {:.0f} B a cell ({} owned, {} ghost)",
                            static_cast<double>(largest_rank) / 1e6, bytes_per_particle(), bytes_per_cell(),
                            owned_cells, ghost_cells);
}

MemoryReport measure_memory(const BlockLayout& layout, GlobalIndex local_particles) {
  static_assert(n_memory_kinds == std::tuple_size_v<decltype(MemoryReport::bytes)>);
  const Communicator& comm = layout.comm();
  std::array<GlobalIndex, n_memory_kinds + 3> sums{};
  for (int kind = 0; kind < n_memory_kinds; ++kind) {
    sums[static_cast<std::size_t>(kind)] = memory_in_use(static_cast<MemoryKind>(kind));
  }
  sums[n_memory_kinds] = static_cast<GlobalIndex>(layout.n_owned()) * layout.cells_per_block();
  sums[n_memory_kinds + 1] = static_cast<GlobalIndex>(layout.n_ghost()) * layout.cells_per_block();
  sums[n_memory_kinds + 2] = local_particles;
  comm.sum_in_place(sums);
  MemoryReport report;
  std::copy_n(sums.begin(), n_memory_kinds, report.bytes.begin());
  report.total = std::accumulate(report.bytes.begin(), report.bytes.end(), GlobalIndex{0});
  report.largest_rank = comm.max(static_cast<GlobalIndex>(memory_in_use()));
  report.owned_cells = sums[n_memory_kinds];
  report.ghost_cells = sums[n_memory_kinds + 1];
  report.particles = sums[n_memory_kinds + 2];
  return report;
}

}  // namespace freshet
