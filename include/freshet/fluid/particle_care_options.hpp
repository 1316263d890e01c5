// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

enum class ReseededCells { inner, liquid };

/// How many particles a liquid cell keeps.
struct ReseedingOptions {
  bool enabled = false;
  int min = 3;  ///< particles a liquid cell; fewer are filled up
  int max = 12;
  ReseededCells cells = ReseededCells::inner;
  bool keep_volume = true;  ///< no more come or go than that leaves the liquid's volume as it is
};

/// The springs between particles that keep them apart.
struct DistributionOptions {
  bool enabled = false;
  double strength = 0.2;  ///< of the springs
};

}  // namespace freshet
