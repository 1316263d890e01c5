// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/outside_pressure.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/keys/slots.hpp"

#include <algorithm>
#include <utility>

namespace freshet {
bool OutsidePressure::has_pressure(int axis, int side) const {
  const auto [d, s] = std::pair{static_cast<std::size_t>(axis), static_cast<std::size_t>(side)};
  return domain_.condition(axis, side) == FaceCondition::open && options_.of_side[d][s] > 0.0;
}

bool OutsidePressure::is_any() const {
  for (int d = 0; d < domain_.dimension(); ++d)
    if (has_pressure(d, 0) || has_pressure(d, 1)) return true;
  return false;
}

double OutsidePressure::pressure_at(int axis, int side, const Vec3& x) const {
  const Vec3 upper = domain_.box().upper;
  double above = 0.0;  // g . (x_0 - x)
  for (int d = 0; d < domain_.dimension(); ++d)
    if (d != axis) above += fluid_.gravity[d] * ((fluid_.gravity[d] < 0.0 ? domain_.origin()[d] : upper[d]) - x[d]);
  const double lowest = options_.of_side[static_cast<std::size_t>(axis)][static_cast<std::size_t>(side)];
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
          if (layer < 0 || layer >= Block::n(d) || !has_pressure(d, side)) continue;
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

keys::Keys keys_of(OutsidePressureOptions& outside) {
  using namespace keys;
  return side_keys(
      "Pressure of liquid at rest outside (0: air), at the lowest point of the open side",
      [&outside](std::size_t axis, std::size_t side) { return number(outside.of_side[axis][side], at_least(0.0)); },
      "Pa");
}

void check_force(const OutsidePressureOptions& outside, const ForceScene& scene, const keys::Table& table) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t side = 0; side < 2; ++side) {
      const bool exists = static_cast<int>(axis) < scene.domain.dimension;
      const bool is_open = exists && scene.domain.boundary[axis][side] == FaceCondition::open;
      table.require(is_open || outside.of_side[axis][side] == 0.0,
                    "fluid.outside_pressure." + keys::side_name(axis, side), "is given",
                    exists ? "that side of the domain is not open" : "domain.dimension is 2", "Leave it out");
    }
}

std::unique_ptr<ForceTerm> make_force(const OutsidePressureOptions& outside, const Domain& domain,
                                      const FluidOptions& fluid) {
  auto term = std::make_unique<OutsidePressure>(outside, domain, fluid);
  return term->is_any() ? std::move(term) : nullptr;
}

}  // namespace freshet
