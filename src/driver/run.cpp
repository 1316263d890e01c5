// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/run.hpp"

#include "freshet/config/read.hpp"
#include "freshet/core/idle_threads.hpp"
#include "freshet/core/timers.hpp"
#include "freshet/diagnostics/extremes.hpp"
#include "freshet/driver/signals.hpp"
#include "freshet/driver/start.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace freshet {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::unique_ptr<Simulation> make_simulation(const Communicator& comm, const Parameters& parameters, Start& start) {
  if (start.state) return std::make_unique<Simulation>(comm, parameters, std::move(*start.state));
  return std::make_unique<Simulation>(comm, parameters);
}

}  // namespace

/// What is asked of a run between two steps. Each rank sets its own; the last reduction of a step makes them the same
/// on all ranks.
struct Run::Requests {
  double signal = 0.0;     ///< the largest SignalRequest
  bool stop_file = false;  ///< the root rank alone sets this and the other flags
  bool out_of_time = false;
  bool checkpoint_due = false;  ///< a checkpoint is due by wall-clock time
  bool output_failed = false;
  double core_shortage = 0.0;  ///< the largest CoreShortage::share() of a rank

  bool has(SignalRequest request) const { return static_cast<SignalRequest>(static_cast<int>(signal)) == request; }
  void add_to(Reduction& reduction) {
    reduction.max(signal);
    reduction.max(core_shortage);
    for (bool* flag : {&stop_file, &out_of_time, &checkpoint_due, &output_failed}) reduction.any(*flag);
  }
  /// Why the run must stop before its end; empty if it need not.
  std::string reason_to_stop() const {
    if (has(SignalRequest::stop)) return "signal";
    if (stop_file) return "a file STOP in the output directory";
    return out_of_time ? "run.max_wall_time" : "";
  }
};

Run::Run(const Communicator& comm, const Parameters& parameters, const RunOptions& options)
    : comm_(comm),
      parameters_(parameters),
      prepare_(options.prepare),
      cadence_(parameters.output.interval, parameters.run.end_time, parameters.output.start_time),
      surface_cadence_(parameters.surface.interval, parameters.run.end_time),
      clock_(parameters.checkpoint, 0, 0.0) {
  const bool writes = !options.output_dir.empty();
  std::unique_ptr<DirectoryLock> lock;
  if (writes) lock = lock_earlier_run(comm, options.output_dir);
  Start start = choose_start(comm, options, parameters_);
  simulation_ = make_simulation(comm, parameters_, start);
  if (prepare_) prepare_(*simulation_);
  clock_ = CheckpointClock(parameters_.checkpoint, simulation_->step(), simulation_->time());
  first_step_ = simulation_->step();
  served_ = simulation_->numbers().output_until;
  if (!writes) return;
  output_ = std::make_unique<RunOutput>(comm, options.output_dir, parameters_, start, simulation_->numbers(),
                                        std::move(lock));
  output_->start(*simulation_, start);
}

Run::~Run() = default;

ExitCode Run::run() {
  const Signals signals;  // signals are caught until the output is finished
  ExitCode code = ExitCode::done;
  guarded([&] {
    begin();
    if (is_over()) {
      if (output_) output_->log().info("the run had come to its end before; nothing is left to do");
    }
    while (!is_over() && stop_reason_.empty()) take_step({});
    code = finish();
  });
  return code;
}

const StepReport& Run::step(const StepLimits& limits) {
  const Signals signals;
  guarded([&] {
    begin();
    take_step(limits);
    if (is_over() || !stop_reason_.empty()) finish();
  });
  return simulation_->report();
}

StepPlan Run::begin_step(const StepLimits& limits) {
  StepPlan next;
  guarded([&] {
    begin();
    next = plan(limits);
  });
  return next;
}

const StepReport& Run::end_step(const StepPlan& plan, double dt) {
  guarded([&] {
    Requests requests;
    simulation_->end_step(dt, asking(requests));
    settle(plan, requests);
    if (is_over() || !stop_reason_.empty()) finish();
  });
  return simulation_->report();
}

void Run::stop(const std::string& why) {
  guarded([&] {
    begin();
    stop_reason_ = why;
    if (output_) checkpoint();
    finish();
  });
}

void Run::leave(bool failed) {
  if (!output_ || (status_ != "running" && status_ != "failed")) return;
  guarded([&] {
    const bool has_steps = simulation_->step() > first_step_;
    if (has_steps && simulation_->is_between_steps()) checkpoint();
    if (status_ == "failed") {
      output_->set_status(status_, *simulation_);
    } else {
      output_->log().warn(
          "the caller left the run before its end. Go on with --restart auto (inputs/troubleshooting.md#python)");
      end_output(failed ? "failed" : "stopped early");
    }
  });
}

void Run::leave_alone(bool failed) noexcept {
  if (!output_ || status_ != "running") return;
  status_ = failed ? "failed" : "stopped early";
  try {
    output_->set_status_here(status_, *simulation_);
  } catch (const std::exception&) {
    // the run ends for another reason, and its caller could not mend a failed write
  }
}

/// Finish the output, if there is one, with a status.
void Run::end_output(const std::string& status) {
  status_ = status;
  if (output_) output_->finish(*simulation_, status);
}

void Run::guarded(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& failure) {  // every rank throws it
    try {
      if (output_ && failure.code() == ExitCode::solver) output_->failure_snapshot(*simulation_);
      end_output("failed");
    } catch (const Error&) {
      // a full disk may refuse these files as well; the first failure is reported
    }
    throw;
  } catch (const std::exception& failure) {  // may be on this rank alone: abort before destructors run
    abort_job(comm_, failure);
  }
}

/// Write the output that is due before the first step.
void Run::begin() {
  stop_reason_.clear();
  if (status_ != "running" && output_ && !is_over()) output_->set_status(status_ = "running", *simulation_);
  if (std::exchange(has_begun_, true)) return;
  if (served_ == 0.0) served_ = served_by_now();
  if (!output_ || simulation_->step() > 0) return;
  if (parameters_.output.interval > 0.0 && parameters_.output.start_time == 0.0) output_->snapshot(*simulation_);
  if (parameters_.surface.interval > 0.0) output_->surface(*simulation_);
}

/// Take one step and write the output that is due after it.
void Run::take_step(const StepLimits& limits) {
  const StepPlan next = plan(limits);
  Requests requests;
  simulation_->advance(next.dt, asking(requests));
  settle(next, requests);
}

/// Returns what adds this rank's requests to the last reduction of a step. \param[out] requests  reduced over ranks
std::function<void(Reduction&)> Run::asking(Requests& requests) {
  return [&](Reduction& reduction) {
    requests = requests_here();
    requests.add_to(reduction);
  };
}

/// Write the row of a step that has been taken, and the output that is due.
void Run::settle(const StepPlan& plan, const Requests& requests) {
  land(plan);
  choose_waiting(requests.core_shortage);
  if (requests.output_failed) output_->report_failure();
  if (!is_over()) stop_reason_ = requests.reason_to_stop();
  if (!output_) return;
  write_due_output();
  const bool wanted = requests.checkpoint_due || requests.has(SignalRequest::checkpoint) ||
                      clock_.is_due(simulation_->step(), simulation_->time());
  if (is_over() || wanted || !stop_reason_.empty()) checkpoint();
}

/// Let the threads of this rank sleep while they wait if something else runs on their cores: a thread that spins on a
/// shared core takes time from the thread it waits for. \param[in] shortage  largest share of the time that a thread of
/// any rank has waited for a core
void Run::choose_waiting(double shortage) {
  constexpr double noticeable = 0.05, gone = 0.01;  // system services take less than `noticeable` of a core
  const double here = core_shortage_.share();
  if (here > noticeable) set_waiting(Waiting::sleeping);
  if (here < gone) set_waiting(Waiting::spinning);
  if (shortage < gone) let_ranks_meet(false);
  if (shortage < noticeable) return;
  let_ranks_meet(true);
  const int threads = ranks_on_this_machine() * omp_get_max_threads();
  const auto n_cores = static_cast<int>(std::thread::hardware_concurrency());
  if (!output_ || std::exchange(has_warned_of_shortage_, true) || threads > n_cores) return;
  output_->log().warn(
      "other processes run on the cores of this run: a thread waits {:.0f} % of the time for its core. Ranks and "
      "threads that wait for each other now leave their cores to them. Steps take as long as the slowest core needs"
      " (inputs/troubleshooting.md#slow)",
      100.0 * shortage);
}

ExitCode Run::finish() {
  const bool stopped = !stop_reason_.empty();
  if (output_) {
    if (stopped) {
      output_->log().warn("stopped early: {}. Go on with --restart auto (inputs/troubleshooting.md#slurm)",
                          stop_reason_);
    } else if (is_empty()) {
      output_->log().warn(
          "no particle is left: all of them crossed open faces or met sinks. The run ends here "
          "(inputs/troubleshooting.md#sources)");
    }
  }
  end_output(stopped ? "stopped early" : "done");
  return stopped ? ExitCode::stopped_early : ExitCode::done;
}

StepPlan Run::plan(const StepLimits& limits) const {
  const Simulation& simulation = *simulation_;
  StepPlan next;
  next.start = std::chrono::steady_clock::now();
  next.before = simulation.time();
  next.target = limits.time > simulation.time() ? std::min(limits.time, cadence_.end_time()) : cadence_.end_time();
  if (parameters_.output.times == OutputTimes::exact)
    for (const Cadence* cadence : {&cadence_, &surface_cadence_})
      next.target = std::min(next.target, cadence->next(std::max(simulation.time(), served_)));
  const double largest = simulation.largest_dt();
  if (largest < parameters_.time.min_dt || simulation.time() + largest == simulation.time())
    throw RunError(
        fmt::format("the time step fell to {:.2e} s in step {} (largest speed {:.3g} m/s; time.min_dt is "
                    "{:.2e} s). {} The flow has blown up, or time.min_dt is too large for this cell size "
                    "(inputs/troubleshooting.md#steps)",
                    largest, simulation.step() + 1, simulation.report().sums.max_speed, parameters_.time.min_dt,
                    describe_fastest_particle(simulation.particles(), simulation.layout())));
  next.dt = Cadence::cut(std::min(largest, limits.dt), next.before, next.target);
  return next;
}

/// Set the time after a step, exactly to the plan's target if the planned dt reaches it, and write the step's row.
void Run::land(const StepPlan& plan) {
  Simulation& simulation = *simulation_;
  const double dt = plan.dt;
  const bool taken = simulation.report().dt == dt;
  const bool lands = taken && (plan.before + dt >= plan.target || dt == plan.target - plan.before);
  if (lands) simulation.set_time(plan.target);
  const double seconds = last_step_ = seconds_since(plan.start);
  longest_step_ = std::max(longest_step_, seconds);
  if (output_) output_->step(simulation.report(), simulation, seconds);
}

/// The latest output time for which the present state is the nearest, as estimated before the next step [s]. An output
/// time at the end of the run takes the last state. Times behind the end are left to a restart, which may have others.
double Run::served_by_now() const {
  const double now = simulation_->time();
  if (parameters_.output.times == OutputTimes::exact || now >= cadence_.end_time()) return now;
  return std::min(now + 0.5 * simulation_->largest_dt(), cadence_.just_before_end());
}

/// Warn, once, that several output times of one kind are nearest to the same state and share one file.
void Run::warn_of_shared_states(const Cadence& cadence, const char* interval, double until) {
  const std::int64_t n = cadence.n_within(served_, std::min(until, cadence_.end_time()));
  if (n < 2 || std::exchange(has_warned_of_interval_, true)) return;
  output_->log().warn(
      "step {}: {} output times ({}) are nearest to this state, so that some files are left out: steps are longer than "
      "that. output.times = \"exact\" shortens them (inputs/troubleshooting.md#paraview)",
      simulation_->step(), n, interval);
}

/// Write the snapshot and the surface whose output times have come since the last call, and those of the end.
/// Checkpoints keep the output times that are served: a restart with other steps neither repeats nor forgets one.
void Run::write_due_output() {
  const double until = std::max(served_, served_by_now());
  warn_of_shared_states(cadence_, "output.interval", until);
  warn_of_shared_states(surface_cadence_, "output.surface.interval", until);
  const auto write = [&](const Cadence& cadence, auto&& file) {
    const bool is_due = cadence.has_within(served_, until);
    if (is_due || is_over()) file(is_due ? OutputOccasion::output_time : OutputOccasion::end);
  };
  write(cadence_, [&](OutputOccasion occasion) { output_->snapshot(*simulation_, occasion); });
  if (surface_cadence_.repeats())
    write(surface_cadence_, [&](OutputOccasion occasion) { output_->surface(*simulation_, occasion); });
  served_ = until;
}

Run::Requests Run::requests_here() {
  Requests requests;
  requests.signal = static_cast<double>(Signals::take());
  requests.core_shortage = core_shortage_.share();
  if (comm_.is_root()) {
    requests.out_of_time = out_of_time();
    if (output_) {
      requests.stop_file = output_->stop_file_exists();
      requests.checkpoint_due = clock_.is_due_by_wall(seconds_since(start_));
      requests.output_failed = output_->has_failed();
    }
  }
  return requests;
}

/// True if 1.5 times the longest step plus 1.5 times the longest checkpoint no longer fits into run.max_wall_time.
bool Run::out_of_time() const {
  const double limit = parameters_.run.max_wall_time;
  const double checkpoint = longest_checkpoint_ > 0.0 ? longest_checkpoint_ : expected_checkpoint();
  return limit > 0.0 && seconds_since_program_start() + 1.5 * (longest_step_ + checkpoint) > limit;
}

/// Estimated wall-clock time of a first checkpoint. [s]
double Run::expected_checkpoint() const {
  constexpr double bytes_per_second = 2e8;
  const auto particles = static_cast<double>(simulation_->report().particles);
  return particles * static_cast<double>(simulation_->particles().bytes_per_particle()) / bytes_per_second;
}

void Run::snapshot() {
  output_->snapshot(*simulation_);
}

void Run::checkpoint() {
  const auto start = std::chrono::steady_clock::now();
  output_->checkpoint(*simulation_, served_);
  longest_checkpoint_ = std::max(longest_checkpoint_, seconds_since(start));
  clock_.written(simulation_->step(), simulation_->time(), seconds_since(start_));
}

bool Run::is_over() const {
  const bool step_limit = parameters_.run.max_steps > 0 && simulation_->step() >= parameters_.run.max_steps;
  return simulation_->time() >= cadence_.end_time() || step_limit || (is_empty() && !simulation_->awaits_liquid());
}

int run_command(const Communicator& comm, const RunOptions& options) {
  const Signals signals;  // from here on signals set a flag and do not end the program
  const Parameters parameters = load_parameters(comm, options.input, options.overrides);
  return static_cast<int>(Run(comm, parameters, options).run());
}

}  // namespace freshet
