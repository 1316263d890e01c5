// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/solids/line_pull.hpp"
#include "freshet/solids/solids.hpp"

#include <span>
#include <vector>

namespace freshet {

/// Finds where the liquid's surface meets bodies that the liquid moves.
///
/// The surface pulls a body by its tension sigma along itself, away from the body:
///   F = sigma sum t dl,   t = -sin(theta) s - cos(theta) m                                                   (1)
/// with the contact angle theta, the normal s into the body, and m along the body's surface from its wet to its dry
/// part, across the line. This is the other side of what walls do to the liquid by (4) of SurfaceCurvature; the rest of
/// the force on the body is the pressure.
///
/// The line is looked for where phi needs no liquid inside the body: at the distance d of a cell (a body of whole
/// cells: of a cell's diagonal) from its surface. Between the centres of 2^n cells, n the dimension, phi and the
/// distance are linear in simplices that share a diagonal; the mean is taken over all diagonals, so that mirrored
/// bodies have mirrored forces. Each piece of the line goes on straight to the body, by d along s and d cot(theta)
/// along m. Source: Keller 1998, Surface tension force on a partly submerged body, Phys. Fluids 10, 3009, for (1)
class ContactLines {
 public:
  /// \param[in] contact_angle  [degrees]
  explicit ContactLines(double contact_angle = 90.0);

  /// \param[in] phi  signed distance to the surface [cells]; ghosts valid to width 1
  /// \return the pieces of this rank, until the next call. Parallel: local; the pieces of all ranks are the same for
  /// any number of them, in another order
  std::span<const LinePull> operator()(const CellField<float>& phi, const SolidFields& solids);

 private:
  struct Corners;
  struct Point;
  template <class Shape>
  void search_block(const CellField<float>& phi, const SolidFields& solids, LocalIndex b);
  template <class Shape>
  void search_body(const Corners& corners);
  void cut_triangle(const Corners& corners, const Point& a, const Point& b, const Point& c);
  void add_segment(const Corners& corners, const Point& a, const Point& b);
  void add_piece(const Corners& corners, const Vec3& a, const Vec3& b, Vec3 to_dry);

  double sine_, cosine_;
  std::vector<LinePull> pieces_;
};

}  // namespace freshet
