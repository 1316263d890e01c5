// SPDX-License-Identifier: Apache-2.0
#include "python/callbacks.hpp"

#include "freshet/core/parallel_for.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace py = pybind11;

namespace freshet::python {
namespace {

/// The values [block, k, j, i] of an array with any strides.
struct Values {
  const char* data = nullptr;
  std::array<py::ssize_t, 4> stride{};  ///< [bytes]
  int n_i = 0, n_j = 0, n_k = 0;
};

/// Add dt a to u on the owned faces of one axis. \return the largest |a|; infinite if one is not a number
double add(const Values& a, double dt, CellField<double>& u) {
  double largest = 0.0;
  const LocalIndex n_blocks = u.layout().n_owned();
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (LocalIndex b = 0; b < n_blocks; ++b) {
    double* u_f = u.block(b);
    double sum = 0.0;  // not a number if any value is not one
    for (int k = 0; k < a.n_k; ++k)
      for (int j = 0; j < a.n_j; ++j) {
        const char* row = a.data + b * a.stride[0] + k * a.stride[1] + j * a.stride[2];
        for (int i = 0; i < a.n_i; ++i) {
          const double value = *reinterpret_cast<const double*>(row + i * a.stride[3]);
          sum += value;
          largest = std::max(largest, std::abs(value));
          *u_f++ += dt * value;
        }
      }
    if (!std::isfinite(sum)) largest = std::numeric_limits<double>::infinity();
  }
  return largest;
}

Values values_of(const py::array& array) {
  Values values;
  values.data = static_cast<const char*>(array.data());
  for (int d = 0; d < 4; ++d) values.stride[static_cast<std::size_t>(d)] = array.strides(d);
  values.n_k = static_cast<int>(array.shape(1));
  values.n_j = static_cast<int>(array.shape(2));
  values.n_i = static_cast<int>(array.shape(3));
  return values;
}

}  // namespace

void PythonForce::apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const {
  if (!force_->function) return;
  double largest = 0.0;
  const Failure failure = errors_.catch_here([&] {
    for (int d = 0; d < velocity.dimension(); ++d) {
      auto& before = const_cast<CellField<double>&>(flow.velocity[d]);  // velocity of this step, shown read-only
      py::array u = arrays_.field<double>(before, "force/" + std::to_string(d));
      u.attr("setflags")(py::arg("write") = false);
      const py::object result = force_->function(d, flow.time, dt, u);
      if (result.is_none()) continue;
      const auto acceleration = result.cast<py::array>();
      const Values values = values_of(acceleration);
      const py::gil_scoped_release free;
      largest = std::max(largest, add(values, dt, velocity[d]));
    }
  });
  {
    const py::gil_scoped_acquire gil;
    arrays_.detach();  // arrays that the function has kept
  }
  const bool failed = failure.code != ExitCode::done;
  force_->bound = comm_.max(failed ? std::numeric_limits<double>::infinity() : largest);
  if (std::isfinite(force_->bound)) return;
  force_->bound = 0.0;
  errors_.agree(comm_, failure);
  throw RunError(
      fmt::format("{} gave an acceleration that is not a finite number. Look at what it returns", force_->name));
}

Scene::OwnSource python_source(const Communicator& comm, std::shared_ptr<py::object> function, SharedArrays& arrays,
                               CallbackErrors& errors) {
  return [&comm, function = std::move(function), &arrays, &errors](double time, double dt) {
    GivenParticles given;
    errors.agree(comm, errors.catch_here([&] {
      if (!*function) return;  // the source has been removed
      const py::object result = (*function)(time, dt);
      arrays.detach();
      if (result.is_none()) return;
      const auto parts = result.cast<py::tuple>();
      const auto x = parts[0].cast<py::array_t<double, py::array::c_style>>();
      const auto u = parts[1].cast<py::array_t<double, py::array::c_style>>();
      const auto tag = parts[2].cast<py::array_t<std::uint8_t, py::array::c_style>>();
      for (py::ssize_t m = 0; m < x.shape(0); ++m) {
        given.position.emplace_back(x.at(m, 0), x.at(m, 1), x.at(m, 2));
        given.velocity.emplace_back(u.at(m, 0), u.at(m, 1), u.at(m, 2));
        given.tags.push_back(tag.at(m));
      }
    }));
    return given;
  };
}

FreeBodies::Loads python_load(const Communicator& comm, std::shared_ptr<OwnLoad> load, double thickness,
                              SharedArrays& arrays, CallbackErrors& errors) {
  return [&comm, load = std::move(load), thickness, &arrays, &errors](double time, double dt, std::span<Vec6> loads) {
    std::array<double, 13> given{};  // the numbers, the same with the other sign, and whether one is not finite
    errors.agree(comm, errors.catch_here([&] {
      if (!load->function) return;
      const py::object result = load->function(time, dt);
      arrays.detach();
      if (result.is_none()) return;
      const auto numbers = result.cast<py::array_t<double, py::array::c_style>>();
      for (std::size_t i = 0; i < 6; ++i) {
        given[i] = numbers.at(static_cast<py::ssize_t>(i));
        if (!std::isfinite(given[i])) given[12] = 1.0;
        given[6 + i] = -given[i];
      }
    }));
    std::array<double, 13> largest = given;
    comm.max_in_place(largest);
    if (largest[12] > 0.0)
      throw RunError(fmt::format("{} gave a number that is not finite. Look at what it returns", load->name));
    for (std::size_t i = 0; i < 6; ++i)
      if (largest[i] != -largest[6 + i])
        throw RunError(
            fmt::format("{} gave other numbers on other ranks: {} {} from {:g} to {:g}. All ranks hold all bodies: "
                        "give them the same",
                        load->name, i < 3 ? "force" : "moment",
                        i % 3 == 0   ? "x"
                        : i % 3 == 1 ? "y"
                                     : "z",
                        -largest[6 + i], largest[i]));
    Vec6& sum = loads[static_cast<std::size_t>(load->body)];
    for (int i = 0; i < 6; ++i) sum[i] += thickness * given[static_cast<std::size_t>(i)];
  };
}

}  // namespace freshet::python
