// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/run_output.hpp"

#include "freshet/config/read.hpp"
#include "freshet/core/memory.hpp"
#include "freshet/core/version.hpp"
#include "freshet/diagnostics/memory_report.hpp"
#include "freshet/driver/phase_table.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/io/json.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/parallel/environment.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>

#include <filesystem>
#include <limits>
#include <thread>

namespace freshet {
namespace {

constexpr const char* failure_directory = "failure";  ///< below the output directory
constexpr int n_warnings = 5;                         ///< of one kind, before the log falls silent

constexpr const char* log_header =
    "  step       t[s]      dt[s]   cfl  particles     liquid  iter  residual  max|div|   drift%  imbal  mem[MB]   "
    "s/step"
    "       eta";

std::vector<CsvColumn> step_columns() {
  return {{"step", ""},
          {"t", "s"},
          {"dt", "s"},
          {"cfl", ""},
          {"particles", ""},
          {"liquid_cells", ""},
          {"iterations", ""},
          {"residual", ""},
          {"max_div", "1/s"},
          {"volume_drift", ""},
          {"kinetic_energy", "J"},
          {"potential_energy", "J"},
          {"center_x", "m"},
          {"center_y", "m"},
          {"center_z", "m"},
          {"left_domain", ""},
          {"pushed_out", ""},
          {"moved_rank", ""},
          {"blocks", ""},
          {"sealed_bodies", ""},
          {"incompatibility", "m/s"},
          {"outer_iterations", ""},
          {"wall_faces", ""},
          {"separated_faces", ""},
          {"set_changes", ""},
          {"complementarity", "m/s"},
          {"projected_div", "1/s"},
          {"outer_converged", ""},
          {"retries", ""},
          {"imbalance", ""},
          {"memory", "B"},
          {"seconds", "s"}};
}

/// Cores that this process is bound to.
int n_usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return static_cast<int>(std::thread::hardware_concurrency());
  return CPU_COUNT(&cores);
}

/// What a run before this one left there.
void remove_snapshots(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory)) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("snap_") || name == "snapshots.xdmf") std::filesystem::remove(entry.path());
  }
}

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  return fmt::format("{:d}:{:02d}:{:02d}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

int n_threads() {
  return omp_get_max_threads();
}

RunOutput::RunOutput(const Communicator& comm, const std::string& directory, const Parameters& parameters,
                     Existing existing, const RunNumbers& numbers)
    : comm_(comm),
      directory_(directory),
      parameters_(parameters),
      log_(comm.is_root() ? Log::Speaker::root : Log::Speaker::silent),
      checkpoints_(comm, directory),
      begin_(numbers),
      n_snapshots_(numbers.snapshots) {
  std::string problem;
  ExitCode code = ExitCode::file_system;
  if (comm.is_root()) {
    try {
      open(existing);
    } catch (const Error& error) {
      problem = error.what();
      code = error.code();
    } catch (const std::filesystem::filesystem_error& error) {
      problem = fmt::format("{}: {}. Check the path and its permissions", directory, error.code().message());
    }
  }
  problem = comm.broadcast(problem);
  code = static_cast<ExitCode>(comm.max(static_cast<GlobalIndex>(comm.is_root() ? static_cast<int>(code) : 0)));
  if (!problem.empty()) throw Error(code, problem);
  snapshots_ = std::make_unique<SnapshotWriter>(comm, directory, parameters);
  if (existing == Existing::go_on) {
    snapshots_->go_on(n_snapshots_);
    checkpoints_.go_on_from(numbers.step);
  } else {
    checkpoints_.clear();
  }
}

RunOutput::~RunOutput() = default;

void RunOutput::remove_earlier_run() const {
  const std::filesystem::path directory(directory_);
  std::filesystem::remove(directory / "run.json");
  std::filesystem::remove(directory / "timers.json");
  remove_snapshots(directory / "snapshots");
  remove_snapshots(directory / failure_directory / "snapshots");
}

void RunOutput::open(Existing existing) {
  const std::filesystem::path directory(directory_);
  if (existing == Existing::refuse && std::filesystem::exists(directory / "run.json"))
    throw InputError(
        fmt::format("{} holds a run already (run.json is there). Choose another --output-dir, give --restart auto to "
                    "go on with it, or --force to replace it",
                    directory_));
  std::filesystem::create_directories(directory);
  lock_ = std::make_unique<DirectoryLock>(directory_);
  const bool goes_on = existing == Existing::go_on;
  if (goes_on) {
    trim_csv((directory / "steps.csv").string(), begin_.step);
  } else {
    remove_earlier_run();
  }
  std::filesystem::remove(directory / "STOP");
  const auto mode = goes_on ? Log::FileMode::append : Log::FileMode::replace;
  if (!log_.open((directory / "log.txt").string(), mode))
    throw FileError(fmt::format("{}: log.txt cannot be written. Check the path and its permissions", directory_));
  write_text_atomically((directory / "input.resolved.toml").string(), resolved_toml(parameters_));
  steps_ = std::make_unique<CsvWriter>((directory / "steps.csv").string(), step_columns(),
                                       goes_on ? CsvWriter::FileMode::append : CsvWriter::FileMode::replace);
  write_run_json("running", nullptr);
}

double RunOutput::seconds_so_far() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool RunOutput::stop_file_exists() const {
  std::error_code error;  // a directory that cannot be read now may be there again later
  return std::filesystem::exists(std::filesystem::path(directory_) / "STOP", error);
}

void RunOutput::start(const Simulation& simulation, const Start& start) {
  const BuildInfo& build = build_info();
  const int threads = n_threads();
  const Domain& domain = simulation.domain();
  log_.info("freshet {} (commit {}, {})", build.version, build.commit, build.build_type);
  log_.info("case: {} {}", parameters_.source_file, parameters_.title);
  if (!parameters_.reference.empty()) log_.info("reference: {}", parameters_.reference);
  log_.info("{} ranks x {} threads", comm_.size(), threads);
  if (!start.checkpoint.empty())
    log_.info("restart {} from {}: step {}, t = {:g} s", begin_.restarts, start.checkpoint, begin_.step, begin_.time);
  for (const std::string& remark : start.remarks) log_.warn("{}", remark);
  const auto usable = static_cast<int>(comm_.min(static_cast<GlobalIndex>(n_usable_cores())));
  log_.info("binding: each rank may use {} of its machine's {} cores", usable, std::thread::hardware_concurrency());
  if (threads > usable)
    log_.warn(
        "{} threads of a rank share {} cores. Bind ranks to more cores (mpirun --bind-to none, or srun "
        "--cpus-per-task), or lower OMP_NUM_THREADS",
        threads, usable);
  if (comm_.size() * threads > static_cast<int>(std::thread::hardware_concurrency()))
    log_.warn("{} threads in all: oversubscribed, if this is one machine", comm_.size() * threads);
  log_.info("domain: {} x {} x {} cells of {:g} m; {} blocks exist of {}", domain.cells()[0], domain.cells()[1],
            domain.cells()[2], domain.dx(), simulation.layout().n_global(), domain.n_lattice_blocks());
  const double rounded = domain.origin().cwiseAbs().maxCoeff() * 0x1p-24 / domain.dx();
  if (sizeof(ParticleReal) == 4 && rounded > 1e-2)
    log_.warn(
        "so far from the origin the 32-bit positions in snapshots are rounded to {:.2g} cells (the run's own are "
        "not). Move domain.origin, or build with FRESHET_PARTICLE_DOUBLE",
        rounded);
  log_.info("particles: {} ({} sample points dropped inside solids); liquid cells: {}", simulation.seeding().seeded,
            simulation.seeding().dropped_in_solid, simulation.initial_liquid_cells());
  const MemoryReport memory = measure_memory(simulation.layout(), simulation.particles().size());
  log_.info("memory: {}", memory.text());
  log_.info("{}", log_header);
}

double RunOutput::seconds_left(const StepReport& report, double seconds) {
  const double now = seconds / report.dt;
  double& smoothed = seconds_per_simulated_second_;
  smoothed = n_steps_ == 0 ? now : 0.95 * smoothed + 0.05 * now;
  return smoothed * std::max(0.0, parameters_.run.end_time - report.time);
}

void RunOutput::step(const StepReport& report, const Simulation& simulation, double seconds) {
  const auto memory = comm_.sum(static_cast<GlobalIndex>(memory_in_use()));
  const double left = seconds_left(report, seconds);
  ++n_steps_;
  particle_steps_ += report.particles;
  cell_steps_ += report.liquid_cells;
  const auto initial = static_cast<double>(simulation.initial_liquid_cells());
  const double drift = initial > 0.0 ? static_cast<double>(report.liquid_cells) / initial - 1.0 : 0.0;
  agree_on_root(comm_, [&] { write_step(report, drift, memory, seconds); });
  if (report.projection.solve.incompatibility > 1e-6 * simulation.domain().dx() / report.dt)
    warn_of_incompatibility(report);
  warn_of_projection(report);
  if (report.step % parameters_.output.log_every != 0) return;
  log_.info("{:6d} {:10.5f} {:10.3e} {:5.2f} {:10d} {:10d} {:5d} {:9.2e} {:9.2e} {:8.3f} {:6.3f} {:8.1f} {:8.4f} {:>9}",
            report.step, report.time, report.dt, report.cfl, report.particles, report.liquid_cells,
            report.projection.solve.iterations, report.projection.solve.relative_residual,
            report.projection.enforced_divergence, 100.0 * drift, report.imbalance, static_cast<double>(memory) / 1e6,
            seconds, clock_text(left));
}

void RunOutput::warn_of_incompatibility(const StepReport& report) {
  if (++n_incompatible_ > 1) return;
  log_.warn(
      "step {}: {} sealed liquid bodies take in or give out {:.2e} m/s in all, which no pressure can mend; the "
      "column incompatibility of steps.csv goes on",
      report.step, report.projection.solve.sealed_bodies, report.projection.solve.incompatibility);
}

void RunOutput::warn_of_projection(const StepReport& report) {
  const ProjectionReport& projection = report.projection;
  if (report.retries > 0)
    log_.warn("step {}: begun again {} times, at last with dt = {:.3e} s", report.step, report.retries, report.dt);
  if (!projection.retried.empty() && ++n_retried_ <= n_warnings)
    log_.warn("step {}: the pressure solve was done again by mic0, after {}", report.step, projection.retried);
  if (!projection.outer_converged && ++n_outer_ <= n_warnings)
    log_.warn(
        "step {}: pressure.walls.max_outer = {} solves did not reach the method's threshold; max |div u| {:.2e} 1/s is "
        "left",
        report.step, projection.outer_iterations, projection.max_divergence);
}

void RunOutput::write_step(const StepReport& report, double drift, GlobalIndex memory, double seconds) {
  std::error_code error;  // the open files of a directory that was removed take everything, for nobody to read
  if (!std::filesystem::exists(directory_, error))
    throw FileError(fmt::format("the output directory {} went away during the run.", directory_));
  const ParticleSums& sums = report.sums;
  const ProjectionReport& projection = report.projection;
  const SolveReport& solve = projection.solve;
  steps_->row(report.step, report.time, report.dt, report.cfl, report.particles, report.liquid_cells, solve.iterations,
              solve.relative_residual, projection.enforced_divergence, drift, sums.kinetic_energy,
              sums.potential_energy, sums.center_of_mass[0], sums.center_of_mass[1], sums.center_of_mass[2],
              report.left_domain, report.pushed_out, report.moved_rank, report.blocks, solve.sealed_bodies,
              solve.incompatibility, projection.outer_iterations, projection.wall_faces, projection.separated_faces,
              projection.set_changes, projection.complementarity, projection.max_divergence,
              projection.outer_converged ? 1 : 0, report.retries, report.imbalance, memory, seconds);
}

SnapshotState RunOutput::state_of(Simulation& simulation, std::int64_t number) {
  simulation.refresh_for_output();
  SnapshotState state;
  state.iteration = number;
  state.step = simulation.step();
  state.time = simulation.time();
  state.dt = simulation.report().dt;
  state.layout = &simulation.layout();
  state.particles = &simulation.particles();
  state.pressure = &simulation.pressure();
  state.velocity = &simulation.velocity();
  state.labels = &simulation.labels();
  return state;
}

void RunOutput::snapshot(Simulation& simulation) {
  const auto region = simulation.timers().region("output");
  snapshots_->write(state_of(simulation, n_snapshots_));
  ++n_snapshots_;
}

void RunOutput::checkpoint(Simulation& simulation) {
  const auto region = simulation.timers().region("checkpoint");
  const double start = seconds_so_far();
  CheckpointState state = simulation.checkpoint_state();
  state.numbers.snapshots = n_snapshots_;
  state.numbers.restarts = begin_.restarts;
  state.numbers.wall_seconds = begin_.wall_seconds + start;
  const std::int64_t bytes = checkpoints_.write(state, parameters_);
  if (bytes > 0)
    log_.info("checkpoint {}: {:.1f} MB in {:.2f} s", checkpoints_.path_of(simulation.step()),
              static_cast<double>(bytes) / 1e6, seconds_so_far() - start);
}

void RunOutput::failure_snapshot(Simulation& simulation) {
  Parameters everything = parameters_;
  everything.output.fields = {"pressure", "velocity", "label", "face_velocity"};
  everything.output.particles = {"velocity", "id", "tag"};
  everything.output.max_field_cells = std::numeric_limits<std::int64_t>::max();
  const std::string directory = (std::filesystem::path(directory_) / failure_directory).string();
  const std::string path = SnapshotWriter(comm_, directory, everything).write(state_of(simulation, 0));
  log_.warn("step {} failed; all fields and particles as it left them are in {}", simulation.step(), path);
}

void RunOutput::finish(Simulation& simulation, const std::string& status) {
  const double total = seconds_so_far();
  const PhaseTable table = gather_phases(comm_, simulation.timers());
  const MemoryReport memory = measure_memory(simulation.layout(), simulation.particles().size());
  log_end(simulation, status, table, memory, total);
  agree_on_root(comm_, [&] {
    if (n_steps_ > 0) write_timers_json(table, memory, total);
    write_run_json(status, &simulation);
  });
}

void RunOutput::log_end(const Simulation& simulation, const std::string& status, const PhaseTable& table,
                        const MemoryReport& memory, double total) {
  log_.info("");
  for (const std::string& line : table.text_lines()) log_.info("{}", line);
  const int cores = comm_.size() * n_threads();
  const double busy = std::max(table.total(), 1e-9);
  log_.info("{} steps in {:.1f} s; {:.3g} particle-steps/s, {:.3g} cell-steps/s, {:.3g} particle-steps/s per core",
            n_steps_, total, static_cast<double>(particle_steps_) / busy, static_cast<double>(cell_steps_) / busy,
            static_cast<double>(particle_steps_) / busy / cores);
  log_.info("particles: {} seeded, {} left through open faces, {} pushed out of solids and walls",
            simulation.numbers().seeded, simulation.numbers().left_domain, simulation.numbers().pushed_out);
  if (simulation.numbers().retried_steps > 0)
    log_.warn("{} steps were begun again with half of dt (column retries of steps.csv)",
              simulation.numbers().retried_steps);
  if (n_retried_ > 0) log_.warn("mic0 did the pressure solve again in {} of {} steps", n_retried_, n_steps_);
  if (n_outer_ > 0)
    log_.warn("pressure.walls.max_outer cut the loop of the walls in {} of {} steps (outer_converged in steps.csv)",
              n_outer_, n_steps_);
  log_.info("memory: {}", memory.text());
  log_.info("{}: t = {:g} s of {:g} s; output in {}", status, simulation.time(), parameters_.run.end_time, directory_);
}

void RunOutput::write_timers_json(const PhaseTable& table, const MemoryReport& memory, double total) const {
  JsonWriter json;
  json.begin_object().member("ranks", comm_.size()).member("threads", n_threads()).member("steps", n_steps_);
  json.member("particle_steps", particle_steps_).member("cell_steps", cell_steps_).member("total_seconds", total);
  table.append_to(json.key("phases"));
  json.key("memory").begin_object();
  for (int kind = 0; kind < n_memory_kinds; ++kind)
    json.member(memory_kind_name(static_cast<MemoryKind>(kind)), memory.bytes[static_cast<std::size_t>(kind)]);
  json.member("total", memory.total).member("largest_rank", memory.largest_rank);
  json.member("owned_cells", memory.owned_cells).member("ghost_cells", memory.ghost_cells);
  json.member("bytes_per_particle", memory.bytes_per_particle()).member("bytes_per_cell", memory.bytes_per_cell());
  json.end_object();
  json.end_object();
  write_text_atomically((std::filesystem::path(directory_) / "timers.json").string(), json.text());
}

void RunOutput::write_run_json(const std::string& status, const Simulation* simulation) const {
  const BuildInfo& build = build_info();
  JsonWriter json;
  json.begin_object().member("program", "freshet").member("version", build.version).member("commit", build.commit);
  json.member("build", build.build_type).member("compiler", build.compiler).member("flags", build.flags);
  for (const auto& [name, version] : parallel_versions()) json.member(name, version);
  json.member("input", parameters_.source_file).member("input_hash", fmt::format("{:016x}", parameters_.input_hash));
  json.member("ranks", comm_.size()).member("threads", n_threads()).member("status", status);
  json.member("first_step", begin_.step).member("restarts", begin_.restarts);
  json.member("wall_seconds", begin_.wall_seconds + seconds_so_far());
  json.member("pressure_retries", n_retried_).member("outer_loops_cut", n_outer_);
  if (simulation != nullptr) {
    json.member("steps", simulation->step()).member("time", simulation->time());
    json.member("particles", simulation->report().particles).member("snapshots", n_snapshots_);
    const RunNumbers& numbers = simulation->numbers();
    json.member("seeded", numbers.seeded).member("left_domain", numbers.left_domain);
    json.member("pushed_out", numbers.pushed_out).member("retried_steps", numbers.retried_steps);
  }
  json.end_object();
  write_text_atomically((std::filesystem::path(directory_) / "run.json").string(), json.text());
}

}  // namespace freshet
