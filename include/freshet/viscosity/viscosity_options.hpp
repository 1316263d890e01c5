// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"

#include <map>
#include <string>

namespace freshet {

/// Whether the viscous solve finds the pressure that viscosity causes (stokes), or leaves it to the next projection.
enum class ViscousCoupling { stokes, split };

/// Options of the viscous solve.
struct ViscosityOptions {
  double tolerance = 1e-5;    ///< relative error of the velocity in the energy norm; see ViscousStep
  int max_iterations = 5000;  ///< iterations of one solve
  std::map<std::string, std::string> petsc =
      {};  ///< PETSc's options, without the leading dash and the prefix viscosity_
  ViscousCoupling coupling = ViscousCoupling::stokes;
};

keys::Keys keys_of(ViscosityOptions& viscosity);

}  // namespace freshet
