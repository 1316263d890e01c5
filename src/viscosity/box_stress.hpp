// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "viscosity/block_scene.hpp"

#include <algorithm>
#include <cmath>

/// Coefficients of the stress in a cell and on an edge, next to solids and to the surface.
namespace freshet::viscous {

/// Lower bound of theta: a velocity difference across a no-slip surface spans at least this part of dx.
constexpr double least_theta = 0.05;
/// The factor 1 / theta of the difference between two faces of a component, of which a solid may hold one.
template <class Shape>
double stretch_between(const BlockScene<Shape>& scene, int d, const Vec3i& low, const Vec3i& high) {
  const bool low_is_held = scene.state(d, low) == FaceState::held;
  if (low_is_held == (scene.state(d, high) == FaceState::held)) return 1.0;
  const Vec3i& held = low_is_held ? low : high;
  const Vec3i& free = low_is_held ? high : low;
  if (scene.has_bodies()) {
    const double inside = scene.distance(d, held);
    const double outside = scene.distance(d, free);
    if (inside <= 0.0 && outside > 0.0) return 1.0 / std::max(least_theta, outside / (outside - inside));
  }
  // Between two solid cells the face lies half a cell behind the surface, else on it.
  const bool is_deep = scene.solid(held) != Solid::none && scene.solid(held - Vec3i::Unit(d)) != Solid::none;
  return is_deep ? 2.0 : 1.0;
}

/// Coefficients mu W of an edge: of the lower axis' component, the higher axis' one, and their product. [Pa s]
struct EdgeStress {
  double low = 0.0;
  double high = 0.0;
  double cross = 0.0;
};

/// Kind of the wall thinner than a cell that cuts the box around a cell's low edge along d and e in two along d: it
/// lies on both faces of component d beside the edge. None if a body of open fractions covers the centre of a face of
/// component e there: its distances to the two faces then describe the wall.
template <class Shape>
Solid wall_across(const BlockScene<Shape>& scene, int d, int e, const Vec3i& cell) {
  const Solid low = scene.thin_wall_on(d, cell - Vec3i::Unit(e)), high = scene.thin_wall_on(d, cell);
  if (low == Solid::none || high == Solid::none) return Solid::none;
  const bool is_of_fractions = !scene.is_thin_wall_of_whole_cells(d, cell);
  if (is_of_fractions && std::min(scene.distance(e, cell), scene.distance(e, cell - Vec3i::Unit(d))) <= 0.0)
    return Solid::none;
  return low == Solid::no_slip && high == Solid::no_slip ? Solid::no_slip : Solid::free_slip;
}

/// Whether thin walls leave an edge without stress between the faces around it: they cut its box, or let liquid slip.
template <class Shape>
bool is_at_thin_wall(const BlockScene<Shape>& scene, int d, int e, const Vec3i& cell) {
  if (!scene.has_thin_walls()) return false;
  if (wall_across(scene, d, e, cell) != Solid::none || wall_across(scene, e, d, cell) != Solid::none) return true;
  return scene.thin_wall_on(d, cell) == Solid::free_slip || scene.thin_wall_on(e, cell) == Solid::free_slip ||
         scene.thin_wall_on(d, cell - Vec3i::Unit(e)) == Solid::free_slip ||
         scene.thin_wall_on(e, cell - Vec3i::Unit(d)) == Solid::free_slip;
}

/// Coefficients of the low edge of a cell along the axes d < e; 0 without an unknown beside it. Cells are relative to
/// the block. wall_drag() gives the stress of a no-slip thin wall that cuts the edge's box.
template <class Shape>
EdgeStress edge_stress(const BlockScene<Shape>& scene, int d, int e, const Vec3i& cell) {
  const Vec3i below_d = cell - Vec3i::Unit(d);
  const Vec3i below_e = cell - Vec3i::Unit(e);
  const FaceState of_d[] = {scene.state(d, below_e), scene.state(d, cell)};
  const FaceState of_e[] = {scene.state(e, below_d), scene.state(e, cell)};
  bool any_unknown = false;
  for (const FaceState state : {of_d[0], of_d[1], of_e[0], of_e[1]}) {
    if (state == FaceState::dry) return {};
    any_unknown = any_unknown || state == FaceState::unknown;
  }
  if (!any_unknown || is_at_thin_wall(scene, d, e, cell)) return {};
  const double weight = scene.edge_viscosity(d, e, cell);  // 0 at a free-slip wall
  if (weight == 0.0) return {};
  const double stretch_d = stretch_between(scene, d, below_e, cell);
  const double stretch_e = stretch_between(scene, e, below_d, cell);
  const bool d_is_held = of_d[0] == FaceState::held && of_d[1] == FaceState::held;
  const bool e_is_held = of_e[0] == FaceState::held && of_e[1] == FaceState::held;
  const double cross = d_is_held ? stretch_d : e_is_held ? stretch_e : std::sqrt(stretch_d * stretch_e);
  return {weight * stretch_d, weight * stretch_e, weight * cross};
}

/// Coefficient mu W of the difference between the velocity on a face of component e and that of a no-slip thin wall
/// along it, which cuts the box around the face's low (side 0) or high (side 1) edge along d; 0 without one. [Pa s]
///
/// It belongs to the half of the box on the face's side. A wall of whole cells lies on the edge, half a cell away; the
/// distance of one of open fractions is that of the body.
template <class Shape>
double wall_drag(const BlockScene<Shape>& scene, int e, const Vec3i& face, int d, int side) {
  if (scene.state(e, face) != FaceState::unknown) return 0.0;
  const Vec3i edge = face + side * Vec3i::Unit(d);
  if (wall_across(scene, d, e, edge) != Solid::no_slip) return 0.0;
  const double theta = scene.is_thin_wall_of_whole_cells(d, edge) ? 0.5 : std::clamp(scene.distance(e, face), 0.0, 1.0);
  return scene.half_viscosity(d, e, edge, 1 - side) / std::max(least_theta, theta);
}

/// Call f(e, d, side, coefficient, x) for the drags of thin walls along the low faces of a cell, from wall_drag();
/// x is the middle of the edge on the wall. \param[in] first  cell of the domain which is the block's first one
template <class Shape, class Function>
void for_each_wall_drag(const BlockScene<Shape>& scene, const Domain& domain, const Vec3i& first, const Vec3i& cell,
                        Function&& f) {
  for (int e = 0; e < Shape::dim; ++e)
    for (int d = 0; d < Shape::dim; ++d)
      for (int side = 0; d != e && side < 2; ++side) {
        const double coefficient = wall_drag(scene, e, cell, d, side);
        if (coefficient == 0.0) continue;
        const Vec3i edge = first + cell + side * Vec3i::Unit(d);
        const Vec3 place = edge.template cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d) - Vec3::Unit(e));
        f(e, d, side, coefficient, Vec3(domain.origin() + domain.dx() * place));
      }
}

/// The coefficient of a cell's stress along an axis; 0 without an unknown beside it. [Pa s]
template <class Shape>
double cell_stress(const BlockScene<Shape>& scene, int d, const Vec3i& cell) {
  const Vec3i above = cell + Vec3i::Unit(d);
  const FaceState low = scene.state(d, cell);
  const FaceState high = scene.state(d, above);
  if (low == FaceState::dry || high == FaceState::dry) return 0.0;
  if (low != FaceState::unknown && high != FaceState::unknown) return 0.0;
  return 2.0 * scene.cell_viscosity(cell) * stretch_between(scene, d, cell, above);
}

}  // namespace freshet::viscous
