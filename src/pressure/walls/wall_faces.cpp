// SPDX-License-Identifier: Apache-2.0
#include "pressure/walls/wall_faces.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/kernels/star_rows.hpp"
#include "freshet/solids/near_bodies.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace freshet::pressure {
namespace {

/// Marks of unknowns and of wall faces around one block.
template <class Shape>
struct BlockWalls {
  Star<std::uint8_t> unknown;
  FaceStar<std::uint8_t> wall;
  StarSlots blocks;
  std::uint64_t rows;  ///< rows with an unknown

  BlockWalls(const PoissonCoefficients& coefficients, const SolidFields& solids, LocalIndex block)
      : unknown(star_of(coefficients.unknown, block)),
        wall(star_of(solids.wall(), block)),
        blocks(star_slots(coefficients.unknown.layout(), block)),
        rows(coefficients.rows[static_cast<std::size_t>(block)].any) {}
};

/// Places of a wall face and of its liquid cell.
struct FacePlace {
  int axis;
  int normal;
  LocalIndex block;  ///< slot of the face
  int face;
  LocalIndex cell_block;
  int cell;
};

/// Mask whose bit i is set if byte i of a row has one of the bits.
std::uint8_t mask_of_any(const std::uint8_t* row, std::uint8_t bits) {
  std::uint64_t word;
  std::memcpy(&word, row, sizeof word);
  if (word == 0) return 0;  // the common case
  std::uint8_t bytes[block_width];
  for (int i = 0; i < block_width; ++i) bytes[i] = (row[i] & bits) != 0 ? 1 : 0;
  return row_mask(bytes);
}

template <class Visit>
void for_each_lane(unsigned mask, Visit visit) {
  for (int i = 0; mask != 0; ++i, mask >>= 1U)
    if ((mask & 1U) != 0) visit(i);
}

/// Slot and index of the high face along `axis` of lane i of row r.
template <class Shape, int axis>
std::pair<LocalIndex, int> high_face(const BlockWalls<Shape>& at, int r, int i) {
  const int coordinate = axis == 0 ? i : axis == 1 ? r % Shape::ny : r / Shape::ny;
  const int c = block_width * r + i;
  if (coordinate + 1 < Shape::n(axis)) return {at.blocks.self, c + Shape::stride(axis)};
  return {at.blocks.high[axis], c - (Shape::n(axis) - 1) * Shape::stride(axis)};
}

/// Call visit(place) for the wall faces of a block's unknowns.
template <class Shape, class Visit>
void visit_own(const BlockWalls<Shape>& at, Visit visit) {
  for_each_set_row(at.rows, Shape::rows, [&](int r) {
    const std::uint8_t here = row_mask(at.unknown.self + block_width * r);
    for_each_axis<Shape>([&](auto axis) {
      const std::uint8_t* low = at.wall[axis].self + block_width * r;
      for_each_lane(here & mask_of_any(low, solid_below | thin_wall), [&](int i) {
        const int c = block_width * r + i;
        visit(FacePlace{axis, 1, at.blocks.self, c, at.blocks.self, c});
      });
      constexpr std::uint8_t above = solid_above | thin_wall;
      unsigned high = 0;
      if constexpr (axis == 0) {
        high = mask_of_any(low, above) >> 1U;
        if ((at.wall[0].high[0][block_width * r] & above) != 0) high |= 1U << (block_width - 1U);
      } else {
        high = mask_of_any(row_above<Shape, axis>(at.wall[axis], r), above);
      }
      for_each_lane(here & high, [&](int i) {
        const auto [block, face] = high_face<Shape, axis>(at, r, i);
        visit(FacePlace{axis, -1, block, face, at.blocks.self, block_width * r + i});
      });
    });
  });
}

/// Call visit(place) for the wall faces of a block whose unknowns lie in the ghost block below.
template <class Shape, class Visit>
void visit_foreign(const BlockLayout& layout, const BlockWalls<Shape>& at, Visit visit) {
  for_each_axis<Shape>([&](auto axis) {
    if (at.blocks.low[axis] < layout.n_owned() || at.blocks.low[axis] == layout.background()) return;
    constexpr int stride = Shape::stride(axis);
    constexpr int last = (Shape::n(axis) - 1) * stride;
    for (int face = 0; face < Shape::cells; ++face) {
      if (face / stride % Shape::n(axis) != 0) continue;
      const std::uint8_t wall = at.wall[axis].self[face];
      if ((wall & one_solid) != solid_above && (wall & thin_wall) == 0) continue;
      if ((at.unknown.low[axis][face + last] & 1U) != 0)
        visit(FacePlace{axis, -1, at.blocks.self, face, at.blocks.low[axis], face + last});
    }
  });
}

/// Geometry and speeds of the piece of a body's surface in one cell.
struct Piece {
  double area;     ///< in units of a cell face
  double leaving;  ///< (u* - u_s) . n [m/s]
};

/// Part of a face that bodies with open fractions close.
double closed_part(std::uint8_t wall, float open) {
  return (wall & (one_solid | thin_wall)) != 0 ? 0.0 : 1.0 - static_cast<double>(open);
}

/// The piece of the bodies' surface in a cell. The closed areas of the cell's faces give A n, as area vectors of a
/// closed surface add up to 0. \param[in] cell  number in the owned block
template <class Shape>
Piece piece_of(const BlockLayout& layout, const SolidFields& solids, const FaceField<double>& velocity,
               LocalIndex block, int cell) {
  Vec3 area = Vec3::Zero();
  double flow = 0.0;  // A (u* - u_s) . n
  for (int d = 0; d < Shape::dim; ++d) {
    const int stride = Shape::stride(d);
    const bool is_last = cell / stride % Shape::n(d) + 1 == Shape::n(d);
    const LocalIndex above = is_last ? layout.neighbours(block)[high_direction(d)] : block;
    const int high = is_last ? cell - (Shape::n(d) - 1) * stride : cell + stride;
    double u_open = 0.0, open = 0.0;
    for (const auto& [b, face, normal] : {std::tuple{block, cell, 1.0}, std::tuple{above, high, -1.0}}) {
      const float a = solids.open_fraction()[d].block(b)[face];
      const double closed = closed_part(solids.wall()[d].block(b)[face], a);
      area[d] += normal * closed;
      flow -= normal * closed * static_cast<double>(solids.velocity()[d].block(b)[face]);
      open += static_cast<double>(a);
      u_open += static_cast<double>(a) * velocity[d].block(b)[face];
    }
    if (open > 0.0) flow += area[d] * u_open / open;
  }
  const std::vector<BodyFlow>& flows = solids.body_flows(block);
  const auto is_before = [](const BodyFlow& body, int wanted) { return body.cell < wanted; };
  for (auto body = std::lower_bound(flows.begin(), flows.end(), cell, is_before);
       body != flows.end() && body->cell == cell; ++body)
    flow += static_cast<double>(body->outflow);
  const double size = area.norm();
  constexpr double least = 1e-3;  // smallest area, in units of a face
  if (size < least) return {0.0, 0.0};
  return {static_cast<double>(static_cast<float>(size)), flow / size};
}

/// Call visit(cell, piece) for the pieces of bodies that liquid may leave, in unknowns of a block.
template <class Shape, class Visit>
void visit_pieces(const PoissonCoefficients& coefficients, const SolidFields& solids, const FaceField<double>& velocity,
                  LocalIndex block, Visit visit) {
  if (!solids.any_separating_fractions()) return;
  for (const std::int16_t cell : solids.separating_cells(block)) {
    if (coefficients.unknown.block(block)[cell] == 0) continue;
    const Piece piece = piece_of<Shape>(coefficients.unknown.layout(), solids, velocity, block, cell);
    if (piece.area > 0.0) visit(cell, piece);
  }
}

/// Distance from the cell's centre at which p_s = 0 acts on a body that the liquid moves: the pressure of the cell is
/// what pushes the body, so that it must be as good as 0 where liquid leaves. A power of 2: diagonals that grow and
/// shrink by area / theta keep their bits. [cells]
constexpr double theta_of_free = 1.0 / 1024.0;

/// Coordinates of a cell, not wrapped at ghosts. \param[in] cell  number in its block
Vec3i coordinates_of(const BlockLayout& layout, LocalIndex block, int cell) {
  const Vec3i n = layout.domain().block_cells();
  return layout.first_cell(block) + Vec3i(cell % n.x(), cell / n.x() % n.y(), cell / (n.x() * n.y()));
}

/// Whether a face lies on a body that the liquid moves.
bool is_on_free_body(const BlockLayout& layout, const SolidFields& solids, const FacePlace& place) {
  const Domain& domain = layout.domain();
  const Vec3i axis = Vec3i::Unit(place.axis);
  const Vec3i above = coordinates_of(layout, place.cell_block, place.cell) + (place.normal < 0 ? 1 : 0) * axis;
  const auto is_behind = [&](const Vec3i& cell) {
    const Vec3i wrapped = domain.wrap_cell(cell);
    return !domain.contains_cell(wrapped) && domain.outside_is_solid(wrapped);
  };
  if (is_behind(above) || is_behind(above - axis)) return false;
  const Vec3 x =
      domain.origin() + domain.dx() * (above.cast<double>() + Vec3::Constant(0.5) - 0.5 * axis.cast<double>());
  return solids.bodies()[NearBodies(solids, place.cell_block).nearest(x, any_body).body].is_free();
}

/// Whether the body of open fractions that is nearest to the centre of a cell is one that the liquid moves.
bool is_cut_by_free_body(const BlockLayout& layout, const SolidFields& solids, LocalIndex block, int cell) {
  const Domain& domain = layout.domain();
  const Vec3 x =
      domain.origin() + domain.dx() * (coordinates_of(layout, block, cell).cast<double>() + Vec3::Constant(0.5));
  return solids.bodies()[NearBodies(solids, block).nearest(x, has_fractions).body].is_free();
}

/// Set at which pressure of its cell liquid leaves a face, and how. \param[in] floors  as in WallFaces::collect()
template <class IsFree>
void set_floor(WallFace& face, const CellField<double>* floors, IsFree is_on_body) {
  const double floor = floors != nullptr ? floors->block(face.cell_block)[face.cell] : no_floor;
  face.is_free = face.may_separate && floor != no_floor && is_on_body();
  face.floor = face.is_free ? floor : face.leaving;
  face.theta = face.is_free ? theta_of_free : 1.0;
}

/// True if an unknown of the block may be next to a wall.
template <class Shape>
bool has_walls_near(const BlockWalls<Shape>& at, const SolidFields& solids, const BlockLayout& layout) {
  if (at.rows == 0) return false;
  if (solids.has_closed_face(at.blocks.self)) return true;
  return std::any_of(at.blocks.high.begin(), at.blocks.high.begin() + Shape::dim,
                     [&](LocalIndex b) { return b == layout.background() || solids.has_closed_face(b); });
}

}  // namespace

/// List the blocks, and set begin_ to their numbers of faces.
template <class Shape>
void WallFaces::find_blocks(const PoissonCoefficients& coefficients, const SolidFields& solids,
                            const FaceField<double>& velocity) {
  const LocalIndex n_owned = layout_->n_owned();
  std::vector<std::size_t> own(static_cast<std::size_t>(n_owned), 0);
  std::vector<std::size_t> foreign(own.size(), 0);
  parallel_for_blocks(n_owned, [&](LocalIndex b) {
    const BlockWalls<Shape> at(coefficients, solids, b);
    if (has_walls_near(at, solids, *layout_)) visit_own(at, [&](const FacePlace&) { ++own[b]; });
    visit_pieces<Shape>(coefficients, solids, velocity, b, [&](std::int16_t, const Piece&) { ++own[b]; });
    if (solids.has_closed_face(b)) visit_foreign(*layout_, at, [&](const FacePlace&) { ++foreign[b]; });
  });
  blocks_.clear();
  begin_.clear();
  const auto list = [&](const std::vector<std::size_t>& counts) {
    for (LocalIndex b = 0; b < n_owned; ++b) {
      if (counts[b] == 0) continue;
      blocks_.push_back(b);
      begin_.push_back(counts[b]);
    }
  };
  list(own);
  n_own_blocks_ = blocks_.size();
  list(foreign);
}

void WallFaces::collect(const PoissonCoefficients& coefficients, const SolidFields& solids,
                        const FaceField<double>& velocity, const CellField<double>* floors) {
  layout_ = &coefficients.unknown.layout();
  const auto describe = [&](const FacePlace& place) {
    const bool stored = place.block != layout_->background();
    const auto at = [&place](const auto& field) { return field[place.axis].block(place.block)[place.face]; };
    WallFace result{};
    result.block = place.block;
    result.cell_block = place.cell_block;
    result.face = static_cast<std::int16_t>(place.face);
    result.cell = static_cast<std::int16_t>(place.cell);
    result.axis = static_cast<std::int8_t>(place.axis);
    result.normal = static_cast<std::int8_t>(place.normal);
    result.area = 1.0;
    result.may_separate = stored && (at(solids.wall()) & may_separate) != 0;
    result.solid_velocity = stored ? static_cast<double>(at(solids.velocity())) : 0.0;
    result.leaving = stored ? place.normal * (at(velocity) - result.solid_velocity) : 0.0;
    result.velocity = result.leaving;
    result.is_shared = stored && place.normal < 0 && (at(solids.wall()) & thin_wall) != 0 &&
                       coefficients.unknown.block(place.block)[place.face] != 0;
    set_floor(result, floors, [&] { return is_on_free_body(*layout_, solids, place); });
    return result;
  };
  const auto describe_piece = [&](LocalIndex block, std::int16_t cell, const Piece& piece) {
    WallFace result{};
    result.block = layout_->background();
    result.cell_block = block;
    result.cell = cell;
    result.is_piece = result.may_separate = true;
    result.area = piece.area;
    result.leaving = result.velocity = piece.leaving;
    set_floor(result, floors, [&] { return is_cut_by_free_body(*layout_, solids, block, cell); });
    return result;
  };
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_blocks<Shape>(coefficients, solids, velocity);
    begin_.push_back(0);
    std::exclusive_scan(begin_.begin(), begin_.end(), begin_.begin(), std::size_t{0});
    n_own_ = begin_[n_own_blocks_];
    is_changed_.assign(blocks_.size(), 0);
    faces_.resize(begin_.back());
    const auto& face_at = describe;  // clang 14 does not find outer names inside the loop
    const auto& piece_at = describe_piece;
    parallel_for_blocks(static_cast<LocalIndex>(blocks_.size()), [&](LocalIndex listed) {
      const auto n = static_cast<std::size_t>(listed);
      const LocalIndex b = blocks_[n];
      const BlockWalls<Shape> at(coefficients, solids, b);
      WallFace* next = faces_.data() + begin_[n];
      const auto append = [&](const FacePlace& place) { *next++ = face_at(place); };
      if (n < n_own_blocks_) {
        if (has_walls_near(at, solids, *layout_)) visit_own(at, append);
        visit_pieces<Shape>(coefficients, solids, velocity, b,
                            [&](std::int16_t cell, const Piece& piece) { *next++ = piece_at(b, cell, piece); });
      } else {
        visit_foreign(*layout_, at, append);
      }
    });
  });
}

void WallFaces::follow(const SolidFields& solids) {
#pragma omp parallel for schedule(static)
  for (WallFace& face : faces_)
    if (face.is_free && !face.is_piece && face.block != layout_->background())
      face.solid_velocity = static_cast<double>(solids.velocity()[face.axis].block(face.block)[face.face]);
}

void WallFaces::clear() {
  blocks_.clear();
  n_own_blocks_ = 0;
  is_changed_.clear();
  begin_.assign(1, 0);
  n_own_ = 0;
  faces_.clear();
}

void hold_walls(const PoissonCoefficients& coefficients, const SolidFields& solids, FaceField<double>& velocity) {
  const BlockLayout& layout = coefficients.unknown.layout();
  const std::vector<UnknownRows>& rows = coefficients.rows;
  const LocalIndex n_owned = layout.n_owned();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(n_owned, [&](LocalIndex b) {
      if (!solids.has_closed_face(b)) return;
      const Star<std::uint8_t> cells = star_of(coefficients.unknown, b);
      const StarSlots beside = star_slots(layout, b);
      for_each_axis<Shape>([&](auto axis) {
        const std::uint8_t* wall = solids.wall()[axis].block(b);
        const float* u_s = solids.velocity()[axis].block(b);
        double* u = velocity[axis].block(b);
        const std::uint64_t here = rows[static_cast<std::size_t>(b)].any;
        const std::uint64_t low = rows[static_cast<std::size_t>(beside.low[axis])].any;
        for_each_set_row(here | rows_below<Shape, axis>(here, low), Shape::rows, [&](int r) {
          const int row = block_width * r;
          const unsigned below = mask_of_any(wall + row, solid_below | thin_wall);
          const unsigned above = mask_of_any(wall + row, solid_above | thin_wall);
          if ((below | above) == 0) return;
          const unsigned at_low_side = below & row_mask(cells.self + row);
          const unsigned at_high_side = above & lower_mask<Shape, axis>(cells, r);
          for_each_lane(at_low_side | at_high_side, [=](int i) { u[row + i] = u_s[row + i]; });
        });
      });
    });
  });
}

std::vector<LocalIndex> WallFaces::take_changed_blocks() {
  std::vector<LocalIndex> changed;
  for (std::size_t n = 0; n < n_own_blocks_; ++n)
    if (is_changed_[n] != 0) changed.push_back(blocks_[n]);
  is_changed_.assign(blocks_.size(), 0);
  return changed;
}

void WallFaces::write(FaceField<double>& velocity) const {
  const LocalIndex n_owned = layout_->n_owned();
  bool any_shared = false;
#pragma omp parallel for schedule(static) reduction(|| : any_shared)
  for (const WallFace& face : faces_) {
    any_shared = any_shared || face.is_shared;
    if (face.block >= n_owned || face.is_shared) continue;
    velocity[face.axis].block(face.block)[face.face] = face.solid_velocity + face.normal * face.velocity;
  }
  if (!any_shared) return;
#pragma omp parallel for schedule(static)
  for (const WallFace& face : faces_)
    if (face.block < n_owned && face.is_shared)
      velocity[face.axis].block(face.block)[face.face] += face.normal * face.velocity;
}

}  // namespace freshet::pressure
