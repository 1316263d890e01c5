// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/diagnostics/extremes.hpp"
#include "freshet/driver/cadence.hpp"
#include "freshet/driver/checkpoint_clock.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/run_output.hpp"
#include "freshet/driver/signals.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/driver/start.hpp"
#include "freshet/parallel/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace freshet {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Requests to a run between two steps. Each rank brings its own; the last reduction of a step makes them the same on
/// all ranks.
struct Requests {
  double signal = 0.0;     ///< the largest SignalRequest
  bool stop_file = false;  ///< this and the others: asked for by the root rank alone
  bool out_of_time = false;
  bool checkpoint_due = false;  ///< by wall-clock time
  bool output_failed = false;

  bool has(SignalRequest request) const { return static_cast<SignalRequest>(static_cast<int>(signal)) == request; }
  void add_to(Reduction& reduction) {
    reduction.max(signal);
    for (bool* flag : {&stop_file, &out_of_time, &checkpoint_due, &output_failed}) reduction.any(*flag);
  }
};

/// Owns time: chooses dt, advances, writes by cadence, and stops at the end of the run or on request.
class Runner {
 public:
  Runner(const Communicator& comm, const Parameters& parameters, const Signals& signals, RunOutput& output,
         Simulation& simulation)
      : comm_(comm),
        parameters_(parameters),
        signals_(signals),
        output_(output),
        simulation_(simulation),
        cadence_(parameters.output.interval, parameters.run.end_time),
        surface_cadence_(parameters.surface.interval, parameters.run.end_time),
        clock_(parameters.checkpoint, simulation.step(), simulation.time()) {}

  ExitCode run() {
    const bool at_start = simulation_.step() == 0;
    if (at_start && parameters_.output.interval > 0.0) output_.snapshot(simulation_);
    if (at_start && parameters_.surface.interval > 0.0) output_.surface(simulation_);
    if (at_end()) output_.log().info("the run had come to its end before; nothing is left to do");
    while (!at_end()) {
      Requests requests;
      const Landing landing = advance(requests);
      if (requests.output_failed) output_.report_failure();
      const std::string why = at_end() ? "" : reason_to_stop(requests);
      if (landing.at_snapshot || at_end()) output_.snapshot(simulation_);
      if (parameters_.surface.interval > 0.0 && (landing.at_surface || at_end())) output_.surface(simulation_);
      const bool wanted = requests.checkpoint_due || requests.has(SignalRequest::checkpoint) ||
                          clock_.is_due(simulation_.step(), simulation_.time());
      if (at_end() || wanted || !why.empty()) checkpoint();
      if (!why.empty()) {
        output_.log().warn("stopped early: {}. Go on with --restart auto", why);
        output_.finish(simulation_, "stopped early");
        return ExitCode::stopped_early;
      }
    }
    if (is_empty())
      output_.log().warn("no particle is left: all of them crossed open faces or met sinks. The run ends here");
    output_.finish(simulation_, "done");
    return ExitCode::done;
  }

 private:
  /// The output times that a step landed on.
  struct Landing {
    bool at_snapshot = false;
    bool at_surface = false;
  };

  /// One step. \param[out] requests  as its last reduction found them
  Landing advance(Requests& requests) {
    const auto start = std::chrono::steady_clock::now();
    const double snapshot = cadence_.next(simulation_.time());
    const double surface = surface_cadence_.next(simulation_.time());
    const double target = std::min(snapshot, surface);
    const double largest = simulation_.largest_dt();
    if (largest < parameters_.time.min_dt || simulation_.time() + largest == simulation_.time())
      throw RunError(
          fmt::format("the time step fell to {:.2e} s in step {} (largest speed {:.3g} m/s; time.min_dt is "
                      "{:.2e} s). {} The flow has blown up, or time.min_dt is too large for this cell size",
                      largest, simulation_.step() + 1, simulation_.report().sums.max_speed, parameters_.time.min_dt,
                      describe_fastest_particle(simulation_.particles(), simulation_.layout())));
    const double before = simulation_.time();
    const double dt = Cadence::cut(largest, before, target);
    const auto ask = [&](Reduction& reduction) {
      requests = requests_here();
      requests.add_to(reduction);
    };
    const bool taken = simulation_.advance(dt, ask).dt == dt;
    const bool lands = taken && (before + dt >= target || dt == target - before);
    if (lands) simulation_.set_time(target);
    const double seconds = seconds_since(start);
    longest_step_ = std::max(longest_step_, seconds);
    output_.step(simulation_.report(), simulation_, seconds);
    return {lands && Cadence::is_same_time(target, snapshot), lands && Cadence::is_same_time(target, surface)};
  }

  Requests requests_here() {
    Requests requests;
    requests.signal = static_cast<double>(signals_.take());
    if (comm_.is_root()) {
      requests.stop_file = output_.stop_file_exists();
      requests.out_of_time = out_of_time();
      requests.checkpoint_due = clock_.is_due_by_wall(seconds_since(start_));
      requests.output_failed = output_.has_failed();
    }
    return requests;
  }

  /// True if 1.5 times the longest step plus 1.5 times the longest checkpoint no longer fits into run.max_wall_time.
  bool out_of_time() const {
    const double limit = parameters_.run.max_wall_time;
    const double checkpoint = longest_checkpoint_ > 0.0 ? longest_checkpoint_ : expected_checkpoint();
    return limit > 0.0 && seconds_since_program_start() + 1.5 * (longest_step_ + checkpoint) > limit;
  }

  /// Estimated time of a first checkpoint, at 200 MB/s. [s]
  double expected_checkpoint() const {
    constexpr double bytes_per_second = 2e8;
    const auto particles = static_cast<double>(simulation_.report().particles);
    return particles * static_cast<double>(simulation_.particles().bytes_per_particle()) / bytes_per_second;
  }

  void checkpoint() {
    const auto start = std::chrono::steady_clock::now();
    output_.checkpoint(simulation_);
    longest_checkpoint_ = std::max(longest_checkpoint_, seconds_since(start));
    clock_.written(simulation_.step(), simulation_.time(), seconds_since(start_));
  }

  bool at_end() const {
    const bool step_limit = parameters_.run.max_steps > 0 && simulation_.step() >= parameters_.run.max_steps;
    return simulation_.time() >= cadence_.end_time() || step_limit || (is_empty() && !simulation_.awaits_liquid());
  }

  bool is_empty() const { return simulation_.report().particles == 0; }

  /// Why the run must stop before its end; empty if it need not.
  static std::string reason_to_stop(const Requests& requests) {
    if (requests.has(SignalRequest::stop)) return "signal";
    if (requests.stop_file) return "a file STOP in the output directory";
    return requests.out_of_time ? "run.max_wall_time" : "";
  }

  const Communicator& comm_;
  const Parameters& parameters_;
  const Signals& signals_;
  RunOutput& output_;
  Simulation& simulation_;
  Cadence cadence_;
  Cadence surface_cadence_;
  CheckpointClock clock_;
  double longest_step_ = 0.0;        ///< of wall-clock time, on this rank [s]
  double longest_checkpoint_ = 0.0;  ///< likewise [s]
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Simulation make_simulation(const Communicator& comm, const Parameters& parameters, Start& start) {
  if (start.state) return Simulation(comm, parameters, std::move(*start.state));
  return Simulation(comm, parameters);
}

}  // namespace

int run_command(const Communicator& comm, const RunOptions& options) {
  const Signals signals;  // from here on a signal ends nothing unasked
  const Parameters parameters = load_parameters(comm, options.input, options.overrides);
  std::unique_ptr<DirectoryLock> lock = lock_earlier_run(comm, options.output_dir);
  Start start = choose_start(comm, options, parameters);
  Simulation simulation = make_simulation(comm, parameters, start);
  if (options.prepare) options.prepare(simulation);
  RunOutput output(comm, options.output_dir, parameters, start.existing, simulation.numbers(), std::move(lock));
  output.start(simulation, start);
  try {
    return static_cast<int>(Runner(comm, parameters, signals, output, simulation).run());
  } catch (const Error& failure) {  // thrown on every rank
    try {
      if (failure.code() == ExitCode::solver) output.failure_snapshot(simulation);
      output.finish(simulation, "failed");
    } catch (const Error&) {
      // a full disk may refuse these files as well; the first failure is reported
    }
    throw failure;
  } catch (const std::exception& failure) {  // perhaps on this rank alone: nothing is destroyed that others work with
    abort_job(comm, failure);
  }
}

}  // namespace freshet
