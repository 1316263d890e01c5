// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

namespace freshet {

/// Decides how often, and with which dt, the first half of a step is tried.
///
/// The first half of a step, up to the extrapolated velocity, changes no particle, so it can be begun again without a
/// copy of them. Its outcome is judged before a particle moves:
///   - it failed (the solver did not converge, or the velocity is not a number): dt is halved;
///   - its largest displacement exceeds `limit`: the step is too long for the velocity that the projection found. dt is
///     predicted from the line u(dt) through the speeds of the last two trials, at first through the speed before the
///     step: exact where liquid is accelerated evenly, as under a pressure that sets in, and from the second time on
///     also at an impact, whose projected velocity does not depend on dt;
///   - otherwise the step is accepted.
/// After max_retries, or where a smaller dt has not made it smaller, a displacement between `limit` and `runaway` is
/// accepted as an overlong step; one beyond `runaway`, and a failure, end the run.
class StepTrials {
 public:
  struct Options {
    double wanted = 1.0;    ///< displacement that dt was chosen for [cells]
    double limit = 1.5;     ///< largest displacement that is accepted at once [cells]
    double runaway = 25.0;  ///< displacement beyond which a trial is a failure [cells]
    double min_dt = 0.0;    ///< lower bound of dt [s]
    int max_retries = 4;
  };
  enum class Verdict { accepted, again, failed };

  /// \param[in] dt     length of the first trial [s]
  /// \param[in] speed  largest speed before the step [cells/s]
  StepTrials(const Options& options, double dt, double speed) : options_(options), dt_(dt), last_speed_(speed) {}

  double dt() const { return dt_; }                      ///< length of the present trial [s]
  int retries() const { return retries_; }               ///< number of trials before the present one
  bool is_overlong() const { return is_overlong_; }      ///< accepted although its displacement exceeds `limit`
  const std::string& reason() const { return reason_; }  ///< why the last trial was not accepted at once

  /// Judge the present trial; after Verdict::again dt() is the length of the next one.
  /// \param[in] failure       why the trial failed; empty if it did not
  /// \param[in] displacement  largest one along an axis by the velocity in dt() [cells]; may be infinite
  Verdict judge(const std::string& failure, double displacement);

 private:
  Verdict retry(double next_dt, Verdict otherwise);
  double predicted_dt() const;

  Options options_;
  double dt_;
  double speed_ = 0.0;    ///< largest speed in the present trial [cells/s]
  double last_dt_ = 0.0;  ///< length of the previous trial; at first 0 [s]
  double last_speed_;     ///< [cells/s]
  double last_displacement_ = std::numeric_limits<double>::infinity();  ///< in the previous trial [cells]
  int retries_ = 0;
  bool is_overlong_ = false;
  std::string reason_;
};

/// A step is begun again if its largest displacement exceeds the wanted one by this factor.
constexpr double tolerated_overshoot = 1.5;

}  // namespace freshet
