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

/// Warnings about the positions of a case's bodies. Each function returns one line for each body.
namespace freshet {

/// Shapes that lie outside the domain and so have no effect, with the names of their tables, "sink.0".
std::vector<std::string> warnings_of_absence(
    const Domain& domain, const std::vector<std::pair<std::string, std::shared_ptr<const Shape>>>& shapes);

/// Solids that stay outside the domain until the end of the run.
std::vector<std::string> warnings_of_absence(const Domain& domain, double end_time,
                                             const std::vector<SolidBody>& bodies);

/// Boxes of liquid that end within a cell of a wall or of a solid box, with unresolved air in between.
/// \param[in] liquids  the parameters.liquids that are not files of particles
std::vector<std::string> warnings_of_gaps(const Domain& domain, const Parameters& parameters,
                                          const std::vector<LiquidBody>& liquids, const std::vector<SolidBody>& bodies);

}  // namespace freshet
