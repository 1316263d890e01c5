// SPDX-License-Identifier: Apache-2.0
// Sources: prescribes inflows on the grid.
#include "freshet/solids/block_solids.hpp"
#include "freshet/sources/sources.hpp"

#include <algorithm>
#include <limits>
#include <vector>

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

/// The velocity of a solid face, and the part of it that a moving body contributes; false if the face is not solid.
struct WallVelocity {
  float* u = nullptr;            ///< [m/s]
  std::uint8_t* bits = nullptr;  ///< WallBits
  float of_body = 0.0F;
  explicit operator bool() const { return u != nullptr; }
};

/// Set `to` in place of `from` if that is set.
void exchange_bits(WallBits from, WallBits to, std::uint8_t& bits) {
  if ((bits & from) != 0) bits = static_cast<std::uint8_t>((bits & ~from) | to);
}

/// The velocity that moving bodies give to the low face of a cell between the domain's walls. [m/s]
float velocity_of_body(const SolidFields& solids, const Domain& domain, const Vec3i& cell, int axis, double dt) {
  const Vec3i below = cell - Vec3i::Unit(axis);
  if (!solids.any_moving() || !domain.contains_cell(domain.wrap_cell(cell)) ||
      !domain.contains_cell(domain.wrap_cell(below)))
    return 0.0F;
  const Vec3 x = center_of(domain, cell) - 0.5 * domain.dx() * Vec3::Unit(axis);
  const SolidBody* nearest = nullptr;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < solids.shapes().size(); ++n) {
    const double distance = solids.shapes()[n]->signed_distance(x);
    if (distance >= smallest) continue;
    smallest = distance;
    nearest = &solids.bodies()[n];
  }
  return nearest->motion ? static_cast<float>(nearest->twist(solids.time(), dt).at(x)[axis]) : 0.0F;
}

/// The wall velocity of the low (side -1) or high (side 1) face of a cell along an axis, for a step of dt.
WallVelocity wall_velocity(SolidFields& solids, const BlockLayout& layout, const Vec3i& cell, int axis, int side,
                           double dt) {
  const Vec3i of_face = side < 0 ? cell : Vec3i(cell + Vec3i::Unit(axis));
  const At face = find(layout, of_face);
  if (face.block == layout.background() || !is_wall_face(solids.wall()[axis].block(face.block)[face.cell])) return {};
  return {&solids.writable_velocity()[axis].block(face.block)[face.cell],
          &solids.wall()[axis].block(face.block)[face.cell],
          velocity_of_body(solids, layout.domain(), of_face, axis, dt)};
}

/// Call f(cell) for the 8 cells around a cell in the plane normal to an axis; for 2 cells in 2-D.
template <class Function>
void for_each_beside(const Domain& domain, const Vec3i& cell, int axis, Function&& f) {
  const Vec3i one = Vec3i::Ones() - Vec3i::Unit(axis) - Vec3i(0, 0, domain.dimension() == 2 && axis != 2 ? 1 : 0);
  for (int i = -one.x(); i <= one.x(); ++i)
    for (int j = -one.y(); j <= one.y(); ++j)
      for (int k = -one.z(); k <= one.z(); ++k)
        if (i != 0 || j != 0 || k != 0) f(Vec3i(cell + Vec3i(i, j, k)));
}

bool in_body(const SolidFields& solids, const Vec3& x) {
  return std::any_of(solids.shapes().begin(), solids.shapes().end(),
                     [&](const auto& shape) { return shape->signed_distance(x) <= 0.0; });
}

/// Whether body n fills a cell: a body of whole cells covers its centre, one of open fractions all its corners.
bool fills(const SolidFields& solids, std::size_t n, const Domain& domain, const Vec3i& cell) {
  const Shape& shape = *solids.shapes()[n];
  const Vec3 center = center_of(domain, cell);
  if (solids.bodies()[n].surface == Surface::voxels) return covers(shape, center, domain.dx());
  const int n_corners = 1 << domain.dimension();
  for (int corner = 0; corner < n_corners; ++corner) {
    Vec3 x = center;
    for (int d = 0; d < domain.dimension(); ++d) x[d] += ((corner >> d & 1) - 0.5) * domain.dx();
    if (!covers(shape, x, domain.dx())) return false;
  }
  return true;
}

bool is_filled(const SolidFields& solids, const Domain& domain, const Vec3i& cell) {
  for (std::size_t n = 0; n < solids.shapes().size(); ++n)
    if (fills(solids, n, domain, cell)) return true;
  return false;
}

/// Whether a moving body fills a cell of an inlet: nothing flows in there. (Inlets leave out bodies at rest.)
bool is_covered(const SolidFields& solids, const Domain& domain, const Vec3i& cell) {
  for (std::size_t n = 0; n < solids.shapes().size(); ++n)
    if (solids.bodies()[n].motion && fills(solids, n, domain, cell)) return true;
  return false;
}

/// The cell that receives the volume an inlet brings into `cell`: the first one downstream that no body fills.
/// Particles enter the same cell, because they find room only where the liquid's volume grows.
Vec3i first_free_cell(const SolidFields& solids, const Domain& domain, Vec3i cell, int axis, int side) {
  constexpr int farthest = 3;  // cells; the inlet lies on the body's surface
  for (int n = 0; n < farthest && is_filled(solids, domain, cell); ++n) cell[axis] -= side;
  return cell;
}

/// Whether a body of open fractions stands upstream of a cell.
bool is_on_body(const SolidFields& solids, const BlockLayout& layout, const Vec3i& cell, int axis, int side) {
  if (!solids.any_fractions()) return false;
  const At face = find(layout, side < 0 ? cell : Vec3i(cell + Vec3i::Unit(axis)));
  if (face.block != layout.background() && solids.open_fraction()[axis].block(face.block)[face.cell] < 1.0F)
    return true;
  return in_body(solids, center_of(layout.domain(), cell + side * Vec3i::Unit(axis)));
}

}  // namespace

std::vector<Sources::InflowFace> Sources::inflow_faces(double t, double dt, const SolidFields& solids) const {
  std::vector<InflowFace> faces;
  for (const Source& source : sources_) {
    if (!source.inlet) continue;
    const double on = (source.schedule.time_on(t + dt) - source.schedule.time_on(t)) / dt;
    for (const Inlet::Cell& entry : source.inlet->cells()) {
      const double here = is_covered(solids, domain_, entry.cell) ? 0.0 : on;
      for (int axis = 0; axis < domain_.dimension(); ++axis) {
        const double u = source.velocity[axis];
        if (u == 0.0) continue;
        const int side = u > 0.0 ? -1 : 1;
        const double flux = here * source.rate * entry.share[axis] / (domain_.dx() * domain_.dx());
        faces.push_back(
            {first_free_cell(solids, domain_, entry.cell, axis, side), axis, side, flux, here > 0.0 ? u : 0.0});
      }
    }
  }
  return faces;
}

void Sources::prescribe(const LabelField& labels, double t, double dt, SolidFields& solids,
                        CellField<double>& inflow) const {
  const BlockLayout& layout = labels.layout();
  const auto is = [&](const At& at, Label label) {
    return at.block != layout.background() && labels.block(at.block)[at.cell] == label;
  };
  const std::vector<InflowFace> faces = inflow_faces(t, dt, solids);
  for (const InflowFace& face : faces) {  // clear the velocities of an earlier step
    const auto clear = [&](const Vec3i& at) {
      const WallVelocity wall = wall_velocity(solids, layout, at, face.axis, face.side, dt);
      if (!wall) return;
      *wall.u = wall.of_body;
      exchange_bits(held, may_separate, *wall.bits);
    };
    clear(face.cell);
    for_each_beside(domain_, face.cell, face.axis, clear);
  }
  for (const InflowFace& face : faces) {
    if (const WallVelocity wall = wall_velocity(solids, layout, face.cell, face.axis, face.side, dt)) {
      *wall.u += static_cast<float>(-face.side * face.flux);  // inlets may share faces
      if (face.flux != 0.0) exchange_bits(may_separate, held, *wall.bits);
      continue;
    }
    const At here = find(layout, face.cell);
    if (here.block >= layout.n_owned()) continue;
    if (is(find(layout, face.cell + face.side * Vec3i::Unit(face.axis)), Label::liquid) ||
        is_on_body(solids, layout, face.cell, face.axis, face.side))
      inflow.block(here.block)[here.cell] += face.flux;
  }
  // Particles at the rim of an inlet interpolate from the faces beside it. Where there is only air, those faces get the
  // inflow's velocity, so that they do not slow the particles down.
  for (const InflowFace& face : faces)
    for_each_beside(domain_, face.cell, face.axis, [&](const Vec3i& beside) {
      const WallVelocity wall = wall_velocity(solids, layout, beside, face.axis, face.side, dt);
      if (wall && *wall.u == wall.of_body && is(find(layout, beside), Label::air))
        *wall.u += static_cast<float>(face.u);
    });
}

}  // namespace freshet
