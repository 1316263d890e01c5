// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace freshet {

/// Why a run writes its state.
enum class OutputOccasion {
  output_time,  ///< the state is the nearest to a multiple of the interval, or somebody asked for it
  end           ///< the run ends here, between two multiples
};

/// Numbers the files of one kind that a run writes, from 0 on in the order of their times. A file that is there only
/// because the run ended gives its number to the next one if the run goes on after all: then the files are the same as
/// of a run that never ended there.
struct OutputCount {
  std::int64_t written = 0;   ///< files so far
  std::int64_t end_step = 0;  ///< step of the last file if it was written because the run ended; 0: it was not

  bool replaces_last(std::int64_t step) const { return written > 0 && end_step > 0 && step > end_step; }
  /// Number of the file that would be written after a step.
  std::int64_t next(std::int64_t step) const { return written - (replaces_last(step) ? 1 : 0); }
  /// The file of next(step) has been written.
  void add(std::int64_t step, OutputOccasion occasion) {
    written = next(step) + 1;
    end_step = occasion == OutputOccasion::end ? step : 0;
  }
};

}  // namespace freshet
