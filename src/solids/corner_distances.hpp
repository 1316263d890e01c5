// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ball_in_cell.hpp"
#include "cell_parts.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/solids/block_solids.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/nearest_body.hpp"
#include "freshet/solids/solids.hpp"
#include "open_fraction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

/// Solids that cut cells: bodies of open fractions.
namespace freshet {

inline constexpr double near_cells = 2.0;       ///< a body does not affect blocks farther from it than this [cells]
inline constexpr double covered_depth = 2.0;    ///< faces deeper in a body than this get no velocity [cells]
inline constexpr double least_fraction = 1e-3;  ///< a face with a smaller open fraction is closed
/// Smallest open fraction of faces near a moving body: displaced liquid passes there
inline constexpr double least_beside_moving = 0.02;

/// Centre of the low face of a cell along an axis. [m]
inline Vec3 face_center(const Domain& domain, const Vec3i& cell, int axis) {
  return center_of(domain, cell) - 0.5 * domain.dx() * Vec3::Unit(axis);
}

/// Signed distance to bodies of open fractions at the corners of a block's cells, in units of dx; in 2-D in the middle
/// of the layer. One part of a cell that thin walls cut counts as open: see CellParts.
template <class Block>
class CornerDistances {
 public:
  CornerDistances(const Domain& domain, const Vec3i& first_cell, const NearBodies& near)
      : first_(first_cell.cast<double>()), domain_(domain), near_(near) {
    if (Block::dim == 2) first_.z() += 0.5;
    const auto moves = [](const SolidBody& body) { return has_fractions(body) && body.motion != nullptr; };
    const bool any_moves = std::any_of(near.bodies().begin(), near.bodies().end(), moves);
    for (int k = 0; k < (Block::dim == 3 ? with_lower : 1); ++k)
      for (int j = 0; j < with_lower; ++j)
        for (int i = 0; i < with_lower; ++i) {
          const Vec3 corner = first_ + Vec3(i, j, k);
          const Vec3 x = domain.origin() + domain.dx() * corner;
          const Nearest nearest = near.nearest_within(domain.dx() * no_matter, x, has_fractions);
          const double value = without_rounding(nearest.distance / domain.dx());
          value_[at(i, j, k)] = value;
          is_near_moving_[at(i, j, k)] =
              any_moves && std::abs(value) < near_cells &&
              std::abs(moves(near.bodies()[nearest.body])
                           ? nearest.distance
                           : near.nearest_within(domain.dx() * no_matter, x, moves).distance) <
                  near_cells * domain.dx();
        }
    std::fill_n(part_, std::size(part_), not_looked_for);
    std::fill_n(is_whole_, std::size(is_whole_), std::int8_t{-1});
  }
  double operator()(int i, int j, int k) const { return value_[at(i, j, k)]; }

  /// Open part of the low face of cell (i, j, k) along d. It is the same for both blocks that share the face.
  double open_fraction(int d, int i, int j, int k) {
    Vec3i lower(i, j, k);
    --lower[d];
    const int above = find_parts({i, j, k}), below = lower[d] < 0 ? find_parts_below(d, lower) : find_parts(lower);
    const double part = above == whole && below == whole ? open_part(d, i, j, k) : open_part(d, above, below);
    return as_open(part, d, {i, j, k});
  }
  /// The open part of a low face as the grid has it: a small one is closed.
  double as_open(double part, int d, const Vec3i& n) const {
    return part < least_open(d, n.x(), n.y(), n.z()) ? 0.0 : part;
  }

  /// The part of the low face of cell (i, j, k) along d that bodies cover, near one that moves. It counts where both
  /// cells beside the face are whole.
  std::optional<CoveredPart> covered_part(int d, int i, int j, int k) const {
    if (!is_near_moving(d, i, j, k)) return std::nullopt;
    const auto corner = [&](int b, int c) { return value_[corner_of_face(d, i, j, k, b, c)]; };
    return Block::dim == 2 ? freshet::covered_part(corner(0, 0), corner(1, 0))
                           : freshet::covered_part(corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
  }

  /// Whether no thin wall cuts the cells on both sides of a low face of a cell of the block or above it. Both cells get
  /// the same answer, whichever blocks ask, so that what leaves one enters the other cell.
  bool is_between_whole_cells(int d, const Vec3i& n) { return is_whole(n) && is_whole(n - Vec3i::Unit(d)); }

  /// The corners of one cell.
  struct Corners {
    double mean = 0.0;  ///< mean distance; that of the centre if walls cut the cell
    Vec3 gradient = Vec3::Zero();
    bool all_inside = true;
    bool any_inside = false;
  };
  Corners cell(int i, int j, int k) {
    Corners corners = of_cell({i, j, k}, *this);
    if (is_steep(corners) || corners.mean > covered_depth + 1.0) {
      part_[part_at({i, j, k})] = whole;
      return corners;
    }
    const int number = find_parts({i, j, k});
    if (number == whole) return corners;
    const Parts& parts = parts_[static_cast<std::size_t>(number)];
    corners = of_cell(Vec3i::Zero(), [&](int a, int b, int c) { return parts.node(2 * a, 2 * b, 2 * c); });
    corners.mean = without_rounding(parts.center());
    corners.all_inside = false;  // the part may lie between the corners
    corners.any_inside = true;
    return corners;
  }

 private:
  using Parts = CellParts<Block::dim>;
  static constexpr int with_lower =
      block_width + 1;  ///< number of a block's corners along an axis, and of its cells with one layer below
  static constexpr int n_z = Block::dim == 3 ? 2 : 1;
  static constexpr int size = with_lower * with_lower * (Block::dim == 3 ? with_lower : 1);
  static constexpr std::int16_t whole = -1, not_looked_for = -2;
  /// A distance from which on it does not matter how far bodies are: that of the farthest corner of a cell whose mean
  /// distance is covered_depth + 1. [cells]
  static constexpr double no_matter = covered_depth + 3.0;
  static int at(int i, int j, int k) { return i + with_lower * (j + with_lower * k); }
  static constexpr int with_both = block_width + 2;  ///< number of a block's cells and a layer around it
  static int whole_at(const Vec3i& n) {
    return n.x() + 1 + with_both * (n.y() + 1 + with_both * (Block::dim == 3 ? n.z() + 1 : 0));
  }
  static int part_at(const Vec3i& n) { return at(n.x() + 1, n.y() + 1, Block::dim == 3 ? n.z() + 1 : 0); }

  /// \param[in] x  in the block [cells]
  Vec3 place_of(const Vec3& x) const { return domain_.origin() + domain_.dx() * (first_ + x); }
  Nearest nearest_to(const Vec3& x) const { return near_.nearest(place_of(x), has_fractions); }
  double distance_at(const Vec3& x) const { return without_rounding(nearest_to(x).distance / domain_.dx()); }

  /// Whether the distance is so close to linear that no thin wall can cut the cell.
  static bool is_steep(const Corners& corners) {
    constexpr double least = CellParts<Block::dim>::least_slope;
    return corners.gradient.squaredNorm() >= least * least;
  }
  /// Whether no thin wall cuts a cell of the block or of the layer around it; the same whichever block asks.
  bool is_whole(const Vec3i& n) {
    std::int8_t& known = is_whole_[whole_at(n)];
    if (known < 0) known = find_whole(n) ? 1 : 0;
    return known == 1;
  }
  bool find_whole(const Vec3i& n) {
    if (n.minCoeff() >= 0 && n.maxCoeff() < block_width) return find_parts(n) == whole;
    const auto value = [this](int i, int j, int k) {
      const bool is_stored = std::min({i, j, k}) >= 0 && std::max({i, j, k}) < with_lower;
      return is_stored ? (*this)(i, j, k) : distance_at(Vec3(i, j, k));
    };
    double corner[Parts::n_corners];
    for (int m = 0; m < Parts::n_corners; ++m)
      corner[m] = value(n.x() + (m & 1), n.y() + (m >> 1 & 1), n.z() + (m >> 2 & 1));
    Parts parts;
    return !is_cut(n, corner, parts);
  }

  template <class Values>
  static Corners of_cell(const Vec3i& n, const Values& value) {
    Corners corners;
    for (int c = 0; c < n_z; ++c)
      for (int b = 0; b < 2; ++b)
        for (int a = 0; a < 2; ++a) {
          const double distance = value(n.x() + a, n.y() + b, n.z() + c);
          corners.mean += distance;
          corners.gradient += distance * Vec3(2 * a - 1, 2 * b - 1, Block::dim == 3 ? 2 * c - 1 : 0);
          corners.all_inside = corners.all_inside && distance <= 0.0;
          corners.any_inside = corners.any_inside || distance <= 0.0;
        }
    corners.mean = without_rounding(corners.mean / (4 * n_z));
    corners.gradient /= 2 * n_z;
    return corners;
  }

  /// The number of the parts of a cell of the block; `whole` if no wall cuts it.
  int find_parts(const Vec3i& n) {
    std::int16_t& number = part_[part_at(n)];
    if (number != not_looked_for) return number;
    double corner[Parts::n_corners];
    for (int m = 0; m < Parts::n_corners; ++m)
      corner[m] = (*this)(n.x() + (m & 1), n.y() + (m >> 1 & 1), n.z() + (m >> 2 & 1));
    return number = look_for_parts(n, corner);
  }
  /// find_parts() of a cell in the layer below the block along d; only walls near its face at the block matter.
  int find_parts_below(int d, const Vec3i& n) {
    std::int16_t& number = part_[part_at(n)];
    if (number != not_looked_for) return number;
    double corner[Parts::n_corners];
    double nearest = 2.0;
    for (int m = 0; m < Parts::n_corners; ++m) {
      const Vec3i x = n + Vec3i(m & 1, m >> 1 & 1, m >> 2 & 1);
      if (x[d] < 0) continue;
      corner[m] = (*this)(x.x(), x.y(), x.z());
      nearest = std::min(nearest, std::abs(corner[m]));
    }
    if (nearest > Parts::half_diagonal) return number = whole;
    for (int m = 0; m < Parts::n_corners; ++m)
      if ((m >> d & 1) == 0)
        corner[m] = distance_at((n + Vec3i(m & 1, m >> 1 & 1, m >> 2 & 1)).template cast<double>());
    return number = look_for_parts(n, corner);
  }
  /// The bodies of open fractions that may come into a cell. Only they can cut it.
  struct BodiesInside {
    int count = 0;
    BoundingBall ball;  ///< about the last one
  };
  BodiesInside bodies_inside(const Vec3& middle) const {
    BodiesInside inside;
    const Vec3 x = place_of(middle);
    const double limit = (Parts::half_diagonal + rounding_of_distances) * domain_.dx();
    near_.for_each_reaching(limit, x, [&](std::size_t n) {
      if (!has_fractions(near_.bodies()[n])) return;
      ++inside.count;
      inside.ball = near_.shapes()[n]->ball();
    });
    return inside;
  }
  /// \param[out] parts  those of the cell, if walls cut it
  bool is_cut(const Vec3i& n, const double* corner, Parts& parts) const {
    if (Parts::is_clear(corner)) return false;
    const Vec3 low = n.cast<double>();
    const auto look = [&](const auto& distance) {
      return Parts::may_be_cut(corner, low, distance) && parts.find(low, distance);
    };
    Vec3 middle = low;
    middle.head<Block::dim>().array() += 0.5;
    const BodiesInside inside = bodies_inside(middle);
    if (inside.count == 0) return false;
    if (inside.count == 1 && inside.ball.is_full) {
      const Vec3 center = (inside.ball.center - domain_.origin()) / domain_.dx() - first_;
      if (BallInCell<Block::dim>(center, inside.ball.radius / domain_.dx(), low).leaves_whole(corner)) return false;
    }
    const auto body = near_.nearest_around(place_of(middle), Parts::half_diagonal * domain_.dx(), has_fractions);
    if (!body) return look([this](const Vec3& x) { return distance_at(x); });
    const Shape& shape = *near_.shapes()[*body];
    return look([&](const Vec3& x) { return without_rounding(shape.signed_distance(place_of(x)) / domain_.dx()); });
  }
  std::int16_t look_for_parts(const Vec3i& n, const double* corner) {
    Parts parts;
    if (!is_cut(n, corner, parts)) return whole;
    parts_.push_back(parts);
    return static_cast<std::int16_t>(parts_.size() - 1);
  }

  /// The number of a corner of the low face of cell (i, j, k) along d. b, c: steps along the face's two axes
  static int corner_of_face(int d, int i, int j, int k, int b, int c) {
    return d == 0 ? at(i, j + b, k + c) : d == 1 ? at(i + b, j, k + c) : at(i + b, j + c, k);
  }
  bool is_near_moving(int d, int i, int j, int k) const {
    for (int c = 0; c < n_z; ++c)
      for (int b = 0; b < 2; ++b)
        if (is_near_moving_[corner_of_face(d, i, j, k, b, c)]) return true;
    return false;
  }
  double least_open(int d, int i, int j, int k) const {
    return is_near_moving(d, i, j, k) ? least_beside_moving : least_fraction;
  }
  /// Open part of a face between whole cells.
  double open_part(int d, int i, int j, int k) const {
    const auto corner = [&](int b, int c) { return value_[corner_of_face(d, i, j, k, b, c)]; };
    return Block::dim == 2 ? positive_part(corner(0, 0), corner(1, 0))
                           : positive_part(corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
  }
  /// Open part of a face if walls cut one or both of its cells: the mean over its halves or quarters.
  double open_part(int d, int above, int below) const {
    const auto node = [&](int number, int side, int b, int c) {
      const Parts& parts = parts_[static_cast<std::size_t>(number)];
      return d == 0 ? parts.node(side, b, c) : d == 1 ? parts.node(b, side, c) : parts.node(b, c, side);
    };
    const auto value = [&](int b, int c) {
      if (above == whole) return node(below, 2, b, c);
      return below == whole ? node(above, 0, b, c) : std::min(node(above, 0, b, c), node(below, 2, b, c));
    };
    double sum = 0.0;
    for (int c = 0; c < n_z; ++c)
      for (int b = 0; b < 2; ++b)
        sum += Block::dim == 2 ? positive_part(value(b, 0), value(b + 1, 0))
                               : positive_part(value(b, c), value(b + 1, c), value(b + 1, c + 1), value(b, c + 1));
    return sum / (2 * n_z);
  }

  Vec3 first_;  ///< position of the block's lowest corner [cells]
  const Domain& domain_;
  const NearBodies& near_;
  double value_[size];
  bool is_near_moving_[size];
  std::int8_t is_whole_[with_both * with_both * (Block::dim == 3 ? with_both : 1)];  ///< -1: not looked for
  std::int16_t part_[size];  ///< index in parts_ of the block's cells and the layer below
  std::vector<Parts> parts_;
};

/// direction_index of the neighbour cell in the direction of a vector.
inline std::int16_t towards(const Vec3& v) {
  constexpr double sine = 0.38;  // sine of 22.5 degrees
  const double length = v.norm();
  Vec3i step = Vec3i::Zero();
  for (int d = 0; d < 3; ++d)
    if (std::abs(v[d]) > sine * length) step[d] = v[d] > 0.0 ? 1 : -1;
  return static_cast<std::int16_t>(direction_index(step.x(), step.y(), step.z()));
}

}  // namespace freshet
