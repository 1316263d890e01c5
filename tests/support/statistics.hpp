// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

namespace freshet::test {

/// The mean of independent samples, and its standard error.
struct Mean {
  double value = 0.0;
  double error = 0.0;  ///< the samples' standard deviation over the root of their number
};

/// \pre at least two samples
inline Mean mean_of(const std::vector<double>& samples) {
  const auto n = static_cast<double>(samples.size());
  Mean mean;
  for (const double sample : samples) mean.value += sample / n;
  double squares = 0.0;
  for (const double sample : samples) squares += (sample - mean.value) * (sample - mean.value);
  mean.error = std::sqrt(squares / (n * (n - 1.0)));
  return mean;
}

}  // namespace freshet::test
