// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace freshet {

/// Whether viscosity finds the pressure that it gives rise to (Stokes), or leaves that to the next projection.
enum class ViscousCoupling { stokes, split };

/// How the viscous stress is found.
struct ViscosityOptions {
  double tolerance = 1e-5;    ///< error of the velocity, relative, in the norm of energy; see ViscousStep
  int max_iterations = 5000;  ///< of one solve
  std::map<std::string, std::string> petsc =
      {};  ///< PETSc's options, without the leading dash and the prefix viscosity_
  ViscousCoupling coupling = ViscousCoupling::stokes;
};

}  // namespace freshet
