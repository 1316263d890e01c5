// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/outside_pressure.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/tile.hpp"

#include <algorithm>

namespace freshet {
namespace {

bool has_pressure(const Domain& domain, const FluidOptions& fluid, int axis, int side) {
  const auto [d, s] = std::pair{static_cast<std::size_t>(axis), static_cast<std::size_t>(side)};
  return domain.condition(axis, side) == FaceCondition::open && fluid.outside_pressure[d][s] > 0.0;
}

}  // namespace

OutsidePressure::OutsidePressure(const Domain& domain, const FluidOptions& fluid) : domain_(domain), fluid_(fluid) {}

bool OutsidePressure::is_wanted(const Domain& domain, const FluidOptions& fluid) {
  for (int d = 0; d < domain.dimension(); ++d)
    if (has_pressure(domain, fluid, d, 0) || has_pressure(domain, fluid, d, 1)) return true;
  return false;
}

double OutsidePressure::pressure_at(int axis, int side, const Vec3& x) const {
  const Vec3 upper = domain_.box().upper;
  double above = 0.0;  // g . (x_0 - x)
  for (int d = 0; d < domain_.dimension(); ++d)
    if (d != axis) above += fluid_.gravity[d] * ((fluid_.gravity[d] < 0.0 ? domain_.origin()[d] : upper[d]) - x[d]);
  const double lowest = fluid_.outside_pressure[static_cast<std::size_t>(axis)][static_cast<std::size_t>(side)];
  return std::max(0.0, lowest - fluid_.density * above);
}

void OutsidePressure::apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const {
  const BlockLayout& layout = velocity.layout();
  const double dx = domain_.dx();
  const double scale = dt / (fluid_.density * dx);
  with_shape(domain_.dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      const Vec3i corner = layout.first_cell(b);
      for (int d = 0; d < Block::dim; ++d)
        for (int side = 0; side < 2; ++side) {
          // the faces of the side are the low faces of the first cells in the domain, or of the first beyond it
          const int layer = (side == 0 ? 0 : domain_.cells()[d]) - corner[d];
          if (layer < 0 || layer >= Block::n(d) || !has_pressure(domain_, fluid_, d, side)) continue;
          const Tile<Label, Block, 1> label(flow.labels, b);
          for (int c = 0; c < Block::cells; ++c) {
            const Vec3i n = Block::place(c);
            if (n[d] != layer) continue;
            const int here = label.extents.at(n), before = here - label.extents.stride(d);
            if (label[side == 0 ? here : before] != Label::liquid) continue;
            const Vec3 center = (corner + n).cast<double>() + Vec3::Constant(0.5) - 0.5 * Vec3::Unit(d);
            const double p = pressure_at(d, side, domain_.origin() + dx * center);
            velocity[d].block(b)[c] += (side == 0 ? 1.0 : -1.0) * scale * p;
          }
        }
    });
  });
}

}  // namespace freshet
