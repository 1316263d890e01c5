// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/step_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {

StepTrials::Verdict StepTrials::judge(const std::string& failure, double displacement) {
  reason_ = failure;
  if (reason_.empty() && !std::isfinite(displacement)) reason_ = "the velocity is not a number";
  if (reason_.empty() && displacement > options_.runaway)
    reason_ = fmt::format("the velocity would move particles by {:.3g} cells (time.runaway_cfl is {:g})", displacement,
                          options_.runaway);
  const bool is_finite = std::isfinite(displacement);
  speed_ = failure.empty() && is_finite ? displacement / dt_ : std::numeric_limits<double>::infinity();
  if (!reason_.empty()) {
    const bool overshoots = failure.empty() && is_finite;
    return retry(overshoots ? predicted_dt() : 0.5 * dt_, Verdict::failed);
  }
  const bool is_no_better = displacement > 0.9 * last_displacement_;  // it hardly decreased with dt
  is_overlong_ = displacement > options_.limit;
  if (!is_overlong_ || is_no_better) return Verdict::accepted;
  last_displacement_ = displacement;
  reason_ = fmt::format("the velocity would move particles by {:.3g} cells where {:.3g} are wanted", displacement,
                        options_.wanted);
  return retry(predicted_dt(), Verdict::accepted);
}

/// The dt at which (u + a dt) dt equals the wanted displacement; u + a dt is the line through the speeds of the last
/// two trials. [s]
double StepTrials::predicted_dt() const {
  const double a = std::max(0.0, (speed_ - last_speed_) / (dt_ - last_dt_));
  const double u = std::max(0.0, speed_ - a * dt_);
  return 2.0 * options_.wanted / (u + std::sqrt(u * u + 4.0 * a * options_.wanted));
}

StepTrials::Verdict StepTrials::retry(double next_dt, Verdict otherwise) {
  if (retries_ >= options_.max_retries || next_dt < options_.min_dt) return otherwise;
  ++retries_;
  if (std::isfinite(speed_)) {
    last_dt_ = dt_;
    last_speed_ = speed_;
  }
  dt_ = next_dt;
  return Verdict::again;
}

}  // namespace freshet
