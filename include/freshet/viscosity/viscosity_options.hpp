// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace freshet {

/// How the viscous stress is found.
struct ViscosityOptions {
  double tolerance = 1e-6;    ///< residual relative to the liquid's momentum
  int max_iterations = 5000;  ///< of one solve
  std::map<std::string, std::string> petsc =
      {};  ///< PETSc's options, without the leading dash and the prefix viscosity_
};

}  // namespace freshet
