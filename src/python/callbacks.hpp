// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/simulation.hpp"
#include "freshet/fluid/forces.hpp"
#include "python/session.hpp"
#include "python/shared_arrays.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

namespace freshet::python {

/// A Python function that gives an acceleration, called with (axis, time, dt, velocity). It returns None, or an array
/// of float64 with the shape of `velocity`, which may have strides of 0. [m/s^2]
struct OwnForce {
  pybind11::object function;  ///< None: the force has been removed
  std::string name;           ///< for messages
  double bound = 0.0;  ///< largest acceleration of the last step, or what the user says; the same on all ranks [m/s^2]
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

/// What a Python source gives, called with (time, dt): None, or (positions, velocities, tags), float64 and uint8, of
/// shapes (n, 3), (n, 3) and (n,). [m], [m/s]
Scene::OwnSource python_source(const Communicator& comm, std::shared_ptr<pybind11::object> function,
                               SharedArrays& arrays, CallbackErrors& errors);

}  // namespace freshet::python
