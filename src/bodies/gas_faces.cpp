// SPDX-License-Identifier: Apache-2.0
// Faces of FreeBodies towards bubbles of gas.
#include "bodies/closed_parts.hpp"
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/grid/kernels/cell_beside.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace freshet {
/// Append the closed parts of a block's cells of gas, and the cuts through bodies where far blocks begin.
template <class Shape>
void FreeBodies::append_gas_parts(const SolidFields& solids, const GasCells& gas, LocalIndex b,
                                  std::vector<GasPart>& parts) const {
  const BlockLayout& layout = gas.number.layout();
  ClosedParts<Shape> closed(solids, layout, b);
  const std::int32_t* const number = gas.number.block(b);
  const Vec3i block = layout.first_cell(b).cwiseQuotient(domain_.block_cells());
  for (int c = 0; c < Shape::cells; ++c) {
    const bool is_solid = solids.is_solid().block(b)[c] != 0;
    if (number[c] < 0 && (number[c] == gas.far || !is_solid)) continue;
    closed.go_to(c);
    for (int d = 0; d < Shape::dim; ++d)
      for (const int outward : {-1, 1}) {
        const CellBeside other = cell_beside<Shape>(layout, b, c, d, outward);
        const Vec3i beyond = closed.cell() + outward * Vec3i::Unit(d);
        const bool is_inside = domain_.contains_cell(domain_.wrap_cell(beyond));
        const bool is_far =
            is_inside && (other.slot == layout.background() || gas.number.block(other.slot)[other.cell] == gas.far);
        if (is_far == (number[c] >= 0)) continue;  // a part that the far cell would share cancels out
        const std::int32_t bubble = is_far ? gas.of_far_block(block + outward * Vec3i::Unit(d)) : number[c];
        const auto [solid, area, middle, to_thin_wall] = closed(d, outward);
        if (bubble < 0 || area <= 0.0 || of_solid_[static_cast<std::size_t>(solid)] < 0) continue;
        const int body = of_solid_[static_cast<std::size_t>(solid)];
        const Vec3 normal = (is_far ? -outward : outward) * Vec3(Vec3::Unit(d));
        const Vec3 arm = arm_of(solid, closed.center() + domain_.dx() * middle);
        GasPart part{bubble, body, joined(area * normal, area * arm.cross(normal)), 0.0};
        if (is_far) part.outflow = part.row.dot(trials_[static_cast<std::size_t>(body)].velocity);
        parts.push_back(part);
      }
  }
}

GasFaces FreeBodies::find_gas_faces(const SolidFields& solids, const GasCells& gas) const {
  const BlockLayout& layout = gas.number.layout();
  std::vector<GasPart> parts;
  with_shape(domain_.dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const Vec3 half = 0.5 * Vec3(Shape::nx, Shape::ny, Shape::nz);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      if (is_near(solids, b, half)) append_gas_parts<Shape>(solids, gas, b, parts);
  });
  const auto place = [this](int bubble, int body) { return static_cast<std::size_t>(bubble * count() + body); };
  std::vector<GlobalIndex> touches(place(gas.count, 0), 0);
  for (const GasPart& part : parts) ++touches[place(part.bubble, part.body)];
  layout.comm().sum_in_place(std::span<GlobalIndex>(touches));
  std::vector<int> first_sum(touches.size(), -1);
  int n_sums = 0;
  for (std::size_t n = 0; n < touches.size(); ++n)
    if (touches[n] > 0) first_sum[n] = std::exchange(n_sums, n_sums + 7);
  std::vector<ExactSum> sums(static_cast<std::size_t>(n_sums));
  for (const GasPart& part : parts) {
    ExactSum* const of_pair = &sums[static_cast<std::size_t>(first_sum[place(part.bubble, part.body)])];
    for (int i = 0; i < 6; ++i) of_pair[i].add(part.row[i]);
    of_pair[6].add(part.outflow);
  }
  layout.comm().sum_in_place(std::span<ExactSum>(sums));
  const int of_body = domain_.dimension() == 3 ? 6 : 3;
  GasFaces faces;
  faces.areas.reset(gas.count, columns());
  faces.outflow_at_cuts.assign(static_cast<std::size_t>(gas.count), 0.0);
  for (int bubble = 0; bubble < gas.count; ++bubble)
    for (int n = 0; n < count(); ++n) {
      const int first = first_sum[place(bubble, n)];
      if (first < 0) continue;
      Vec6 row;
      for (int i = 0; i < 6; ++i) row[i] = sums[static_cast<std::size_t>(first + i)].round();
      const std::array<double, 6> values = columns_of(row, domain_.dimension());
      for (int i = 0; i < of_body; ++i) faces.areas(bubble, of_body * n + i) = values[static_cast<std::size_t>(i)];
      faces.outflow_at_cuts[static_cast<std::size_t>(bubble)] += sums[static_cast<std::size_t>(first + 6)].round();
    }
  return faces;
}

}  // namespace freshet
