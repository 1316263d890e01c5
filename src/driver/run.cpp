// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/driver/cadence.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/run_output.hpp"
#include "freshet/driver/signals.hpp"
#include "freshet/driver/simulation.hpp"

#include <fmt/format.h>

#include <chrono>

namespace freshet {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Owns time: chooses dt, advances, writes by cadence, and stops when it is done or told to.
class Runner {
 public:
  Runner(const Communicator& comm, const Parameters& parameters, RunOutput& output, Simulation& simulation)
      : comm_(comm),
        parameters_(parameters),
        output_(output),
        simulation_(simulation),
        cadence_(parameters.output.interval, parameters.run.end_time) {}

  ExitCode run() {
    if (parameters_.output.interval > 0.0) output_.snapshot(simulation_);
    while (simulation_.time() < cadence_.end_time() && !step_limit_reached() && !is_empty()) {
      const bool at_output = advance();
      const bool at_end = simulation_.time() >= cadence_.end_time() || step_limit_reached() || is_empty();
      const Wish wish = signals_.agreed(comm_);
      const std::string why = at_end ? "" : reason_to_stop(wish);
      if (at_output || at_end || wish == Wish::output || !why.empty()) output_.snapshot(simulation_);
      if (!why.empty()) {
        output_.log().warn("stopped early: {}", why);
        output_.finish(simulation_, "stopped early");
        return ExitCode::stopped_early;
      }
    }
    if (is_empty()) output_.log().warn("no particle is left: all of them crossed open faces. The run ends here");
    output_.finish(simulation_, "done");
    return ExitCode::done;
  }

 private:
  /// One step. \return true if it landed on an output time
  bool advance() {
    const auto start = std::chrono::steady_clock::now();
    const double target = cadence_.next(simulation_.time());
    const double largest = simulation_.largest_dt();
    if (largest < parameters_.time.min_dt)
      throw RunError(
          fmt::format("the time step fell to {:.2e} s in step {} (largest speed {:.3g} m/s; time.min_dt is "
                      "{:.2e} s). The flow has blown up, or time.min_dt is too large for this cell size",
                      largest, simulation_.step() + 1, simulation_.report().sums.max_speed, parameters_.time.min_dt));
    const double dt = Cadence::cut(largest, simulation_.time(), target);
    const bool lands = simulation_.time() + dt >= target || dt == target - simulation_.time();
    simulation_.advance(dt);
    if (lands) simulation_.set_time(target);
    output_.step(simulation_.report(), simulation_, seconds_since(start));
    return lands;
  }

  bool step_limit_reached() const {
    return parameters_.run.max_steps > 0 && simulation_.step() >= parameters_.run.max_steps;
  }

  bool is_empty() const { return simulation_.report().particles == 0; }

  /// Why the run must stop before its end; empty if it need not. The same on all ranks.
  std::string reason_to_stop(Wish wish) const {
    if (wish == Wish::stop) return "signal";
    if (output_.stop_file_exists()) return "a file STOP in the output directory";
    const double limit = parameters_.run.max_wall_time;
    if (limit > 0.0 && comm_.any(seconds_since(start_) > limit)) return "run.max_wall_time";
    return "";
  }

  const Communicator& comm_;
  const Parameters& parameters_;
  RunOutput& output_;
  Simulation& simulation_;
  Cadence cadence_;
  Signals signals_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

int run_command(const Communicator& comm, const RunOptions& options) {
  const Parameters parameters = load_parameters(comm, options.input, options.overrides);
  Simulation simulation(comm, parameters);
  RunOutput output(comm, options.output_dir, parameters,
                   options.force ? RunOutput::Existing::replace : RunOutput::Existing::refuse);
  output.start(simulation);
  try {
    return static_cast<int>(Runner(comm, parameters, output, simulation).run());
  } catch (const Error& failure) {  // thrown on every rank
    try {
      if (failure.code() == ExitCode::solver) output.failure_snapshot(simulation);
      output.finish(simulation, "failed");
    } catch (const Error&) {
      // a full disk cannot take the state or the end either; what is told is the first failure
    }
    throw failure;
  }
}

}  // namespace freshet
