// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"

#include <string>
#include <vector>

namespace freshet {

/// Give keys that the program has chosen the values with which an earlier run computed, so that a run goes on as it
/// began, also where a newer program would choose otherwise: labels.surface, pressure.walls.condition,
/// density.correction, time.splitting and the surface of each solid. Keys that the case sets stay.
///
/// \param[in] earlier_resolved  resolved text of the earlier run; may be any bytes
/// \return the keys whose values have changed thereby, each as "density.correction: "implicit" -> "off""
/// Errors: InputError if the earlier text is no case
std::vector<std::string> keep_choices(const std::string& earlier_resolved, Parameters& now);

}  // namespace freshet
