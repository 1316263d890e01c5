// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// How the viscous stress is found.
struct ViscosityOptions {
  double tolerance = 1e-6;    ///< residual relative to the liquid's momentum
  int max_iterations = 5000;  ///< of one solve
};

}  // namespace freshet
