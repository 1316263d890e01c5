// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/body_in_cell.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr int most_lines = 8;     ///< lines along each axis across a cell in 2-D
constexpr int most_lines_3d = 4;  ///< the same in 3-D
constexpr double graze = 0.004;   ///< a body that takes less of a line is missed [cells]
constexpr double of_depth = 0.2;  ///< so closely is a surface known, in parts of the depth that the line reaches
constexpr double half_diagonal = 0.87;

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
/// a.at + |a.distance| and b.at - |b.distance|.
template <class Distance>
void add_inside(const Distance& distance, const OnLine& a, const OnLine& b, Inside& inside) {
  const double first = a.at + std::abs(a.distance), last = b.at - std::abs(b.distance);
  const bool starts_inside = a.distance <= 0.0, ends_inside = b.distance <= 0.0;
  if (starts_inside == ends_inside) {
    if (last - first <= graze) {
      if (starts_inside) inside.add(a.at, b.at);
      return;
    }
  } else if (last - first <= std::max(graze, of_depth * std::abs(starts_inside ? a.distance : b.distance))) {
    const double met = a.at + (b.at - a.at) * a.distance / (a.distance - b.distance);
    if (starts_inside)
      inside.add(a.at, met);
    else
      inside.add(met, b.at);
    return;
  }
  const double middle = 0.5 * (first + last);
  const OnLine between{middle, distance(middle)};
  add_inside(distance, a, between, inside);
  add_inside(distance, between, b, inside);
}

/// The axis along which distances change most in a cell. \param[in] distance  of a place from the cell's centre
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
  const Vec3 low = ((bounds.lower - center) / dx).cwiseMax(-0.5), high = ((bounds.upper - center) / dx).cwiseMin(0.5);
  for (int d = 0; d < dimension; ++d)
    if (!(low[d] < high[d])) return {};
  const int axis = steepest_axis(distance, dimension);
  const int u = (axis + 1) % dimension, v = 3 - axis - u;
  const int n_lines = dimension == 3 ? most_lines_3d : most_lines, n_rows = dimension == 3 ? n_lines : 1;
  const double along_u = (high[u] - low[u]) / n_lines, along_v = dimension == 3 ? (high[v] - low[v]) / n_rows : 1.0;
  BodyInCell part;
  Vec3 x = Vec3::Zero();
  const auto on_line = [&](double at) {
    x[axis] = at;
    return distance(x);
  };
  for (int j = 0; j < n_rows; ++j)
    for (int i = 0; i < n_lines; ++i) {
      x[u] = low[u] + (i + 0.5) * along_u;
      if (dimension == 3) x[v] = low[v] + (j + 0.5) * along_v;
      Inside inside;
      add_inside(on_line, {low[axis], on_line(low[axis])}, {high[axis], on_line(high[axis])}, inside);
      part.volume += inside.length;
      x[axis] = 0.0;
      part.moment += inside.length * x + inside.moment * Vec3::Unit(axis);
    }
  part.volume *= along_u * along_v;
  part.moment *= along_u * along_v;
  return part;
}

}  // namespace freshet
