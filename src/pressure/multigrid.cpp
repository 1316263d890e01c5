// SPDX-License-Identifier: Apache-2.0
#include "multigrid.hpp"

#include <algorithm>

namespace freshet::pressure {

void Multigrid::reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
}
void Multigrid::update_diagonal() {}
void Multigrid::apply(const double* r, double* z) {
  std::copy_n(r, unknowns_->count(), z);
}

}  // namespace freshet::pressure
