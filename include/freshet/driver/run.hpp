// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/core/waiting.hpp"
#include "freshet/driver/cadence.hpp"
#include "freshet/driver/checkpoint_clock.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/run_output.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/parallel/communicator.hpp"

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace freshet {

/// Limits of one step that a caller adds to those of the case.
struct StepLimits {
  double dt = std::numeric_limits<double>::infinity();    ///< largest dt [s]
  double time = std::numeric_limits<double>::infinity();  ///< time on which steps land exactly [s]
};

/// A step as a run has planned it.
struct StepPlan {
  double dt = 0.0;                                   ///< [s]
  double before = 0.0;                               ///< time at the start of the step [s]
  double target = 0.0;                               ///< next time on which a step lands exactly [s]
  std::chrono::steady_clock::time_point start = {};  ///< wall-clock time at the start
};

/// A run of a case. It owns time: it chooses dt, advances the simulation, writes by cadence, and stops at the end of
/// the case or on request. The program and the Python package both drive this class.
///
/// Functions that are not const are collective. Functions that take steps catch signals meanwhile; see Signals. An
/// Error that they throw has ended the run, and the output says so.
class Run {
 public:
  /// Reads the files that the case names, and restarts as the options say.
  /// \param[in] options  an empty output_dir: nothing is written. `input` and `overrides` are not read
  /// Errors: InputError, FileError
  Run(const Communicator& comm, const Parameters& parameters, const RunOptions& options);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Simulation& simulation() { return *simulation_; }
  const Simulation& simulation() const { return *simulation_; }
  const Parameters& parameters() const { return parameters_; }
  double last_step_seconds() const { return last_step_; }  ///< wall-clock time of the last step, on this rank [s]

  /// Take steps up to the end of the case or a request to stop.
  ExitCode run();
  /// Take one step and write the output that is due before and after it. The run's last step finishes the output.
  /// \pre not is_over()
  const StepReport& step(const StepLimits& limits = {});
  // A step whose sub-steps the caller takes: begin_step(), Simulation::begin_step() and its sub-steps, end_step().
  StepPlan begin_step(const StepLimits& limits = {});
  /// Call Simulation::end_step() and write the output that is due. \param[in] dt  length that the sub-steps used [s]
  const StepReport& end_step(const StepPlan& plan, double dt);
  bool is_over() const;  ///< the end of the case has been reached
  /// Why the run was asked to stop after the last step: "signal", ...; empty if it was not.
  const std::string& stop_reason() const { return stop_reason_; }
  /// End a run that the caller leaves early or after an error: write a checkpoint, if the state lies between two steps
  /// and has changed since the last one, and the status of run.json. Nothing happens to a run that has ended.
  /// \param[in] failed  the caller knows of a failure
  void leave(bool failed);
  /// Write the status of run.json without a checkpoint, from this rank alone. Local
  void leave_alone(bool failed) noexcept;
  /// Stop after the present step as a signal would: finish the output so that a restart can go on.
  void stop(const std::string& why);
  bool has_output() const { return output_ != nullptr; }
  void snapshot();    ///< \pre has_output()
  void checkpoint();  ///< \pre has_output()

  /// Give keys other values between two steps, as "key=value"; the simulation restarts in memory. Legal keys are those
  /// that may differ at a restart, but for [output], and the list `changeable` in run_change.cpp.
  /// Errors: InputError, which leaves everything as it was
  void change(const std::vector<std::string>& overrides);

 private:
  struct Requests;
  void begin();
  void take_step(const StepLimits& limits);
  void land(const StepPlan& plan);
  double served_by_now() const;
  void write_due_output();
  void warn_of_shared_states(const Cadence& cadence, const char* interval, double until);
  std::function<void(Reduction&)> asking(Requests& requests);
  ExitCode finish();
  void end_output(const std::string& status);
  /// Call f(); if it throws, finish the output and throw again.
  void guarded(const std::function<void()>& f);
  StepPlan plan(const StepLimits& limits) const;
  void settle(const StepPlan& plan, const Requests& requests);
  Requests requests_here();
  void choose_waiting(double shortage);
  bool out_of_time() const;
  double expected_checkpoint() const;
  bool is_empty() const { return simulation_->report().particles == 0; }

  const Communicator& comm_;
  Parameters parameters_;
  std::function<void(Simulation&)> prepare_;
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<RunOutput> output_;  ///< null: nothing is written
  Cadence cadence_;
  Cadence surface_cadence_;
  double served_ = 0.0;  ///< output times up to this one have been written [s]; 0: not known yet
  CheckpointClock clock_;
  bool has_begun_ = false;
  bool has_warned_of_interval_ = false;
  bool has_warned_of_shortage_ = false;
  CoreShortage core_shortage_;
  std::string stop_reason_;
  std::string status_ = "running";   ///< the status in run.json
  std::int64_t first_step_ = 0;      ///< number of steps before this object was made
  double last_step_ = 0.0;           ///< wall-clock time of the last step on this rank [s]
  double longest_step_ = 0.0;        ///< longest wall-clock time of a step on this rank [s]
  double longest_checkpoint_ = 0.0;  ///< longest wall-clock time of a checkpoint on this rank [s]
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace freshet
