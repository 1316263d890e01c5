// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/solids/solids.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Doubts about where the bodies of a case lie. Each function returns one line for each body.
namespace freshet {

/// Shapes of tables of the case, "sink.0", that lie outside the domain, so that they have no effect.
std::vector<std::string> warnings_of_absence(
    const Domain& domain, const std::vector<std::pair<std::string, std::shared_ptr<const Shape>>>& shapes);

/// Solids that lie outside the domain, and do not come into it until the end of the run.
std::vector<std::string> warnings_of_absence(const Domain& domain, double end_time,
                                             const std::vector<SolidBody>& bodies);

/// Boxes of liquid that end within a cell of a wall, or of a box that is solid, with nothing in between: the air there
/// is thinner than the grid can show. \param[in] liquids  those of parameters.liquids that are not files of particles
std::vector<std::string> warnings_of_gaps(const Domain& domain, const Parameters& parameters,
                                          const std::vector<LiquidBody>& liquids, const std::vector<SolidBody>& bodies);

}  // namespace freshet
