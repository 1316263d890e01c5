// SPDX-License-Identifier: Apache-2.0
// What sources tell the grid.
#include "freshet/fluid/sources.hpp"

namespace freshet {
namespace {

/// A cell, or the face whose cell it is stored with.
struct At {
  LocalIndex block;
  int cell;
};

At find(const BlockLayout& layout, const Vec3i& unwrapped) {
  const Domain& domain = layout.domain();
  const Vec3i width = domain.block_cells();
  const Vec3i cell = domain.wrap_cell(unwrapped);
  if ((cell.array() < 0).any()) return {layout.background(), 0};
  const Vec3i block = cell.cwiseQuotient(width);
  if ((block.array() >= domain.lattice().array()).any()) return {layout.background(), 0};
  const Vec3i in_block = cell - block.cwiseProduct(width);
  return {layout.find(morton_key(block)), in_block.x() + width.x() * (in_block.y() + width.y() * in_block.z())};
}

/// The velocity of the solid on a cell's face, low or high along an axis; null if no solid is there.
float* wall_velocity(SolidFields& solids, const BlockLayout& layout, const Vec3i& cell, int axis, int side) {
  const At face = find(layout, side < 0 ? cell : Vec3i(cell + Vec3i::Unit(axis)));
  if (face.block == layout.background() || !is_wall_face(solids.wall()[axis].block(face.block)[face.cell]))
    return nullptr;
  return &solids.velocity()[axis].block(face.block)[face.cell];
}

/// f(cell) for the 8 cells around a cell in the plane across an axis; 2 in 2-D.
template <class Function>
void for_each_beside(const Domain& domain, const Vec3i& cell, int axis, Function&& f) {
  const Vec3i one = Vec3i::Ones() - Vec3i::Unit(axis) - Vec3i(0, 0, domain.dimension() == 2 && axis != 2 ? 1 : 0);
  for (int i = -one.x(); i <= one.x(); ++i)
    for (int j = -one.y(); j <= one.y(); ++j)
      for (int k = -one.z(); k <= one.z(); ++k)
        if (i != 0 || j != 0 || k != 0) f(Vec3i(cell + Vec3i(i, j, k)));
}

}  // namespace

template <class Function>
void Sources::for_each_inflow_face(double t, double dt, Function&& f) const {
  for (const Source& source : sources_) {
    if (!source.inlet) continue;
    const double on = (source.schedule.time_on(t + dt) - source.schedule.time_on(t)) / dt;
    for (const Inlet::Cell& entry : source.inlet->cells())
      for (int axis = 0; axis < domain_.dimension(); ++axis) {
        const double u = source.velocity[axis];
        if (u == 0.0) continue;
        const double way = on * source.rate * entry.share[axis] / (domain_.dx() * domain_.dx());
        f(entry.cell, axis, u > 0.0 ? -1 : 1, way, on > 0.0 ? u : 0.0);
      }
  }
}

void Sources::prescribe(const LabelField& labels, double t, double dt, SolidFields& solids,
                        CellField<double>& inflow) const {
  const BlockLayout& layout = labels.layout();
  const auto is = [&](const At& at, Label label) {
    return at.block != layout.background() && labels.block(at.block)[at.cell] == label;
  };
  for_each_inflow_face(t, dt, [&](const Vec3i& cell, int axis, int side, double, double) {
    const auto clear = [&](const Vec3i& at) {
      if (float* const u_s = wall_velocity(solids, layout, at, axis, side)) *u_s = 0.0F;
    };
    clear(cell);
    for_each_beside(domain_, cell, axis, clear);
  });
  for_each_inflow_face(t, dt, [&](const Vec3i& cell, int axis, int side, double way, double) {
    if (float* const u_s = wall_velocity(solids, layout, cell, axis, side)) {
      *u_s += static_cast<float>(-side * way);  // inlets may share faces
      return;
    }
    const At here = find(layout, cell);
    if (here.block < layout.n_owned() && is(find(layout, cell + side * Vec3i::Unit(axis)), Label::liquid))
      inflow.block(here.block)[here.cell] += way;
  });
  // Particles at the rim of an inlet see the faces beside it: where only air is, they move along, and slow nothing
  // down.
  for_each_inflow_face(t, dt, [&](const Vec3i& cell, int axis, int side, double, double u) {
    for_each_beside(domain_, cell, axis, [&](const Vec3i& beside) {
      const At at = find(layout, beside);
      float* const u_s = wall_velocity(solids, layout, beside, axis, side);
      if (u_s != nullptr && *u_s == 0.0F && is(at, Label::air)) *u_s = static_cast<float>(u);
    });
  });
}

}  // namespace freshet
