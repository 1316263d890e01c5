// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/simulation.hpp"
#include "freshet/forces/forces.hpp"
#include "python/session.hpp"
#include "python/shared_arrays.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

namespace freshet::python {

/// A Python function that returns an acceleration [m/s^2], called with (axis, time, dt, velocity). It returns None, or
/// an array of float64 with the shape of `velocity`; strides of 0 are allowed.
struct OwnForce {
  pybind11::object function;  ///< None: the force has been removed
  std::string name;           ///< name in messages
  double bound = 0.0;         ///< largest acceleration of the last step, or the user's bound; same on all ranks [m/s^2]
};

/// Applies an OwnForce to the faces of a rank. All ranks have the same forces in the same order: apply() is collective.
class PythonForce : public ForceTerm {
 public:
  PythonForce(const Communicator& comm, std::shared_ptr<OwnForce> force, SharedArrays& arrays, CallbackErrors& errors)
      : comm_(comm), force_(std::move(force)), arrays_(arrays), errors_(errors) {}
  void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const override;
  double largest_acceleration(double /*time*/, double /*speed*/) const override { return force_->bound; }

 private:
  const Communicator& comm_;
  std::shared_ptr<OwnForce> force_;
  SharedArrays& arrays_;
  CallbackErrors& errors_;
};

/// Make a source of a Python function that is called with (time, dt). It returns None, or (positions [m], velocities
/// [m/s], tags): float64, float64 and uint8 of shapes (n, 3), (n, 3) and (n,).
Scene::OwnSource python_source(const Communicator& comm, std::shared_ptr<pybind11::object> function,
                               SharedArrays& arrays, CallbackErrors& errors);

/// A Python function that gives a load on one body, called with (time, dt). It returns None, or (force [N], moment
/// about the centre of mass [N m]): float64 of shape (6,), in 2-D for one metre of thickness.
struct OwnLoad {
  pybind11::object function;  ///< None: the load has been removed
  int body = 0;               ///< number among the bodies that the liquid moves
  std::string name;           ///< name in messages
};

/// Make loads on bodies of a Python function. \param[in] thickness  of the slab in 2-D [m]; 1 in 3-D
/// Errors of the loads: RunError on all ranks if ranks give different numbers, or some that are not finite. Collective
FreeBodies::Loads python_load(const Communicator& comm, std::shared_ptr<OwnLoad> load, double thickness,
                              SharedArrays& arrays, CallbackErrors& errors);

}  // namespace freshet::python
