// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/free_bodies.hpp"
#include "freshet/config/parameters.hpp"

#include <string>
#include <vector>

namespace freshet {

/// The joints and moorings of a case. \param[in] bodies  as make_bodies() makes them. Parallel: local
BodyLinks make_links(const Parameters& parameters, const std::vector<FreeBody>& bodies);

/// What joins and holds the bodies, as lines for the log.
std::vector<std::string> remarks_on_links(const Parameters& parameters);

}  // namespace freshet
