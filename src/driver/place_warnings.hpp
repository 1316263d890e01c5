// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/geometry/volume_moments.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/solids/solids.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Warnings about the positions of what a case holds. Each function returns one line for each entry that it warns of.
namespace freshet {

/// Shapes that lie outside the domain and so have no effect, with the names of their tables, "sink.0".
std::vector<std::string> warnings_of_absence(
    const Domain& domain, const std::vector<std::pair<std::string, std::shared_ptr<const Shape>>>& shapes);

/// Solids that stay outside the domain until the end of the run.
std::vector<std::string> warnings_of_absence(const Domain& domain, double end_time,
                                             const std::vector<SolidBody>& bodies);

/// Finite shapes of a table that reach beyond the domain.
std::vector<std::string> warnings_of_extent(const Domain& domain, const char* table, const std::vector<Box>& bounds);

/// Shapes that end at a side of a periodic axis and do not go on at the other.
std::vector<std::string> warnings_of_periodic_sides(
    const Domain& domain, const std::vector<std::pair<std::string, std::shared_ptr<const Shape>>>& shapes);

/// Gauges that solids cover at the start: points more than a cell deep, points whose normals point into a solid, lines
/// of heights, and rectangles.
std::vector<std::string> warnings_of_gauges(const Domain& domain, const std::vector<GaugeParameters>& gauges,
                                            const std::vector<SolidBody>& bodies);

/// Bodies that the liquid moves and that the grid shows too little of, by the moments of their shapes. Those of less
/// than some cells across in all directions but one close too few faces to push liquid aside; those of whole cells that
/// are thinner than one may cover no cell. \param[in] moved  with the index of their solids in `bodies`
std::vector<std::string> warnings_of_small_bodies(const Domain& domain, const std::vector<SolidBody>& bodies,
                                                  const std::vector<std::pair<int, VolumeMoments>>& moved);

/// Boxes of liquid that end within a cell of a wall or of a solid box, with unresolved air in between.
/// \param[in] liquids  the parameters.liquids that are not files of particles
std::vector<std::string> warnings_of_gaps(const Domain& domain, const Parameters& parameters,
                                          const std::vector<LiquidBody>& liquids, const std::vector<SolidBody>& bodies);

}  // namespace freshet
