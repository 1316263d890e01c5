// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/run.hpp"
#include "freshet/driver/step_trials.hpp"
#include "freshet/driver/surface_output.hpp"
#include "python/callbacks.hpp"
#include "python/session.hpp"
#include "python/shared_arrays.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace freshet::python {

/// The sub-steps of a step in order, with a description of each. \param[in] is_prescribed  motion.field
/// gives the velocity
std::vector<std::pair<std::string, std::string>> phase_texts(bool is_prescribed);

/// A Run that Python drives. The GIL is free while the solver works.
///
/// Arrays that Python holds are detached from the solver's memory before the solver changes it; see SharedArrays.
class PythonRun : public Closable {
 public:
  struct Case {
    std::optional<std::string> text;  ///< text of the case; nothing: the file `name` is read
    std::string name;                 ///< name of the case file, also in messages
    std::vector<std::string> overrides;
  };
  PythonRun(const Case& input, const std::string& output_dir, const std::string& restart, bool force,
            std::uintptr_t communicator);
  ~PythonRun() override { PythonRun::close(); }
  void close() override;  ///< frees the memory; files stay as the last step left them
  void close_at_rest();   ///< close(); refused while the solver is at work

  int run();  ///< \return exit code of the program
  void step(const StepLimits& limits);
  void stop(const std::string& why);
  /// End a run before its end; see Run::leave(). A step under way is cancelled, or finished if it
  /// has changed particles.
  void leave();
  void leave_alone(bool failed);  ///< leave() on this rank alone, without a checkpoint
  bool is_over();                 ///< between two steps: whether the case has ended
  std::string stop_reason() { return open().stop_reason(); }
  bool has_output() { return open().has_output(); }
  void snapshot();
  void checkpoint();
  void refresh();  ///< updates labels and velocities to the present particles and time
  void change(const std::vector<std::string>& overrides);

  // A step in phases.
  double begin_step(const StepLimits& limits);  ///< \return dt [s]
  std::vector<std::string> phases();            ///< names of the phases in order, without "begin" and "end"
  std::string next_phase();                     ///< name of the phase that may be called; empty: no step has begun
  /// Run a phase. \return why the step must be tried again from the forces on, by retry_step(); empty: it need not
  std::string phase(const std::string& name);
  /// Go back to the forces with another dt, as long as particles have not been changed. \param[in] dt  nothing: the dt
  /// that step() would take, after phase() has returned a reason. \return dt [s]
  double retry_step(std::optional<double> dt);

  /// \param[in] name  name in messages. \return a number for remove_force()
  std::size_t add_force(const pybind11::function& function, const std::string& name, double bound);
  std::size_t add_source(const pybind11::function& function);  ///< \return a number for remove_source()
  void remove_force(std::size_t number);
  void remove_source(std::size_t number);

  // Solids. Numbers of forces are for one metre of thickness in 2-D.
  int n_solids() { return static_cast<int>(simulation().parameters().solids.size()); }
  bool is_free_solid(int solid) { return body_of(solid) >= 0; }  ///< whether the liquid moves it
  /// What a solid does: rotation since the start, translation with x = translation + rotation X, and for a body that
  /// the liquid moves position, velocity, angular_velocity, force, moment, mass, inertia; see Solid in Python.
  pybind11::dict solid_state(int solid);
  /// Set position of the centre, rotation, velocity and angular velocity of a body that the liquid moves: 3, 9, 3 and 3
  /// numbers. Errors: InputError on all ranks if ranks give different ones. Collective
  void set_solid_state(int solid, const pybind11::array_t<double, pybind11::array::c_style>& numbers);
  /// \param[in] name  name in messages. \return a number for remove_load()
  std::size_t add_load(int solid, const pybind11::function& function, const std::string& name);
  void remove_load(std::size_t number);

  bool any(bool value);  ///< whether `value` is true on any rank
  /// Call function() on every rank; an exception on one is thrown on all. \return whether any rank's call returned true
  bool any_of_call(const pybind11::function& function);

  pybind11::dict gauges();  ///< {name: {column: number}} for the gauges that measured in the last step
  pybind11::dict report();  ///< numbers of the last finished step, by the names in steps.csv
  int retries() { return simulation().report().retries; }  ///< number of retries of the step under way
  pybind11::dict numbers();                                ///< totals of the run
  pybind11::array positions();
  void set_velocity(const pybind11::array_t<double, pybind11::array::c_style>& velocity);  ///< [m/s]
  pybind11::array particle_array(const std::string& name);
  std::vector<std::string> particle_names();
  pybind11::ssize_t n_particles() { return simulation().particles().size(); }
  pybind11::array field(const std::string& name, int axis);
  bool shows(const pybind11::array& array) const { return arrays_.shows(array); }  ///< whether it shares the memory
  bool is_closed() const { return run_ == nullptr; }
  pybind11::array gather_field(const std::string& name, int axis);
  /// Make the surface of the particles. \param[in] overrides  "output.surface.key=value"
  std::unique_ptr<MadeSurface> surface(const std::vector<std::string>& overrides);
  pybind11::array_t<std::int32_t> first_cells();
  std::uint64_t layout_id() { return simulation().layout().id(); }
  std::uint64_t epoch() const { return epoch_; }  ///< number of calls that may have changed particles or fields
  Simulation& simulation() { return open().simulation(); }
  const Communicator& comm() { return open().simulation().comm(); }

 private:
  class AtWork;
  [[noreturn]] static void refuse_at_work();
  Run& open();     ///< the run; refused to other threads while the solver is at work
  Run& at_rest();  ///< open(); also refused to functions that the solver calls
  Run& idle();     ///< at_rest(); also refused within a step in phases
  /// Call f() with the GIL free and no array shared; errors of Python functions are thrown as they were.
  template <class Function>
  void work(Function&& f);
  int body_of(int solid);
  void check_limits(const StepLimits& limits);
  void check_phase(const std::string& name);
  std::string state_after(const Error& error);

  std::unique_ptr<Communicator> comm_;
  SharedArrays arrays_;
  CallbackErrors errors_;
  std::vector<std::shared_ptr<OwnForce>> forces_;
  std::vector<std::shared_ptr<pybind11::object>> sources_;
  std::vector<std::shared_ptr<OwnLoad>> loads_;
  std::unique_ptr<Run> run_;
  std::uint64_t epoch_ = 0;
  std::optional<std::thread::id> worker_;  ///< thread that is in the solver; Python's lock guards it
  // The step in phases.
  StepPlan plan_;
  double dt_ = 0.0;   ///< length of the step [s]
  double cfl_ = 0.0;  ///< largest displacement in dt [cells]
  std::size_t next_phase_ = 0;
  std::optional<StepTrials> trials_;
  bool wants_retry_ = false;  ///< the step must be tried again from the forces on
  bool in_step_ = false;
  bool has_failed_ = false;  ///< whether the last step failed
  std::string broken_;       ///< reason why no further step is possible; empty: it is possible
};

}  // namespace freshet::python
