// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/phase_table.hpp"

#include <fmt/format.h>

namespace freshet {

double PhaseTable::total() const {
  double sum = 0.0;
  for (const Row& row : rows_) sum += row.average;
  return sum;
}

double PhaseTable::of_steps() const {
  double sum = 0.0;
  for (const Row& row : rows_)
    if (row.name != start_phase) sum += row.average;
  return sum;
}

std::vector<std::string> PhaseTable::text_lines() const {
  std::vector<std::string> lines{
      fmt::format("{:<14}{:>10}{:>12}{:>12}{:>12}{:>9}", "phase", "calls", "min [s]", "avg [s]", "max [s]", "share")};
  const double sum = total();
  for (const Row& row : rows_)
    lines.push_back(fmt::format("{:<14}{:>10}{:>12.3f}{:>12.3f}{:>12.3f}{:>8.1f}%", row.name, row.calls, row.min,
                                row.average, row.max, sum > 0.0 ? 100.0 * row.average / sum : 0.0));
  return lines;
}

PhaseTable gather_phases(const Communicator& comm, const Timers& timers) {
  std::vector<PhaseTable::Row> rows;
  for (const Timers::Phase& phase : timers.phases()) {
    PhaseTable::Row row{phase.name, phase.calls, comm.min(phase.seconds), comm.sum(phase.seconds) / comm.size(),
                        comm.max(phase.seconds)};
    for (std::size_t n = 0; n < phase.work.size(); ++n) {
      row.mean_work[n] = static_cast<double>(comm.sum(phase.work[n])) / comm.size();
      row.most_work[n] = comm.max(phase.work[n]);
    }
    rows.push_back(row);
  }
  return PhaseTable(std::move(rows));
}

}  // namespace freshet
