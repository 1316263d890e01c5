// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/absorber.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/domain_sides.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace freshet {

AbsorbingZones::AbsorbingZones(const Domain& domain, std::vector<AbsorberParameters> zones)
    : domain_(domain), zones_(std::move(zones)) {}

double AbsorbingZones::rate(const AbsorberParameters& zone, const Vec3& x) {
  if ((x.array() < zone.lower.array()).any() || (x.array() > zone.upper.array()).any()) return 0.0;
  // along the direction the box reaches from its nearest to its farthest corner
  const Vec3 along = zone.direction.normalized();
  const Vec3 nearest = (along.array() >= 0.0).select(zone.lower, zone.upper);
  const Vec3 farthest = (along.array() >= 0.0).select(zone.upper, zone.lower);
  const double s = (x - nearest).dot(along) / (farthest - nearest).dot(along);
  return zone.strength * s * s;
}

double AbsorbingZones::largest_acceleration(double /*time*/, double /*speed*/) const {
  double sum = 0.0;
  for (const AbsorberParameters& zone : zones_) sum += zone.strength * zone.velocity.norm();
  return sum;
}

void AbsorbingZones::apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const {
  const BlockLayout& layout = velocity.layout();
  const double dx = domain_.dx();
  const Vec3i n = domain_.block_cells();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const Vec3 corner = domain_.origin() + dx * layout.first_cell(b).cast<double>();
    const Vec3 end = corner + dx * n.cast<double>();
    std::vector<const AbsorberParameters*> near;
    const int dimension = domain_.dimension();
    for (const AbsorberParameters& zone : zones_)
      if ((zone.lower.head(dimension).array() <= end.head(dimension).array()).all() &&
          (zone.upper.head(dimension).array() >= corner.head(dimension).array()).all())
        near.push_back(&zone);
    for (int d = 0; d < dimension && !near.empty(); ++d) {
      const double* const u_old = flow.velocity[d].block(b);
      double* const u = velocity[d].block(b);
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const Vec3 cell(c % n.x(), c / n.x() % n.y(), c / (n.x() * n.y()));
        const Vec3 x = corner + dx * (cell + Vec3::Constant(0.5) - 0.5 * Vec3::Unit(d));
        double k = 0.0;     // sum over all zones [1/s]
        double pull = 0.0;  // sum of k times a zone's velocity [m/s^2]
        for (const AbsorberParameters* zone : near) {
          const double k_zone = rate(*zone, x);
          k += k_zone;
          pull += k_zone * zone->velocity[d];
        }
        if (k > 0.0) u[c] += std::expm1(-k * dt) * (u_old[c] - pull / k);
      }
    }
  });
}

keys::Entry entry_of(AbsorberParameters& zone) {
  using namespace keys;
  return {{
      {"lower", vector(zone.lower, ThirdEntry::below), "m", "Low corner of the box.", required},
      {"upper", vector(zone.upper, ThirdEntry::above), "m", "High corner of the box.", required},
      {"direction", vector(zone.direction, ThirdEntry::must_vanish), "",
       "Direction in which the zone becomes stronger, from 0 where waves enter it; of any length."},
      {"strength", number(zone.strength, above(0.0, 1e6)), "1/s",
       "Rate at which the liquid is brought to `velocity` at the zone's far end. analysis/figures/waves.md shows how "
       "much of a wave is reflected.",
       required},
      {"velocity", vector(zone.velocity, ThirdEntry::must_vanish, 1e4), "m/s",
       "Velocity to which the liquid is brought, such as that of a stream."},
  }};
}

keys::Keys keys_of(AbsorberOptions& absorbers) {
  return {{"absorber", keys::tables(absorbers.zones), "", "A box that absorbs waves which enter it."}};
}

void check_force(const AbsorberOptions& absorbers, const ForceScene& scene, const keys::Table& table) {
  for (std::size_t i = 0; i < absorbers.zones.size(); ++i) {
    const AbsorberParameters& zone = absorbers.zones[i];
    const keys::Table entry = table.entry("absorber", i);
    for (int d = 0; d < 3; ++d)
      entry.require(zone.lower[d] < zone.upper[d], "upper",
                    fmt::format("is not above '{}lower' along {}", entry.name, "xyz"[d]),
                    keys::number_text(zone.upper[d]) + " <= " + keys::number_text(zone.lower[d]),
                    "Give the low corner, then the high corner");
    entry.require(zone.direction.norm() > 0.0, "direction", "is zero", "it does not say where waves come from",
                  "Give the direction in which they travel");
    entry.require(meets_domain(scene.domain, zone.lower, zone.upper), "lower", "lies outside the domain",
                  "nothing is absorbed there", "Choose a box that meets the domain");
  }
}

std::unique_ptr<ForceTerm> make_force(const AbsorberOptions& absorbers, const Domain& domain,
                                      const FluidOptions& /*fluid*/) {
  return absorbers.zones.empty() ? nullptr : std::make_unique<AbsorbingZones>(domain, absorbers.zones);
}

}  // namespace freshet
