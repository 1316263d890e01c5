// SPDX-License-Identifier: Apache-2.0
#include "python/run.hpp"

#include "freshet/config/read.hpp"
#include "freshet/driver/signals.hpp"
#include "freshet/driver/step_numbers.hpp"
#include "freshet/driver/step_phases.hpp"
#include "freshet/parallel/need_same.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace py = pybind11;

namespace freshet::python {

namespace {

/// The phases of a run's step, in order.
std::vector<StepPhase> phases_of(bool is_prescribed) {
  const StepPhases lists = phases_of_step(is_prescribed);
  std::vector<StepPhase> phases;
  for (const auto& list : {lists.before, lists.trial, lists.after})
    phases.insert(phases.end(), list.begin(), list.end());
  return phases;
}

/// Check that all ranks were given the same case and options. Errors: InputError on all ranks if not. Collective
void need_same_run(const Communicator& comm, const PythonRun::Case& input, const RunOptions& options) {
  need_same(comm, "case", input.text ? *input.text : "the file " + input.name);
  need_same(comm, "overrides", fmt::format("{}", fmt::join(input.overrides, "\n")));
  need_same(comm, "output_dir", options.output_dir);
  need_same(comm, "restart", options.restart);
  need_same(comm, "force", options.force ? "true" : "false");
}

Parameters read_case(const Communicator& comm, const PythonRun::Case& input) {
  Parameters parameters = input.text ? parse_parameters(comm.broadcast(*input.text), input.name, input.overrides)
                                     : load_parameters(comm, input.name, input.overrides);
  if (input.text) identify_files(comm, parameters);
  parameters.particles.narrow_band.is_filled_at_start = true;  // a script may set their velocities
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
  options.prepare = [this](Simulation& simulation) {  // called again when keys have changed
    for (const auto& own : forces_) simulation.add_force(std::make_unique<PythonForce>(*comm_, own, arrays_, errors_));
    for (const auto& own : sources_) simulation.add_source(python_source(*comm_, own, arrays_, errors_));
    const double slab = simulation.domain().thickness();
    for (const auto& own : loads_) simulation.add_body_loads(python_load(*comm_, own, slab, arrays_, errors_));
  };
  const Signals signals;
  need_same_run(*comm_, input, options);
  run_ = std::make_unique<Run>(*comm_, read_case(*comm_, input), options);
}

void PythonRun::close() {
  if (!run_) return;
  run_->leave_alone(has_failed_);
  arrays_.detach();
  // Functions go last, when no member is used any more: one of them may hold the last reference to this object.
  const auto forces = std::move(forces_);
  const auto sources = std::move(sources_);
  const auto loads = std::move(loads_);
  const auto comm = std::move(comm_);
  const auto run = std::move(run_);
}

Run& PythonRun::open() {
  if (!run_) throw std::runtime_error("the simulation is closed");
  if (worker_ && *worker_ != std::this_thread::get_id()) refuse_at_work();
  return *run_;
}

void PythonRun::refuse_at_work() {
  throw std::runtime_error(
      "the solver is at work: functions that it calls, such as forces and sources, may read the simulation, but not "
      "step, change, write or close it, and other threads have to wait. Call this between two steps");
}

Run& PythonRun::at_rest() {
  Run& run = open();
  if (worker_) refuse_at_work();
  return run;
}

Run& PythonRun::idle() {
  Run& run = at_rest();
  if (!broken_.empty()) throw Error(ExitCode::internal, broken_);
  if (in_step_)
    throw std::runtime_error(
        fmt::format("a step is under way: its next phase is {}. Call its phases up to end() first", next_phase()));
  return run;
}

/// Marks this thread as the one in the solver. Python's lock is held when the object is made and when it ends.
class PythonRun::AtWork {
 public:
  explicit AtWork(std::optional<std::thread::id>& worker)
      : worker_(worker), before_(std::exchange(worker, std::this_thread::get_id())) {}
  ~AtWork() { worker_ = before_; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  std::optional<std::thread::id>& worker_;
  std::optional<std::thread::id> before_;  ///< the mark before: a function that the solver calls may gather fields
};

template <class Function>
void PythonRun::work(Function&& f) {
  arrays_.detach();
  ++epoch_;
  const AtWork at_work(worker_);
  try {
    const py::gil_scoped_release free;
    f();
  } catch (const Error& error) {
    const std::string state = state_after(error);
    if (errors_.has_failed()) errors_.rethrow(error, state);
    throw_with_note(error, state);
  }
}

/// Cancel a step that failed, if possible. \return the state of the simulation afterwards, for the user
std::string PythonRun::state_after(const Error& error) {
  Simulation& now = run_->simulation();
  if (now.is_between_steps()) return "";
  in_step_ = false;
  has_failed_ = !(errors_.has_failed() && errors_.is_interrupt());
  const std::int64_t step = now.step();
  if (now.cancel_step())
    return fmt::format("step {} was given up: the simulation is as step {} left it, at t = {:g} s, and can go on", step,
                       now.step(), now.time());
  const std::string_view what = error.what();
  const std::size_t end = what.find_last_not_of('\n') + 1;
  const std::size_t begin = what.substr(0, end).rfind('\n') + 1;
  broken_ = fmt::format(
      "step {} failed when it had changed particles ({}), so that this simulation cannot go on. A new "
      "Simulation with restart = \"auto\" goes on from the last checkpoint",
      step, what.substr(begin, end - begin));
  return broken_;
}

int PythonRun::run() {
  Run& run = idle();
  ExitCode code = ExitCode::done;
  work([&] { code = run.run(); });
  return static_cast<int>(code);
}

/// Check a wanted step. Errors: InputError on all ranks if it is too short or if ranks want different ones. Collective
void PythonRun::check_limits(const StepLimits& limits) {
  const Simulation& now = simulation();
  std::array<double, 4> wanted{limits.dt, -limits.dt, limits.time, -limits.time};
  {
    const py::gil_scoped_release free;
    comm_->max_in_place(wanted);
  }
  if (wanted[0] != -wanted[1] || wanted[2] != -wanted[3])
    throw InputError(fmt::format("ranks ask for different steps (from {:g} to {:g} s). Give all ranks the same dt",
                                 -std::max(wanted[1], wanted[3] + now.time()),
                                 std::min(wanted[0], wanted[2] - now.time())));
  const double min_dt = now.parameters().time.min_dt;
  if (limits.dt < min_dt)
    throw InputError(fmt::format("dt = {:g} s is below time.min_dt ({:g} s). Give a longer step, or lower time.min_dt",
                                 limits.dt, min_dt));
  if (now.time() + limits.dt == now.time())
    throw InputError(
        fmt::format("dt = {:g} s is lost in rounding (t = {:g} s). Give a longer step", limits.dt, now.time()));
}

void PythonRun::step(const StepLimits& limits) {
  Run& run = idle();
  check_limits(limits);
  has_failed_ = false;
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
  work([&] {
    need_same(*comm_, "change", fmt::format("{}", fmt::join(overrides, "\n")));
    run.change(overrides);
  });
}

void PythonRun::close_at_rest() {
  if (run_) at_rest();
  close();
}

bool PythonRun::is_over() {
  Run& run = open();
  return run.simulation().is_between_steps() && run.is_over() && broken_.empty();
}

void PythonRun::leave() {
  if (!run_) return;
  Simulation& now = at_rest().simulation();
  while (in_step_ && !now.cancel_step()) phase(next_phase());
  in_step_ = false;
  work([&] { run_->leave(has_failed_); });
}

void PythonRun::leave_alone(bool failed) {
  if (run_) run_->leave_alone(failed || has_failed_);
}

double PythonRun::begin_step(const StepLimits& limits) {
  Run& run = idle();
  check_limits(limits);
  has_failed_ = false;
  work([&] {
    plan_ = run.begin_step(limits);
    run.simulation().begin_step();
  });
  dt_ = plan_.dt;
  trials_ = run.simulation().trials(dt_, run.simulation().report().sums.max_speed);
  next_phase_ = 0;
  in_step_ = true;
  wants_retry_ = false;
  return dt_;
}

std::vector<std::pair<std::string, std::string>> phase_texts(bool is_prescribed) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const StepPhase& phase : phases_of(is_prescribed)) texts.emplace_back(phase.name, phase.text);
  return texts;
}

std::vector<std::string> PythonRun::phases() {
  std::vector<std::string> names;
  for (const StepPhase& phase : phases_of(simulation().is_prescribed())) names.emplace_back(phase.name);
  return names;
}

std::string PythonRun::next_phase() {
  if (!in_step_) return "";
  if (wants_retry_) return "retry";
  const std::vector<std::string> names = phases();
  return next_phase_ < names.size() ? names[next_phase_] : "end";
}

void PythonRun::check_phase(const std::string& name) {
  const std::string next = next_phase();
  if (next.empty()) throw std::runtime_error("no step is under way. Call begin_step() first");
  if (next != name) throw std::runtime_error(fmt::format("{} is out of order: the next phase is {}", name, next));
}

std::string PythonRun::phase(const std::string& name) {
  Run& run = at_rest();
  if (!broken_.empty()) throw Error(ExitCode::internal, broken_);
  check_phase(name);
  Simulation& now = run.simulation();
  if (name == "end") {
    in_step_ = false;
    work([&] { run.end_step(plan_, dt_); });
    return "";
  }
  const StepPhases lists = phases_of_step(now.is_prescribed());
  const StepPhase phase = phases_of(now.is_prescribed())[next_phase_];
  const bool ends_trial = !lists.trial.empty() && next_phase_ + 1 == lists.before.size() + lists.trial.size();
  work([&] {
    StepState state{dt_, cfl_, {}};
    if (name == "move") now.refresh_for_move(cfl_);  // Python may have changed the velocity
    phase.call(now, state);
    cfl_ = state.cfl;
    if (ends_trial || !state.failure.empty()) wants_retry_ = now.tries_again(*trials_, state.failure, cfl_);
  });
  if (!wants_retry_) {
    ++next_phase_;
    return "";
  }
  return fmt::format("{} in dt = {:.3e} s. retry() goes back to the forces with dt = {:.3e} s", trials_->reason(), dt_,
                     trials_->dt());
}

double PythonRun::retry_step(std::optional<double> dt) {
  Simulation& now = at_rest().simulation();
  const StepPhases lists = phases_of_step(now.is_prescribed());
  const std::size_t first = lists.before.size();  // number of the first phase of a trial
  const bool may = wants_retry_ || (next_phase_ > first && next_phase_ <= first + lists.trial.size());
  if (!in_step_ || now.is_prescribed() || !may)
    throw std::runtime_error("retry is legal after forces and before blend only");
  if (!dt && !wants_retry_) throw std::runtime_error("no smaller dt is needed. Give the one that you want");
  if (dt) check_limits({.dt = *dt});
  work([&] { now.fields().pressure.fill(0.0); });
  if (dt) trials_ = now.trials(*dt, now.report().sums.max_speed);
  dt_ = trials_->dt();
  next_phase_ = first;
  wants_retry_ = false;
  return dt_;
}

std::size_t PythonRun::add_force(const py::function& function, const std::string& name, double bound) {
  Run& run = idle();
  {
    const py::gil_scoped_release free;
    bound = comm_->max(bound);
  }
  forces_.push_back(std::make_shared<OwnForce>(OwnForce{function, name, bound}));
  run.simulation().add_force(std::make_unique<PythonForce>(*comm_, forces_.back(), arrays_, errors_));
  return forces_.size() - 1;
}

std::size_t PythonRun::add_source(const py::function& function) {
  Run& run = idle();
  sources_.push_back(std::make_shared<py::object>(function));
  run.simulation().add_source(python_source(*comm_, sources_.back(), arrays_, errors_));
  return sources_.size() - 1;
}

/// A removed force keeps its place in the list, because functions are known by their places.
void PythonRun::remove_force(std::size_t number) {
  idle();
  *forces_.at(number) = {};
}

void PythonRun::remove_source(std::size_t number) {
  idle();
  *sources_.at(number) = {};
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
    std::visit([&](auto get) { report[number.name] = get(simulation().finished_report()); }, number.value);
  report["seconds"] = open().last_step_seconds();
  return report;
}

py::dict PythonRun::gauges() {
  const Simulation& now = simulation();
  const StepReport& step = now.finished_report();
  const Gauges& gauges = now.gauges();
  py::dict found;
  for (std::size_t i = 0; i < gauges.size(); ++i) {
    const std::vector<double> values = gauges.row_of(i, step.step);
    if (values.empty()) continue;
    const std::vector<CsvColumn> columns = gauge_columns(now.parameters().gauges[i]);
    py::dict row;
    row["step"] = step.step;
    row["t"] = step.time;
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
  const AtWork at_work(worker_);
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

void PythonRun::set_solid_state(int solid, const py::array_t<double, py::array::c_style>& numbers) {
  constexpr std::size_t count = 18;
  Run& run = idle();
  const int n = body_of(solid);
  std::array<double, 2 * count> both{};  // the numbers, and the same with the other sign
  for (std::size_t i = 0; i < count; ++i) {
    both[i] = numbers.at(static_cast<py::ssize_t>(i));
    both[count + i] = -both[i];
  }
  const std::array<double, 2 * count> here = both;
  work([&] {
    comm_->max_in_place(both);
    for (std::size_t i = 0; i < count; ++i)
      if (both[i] != -both[count + i])
        throw InputError(
            "ranks give a body different places or velocities. All ranks hold all bodies: give them the same");
    BodyPlace place;
    Vec6 velocity;
    for (int d = 0; d < 3; ++d) {
      const auto i = static_cast<std::size_t>(d);
      place.center[d] = here[i];
      for (int e = 0; e < 3; ++e) place.rotation(d, e) = here[3 + 3 * i + static_cast<std::size_t>(e)];
      velocity[d] = here[12 + i];
      velocity[3 + d] = here[15 + i];
    }
    run.simulation().set_body_state(n, place, velocity);
  });
}

void PythonRun::set_velocity(const py::array_t<double, py::array::c_style>& velocity) {
  Run& run = idle();
  const double* values = velocity.data();
  work([&] {
    ParticleStore& particles = run.simulation().particles();
    std::copy_n(values, 3 * particles.size(), particles.velocity());
    run.simulation().measure_particles();  // finds the largest speed for the next time step
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

/// Call f(field, key) with the field of a name. \param[in] axis  axis of a velocity
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
    f(simulation.surface().labels(), name);
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

/// Marks a cell that does not exist: all bits are 1. Otherwise a cell has the bits of its value.
constexpr std::uint64_t no_value = std::numeric_limits<std::uint64_t>::max();

template <class T>
std::uint64_t as_bits(T value) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

/// Gather the values of all cells of the domain on all ranks, x fastest. Each cell has a value on one rank at most, so
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
              as_bits(field.block(b)[i + block[0] * (j + block[1] * k)]);
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
      const AtWork at_work(worker_);
      const py::gil_scoped_release free;
      values = dense(*comm_, field);
    }
    if constexpr (std::is_same_v<T, double>) {
      py::array_t<double> numbers(shape);  // cells outside of blocks have all bits 1, which is not a number
      std::ranges::transform(values, numbers.mutable_data(), [](std::uint64_t v) { return std::bit_cast<double>(v); });
      result = std::move(numbers);
    } else {
      py::array_t<std::uint8_t> numbers(shape);  // 255 in cells outside of blocks
      std::ranges::transform(values, numbers.mutable_data(),
                             [](std::uint64_t v) { return static_cast<std::uint8_t>(v); });
      result = std::move(numbers);
    }
  });
  return result;
}

std::unique_ptr<MadeSurface> PythonRun::surface(const std::vector<std::string>& overrides) {
  const Simulation& now = idle().simulation();
  const AtWork at_work(worker_);
  const py::gil_scoped_release free;
  need_same(*comm_, "surface", fmt::format("{}", fmt::join(overrides, "\n")));
  const Parameters& run = now.parameters();
  if (run.particles.narrow_band.width > 0)
    throw InputError(
        fmt::format("surface: the run keeps particles in a narrow band only (particles.band = {}), so that the "
                    "surface would be hollow. Leave out 'particles.band'",
                    run.particles.narrow_band.width));
  const Parameters parameters = parse_parameters(resolved_toml(run), run.source_file, overrides);
  SurfaceOptions options = parameters.surface.surface;
  options.per_axis = run.particles.per_axis;
  return std::make_unique<MadeSurface>(
      *comm_, now.domain(), options,
      surface_particles(now.layout(), now.particles(), options, parameters.surface.attributes),
      solid_distance(now.scene().bodies(), now.time()), SurfaceParts::both);
}

py::array_t<std::int32_t> PythonRun::first_cells() {
  const BlockLayout& layout = simulation().layout();
  py::array_t<std::int32_t> cells({static_cast<py::ssize_t>(layout.n_owned()), py::ssize_t{3}});
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int d = 0; d < 3; ++d) cells.mutable_at(b, d) = layout.first_cell(b)[d];
  return cells;
}

}  // namespace freshet::python
