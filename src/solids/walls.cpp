// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/walls.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/domain_faces.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace freshet {
namespace {

/// Call change(u, u_s, wall bits) for every owned face that has one of some bits. Most faces of a block have none, so
/// that the wall bits of eight of them are all that is read.
template <class Change>
void for_each_face(const SolidFields& solids, std::uint8_t bits, FaceField<double>& velocity, Change change) {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  const int cells = layout.cells_per_block();
  const std::uint64_t of_eight = 0x0101010101010101 * bits;
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b) {
    if (!solids.has_closed_face(b)) continue;
    for (int d = 0; d < velocity.dimension(); ++d) {
      double* u = velocity[d].block(b);
      const float* u_s = solids.velocity()[d].block(b);
      const std::uint8_t* wall = solids.wall()[d].block(b);
      for (int first = 0; first < cells; first += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, wall + first, sizeof eight);
        if ((eight & of_eight) == 0) continue;
        for (int c = first; c < first + 8; ++c) change(u[c], static_cast<double>(u_s[c]), wall[c]);
      }
    }
  }
}

/// Sides of a covered face on which liquid leaves the body.
struct Release {
  bool above = false;  ///< on the high side of the face along its axis
  bool below = false;
};

/// The velocity that the body allows at a covered face. At a thin wall the normal of the side where liquid leaves
/// counts; if liquid leaves on both sides, the velocity is free.
double allowed_velocity(const CoveredFace& covered, const SolidBody& body, const Vec3& u, const Release& released) {
  const Vec3 u_s(covered.velocity[0], covered.velocity[1], covered.velocity[2]);
  if (model_of(body.slip).is_held) return u_s[covered.axis];
  Vec3 n(covered.normal[0], covered.normal[1], covered.normal[2]);
  if (covered.is_thin && released.above && released.below) return u[covered.axis];
  if (covered.is_thin && (n[covered.axis] > 0.0) == released.below) n = -n;
  const double leaving = (u - u_s).dot(n);
  const bool leaves = released.above || released.below;
  return u[covered.axis] - (leaves ? std::min(leaving, 0.0) : leaving) * n[covered.axis];
}

/// Sides of a face on which one of the cells next to the face or beside it is marked.
template <class Shape>
Release find_release(const Tile<std::uint8_t, Shape, 1>& marks, int axis, const Vec3i& cell) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  Release release;
  for (int k = -z; k <= z; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        const Vec3i step(i, j, k);
        if (step[axis] > 0 || marks(cell + step) == 0) continue;
        (step[axis] == 0 ? release.above : release.below) = true;
      }
  return release;
}

}  // namespace

void CoveredFaceConstraint::operator()(const SolidFields& solids, FaceField<double>& velocity,
                                       const CellField<std::uint8_t>* released) {
  if (!solids.any_fractions()) return;
  const BlockLayout& layout = velocity.layout();
  values_.resize(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      values_[b].clear();
      if (solids.covered_faces(b).empty()) return;
      Tile<std::uint8_t, Block, 1> marks;
      if (released != nullptr) marks.fill(*released, b);
      FaceTile<double, Block, 1> u;
      fill_with_sides(velocity, b, u);
      for (const CoveredFace& face : solids.covered_faces(b)) {
        const int c = face.face;
        const Vec3i cell = Block::place(c);
        const Vec3 at_face = velocity_at_face(u, face.axis, cell);
        const SolidBody& body = solids.bodies()[static_cast<std::size_t>(face.body)];
        const bool may_leave = released != nullptr && body.wall == WallCondition::separating;
        const Release release = may_leave ? find_release(marks, face.axis, cell) : Release{};
        values_[b].push_back(allowed_velocity(face, body, at_face, release));
      }
    });
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      for (std::size_t n = 0; n < values_[b].size(); ++n) {
        const CoveredFace& face = solids.covered_faces(b)[n];
        velocity[face.axis].block(b)[face.face] = values_[b][n];
      }
    });
  });
}

void enforce_walls(const SolidFields& solids, FaceField<double>& velocity) {
  for_each_face(solids, one_solid | thin_wall, velocity, [](double& u, double u_s, std::uint8_t wall) {
    if (!is_wall_face(wall)) return;
    if ((wall & may_separate) == 0) {
      u = u_s;
    } else if ((wall & thin_wall) == 0) {  // at thin walls the projection knows the liquid's side
      u = (wall & solid_below) != 0 ? std::max(u, u_s) : std::min(u, u_s);
    }
  });
}

void hold_sticky_walls(const SolidFields& solids, FaceField<double>& velocity) {
  for_each_face(solids, one_solid | thin_wall, velocity, [](double& u, double u_s, std::uint8_t wall) {
    if (is_wall_face(wall) && (wall & may_separate) == 0) u = u_s;
  });
}

void mirror_no_slip(const SolidFields& solids, FaceField<double>& velocity) {
  if (!solids.any_no_slip()) return;
  for_each_face(solids, deep_no_slip, velocity, [](double& u, double u_s, std::uint8_t wall) {
    if ((wall & deep_no_slip) != 0) u = 2.0 * u_s - u;
  });
}

}  // namespace freshet
