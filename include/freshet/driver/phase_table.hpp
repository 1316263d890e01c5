// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/timers.hpp"
#include "freshet/parallel/communicator.hpp"

#include <array>
#include <string>
#include <vector>

namespace freshet {

/// Name of the phase that holds all that a run does before its first step.
constexpr const char* start_phase = "start";

/// Time and work by phase over all ranks.
class PhaseTable {
 public:
  struct Row {
    std::string name;
    std::int64_t calls = 0;
    double min = 0.0, average = 0.0, max = 0.0;  ///< over ranks [s]
    std::array<double, n_works> mean_work = {};  ///< mean over ranks
    WorkCounts most_work = {};                   ///< maximum over ranks
  };

  explicit PhaseTable(std::vector<Row> rows) : rows_(std::move(rows)) {}
  const std::vector<Row>& rows() const { return rows_; }
  double total() const;     ///< sum of the averages [s]
  double of_steps() const;  ///< sum of the averages of all phases but start_phase [s]
  std::vector<std::string> text_lines() const;

 private:
  std::vector<Row> rows_;
};

/// \pre every rank has opened the same phases in the same order. Parallel: collective
PhaseTable gather_phases(const Communicator& comm, const Timers& timers);

}  // namespace freshet
