// SPDX-License-Identifier: Apache-2.0
// PythonRun: what solids are and do, and the bodies among them that the liquid moves.
#include "python/run.hpp"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace freshet::python {
namespace {

py::array_t<double> array_of(const Vec3& vector) {
  py::array_t<double> result(py::ssize_t{3});
  for (int d = 0; d < 3; ++d) result.mutable_at(d) = vector[d];
  return result;
}

py::array_t<double> array_of(const Mat3& matrix) {
  py::array_t<double> result({py::ssize_t{3}, py::ssize_t{3}});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result.mutable_at(i, j) = matrix(i, j);
  return result;
}

}  // namespace

/// The number among the bodies that the liquid moves; -1: it does not move this solid.
int PythonRun::body_of(int solid) {
  const FreeBodies& bodies = simulation().free_bodies();
  for (int n = 0; n < bodies.count(); ++n)
    if (bodies.body(n).solid == solid) return n;
  return -1;
}

py::dict PythonRun::solid_state(int solid) {
  const Simulation& now = simulation();
  const SolidBody& of_case = now.scene().bodies().at(static_cast<std::size_t>(solid));
  const Pose pose = of_case.motion != nullptr ? of_case.motion->pose(now.time()) : Pose{};
  py::dict state;
  state["rotation"] = array_of(pose.rotation);
  state["translation"] = array_of(pose.translation);
  const int n = body_of(solid);
  if (n < 0) return state;
  const BodyReport report = now.free_bodies().report(n);
  const BodyMass& mass = now.free_bodies().body(n).mass;
  const double slab = simulation().domain().thickness();
  state["rotation"] = array_of(report.rotation);
  state["position"] = array_of(report.center);
  state["velocity"] = array_of(report.velocity);
  state["angular_velocity"] = array_of(report.angular);
  state["force"] = array_of(Vec3(report.force / slab));
  state["moment"] = array_of(Vec3(report.moment / slab));
  state["mass"] = mass.mass / slab;
  state["inertia"] = array_of(Mat3(mass.inertia / slab));
  return state;
}

std::size_t PythonRun::add_load(int solid, const py::function& function, const std::string& name) {
  Run& run = idle();
  loads_.push_back(std::make_shared<OwnLoad>(OwnLoad{function, body_of(solid), name}));
  run.simulation().add_body_loads(
      python_load(*comm_, loads_.back(), simulation().domain().thickness(), arrays_, errors_));
  return loads_.size() - 1;
}

/// A removed load keeps its place in the list, because functions are known by their places.
void PythonRun::remove_load(std::size_t number) {
  idle();
  loads_.at(number)->function = py::object();
}

}  // namespace freshet::python
