// SPDX-License-Identifier: Apache-2.0
// Checks of a case whose particles lie in a narrow band.
#include "check.hpp"
#include "freshet/forces/vortex.hpp"
#include "freshet/gauges/gauge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace freshet::config {
namespace {

/// Refuse a gauge that reads particles inside the liquid.
void check_gauge(const Parameters& p, const GaugeParameters& gauge, const Table& entry) {
  const GaugeNeeds needs = gauge_type(gauge.type).needs;
  const bool reads_particles = needs == GaugeNeeds::particles ||
                               (needs == GaugeNeeds::particles_of_voxels && p.labels.surface == LiquidSurface::voxels);
  entry.require(!reads_particles, "type", "counts particles where 'particles.band' keeps none",
                "the gauge would miss the liquid below the band", "Leave one of them out");
}

}  // namespace

void check_narrow_band(const Parameters& p, const Table& table) {
  const int width = p.particles.narrow_band.width;
  if (width == 0) return;
  const int least = static_cast<int>(std::ceil(p.time.cfl)) + (p.labels.surface == LiquidSurface::level_set ? 3 : 2);
  table.require(width >= least, "particles.band", fmt::format("= {} is too narrow", width),
                fmt::format("with this time.cfl and labels.surface the surface reads particles within {} cells", least),
                "Raise band, or lower time.cfl");
  const auto refuse_if = [&](bool found, const char* what) {
    table.require(!found, "particles.band", std::string("is given together with ") + what,
                  "that needs particles in all of the liquid", "Leave one of them out");
  };
  table.require(p.particles.per_axis >= 2, "particles.per_axis", "= 1 is too few with 'particles.band'",
                "at the rim single particles would not show where the surface is", "Choose 2 or more");
  const auto of_file = [](const LiquidParameters& liquid) { return liquid.shape.kind == ShapeKind::particles; };
  const auto other_tag = [&](const LiquidParameters& liquid) { return liquid.tag != p.liquids.front().tag; };
  refuse_if(p.motion.is_prescribed(), "'motion.field'");
  refuse_if(p.time.splitting == Splitting::reflection, "'time.splitting' = \"reflection\"");
  refuse_if(p.labels.method == LabelMethod::density, "'labels.method' = \"density\"");
  refuse_if(p.particles.distribution.enabled, "'particles.distribution'");
  refuse_if(std::get<VortexOptions>(p.forces).boost > 0.0, "'vortex.boost'");
  refuse_if(p.air.bubbles != BubbleModel::off, "'air.bubbles'");
  refuse_if(!p.sources.empty(), "a [[source]]");
  refuse_if(!p.sinks.empty(), "a [[sink]]");
  refuse_if(!p.attributes.empty(), "an [[attribute]]");
  refuse_if(has_color(p), "a colour");
  refuse_if(std::ranges::any_of(p.liquids, other_tag), "liquids of several tags");
  refuse_if(std::ranges::any_of(p.liquids, of_file), "a [[liquid]] of particles");
  refuse_if(p.surface.interval > 0.0, "'output.surface'");
  const auto& fields = p.output.fields;
  refuse_if(std::ranges::find(fields, "density_error") != fields.end(), "the field \"density_error\"");
  for (std::size_t i = 0; i < p.gauges.size(); ++i) check_gauge(p, p.gauges[i], table.entry("gauge", i));
}

}  // namespace freshet::config
