// SPDX-License-Identifier: Apache-2.0
// The compiled part of the Python package freshet. Users see the classes of analysis/freshet/, which call this part.
#include "freshet/config/read.hpp"
#include "freshet/core/idle_threads.hpp"
#include "freshet/core/version.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/signals.hpp"
#include "program.hpp"
#include "python/run.hpp"
#include "python/surface.hpp"

#include <mpi.h>
#include <pybind11/stl.h>

#include <cstdio>
#include <limits>
#include <optional>

namespace py = pybind11;

namespace freshet::python {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& words) {
  std::vector<const char*> result;
  for (const std::string& word : words) result.push_back(word.c_str());
  result.push_back(nullptr);
  return result;
}

int run_as_program(const std::vector<std::string>& words) {
  const py::gil_scoped_release free;
  return run_program(static_cast<int>(words.size()), pointers(words).data());
}

void sleep_when_idle(const std::vector<std::string>& command) {
  let_idle_threads_sleep(const_cast<char**>(pointers(command).data()));
}

StepLimits limits(std::optional<double> dt, std::optional<double> time) {
  constexpr double none = std::numeric_limits<double>::infinity();
  return {dt.value_or(none), time.value_or(none)};
}

std::unique_ptr<PythonRun> make_run(const std::string& name, std::optional<std::string> text,
                                    const std::vector<std::string>& overrides, const std::string& output_dir,
                                    const std::string& restart, bool force, std::uintptr_t communicator) {
  return std::make_unique<PythonRun>(PythonRun::Case{std::move(text), name, overrides}, output_dir, restart, force,
                                     communicator);
}

/// Catches signals from enter() to exit(); see Signals.
class CaughtSignals {
 public:
  void enter() { signals_.emplace(); }
  void exit() { signals_.reset(); }

 private:
  std::optional<Signals> signals_;
};

/// Properties that are read from a run.
void bind_properties(py::class_<PythonRun>& run_class) {
  run_class.def_property_readonly("n_solids", &PythonRun::n_solids)
      .def_property_readonly("is_closed", &PythonRun::is_closed)
      .def_property_readonly("is_over", &PythonRun::is_over)
      .def_property_readonly("stop_reason", &PythonRun::stop_reason)
      .def_property_readonly("has_output", &PythonRun::has_output)
      .def_property_readonly("phases", &PythonRun::phases)
      .def_property_readonly("next_phase", &PythonRun::next_phase)
      .def_property_readonly("retries", &PythonRun::retries)
      .def_property_readonly("min_dt", [](PythonRun& run) { return run.simulation().parameters().time.min_dt; })
      .def_property_readonly("particle_names", &PythonRun::particle_names)
      .def_property_readonly("n_particles", &PythonRun::n_particles)
      .def_property_readonly("layout_id", &PythonRun::layout_id)
      .def_property_readonly("epoch", &PythonRun::epoch)
      .def_property_readonly("time", [](PythonRun& run) { return run.simulation().time(); })
      .def_property_readonly("steps", [](PythonRun& run) { return run.simulation().step(); })
      .def_property_readonly("end_time", [](PythonRun& run) { return run.simulation().parameters().run.end_time; })
      .def_property_readonly("largest_dt", [](PythonRun& run) { return run.simulation().largest_dt(); })
      .def_property_readonly("particle_mass", [](PythonRun& run) { return run.simulation().particle_mass(); })
      .def_property_readonly("dimension", [](PythonRun& run) { return run.simulation().domain().dimension(); })
      .def_property_readonly("cell_size", [](PythonRun& run) { return run.simulation().domain().dx(); })
      .def_property_readonly("cells",
                             [](PythonRun& run) {
                               const Vec3i n = run.simulation().domain().cells();
                               return py::make_tuple(n[0], n[1], n[2]);
                             })
      .def_property_readonly("origin",
                             [](PythonRun& run) {
                               const Vec3 x = run.simulation().domain().origin();
                               return py::make_tuple(x[0], x[1], x[2]);
                             })
      .def_property_readonly("rank", [](PythonRun& run) { return run.comm().rank(); })
      .def_property_readonly("size", [](PythonRun& run) { return run.comm().size(); });
}

void bind_run(py::module_& module) {
  using py::arg;
  const auto none = py::none();
  py::class_<PythonRun> run_class(module, "Run",
                                  "A run as the program drives it; freshet.Simulation is made on top of it.");
  run_class
      .def(py::init(&make_run), arg("name"), arg("text"), arg("overrides"), arg("output_dir"), arg("restart"),
           arg("force"), arg("communicator"))
      .def("close", &PythonRun::close_at_rest)
      .def("run", &PythonRun::run)
      .def(
          "step",
          [](PythonRun& run, std::optional<double> dt, std::optional<double> time) { run.step(limits(dt, time)); },
          arg("dt") = none, arg("time") = none)
      .def("stop", &PythonRun::stop)
      .def("leave", &PythonRun::leave)
      .def("leave_alone", &PythonRun::leave_alone, arg("failed"))
      .def("snapshot", &PythonRun::snapshot)
      .def("checkpoint", &PythonRun::checkpoint)
      .def("refresh", &PythonRun::refresh)
      .def("change", &PythonRun::change)
      .def("resolved_case", [](PythonRun& run) { return resolved_toml(run.simulation().parameters()); })
      .def(
          "begin_step",
          [](PythonRun& run, std::optional<double> dt, std::optional<double> time) {
            return run.begin_step(limits(dt, time));
          },
          arg("dt") = none, arg("time") = none)
      .def("phase", &PythonRun::phase)
      .def("retry_step", &PythonRun::retry_step, arg("dt") = none)
      .def("add_force", &PythonRun::add_force)
      .def("add_source", &PythonRun::add_source)
      .def("remove_force", &PythonRun::remove_force)
      .def("remove_source", &PythonRun::remove_source)
      .def("is_free_solid", &PythonRun::is_free_solid)
      .def("solid_state", &PythonRun::solid_state)
      .def("set_solid_state", &PythonRun::set_solid_state)
      .def("add_load", &PythonRun::add_load)
      .def("remove_load", &PythonRun::remove_load)
      .def("any", &PythonRun::any)
      .def("any_of_call", &PythonRun::any_of_call)
      .def("gauges", &PythonRun::gauges)
      .def("report", &PythonRun::report)
      .def("numbers", &PythonRun::numbers)
      .def("positions", &PythonRun::positions)
      .def("set_velocity", &PythonRun::set_velocity)
      .def("particle_array", &PythonRun::particle_array)
      .def("field", &PythonRun::field, arg("name"), arg("axis") = 0)
      .def("gather_field", &PythonRun::gather_field, arg("name"), arg("axis") = 0)
      .def("surface", &PythonRun::surface)
      .def("shows", &PythonRun::shows)
      .def("first_cells", &PythonRun::first_cells);
  bind_properties(run_class);
}

}  // namespace
}  // namespace freshet::python

PYBIND11_MODULE(_freshet, module) {
  using namespace freshet;
  using namespace freshet::python;
  module.doc() = "The compiled part of freshet.";
  register_exceptions();
  bind_surfaces(module);
  bind_run(module);
  py::class_<CaughtSignals>(module, "CaughtSignals")
      .def(py::init())
      .def("enter", &CaughtSignals::enter)
      .def("exit", &CaughtSignals::exit);
  module.def("run_program", &run_as_program, "The program freshet: its exit code.");
  module.def("sleep_when_idle", &sleep_when_idle, "Start this process anew where idle threads had better sleep.");
  module.def("schema_json", &schema_json, py::arg("section") = "");
  module.def("phase_texts", &phase_texts, py::arg("is_prescribed"),
             "Names of the sub-steps of a step in their order, each with what it does.");
  module.def("version_text", &version_text);
  module.def("default_output_dir", &default_output_dir);
  module.def("start_session", &start_session,
             "Start MPI and PETSc, as the first simulation does: collective over all ranks of the job.");
  module.def("end_session", &end_session);
  module.def("note_signal", &Signals::note, "Ask the run for what this signal asks for, at the end of its next step.");
  module.def("abort", [](int code) {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, code);
  });
  module.def("n_ranks", &n_ranks, "Ranks of the job; 1 where MPI does not run.");
  module.attr("__version__") = build_info().version;
}
