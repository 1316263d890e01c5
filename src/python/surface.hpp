// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/surface_output.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace freshet::python {

/// Particles that Python gives, each rank its own.
struct GivenSurface {
  std::string name;   ///< name of the case in messages
  std::string text;   ///< case with [domain], [[solid]], particles.per_axis and [output.surface]
  bool fits = false;  ///< the domain is not that of the case, but one that holds all particles
  pybind11::array_t<double, pybind11::array::c_style> positions;  ///< (n, 3) [m]
  pybind11::array_t<float, pybind11::array::c_style> radii;       ///< (n,) [m], or empty
  pybind11::dict attributes;                                      ///< name: array (n, 1), (n, 2) or (n, 3) of float32
  std::vector<std::string> integers;                              ///< names of the attributes that are integers
  std::string problem;                                            ///< fault of the arrays of this rank; empty: none
};

/// Make the surface of given particles. \param[in] communicator  as for make_communicator()
/// Parallel: collective. Errors: InputError on all ranks; those of MadeSurface
std::unique_ptr<MadeSurface> make_surface(const GivenSurface& given, std::uintptr_t communicator);

/// The classes and functions of surfaces.
void bind_surfaces(pybind11::module_& module);

}  // namespace freshet::python
