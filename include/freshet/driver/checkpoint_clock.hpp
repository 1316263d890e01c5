// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/output_options.hpp"

#include <cstdint>

namespace freshet {

/// Says when a checkpoint is due: by steps, by simulated time or by wall-clock time, whichever comes first. The first
/// step at or beyond a simulated time writes the checkpoint, so that checkpoints change no step.
class CheckpointClock {
 public:
  /// \param[in] step, time  where the run begins [s]
  CheckpointClock(const CheckpointOptions& parameters, std::int64_t step, double time)
      : parameters_(parameters), step_(step), time_(time) {}

  /// Whether a checkpoint is due by steps or by simulated time; the same on all ranks.
  bool is_due(std::int64_t step, double time) const;
  /// Whether a checkpoint is due by wall-clock time. \param[in] seconds  since the run began [s]
  bool is_due_by_wall(double seconds) const;
  /// Note that a checkpoint of this state has been written.
  void written(std::int64_t step, double time, double seconds);

 private:
  CheckpointOptions parameters_;
  std::int64_t step_;
  double time_;
  double seconds_ = 0.0;
};

}  // namespace freshet
