// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/timers.hpp"
#include "freshet/io/json.hpp"
#include "freshet/parallel/communicator.hpp"

#include <string>
#include <vector>

namespace freshet {

/// Time by phase over all ranks.
class PhaseTable {
 public:
  struct Row {
    std::string name;
    std::int64_t calls = 0;
    double min = 0.0, average = 0.0, max = 0.0;  ///< over ranks [s]
  };

  explicit PhaseTable(std::vector<Row> rows) : rows_(std::move(rows)) {}
  const std::vector<Row>& rows() const { return rows_; }
  double total() const;  ///< sum of the averages [s]
  std::vector<std::string> text_lines() const;
  void append_to(JsonWriter& json) const;  ///< as an array of objects: name, calls, min, avg, max

 private:
  std::vector<Row> rows_;
};

/// \pre every rank has opened the same phases in the same order. Parallel: collective
PhaseTable gather_phases(const Communicator& comm, const Timers& timers);

}  // namespace freshet
