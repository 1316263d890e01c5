// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/absorber.hpp"

#include "freshet/core/parallel_for.hpp"

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

}  // namespace freshet
