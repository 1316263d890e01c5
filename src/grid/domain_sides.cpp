// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/domain_sides.hpp"

namespace freshet {

bool meets_domain(const DomainOptions& domain, const Vec3& lower, const Vec3& upper) {
  const Vec3 end = domain.origin + domain.cell_size * domain.cells.cast<double>();
  const double tolerance = side_tolerance * domain.cell_size;
  return (lower.array() <= end.array() + tolerance).all() && (upper.array() >= domain.origin.array() - tolerance).all();
}

}  // namespace freshet
