// SPDX-License-Identifier: Apache-2.0
#include "python/run.hpp"

#include "freshet/config/read.hpp"
#include "freshet/driver/signals.hpp"
#include "freshet/driver/step_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

namespace py = pybind11;

namespace freshet::python {
namespace {

/// A sub-step. What it needs beside the simulation: dt [s] and the CFL number, which two of them find.
struct Phase {
  const char* name;
  void (*call)(Simulation& simulation, double dt, double& cfl);
};

void project(Simulation& simulation, double dt, double& /*cfl*/) {
  const std::string failure = simulation.project(dt);
  if (!failure.empty()) throw RunError(failure);
}

void check_displacement(const Simulation& simulation, double dt, double cfl) {
  if (!(cfl <= simulation.displacement_limit()))
    throw RunError(
        fmt::format("the velocity moves particles by {:.3g} cells in dt = {:.3e} s, and at most {:.3g} are legal. Take "
                    "retry(dt) with "
                    "a smaller dt",
                    cfl, dt, simulation.displacement_limit()));
}

void extrapolate(Simulation& simulation, double dt, double& cfl) {
  cfl = simulation.extrapolate(dt);
  check_displacement(simulation, dt, cfl);
}

void prescribe(Simulation& simulation, double dt, double& cfl) {
  cfl = simulation.prescribe(dt);
  check_displacement(simulation, dt, cfl);
}

constexpr std::size_t n_grid_phases = 5;  ///< the first ones, which change no particle
constexpr std::size_t forces_phase = 2;
const Phase phase_table[] = {
    {"deposit", [](Simulation& s, double, double&) { s.deposit_velocity(); }},
    {"label", [](Simulation& s, double, double&) { s.label(); }},
    {"forces", [](Simulation& s, double dt, double&) { s.apply_forces(dt); }},
    {"project", project},
    {"extrapolate", extrapolate},
    {"blend",
     [](Simulation& s, double dt, double&) {
       s.blend(dt);
       s.begin_gauges(dt);
     }},
    {"resample", [](Simulation& s, double, double&) { s.resample(); }},
    {"correct", [](Simulation& s, double, double&) { s.correct_positions(); }},
    {"move", [](Simulation& s, double dt, double& cfl) { s.move(dt, cfl); }},
    {"exchange", [](Simulation& s, double dt, double&) { s.exchange_particles(dt); }},
};
const Phase prescribe_phase = {"prescribe", prescribe};

/// The sub-steps of a run: those of a prescribed flow begin with prescribe in place of the first five.
std::vector<Phase> phases_of(const Simulation& simulation) {
  std::vector<Phase> phases(std::begin(phase_table), std::end(phase_table));
  if (simulation.is_prescribed()) {
    phases.erase(phases.begin(), phases.begin() + n_grid_phases);
    phases.insert(phases.begin(), prescribe_phase);
  }
  return phases;
}

Parameters read_case(const Communicator& comm, const PythonRun::Case& input) {
  if (!input.text) return load_parameters(comm, input.name, input.overrides);
  Parameters parameters = parse_parameters(comm.broadcast(*input.text), input.name, input.overrides);
  identify_files(comm, parameters);
  return parameters;
}

}  // namespace

PythonRun::PythonRun(const Case& input, const std::string& output_dir, const std::string& restart, bool force,
                     std::uintptr_t communicator) {
  start_session();
  const py::gil_scoped_release free;
  comm_ = make_communicator(communicator);
  RunOptions options;
  options.input = input.name;
  options.output_dir = output_dir;
  options.restart = restart;
  options.force = force;
  options.prepare = [this](Simulation& simulation) {  // again when keys have changed
    for (const auto& own : forces_) simulation.add_force(std::make_unique<PythonForce>(*comm_, own, arrays_, errors_));
    for (const auto& own : sources_) simulation.add_source(python_source(*comm_, own, arrays_, errors_));
  };
  const Signals signals;
  run_ = std::make_unique<Run>(*comm_, read_case(*comm_, input), options);
}

void PythonRun::close() {
  if (!run_) return;
  arrays_.detach();
  // The functions go last, by when no member is used: one of them may hold the last reference to this object.
  const auto forces = std::move(forces_);
  const auto sources = std::move(sources_);
  const auto comm = std::move(comm_);
  const auto run = std::move(run_);
}

Run& PythonRun::open() {
  if (!run_) throw std::runtime_error("the simulation is closed");
  return *run_;
}

Run& PythonRun::idle() {
  Run& run = open();
  if (in_step_)
    throw std::runtime_error(
        fmt::format("a step is under way: its next phase is {}. Call its phases up to end() first", next_phase()));
  return run;
}

template <class Function>
void PythonRun::work(Function&& f) {
  arrays_.detach();
  ++epoch_;
  try {
    const py::gil_scoped_release free;
    f();
  } catch (const Error& error) {
    in_step_ = in_step_ && !errors_.has_failed();
    if (errors_.has_failed()) errors_.rethrow(error);
    throw;
  }
}

int PythonRun::run() {
  Run& run = idle();
  ExitCode code = ExitCode::done;
  work([&] { code = run.run(); });
  return static_cast<int>(code);
}

void PythonRun::step(const StepLimits& limits) {
  Run& run = idle();
  work([&] { run.step(limits); });
}

void PythonRun::stop(const std::string& why) {
  Run& run = idle();
  work([&] { run.stop(why); });
}

void PythonRun::snapshot() {
  Run& run = idle();
  work([&] { run.snapshot(); });
}

void PythonRun::checkpoint() {
  Run& run = idle();
  work([&] { run.checkpoint(); });
}

void PythonRun::refresh() {
  Run& run = idle();
  work([&] { run.simulation().refresh_for_output(); });
}

void PythonRun::change(const std::vector<std::string>& overrides) {
  Run& run = idle();
  work([&] { run.change(overrides); });
}

double PythonRun::begin_step(const StepLimits& limits) {
  Run& run = idle();
  work([&] {
    plan_ = run.begin_step(limits);
    run.simulation().begin_step();
  });
  dt_ = plan_.dt;
  next_phase_ = 0;
  in_step_ = true;
  return dt_;
}

std::vector<std::string> PythonRun::phases() {
  std::vector<std::string> names;
  for (const Phase& phase : phases_of(simulation())) names.emplace_back(phase.name);
  return names;
}

std::string PythonRun::next_phase() {
  if (!in_step_) return "";
  const std::vector<std::string> names = phases();
  return next_phase_ < names.size() ? names[next_phase_] : "end";
}

void PythonRun::check_phase(const std::string& name) {
  const std::string next = next_phase();
  if (next.empty()) throw std::runtime_error("no step is under way. Call begin_step() first");
  if (next != name) throw std::runtime_error(fmt::format("{} is out of order: the next phase is {}", name, next));
}

void PythonRun::phase(const std::string& name) {
  Run& run = open();
  check_phase(name);
  if (name == "end") {
    in_step_ = false;
    work([&] { run.end_step(plan_, dt_); });
    return;
  }
  const Phase phase = phases_of(run.simulation())[next_phase_];
  work([&] { phase.call(run.simulation(), dt_, cfl_); });
  ++next_phase_;  // a phase that has failed is due again, or retry
}

void PythonRun::retry_step(double dt) {
  Run& run = open();
  const bool may =
      in_step_ && !run.simulation().is_prescribed() && next_phase_ > forces_phase && next_phase_ <= n_grid_phases;
  if (!may) throw std::runtime_error("retry is legal after forces and before blend only");
  if (!(dt > 0.0)) throw std::runtime_error("dt must be above 0");
  work([&] { run.simulation().fields().pressure.fill(0.0); });
  dt_ = dt;
  next_phase_ = forces_phase;
}

void PythonRun::add_force(const py::function& function, double bound) {
  Run& run = idle();
  forces_.push_back(std::make_shared<OwnForce>(OwnForce{function, bound}));
  run.simulation().add_force(std::make_unique<PythonForce>(*comm_, forces_.back(), arrays_, errors_));
}

void PythonRun::add_source(const py::function& function) {
  Run& run = idle();
  sources_.push_back(std::make_shared<py::function>(function));
  run.simulation().add_source(python_source(*comm_, sources_.back(), arrays_, errors_));
}

bool PythonRun::any(bool value) {
  open();
  const py::gil_scoped_release free;
  return comm_->any(value);
}

bool PythonRun::any_of_call(const py::function& function) {
  open();
  bool result = false;
  const Failure failure = errors_.catch_here([&] { result = py::bool_(function()); });
  work([&] {
    errors_.agree(*comm_, failure);
    result = comm_->any(result);
  });
  return result;
}

py::dict PythonRun::report() {
  py::dict report;
  for (const StepNumber& number : step_numbers())
    std::visit([&](auto get) { report[number.name] = get(simulation().report()); }, number.value);
  report["seconds"] = open().last_step_seconds();
  return report;
}

py::dict PythonRun::gauges() {
  const Simulation& now = simulation();
  const Gauges& gauges = now.gauges();
  py::dict found;
  for (std::size_t i = 0; i < gauges.size(); ++i) {
    if (!gauges.has_row(i)) continue;
    const std::vector<CsvColumn> columns = gauge_columns(now.parameters().gauges[i]);
    const std::vector<double> values = gauges.values(i);
    py::dict row;
    row["step"] = now.report().step;
    row["t"] = now.report().time;
    for (std::size_t c = 0; c < values.size(); ++c) row[columns[c + 2].name.c_str()] = values[c];
    found[gauges.name(i).c_str()] = row;
  }
  return found;
}

py::dict PythonRun::numbers() {
  py::dict totals;
  const RunNumbers& numbers = simulation().numbers();
  for (const RunNumber& row : run_number_table())
    visit_number(numbers, row.member, [&](auto value) { totals[row.name] = value; });
  return totals;
}

py::array PythonRun::positions() {
  const Simulation& now = simulation();
  const ParticleStore& particles = now.particles();
  const BlockLayout& layout = now.layout();
  const Domain& domain = now.domain();
  if (particles.block_begin().size() != static_cast<std::size_t>(layout.n_owned()) + 1)
    throw std::runtime_error("particles are on their way between blocks now");
  py::array_t<double> result({static_cast<py::ssize_t>(particles.size()), py::ssize_t{3}});
  double* x = result.mutable_data();
  const py::gil_scoped_release free;
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const Vec3 corner = domain.origin() + domain.dx() * layout.first_cell(b).cast<double>();
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p)
      for (int d = 0; d < 3; ++d)
        x[3 * p + d] = corner[d] + domain.dx() * static_cast<double>(particles.position()[3 * p + d]);
  }
  return result;
}

void PythonRun::set_velocity(const py::array_t<double, py::array::c_style>& velocity) {
  Run& run = idle();
  const double* values = velocity.data();
  work([&] {
    ParticleStore& particles = run.simulation().particles();
    std::copy_n(values, 3 * particles.size(), particles.velocity());
    run.simulation().measure_particles();  // the largest speed, for the next time step
  });
}

py::array PythonRun::particle_array(const std::string& name) {
  py::array array = arrays_.particles(simulation().particles(), name);
  if (name == "id" || name == "position" || name == "velocity") array.attr("setflags")(py::arg("write") = false);
  return array;
}

std::vector<std::string> PythonRun::particle_names() {
  std::vector<std::string> names;
  for (const Attribute& attribute : simulation().particles().attributes()) names.push_back(attribute.name);
  return names;
}

namespace {

/// f(field, key) with the field of a name; \param[in] axis  of a velocity
template <class Function>
void with_field(Simulation& simulation, const std::string& name, int axis, Function&& f) {
  FlowFields& fields = simulation.fields();
  if (name == "velocity" || name == "velocity_old") {
    if (axis < 0 || axis >= simulation.domain().dimension()) throw py::index_error("there is no such axis");
    FaceField<double>& faces = name == "velocity" ? fields.velocity : fields.velocity_old;
    f(faces[axis], name + std::to_string(axis));
  } else if (name == "pressure") {
    f(fields.pressure, name);
  } else if (name == "labels") {
    f(fields.labels, name);
  } else {
    throw py::key_error("there is no field '" + name + "'; fields are velocity, velocity_old, pressure, labels");
  }
}

template <class T>
struct ShownAs {
  using type = T;
};
template <>
struct ShownAs<Label> {
  using type = std::uint8_t;
};

/// The bits of a cell's value; of all bits 1 in a cell that does not exist.
constexpr std::uint64_t no_value = std::numeric_limits<std::uint64_t>::max();

template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

/// The values of all cells of the domain, x fastest, on all ranks. Each cell has a value on one rank at most, so that
/// the minimum over the ranks is that value. Collective
template <class T>
std::vector<std::uint64_t> dense(const Communicator& comm, const CellField<T>& field) {
  const BlockLayout& layout = field.layout();
  const Vec3i cells = layout.domain().cells();
  const auto n =
      static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1]) * static_cast<std::size_t>(cells[2]);
  std::vector<std::uint64_t> values(n, no_value);
  const Vec3i block = layout.domain().block_cells();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const Vec3i first = layout.first_cell(b);
    for (int k = 0; k < std::min(block[2], cells[2] - first[2]); ++k)
      for (int j = 0; j < std::min(block[1], cells[1] - first[1]); ++j)
        for (int i = 0; i < std::min(block[0], cells[0] - first[0]); ++i)
          values[static_cast<std::size_t>(first[0] + i) +
                 static_cast<std::size_t>(cells[0]) *
                     (static_cast<std::size_t>(first[1] + j) +
                      static_cast<std::size_t>(cells[1]) * static_cast<std::size_t>(first[2] + k))] =
              bits_of(field.block(b)[i + block[0] * (j + block[1] * k)]);
  }
  constexpr std::size_t at_once = std::size_t{1} << 24;  // MPI counts in 32 bits
  for (std::size_t begin = 0; begin < n; begin += at_once)
    comm.min_in_place(std::span<std::uint64_t>(values).subspan(begin, std::min(at_once, n - begin)));
  return values;
}

}  // namespace

py::array PythonRun::field(const std::string& name, int axis) {
  py::array result;
  with_field(simulation(), name, axis, [&](auto& field, const std::string& key) {
    using T = std::remove_cvref_t<decltype(*field.data())>;
    if (!field.is_bound_to(simulation().layout()))
      throw std::runtime_error("the field has no values yet: take a step first");
    result = arrays_.field<typename ShownAs<T>::type>(field, key);
  });
  if (name == "labels") result.attr("setflags")(py::arg("write") = false);
  return result;
}

py::array PythonRun::gather_field(const std::string& name, int axis) {
  const Vec3i cells = simulation().domain().cells();
  const std::vector<py::ssize_t> shape{cells[2], cells[1], cells[0]};
  py::array result;
  with_field(simulation(), name, axis, [&](auto& field, const std::string&) {
    using T = std::remove_cvref_t<decltype(*field.data())>;
    std::vector<std::uint64_t> values;
    {
      const py::gil_scoped_release free;
      values = dense(*comm_, field);
    }
    if constexpr (std::is_same_v<T, double>) {
      py::array_t<double> numbers(shape);  // what lies in no block has all bits 1, which is not a number
      std::ranges::transform(values, numbers.mutable_data(), [](std::uint64_t v) { return std::bit_cast<double>(v); });
      result = std::move(numbers);
    } else {
      py::array_t<std::uint8_t> numbers(shape);  // 255 outside of blocks
      std::ranges::transform(values, numbers.mutable_data(),
                             [](std::uint64_t v) { return static_cast<std::uint8_t>(v); });
      result = std::move(numbers);
    }
  });
  return result;
}

py::array_t<std::int32_t> PythonRun::first_cells() {
  const BlockLayout& layout = simulation().layout();
  py::array_t<std::int32_t> cells({static_cast<py::ssize_t>(layout.n_owned()), py::ssize_t{3}});
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int d = 0; d < 3; ++d) cells.mutable_at(b, d) = layout.first_cell(b)[d];
  return cells;
}

}  // namespace freshet::python
