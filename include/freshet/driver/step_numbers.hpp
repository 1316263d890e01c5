// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/run_numbers.hpp"
#include "freshet/driver/step_report.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace freshet {

/// The log's column of a number.
struct LogColumn {
  const char* heading = "";  ///< empty: not in the log
  int width = 0;
  const char* format = "";  ///< format of fmt without braces and width: ".2e"
  double factor = 1.0;      ///< the log shows factor * number
};

/// One number of a step, as steps.csv, the log, run.json and checkpoints read it.
struct StepNumber {
  using Integer = std::int64_t (*)(const StepReport&);
  using Real = double (*)(const StepReport&);
  using Total = std::optional<RunNumbers::Member>;

  const char* name;
  const char* unit;  ///< empty: dimensionless
  std::variant<Integer, Real> value;
  LogColumn log = {};
  /// Member that sums the number over the steps of a run, restarts included; run.json holds the sum.
  Total total = {};
};

/// All numbers of a step, in the order of the columns of steps.csv.
std::span<const StepNumber> step_numbers();

/// An event of some steps: run.json and checkpoints count these steps.
struct StepEvent {
  const char* name;
  bool (*happened)(const StepReport&);
  GlobalIndex RunNumbers::*count;
};
std::span<const StepEvent> step_events();

/// The number as text; reals read back to the same bits.
std::string text_of(const StepNumber& number, const StepReport& report);

/// The log's heading, and the line of a step; the log appends the remaining time to both.
std::string log_heading();
std::string log_line(const StepReport& report);

/// Add a step's numbers to their totals, and count its events.
void add_to_totals(const StepReport& report, RunNumbers& numbers);

}  // namespace freshet
