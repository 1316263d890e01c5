// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/run_output.hpp"

#include "freshet/config/read.hpp"
#include "freshet/core/text.hpp"
#include "freshet/core/version.hpp"
#include "freshet/diagnostics/memory_report.hpp"
#include "freshet/driver/phase_table.hpp"
#include "freshet/driver/step_numbers.hpp"
#include "freshet/driver/surface_output.hpp"
#include "freshet/formats/mesh_file.hpp"
#include "freshet/io/json.hpp"
#include "freshet/io/output_fields.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/parallel/environment.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <omp.h>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace freshet {
namespace {

constexpr auto longest_wait = std::chrono::seconds(1);          ///< longest time that rows of steps.csv wait in memory
constexpr auto between_looks = std::chrono::milliseconds(200);  ///< time between two looks for a file STOP
constexpr const char* failure_directory = "failure";            ///< failure snapshots, below the output directory
constexpr const char* surface_directory = "surfaces";           ///< surfaces, below the output directory
constexpr const char* surface_list = "surfaces.csv";            ///< table of the surfaces, in surface_directory
constexpr const char* gauge_directory = "gauges";               ///< gauges, below the output directory

std::vector<CsvColumn> step_columns() {
  std::vector<CsvColumn> columns;
  for (const StepNumber& number : step_numbers()) columns.push_back({number.name, number.unit});
  return columns;
}

/// Number in the name of a surface's file, complete or temporary; nothing for other files.
std::optional<std::int64_t> surface_number(const std::string& name) {
  for (const MeshFormat& format : mesh_formats())
    for (const char* temporary : {"", ".tmp"})
      if (const auto number = number_in_name(name, "surface_", fmt::format(".{}{}", format.ending, temporary)))
        return number;
  return std::nullopt;
}

/// Remove the surfaces from number `first` on. \param[in] kept  a file that stays
void remove_surfaces(const std::filesystem::path& directory, std::int64_t first, const std::string& kept = "") {
  if (!std::filesystem::is_directory(directory)) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name != kept && surface_number(name).value_or(-1) >= first) std::filesystem::remove(entry.path());
  }
}

/// Number of surfaces at a checkpoint. Those of earlier versions do not count them: multiples of the interval do.
std::int64_t surfaces_by_time(const RunNumbers& numbers, double interval) {
  const bool is_counted = numbers.output_until > 0.0 || numbers.step == 0;
  if (is_counted || interval <= 0.0) return numbers.surfaces;
  return static_cast<std::int64_t>(std::floor((numbers.time + 0.5 * numbers.dt) / interval)) + 1;
}

/// Remove the tables of an earlier run's gauges.
void remove_gauges(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory)) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".csv") std::filesystem::remove(entry.path());
}

/// Remove the snapshots of an earlier run.
void remove_snapshots(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory)) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("snap_") || name == "snapshots.xdmf") std::filesystem::remove(entry.path());
  }
}

/// The phases of timers.json: one object for each, with the mean ("messages") and the maximum ("max_messages") over
/// ranks of each kind of work.
Json as_json(const PhaseTable& table) {
  Json phases = Json::array();
  for (const PhaseTable::Row& row : table.rows()) {
    Json phase = {{"name", row.name}, {"calls", row.calls}, {"min", row.min}, {"avg", row.average}, {"max", row.max}};
    for (std::size_t n = 0; n < row.mean_work.size(); ++n) {
      const std::string name = work_name(static_cast<Work>(n));
      phase[name] = row.mean_work[n];
      phase["max_" + name] = row.most_work[n];
    }
    phases.push_back(std::move(phase));
  }
  return phases;
}

/// The memory of timers.json. [bytes]
Json as_json(const MemoryReport& memory) {
  Json json;
  for (std::size_t kind = 0; kind < memory.bytes.size(); ++kind)
    json[memory_kind_name(static_cast<MemoryKind>(kind))] = memory.bytes[kind];
  json["total"] = memory.total;
  json["largest_rank"] = memory.largest_rank;
  json["owned_cells"] = memory.owned_cells;
  json["ghost_cells"] = memory.ghost_cells;
  json["bytes_per_particle"] = memory.bytes_per_particle();
  json["bytes_per_cell"] = memory.bytes_per_cell();
  return json;
}

}  // namespace

int n_threads() {
  return omp_get_max_threads();
}

RunOutput::RunOutput(const Communicator& comm, const std::string& directory, const Parameters& parameters,
                     const Start& start, const RunNumbers& numbers, std::unique_ptr<DirectoryLock> lock)
    : comm_(comm),
      directory_(directory),
      stop_file_(std::filesystem::path(directory) / "STOP"),
      parameters_(parameters),
      log_(comm.is_root() ? Log::Speaker::root : Log::Speaker::silent),
      checkpoints_(comm, directory),
      lock_(std::move(lock)),
      begin_(numbers),
      snapshot_count_{numbers.snapshots, numbers.end_snapshot},
      surface_count_{surfaces_by_time(numbers, parameters.surface.interval), numbers.end_surface} {
  agree_on_root(comm, [&] {
    try {
      open(start);
    } catch (const std::filesystem::filesystem_error& error) {
      throw FileError(fmt::format("{}: {}. Check the path and its permissions", directory, error.code().message()));
    }
  });
  snapshots_ = std::make_unique<SnapshotWriter>(comm, directory, parameters.output, input_record(parameters));
  if (start.existing == Existing::go_on) {
    snapshots_->go_on(snapshot_count_.written);
    checkpoints_.go_on_from(numbers.step);
  }
}

RunOutput::~RunOutput() = default;

bool RunOutput::holds_run() const {
  return std::filesystem::exists(std::filesystem::path(directory_) / "run.json") || !checkpoints_.is_empty();
}

/// Remove the files of an earlier run, run.json last, so that an interrupted removal still counts as a run.
void RunOutput::remove_earlier_run() const {
  const std::filesystem::path directory(directory_);
  checkpoints_.clear();
  remove_snapshots(directory / "snapshots");
  remove_surfaces(directory / surface_directory, 0);
  std::filesystem::remove(directory / surface_directory / surface_list);
  remove_gauges(directory / gauge_directory);
  BodyTables::remove(directory);
  LinkTables::remove(directory);
  const std::filesystem::path failure = directory / failure_directory;
  remove_snapshots(failure / "snapshots");
  std::error_code not_empty;  // files that are not the run's stay
  std::filesystem::remove(failure / "snapshots", not_empty);
  std::filesystem::remove(failure, not_empty);
  std::filesystem::remove(directory / "timers.json");
  std::filesystem::remove(directory / "run.json");
}

void RunOutput::open(const Start& start) {
  const std::filesystem::path directory(directory_);
  std::filesystem::create_directories(directory);
  if (!lock_) lock_ = std::make_unique<DirectoryLock>(directory_);
  if (start.existing == Existing::refuse && holds_run())  // checked under the lock: another run may have started first
    throw InputError(
        fmt::format("{} holds a run already (run.json or checkpoints are there). Choose another --output-dir, give "
                    "--restart auto to go on with it, or --force to replace it (inputs/troubleshooting.md#restart)",
                    directory_));
  const bool goes_on = start.existing == Existing::go_on;
  if (!goes_on) remove_earlier_run();
  if (goes_on) remove_surfaces(directory / surface_directory, surface_count_.written);
  if (goes_on && std::filesystem::exists(directory / surface_directory / surface_list))
    surface_table_ = surface_table(surface_count_.written);  // drops the rows of surfaces that were removed
  std::filesystem::remove(stop_file_);
  const auto mode = goes_on ? Log::FileMode::append : Log::FileMode::replace;
  if (!log_.open((directory / "log.txt").string(), mode))
    throw FileError(fmt::format(
        "{}: log.txt cannot be written. Check the path and its permissions, and that it is no pipe", directory_));
  write_text_atomically((directory / "input.resolved.toml").string(), resolved_toml(parameters_));
  steps_ = std::make_unique<CsvWriter>(
      (directory / "steps.csv").string(), step_columns(), goes_on ? std::optional(begin_.step) : std::nullopt,
      [this](const std::string& warning) { log_.warn("{} (inputs/troubleshooting.md#restart)", warning); },
      longest_wait);
  open_gauges(start);
  open_bodies(start);
  write_run_json("running", nullptr);
}

/// Begin the gauges' tables, or append to them. A gauge that an earlier run did not have gets a new table.
void RunOutput::open_gauges(const Start& start) {
  const std::filesystem::path directory = std::filesystem::path(directory_) / gauge_directory;
  if (!parameters_.gauges.empty()) std::filesystem::create_directories(directory);
  for (const GaugeParameters& gauge : parameters_.gauges) {
    const std::filesystem::path path = directory / (gauge.name + ".csv");
    const bool is_new = std::ranges::find(start.new_gauges, gauge.name) != start.new_gauges.end();
    const bool goes_on = start.existing == Existing::go_on && !(is_new && !std::filesystem::exists(path));
    gauges_.push_back(std::make_unique<CsvWriter>(
        path.string(), gauge_columns(gauge), goes_on ? std::optional(begin_.step) : std::nullopt,
        [this](const std::string& warning) { log_.warn("{} (inputs/troubleshooting.md#restart)", warning); },
        longest_wait));
  }
}

/// Begin the tables of bodies, joints and moorings, or append to them.
void RunOutput::open_bodies(const Start& start) {
  std::vector<int> solids;
  for (std::size_t n = 0; n < parameters_.solids.size(); ++n)
    if (parameters_.solids[n].body.is_free()) solids.push_back(static_cast<int>(n));
  const auto go_on_after = start.existing == Existing::go_on ? std::optional(begin_.step) : std::nullopt;
  const auto warn = [this](const std::string& warning) {
    log_.warn("{} (inputs/troubleshooting.md#restart)", warning);
  };
  bodies_ = BodyTables(directory_, solids, parameters_.domain.thickness(), go_on_after, warn, longest_wait);
  links_ = LinkTables(directory_, parameters_, go_on_after, warn, longest_wait);
}

double RunOutput::seconds_so_far() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool RunOutput::stop_file_exists() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ < between_looks) return false;
  last_look_ = now;
  std::error_code error;  // a directory that cannot be read now counts as without STOP
  return std::filesystem::exists(stop_file_, error);
}

void RunOutput::write_step(const StepReport& report) {
  std::vector<std::string> row;
  for (const StepNumber& number : step_numbers()) row.push_back(text_of(number, report));
  try {
    steps_->row(row);
  } catch (const FileError&) {
    failure_ = std::current_exception();
  }
}

/// Write a row for each gauge that measured in the step. On the root rank
void RunOutput::write_gauges(const StepReport& report, const Gauges& gauges) {
  try {
    for (std::size_t i = 0; i < gauges.size(); ++i) {
      if (!gauges.has_row(i)) continue;
      std::vector<std::string> row = {fmt::format("{}", report.step), fmt::format("{}", report.time)};
      for (const double value : gauges.values(i)) row.push_back(fmt::format("{}", value));
      gauges_[i]->row(row);
    }
  } catch (const FileError&) {
    failure_ = std::current_exception();
  }
}

/// Write a row for each body that the liquid moves, and each joint and mooring. On the root rank
void RunOutput::write_bodies(const StepReport& report, const FreeBodies& bodies) {
  try {
    bodies_.write(report.step, report.time, bodies);
    links_.write(report.step, report.time, bodies);
  } catch (const FileError&) {
    failure_ = std::current_exception();
  }
}

void RunOutput::flush_tables() {
  steps_->flush();
  bodies_.flush();
  links_.flush();
  for (const auto& table : gauges_) table->flush();
}

void RunOutput::report_failure() {
  agree_on_root(comm_, [&] {
    std::error_code error;
    if (failure_ && !std::filesystem::exists(directory_, error))
      throw FileError(fmt::format("the output directory {} went away during the run.", directory_));
    if (failure_) std::rethrow_exception(failure_);
    flush_tables();
  });
}

SnapshotState RunOutput::state_of(Simulation& simulation, std::int64_t number) {
  simulation.refresh_for_output();
  SnapshotState state;
  state.band = simulation.parameters().particles.narrow_band.width;
  state.iteration = number;
  state.step = simulation.step();
  state.time = simulation.time();
  state.dt = simulation.report().dt;
  state.particle_velocity_lead = simulation.splitting().velocity_lead(TimeSplitting::Holder::particles);
  state.velocity_lead = simulation.splitting().velocity_lead(TimeSplitting::Holder::grid);
  state.pressure_lead = simulation.splitting().pressure_lead();
  state.layout = &simulation.layout();
  state.particles = &simulation.particles();
  state.pressure = &simulation.pressure();
  state.velocity = &simulation.velocity();
  state.labels = &simulation.labels();
  state.surface = &simulation.surface();
  state.solids_on_grid = &simulation.solids();
  state.air = &simulation.air();
  state.eddy_viscosity = simulation.turbulence().eddy_viscosity();
  state.y_plus = simulation.turbulence().y_plus();
  state.wall_stress = simulation.turbulence().wall_stress();
  state.particles_per_cell = simulation.particles_per_cell();
  if (simulation.solids().any_moving())
    for (const SolidBody& body : simulation.solids().bodies())
      if (body.copy.of < 0) state.solids.push_back(body.motion != nullptr ? body.motion->pose(state.time) : Pose{});
  const FreeBodies& bodies = simulation.free_bodies();
  const double thickness = simulation.parameters().domain.thickness();
  for (int n = 0; n < bodies.count(); ++n) {
    BodyReport report = bodies.report(n);
    report.force /= thickness;
    report.moment /= thickness;
    state.bodies.emplace_back(bodies.body(n).solid, report);
  }
  return state;
}

void RunOutput::snapshot(Simulation& simulation, OutputOccasion occasion) {
  const auto region = simulation.timers().region("output");
  report_failure();
  snapshots_->write(state_of(simulation, snapshot_count_.next(simulation.step())));
  snapshot_count_.add(simulation.step(), occasion);
}

/// Open the table of the surfaces and keep the rows of the first n_kept. On the root rank
std::unique_ptr<CsvWriter> RunOutput::surface_table(std::int64_t n_kept) {
  const std::filesystem::path directory = std::filesystem::path(directory_) / surface_directory;
  const std::vector<CsvColumn> columns = {{"surface", ""}, {"t", "s"}, {"step", ""}, {"volume", "m^3"}};
  // a missing table is begun anew: it loses no rows that a run had written
  return std::make_unique<CsvWriter>((directory / surface_list).string(), columns, n_kept - 1);
}

void RunOutput::surface(Simulation& simulation, OutputOccasion occasion) {
  const auto region = simulation.timers().region("surface");
  const std::int64_t number = surface_count_.next(simulation.step());
  const std::filesystem::path directory = std::filesystem::path(directory_) / surface_directory;
  const std::string name = surface_file_name("surface", number, parameters_.surface.format);
  agree_on_root(comm_, [&] {
    std::filesystem::create_directories(directory);
    if (!surface_table_ || number < surface_count_.written) surface_table_ = surface_table(number);
  });
  SurfaceOptions options = parameters_.surface.surface;
  options.per_axis = parameters_.particles.per_axis;
  const std::string path = (directory / name).string();
  const MadeSurface made(
      comm_, simulation.domain(), options,
      surface_particles(simulation.layout(), simulation.particles(), options, parameters_.surface.attributes),
      solid_distance(simulation.scene().bodies(), simulation.time()), parts_of_format(parameters_.surface.format));
  made.write(comm_, path);
  const SurfaceReport& report = made.report();
  agree_on_root(comm_, [&] {
    if (number < surface_count_.written) remove_surfaces(directory, number, name);  // files of other formats
    surface_table_->row({fmt::format("{}", number), fmt::format("{}", simulation.time()),
                         fmt::format("{}", simulation.step()), fmt::format("{}", report.volume)});
    surface_table_->flush();
  });
  surface_count_.add(simulation.step(), occasion);
  log_.info("{}: t = {:.6g} s, {}, {:.2f} s", path, simulation.time(), report.text(), report.seconds);
}

void RunOutput::checkpoint(Simulation& simulation, double output_until) {
  const auto region = simulation.timers().region("checkpoint");
  report_failure();
  const double start = seconds_so_far();
  RunNumbers numbers = simulation.numbers();
  numbers.snapshots = snapshot_count_.written;
  numbers.end_snapshot = snapshot_count_.end_step;
  numbers.surfaces = surface_count_.written;
  numbers.end_surface = surface_count_.end_step;
  numbers.output_until = output_until;
  numbers.restarts = begin_.restarts;
  numbers.wall_seconds = begin_.wall_seconds + start;
  const std::int64_t bytes =
      checkpoints_.write(simulation.checkpoint_state(numbers), input_record(parameters_), parameters_.checkpoint.keep);
  if (bytes > 0) agree_on_root(comm_, [&] { write_run_json("running", &simulation); });  // it names the checkpoint
  if (bytes > 0)
    log_.info("checkpoint {}: {:.1f} MB in {:.2f} s", checkpoints_.path_of(simulation.step()),
              static_cast<double>(bytes) / 1e6, seconds_so_far() - start);
}

void RunOutput::failure_snapshot(Simulation& simulation) {
  OutputOptions everything = parameters_.output;
  everything.fields.clear();
  for (const FieldRecord& field : output_fields()) everything.fields.emplace_back(field.name);
  everything.particles.clear();
  for (const Attribute& attribute : simulation.particles().attributes())
    if (attribute.name != particle_arrays.front().name) everything.particles.push_back(attribute.name);
  everything.lower = everything.upper = everything.particle_lower = everything.particle_upper = Vec3::Zero();
  everything.particle_share = 1.0;
  everything.max_field_cells = std::numeric_limits<std::int64_t>::max();
  const std::string directory = (std::filesystem::path(directory_) / failure_directory).string();
  const std::string path =
      SnapshotWriter(comm_, directory, everything, input_record(parameters_)).write(state_of(simulation, 0));
  log_.warn("step {} failed; all fields and particles as it left them are in {} (inputs/troubleshooting.md#failed)",
            simulation.step(), path);
}

void RunOutput::finish(Simulation& simulation, const std::string& status) {
  if (status != "failed") report_failure();
  const double total = seconds_so_far();
  const PhaseTable table = gather_phases(comm_, simulation.timers());
  const MemoryReport memory = measure_memory(simulation.layout(), simulation.particles().size());
  log_end(simulation, status, table, memory, total);
  agree_on_root(comm_, [&] {
    if (!failure_) flush_tables();
    if (n_steps_ > 0) write_timers_json(table, memory, total);
    write_run_json(status, &simulation);
  });
}

void RunOutput::set_status(const std::string& status, const Simulation& simulation) {
  agree_on_root(comm_, [&] { write_run_json(status, &simulation); });
}

void RunOutput::set_status_here(const std::string& status, const Simulation& simulation) {
  if (comm_.is_root() && !failure_) flush_tables();
  write_run_json(status, &simulation);
}

void RunOutput::write_timers_json(const PhaseTable& table, const MemoryReport& memory, double total) const {
  Json json;
  json["ranks"] = comm_.size();
  json["threads"] = n_threads();
  json["steps"] = n_steps_;
  json["particle_steps"] = particle_steps_;
  json["cell_steps"] = cell_steps_;
  json["total_seconds"] = total;
  json["phases"] = as_json(table);
  json["memory"] = as_json(memory);
  write_text_atomically((std::filesystem::path(directory_) / "timers.json").string(), json_text(json));
}

void RunOutput::write_run_json(const std::string& status, const Simulation* simulation) const {
  const BuildInfo& build = build_info();
  Json json = {{"program", "freshet"},      {"version", build.version},   {"commit", build.commit},
               {"build", build.build_type}, {"compiler", build.compiler}, {"flags", build.flags}};
  for (const auto& [name, version] : parallel_versions()) json[name] = version;
  json["input"] = std::filesystem::absolute(parameters_.source_file).string();
  json["input_hash"] = fmt::format("{:016x}", parameters_.input_hash);
  json["ranks"] = comm_.size();
  json["threads"] = n_threads();
  json["status"] = status;
  json["first_step"] = begin_.step;
  json["restarts"] = begin_.restarts;
  json["wall_seconds"] = begin_.wall_seconds + seconds_so_far();
  if (checkpoints_.last_step() >= 0) json["last_checkpoint"] = checkpoints_.last_step();
  if (simulation != nullptr) {
    json["steps"] = simulation->step();
    json["time"] = simulation->time();
    json["particles"] = simulation->report().particles;
    json["snapshots"] = snapshot_count_.written;
    const RunNumbers& numbers = simulation->numbers();
    for (const RunNumber& row : run_number_table())
      if (row.in_run_json) visit_number(numbers, row.member, [&](auto value) { json[row.name] = value; });
  }
  write_text_atomically((std::filesystem::path(directory_) / "run.json").string(), json_text(json));
}

}  // namespace freshet
