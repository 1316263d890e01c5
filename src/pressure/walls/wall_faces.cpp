// SPDX-License-Identifier: Apache-2.0
#include "pressure/walls/wall_faces.hpp"

#include "freshet/core/parallel_for.hpp"
#include "pressure/operator/rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace freshet::pressure {
namespace {

/// What lies around one block: marks of unknowns, and the walls among the faces that it or its upper neighbours store.
template <class Shape>
struct BlockWalls {
  Around<std::uint8_t> unknown;
  FacesAround<std::uint8_t> wall;
  FaceNeighbours blocks;

  BlockWalls(const PoissonCoefficients& coefficients, const SolidFields& solids, LocalIndex block)
      : unknown(around(coefficients.unknown, block)),
        wall(around(solids.wall(), block)),
        blocks(face_neighbours(coefficients.unknown.layout(), block)) {}
};

/// Where a wall face and its liquid cell are.
struct FacePlace {
  int axis;
  int normal;
  LocalIndex block;  ///< of the face
  int face;
  LocalIndex cell_block;
  int cell;
};

/// Bit i is set where byte i of a row has `bit`.
std::uint8_t mask_of(const std::uint8_t* row, std::uint8_t bit) {
  std::uint64_t word;
  std::memcpy(&word, row, sizeof word);
  word = word >> static_cast<unsigned>(std::countr_zero(bit)) & 0x0101010101010101U;
  std::uint8_t bytes[block_width];
  std::memcpy(bytes, &word, sizeof word);
  return row_mask(bytes);
}

template <class Visit>
void for_each_lane(unsigned mask, Visit visit) {
  for (int i = 0; mask != 0; ++i, mask >>= 1U)
    if ((mask & 1U) != 0) visit(i);
}

/// Where the high face of lane i of row r along `axis` is stored.
template <class Shape, int axis>
std::pair<LocalIndex, int> high_face(const BlockWalls<Shape>& at, int r, int i) {
  const int coordinate = axis == 0 ? i : axis == 1 ? r % Shape::ny : r / Shape::ny;
  const int c = block_width * r + i;
  if (coordinate + 1 < Shape::n(axis)) return {at.blocks.self, c + Shape::stride(axis)};
  return {at.blocks.high[axis], c - (Shape::n(axis) - 1) * Shape::stride(axis)};
}

/// visit(place) for the wall faces of a block's unknowns.
template <class Shape, class Visit>
void visit_own(const BlockWalls<Shape>& at, Visit visit) {
  for (int r = 0; r < Shape::rows; ++r) {
    const std::uint8_t here = row_mask(at.unknown.self + block_width * r);
    if (here == 0) continue;
    for_each_axis<Shape>([&](auto axis) {
      const std::uint8_t* low = at.wall[axis].self + block_width * r;
      for_each_lane(here & mask_of(low, solid_below), [&](int i) {
        const int c = block_width * r + i;
        visit(FacePlace{axis, 1, at.blocks.self, c, at.blocks.self, c});
      });
      unsigned high = 0;
      if constexpr (axis == 0) {
        high = mask_of(low, solid_above) >> 1U;
        if ((at.wall[0].high[0][block_width * r] & solid_above) != 0) high |= 1U << (block_width - 1U);
      } else {
        high = mask_of(row_above<Shape, axis>(at.wall[axis], r), solid_above);
      }
      for_each_lane(here & high, [&](int i) {
        const auto [block, face] = high_face<Shape, axis>(at, r, i);
        visit(FacePlace{axis, -1, block, face, at.blocks.self, block_width * r + i});
      });
    });
  }
}

/// visit(place) for the wall faces that a block stores and whose unknown lies in the ghost block below.
template <class Shape, class Visit>
void visit_foreign(const BlockLayout& layout, const BlockWalls<Shape>& at, Visit visit) {
  for_each_axis<Shape>([&](auto axis) {
    if (at.blocks.low[axis] < layout.n_owned() || at.blocks.low[axis] == layout.background()) return;
    constexpr int stride = Shape::stride(axis);
    constexpr int last = (Shape::n(axis) - 1) * stride;
    for (int face = 0; face < Shape::cells; ++face) {
      if (face / stride % Shape::n(axis) != 0 || (at.wall[axis].self[face] & one_solid) != solid_above) continue;
      if ((at.unknown.low[axis][face + last] & 1U) != 0)
        visit(FacePlace{axis, -1, at.blocks.self, face, at.blocks.low[axis], face + last});
    }
  });
}

template <class Shape>
bool has_walls_near(const BlockWalls<Shape>& at, const SolidFields& solids, const BlockLayout& layout) {
  if (solids.has_closed_face(at.blocks.self)) return true;
  return std::any_of(at.blocks.high.begin(), at.blocks.high.begin() + Shape::dim,
                     [&](LocalIndex b) { return b == layout.background() || solids.has_closed_face(b); });
}

}  // namespace

/// Blocks, and how many faces each has (in begin_, as counts).
template <class Shape>
void WallFaces::find_blocks(const PoissonCoefficients& coefficients, const SolidFields& solids) {
  const LocalIndex n_owned = layout_->n_owned();
  std::vector<std::size_t> own(static_cast<std::size_t>(n_owned), 0);
  std::vector<std::size_t> foreign(own.size(), 0);
#pragma omp parallel for schedule(dynamic, 16)
  for (LocalIndex b = 0; b < n_owned; ++b) {
    const BlockWalls<Shape> at(coefficients, solids, b);
    if (any_unknown(at.unknown.self, Shape::cells) && has_walls_near(at, solids, *layout_))
      visit_own(at, [&](const FacePlace&) { ++own[b]; });
    if (solids.has_closed_face(b)) visit_foreign(*layout_, at, [&](const FacePlace&) { ++foreign[b]; });
  }
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
                        const FaceField<double>& velocity) {
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
    result.may_separate = stored && (at(solids.wall()) & may_separate) != 0;
    result.solid_velocity = stored ? static_cast<double>(at(solids.velocity())) : 0.0;
    result.leaving = stored ? place.normal * (at(velocity) - result.solid_velocity) : 0.0;
    result.velocity = result.leaving;
    return result;
  };
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_blocks<Shape>(coefficients, solids);
    begin_.push_back(0);
    std::exclusive_scan(begin_.begin(), begin_.end(), begin_.begin(), std::size_t{0});
    n_own_ = begin_[n_own_blocks_];
    is_changed_.assign(blocks_.size(), 0);
    faces_.resize(begin_.back());
    const auto& face_at = describe;  // clang 14 finds no name of further out inside the loop
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t n = 0; n < blocks_.size(); ++n) {
      const LocalIndex b = blocks_[n];
      const BlockWalls<Shape> at(coefficients, solids, b);
      WallFace* next = faces_.data() + begin_[n];
      const auto append = [&](const FacePlace& place) { *next++ = face_at(place); };
      if (n < n_own_blocks_) {
        visit_own(at, append);
      } else {
        visit_foreign(*layout_, at, append);
      }
    }
  });
}

void WallFaces::clear() {
  blocks_.clear();
  n_own_blocks_ = 0;
  is_changed_.clear();
  begin_.assign(1, 0);
  n_own_ = 0;
  faces_.clear();
}

void hold_walls(const CellField<std::uint8_t>& unknown, const SolidFields& solids, FaceField<double>& velocity) {
  const BlockLayout& layout = unknown.layout();
  const LocalIndex n_owned = layout.n_owned();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(n_owned, [&](LocalIndex b) {
      if (!solids.has_closed_face(b)) return;
      const Around<std::uint8_t> cells = around(unknown, b);
      for_each_axis<Shape>([&](auto axis) {
        const std::uint8_t* wall = solids.wall()[axis].block(b);
        const float* u_s = solids.velocity()[axis].block(b);
        double* u = velocity[axis].block(b);
        for (int r = 0; r < Shape::rows; ++r) {
          const int row = block_width * r;
          const unsigned at_low_side = row_mask(cells.self + row) & mask_of(wall + row, solid_below);
          const unsigned at_high_side = lower_mask<Shape, axis>(cells, r) & mask_of(wall + row, solid_above);
          for_each_lane(at_low_side | at_high_side, [=](int i) { u[row + i] = u_s[row + i]; });
        }
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
#pragma omp parallel for schedule(static)
  for (const WallFace& face : faces_) {
    if (face.block >= layout_->n_owned()) continue;
    velocity[face.axis].block(face.block)[face.face] = face.solid_velocity + face.normal * face.velocity;
  }
}

}  // namespace freshet::pressure
