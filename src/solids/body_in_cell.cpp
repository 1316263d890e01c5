// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/body_in_cell.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr double half_diagonal = 0.87;  ///< [cells]
constexpr double graze = 0.004;         ///< a body that takes less of a line is missed [cells]
constexpr double of_depth = 0.2;  ///< so closely is a surface found, in parts of the depth that the line reaches there

/// A point of a line and its signed distance. [cells]
struct OnLine {
  double at;
  double distance;
};

/// What of a line lies in a body. [cells]
struct Inside {
  double length = 0.0;
  double moment = 0.0;  ///< integral of the place

  void add(double from, double to) {
    length += to - from;
    moment += 0.5 * (to - from) * (to + from);
  }
};

/// Add the parts of a line between two points. As the distance changes by at most the way, a surface lies only between
/// a.at + |a.distance| and b.at - |b.distance|. \param[in] closely  a surface that is known so closely is not looked
/// for any further [cells]
template <class Distance>
void add_inside(const Distance& distance, const OnLine& a, const OnLine& b, double closely, Inside& inside) {
  const double first = a.at + std::abs(a.distance), last = b.at - std::abs(b.distance);
  const bool starts_inside = a.distance <= 0.0, ends_inside = b.distance <= 0.0;
  if (starts_inside == ends_inside) {
    if (last - first <= graze) {
      if (starts_inside) inside.add(a.at, b.at);
      return;
    }
  } else if (last - first <= std::max(closely, of_depth * std::abs(starts_inside ? a.distance : b.distance))) {
    const double met = a.at + (b.at - a.at) * a.distance / (a.distance - b.distance);
    if (starts_inside)
      inside.add(a.at, met);
    else
      inside.add(met, b.at);
    return;
  }
  const double middle = 0.5 * (first + last);
  const OnLine between{middle, distance(middle)};
  add_inside(distance, a, between, closely, inside);
  add_inside(distance, between, b, closely, inside);
}

/// The cell, or the part of it that a body's bounds reach, as lines go through it. Lengths in cells, from its centre.
struct Reached {
  int dimension;
  Vec3 low, high;

  /// Add up what lies inside on lines along an axis. \param[in] n_lines  number of them along each axis across
  /// \param[in] on_line  function: the part of the line through a place that lies inside
  template <class OnOneLine>
  BodyInCell sum(int axis, int n_lines, const OnOneLine& on_line) const {
    const int u = (axis + 1) % dimension, v = 3 - axis - u;
    const int n_rows = dimension == 3 ? n_lines : 1;
    const double along_u = (high[u] - low[u]) / n_lines, along_v = dimension == 3 ? (high[v] - low[v]) / n_rows : 1.0;
    BodyInCell part;
    for (int j = 0; j < n_rows; ++j)
      for (int i = 0; i < n_lines; ++i) {
        Vec3 x = Vec3::Zero();
        x[u] = low[u] + (i + 0.5) * along_u;
        if (dimension == 3) x[v] = low[v] + (j + 0.5) * along_v;
        const Inside inside = on_line(x);
        part.volume += inside.length;
        part.moment += inside.length * x + inside.moment * Vec3::Unit(axis);
      }
    part.volume *= along_u * along_v;
    part.moment *= along_u * along_v;
    return part;
  }
};

/// What a ball takes, whose lines end in closed form. \param[in] center  from that of the cell
BodyInCell ball_in_cell(const Vec3& center, double radius, const Reached& cell) {
  int axis = 0;
  center.head(cell.dimension).cwiseAbs().maxCoeff(&axis);
  const int n_lines = cell.dimension == 2 ? 8 : radius < 2.0 ? 6 : 3;
  return cell.sum(axis, n_lines, [&](const Vec3& x) {
    Inside inside;
    Vec3 across = x - center;
    across[axis] = 0.0;
    const double square = radius * radius - across.squaredNorm();
    if (square <= 0.0) return inside;
    const double half = std::sqrt(square);
    const double from = std::max(cell.low[axis], center[axis] - half),
                 to = std::min(cell.high[axis], center[axis] + half);
    if (from < to) inside.add(from, to);
    return inside;
  });
}

/// The mean slope of the distance over a cell.
template <class Distance>
Vec3 mean_slope(const Distance& distance, int dimension) {
  const int n_corners = 1 << dimension;
  Vec3 slope = Vec3::Zero();
  for (int n = 0; n < n_corners; ++n) {
    Vec3 out = Vec3::Zero();
    for (int d = 0; d < dimension; ++d) out[d] = (n >> d & 1) != 0 ? 1.0 : -1.0;
    slope += distance(0.5 * out) * out;
  }
  return 2.0 / n_corners * slope;
}

/// The axis along which distances change most in a cell that holds edges or a thin wall.
template <class Distance>
int steepest_axis(const Distance& distance, int dimension) {
  constexpr double step = 1e-2;
  Vec3 steepness = Vec3::Zero();
  for (int n = 0; n < 1 << dimension; ++n) {
    Vec3 x = Vec3::Zero();
    for (int d = 0; d < dimension; ++d) x[d] = (n >> d & 1) != 0 ? 0.3 : -0.3;
    const double here = distance(x);
    for (int d = 0; d < dimension; ++d) steepness[d] += std::abs(distance(x + step * Vec3::Unit(d)) - here);
  }
  int axis = 0;
  steepness.maxCoeff(&axis);
  return axis;
}

}  // namespace

BodyInCell body_in_cell(const Shape& shape, const Vec3& center, double dx, int dimension) {
  const auto distance = [&](const Vec3& x) { return shape.signed_distance(center + dx * x) / dx; };
  const double to_center = distance(Vec3::Zero());
  if (to_center > half_diagonal) return {};
  if (to_center < -half_diagonal) return {1.0, Vec3::Zero()};
  const Box bounds = shape.bounds();
  const Reached cell{dimension, ((bounds.lower - center) / dx).cwiseMax(-0.5),
                     ((bounds.upper - center) / dx).cwiseMin(0.5)};
  for (int d = 0; d < dimension; ++d)
    if (!(cell.low[d] < cell.high[d])) return {};
  const BoundingBall ball = shape.ball();
  if (ball.is_full) return ball_in_cell((ball.center - center) / dx, ball.radius / dx, cell);

  constexpr double smooth = 0.95;   // slope of a distance to one surface that is curved at most gently
  constexpr double gently = 0.125;  // such a surface meets a line where the straight way says [cells]
  const Vec3 slope = mean_slope(distance, dimension);
  const bool is_smooth = slope.squaredNorm() > smooth * smooth;
  int axis = 0;
  slope.cwiseAbs().maxCoeff(&axis);
  if (!is_smooth) axis = steepest_axis(distance, dimension);
  const int n_lines = dimension == 3 ? (is_smooth ? 3 : 5) : 8;
  return cell.sum(axis, n_lines, [&](Vec3 x) {
    const auto on_line = [&](double at) {
      x[axis] = at;
      return distance(x);
    };
    Inside inside;
    add_inside(on_line, {cell.low[axis], on_line(cell.low[axis])}, {cell.high[axis], on_line(cell.high[axis])},
               is_smooth ? gently : graze, inside);
    return inside;
  });
}

}  // namespace freshet
