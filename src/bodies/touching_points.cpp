// SPDX-License-Identifier: Apache-2.0
#include "touching_points.hpp"

#include "freshet/geometry/across.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace freshet {
namespace {

constexpr double piece_length = 0.5;     ///< pieces of an edge whose ends are looked up first [cells]
constexpr int most_pieces = 64;          ///< most pieces of an edge
constexpr double inside = 0.02;          ///< depth below the touching surface at which the normal is taken [cells]
constexpr double slope_step = 0.005;     ///< half the width of central differences [cells]
constexpr double least_slope = 0.1;      ///< slope of a distance below which it has no normal
constexpr double rounding = 1e-9;        ///< differences of distances that count as none [cells]
constexpr int most_turns = 40;           ///< steps towards the nearest point of a round part
constexpr int circle_points = 16;        ///< points of a rim that are looked up
constexpr double deepest = 1.0;          ///< overlap that is taken to be on purpose [cells]
constexpr double same_place = 1e-4;      ///< distance of points that are one [cells]
constexpr double same_direction = 0.98;  ///< cosine between normals of one direction
constexpr std::size_t most_of_direction = 8;

/// The place of the least value of a function between two places, by the golden section.
template <class Function>
double least_between(double a, double b, Function&& f) {
  constexpr double ratio = 0.6180339887498949;
  constexpr int sections = 40;
  double x = b - ratio * (b - a), y = a + ratio * (b - a);
  double at_x = f(x), at_y = f(y);
  for (int n = 0; n < sections; ++n) {
    if (at_x <= at_y) {
      b = y;
      y = x;
      at_y = at_x;
      x = b - ratio * (b - a);
      at_x = f(x);
    } else {
      a = x;
      x = y;
      at_x = at_y;
      y = a + ratio * (b - a);
      at_y = f(y);
    }
  }
  return 0.5 * (a + b);
}

}  // namespace

TouchingPoints::TouchingPoints(const Shape& mine, const Shape& theirs, int dimension, double dx, double margin,
                               std::vector<TouchingPoint>& found)
    : mine_(mine), theirs_(theirs), dimension_(dimension), dx_(dx), margin_(margin), found_(found) {
  const Box a = mine.bounds(), b = theirs.bounds();
  near_ = {a.lower.cwiseMax(b.lower) - Vec3::Constant(margin), a.upper.cwiseMin(b.upper) + Vec3::Constant(margin)};
}

void TouchingPoints::search(const SurfaceFeatures& features, const Pose& pose) {
  for (int d = 0; d < dimension_; ++d)
    if (near_.lower[d] > near_.upper[d]) return;
  for (const RoundedLine& line : features.lines)
    search_line({pose.to_world(line.start), pose.to_world(line.end), line.radius});
  for (const RoundedCircle& circle : features.circles)
    search_circle(
        {pose.to_world(circle.center), pose.rotation * circle.axis, circle.radius, circle.thickness, circle.is_edge},
        pose.rotation * unit_across(circle.axis));
}

Vec3 TouchingPoints::slope(const Shape& shape, const Vec3& x) const {
  const double h = slope_step * dx_;
  Vec3 result = Vec3::Zero();
  for (int d = 0; d < dimension_; ++d) {
    const Vec3 step = h * Vec3::Unit(d);
    result[d] = (shape.signed_distance(x + step) - shape.signed_distance(x - step)) / (2.0 * h);
  }
  return result;
}

/// The other shape's normal; zero if it has none.
Vec3 TouchingPoints::normal_at(const Vec3& x) const {
  const Vec3 direction = slope(theirs_, x);
  const double size = direction.norm();
  return size > least_slope ? Vec3(direction / size) : Vec3(Vec3::Zero());
}

/// The part of a line that passes the box of what may be near. \return false if there is none
bool TouchingPoints::clip(const RoundedLine& line, double& begin, double& end) const {
  const Vec3 span = line.end - line.start;
  begin = 0.0;
  end = 1.0;
  for (int d = 0; d < dimension_; ++d) {
    const double below = near_.lower[d] - line.radius - line.start[d];
    const double above = near_.upper[d] + line.radius - line.start[d];
    if (span[d] == 0.0) {
      if (below > 0.0 || above < 0.0) return false;
      continue;
    }
    const double first = (span[d] > 0.0 ? below : above) / span[d], last = (span[d] > 0.0 ? above : below) / span[d];
    begin = std::max(begin, first);
    end = std::min(end, last);
  }
  return begin <= end;
}

void TouchingPoints::search_line(const RoundedLine& line) {
  double begin, end;
  if (!clip(line, begin, end)) return;
  const Vec3 span = line.end - line.start;
  const auto distance = [&](double t) { return theirs_.signed_distance(line.start + t * span) - line.radius; };
  const auto touch = [&](double t) { search_round(line.start + t * span, line.radius); };
  const double length = (end - begin) * span.norm();
  if (length <= rounding * dx_) {
    touch(begin);
    return;
  }
  if (distance(0.5 * (begin + end)) - 0.5 * length > margin_) return;
  const int pieces =
      static_cast<int>(std::clamp(std::ceil(length / (piece_length * dx_)), 1.0, static_cast<double>(most_pieces)));
  const auto place = [&](int n) { return begin + (end - begin) * std::clamp(n, 0, pieces) / pieces; };
  distances_.clear();
  for (int n = 0; n <= pieces; ++n) distances_.push_back(distance(place(n)));
  const auto value = [&](int n) {
    return n < 0 || n > pieces ? std::numeric_limits<double>::infinity() : distances_[static_cast<std::size_t>(n)];
  };
  touch(begin);
  touch(end);
  for (int n = 0; n <= pieces; ++n) {
    if (value(n) - length / pieces > margin_) continue;
    if (value(n) > value(n - 1) || value(n) > value(n + 1)) continue;
    const double rise = std::max(n > 0 ? value(n - 1) : value(n), n < pieces ? value(n + 1) : value(n)) - value(n);
    if (rise <= rounding * dx_) continue;  // along a flat side
    const double nearest = least_between(place(n - 1), place(n + 1), distance);
    if (distance(nearest) < std::min({value(n), distances_.front(), distances_.back()}) - rounding * dx_)
      touch(nearest);
    else if (n > 0 && n < pieces && value(n) < std::min(value(n - 1), value(n + 1)) - rounding * dx_)
      touch(place(n));
  }
}

/// Search a ball for the points where its normal is opposite to that of the other shape.
void TouchingPoints::search_round(const Vec3& center, double radius) {
  if (theirs_.signed_distance(center) - radius >= margin_) return;
  if (radius == 0.0) return add(center);
  const auto go = [&](Vec3 x) {
    for (int turn = 0; turn < most_turns; ++turn) {
      const Vec3 next = center - radius * normal_at(x);
      const double change = (next - x).norm();
      x = next;
      if (change <= rounding * dx_) break;
    }
    add(x);
  };
  go(center);
  if (theirs_.ball().is_full) return;
  for (int d = 0; d < dimension_; ++d)  // a hollow touches a ball in several places
    for (const int sign : {-1, 1}) go(center + sign * radius * Vec3::Unit(d));
}

/// Search the points around a circle, and go from each to the nearest one. \param[in] across  unit vector in its plane
void TouchingPoints::search_circle(const RoundedCircle& circle, const Vec3& across) {
  const double reach = circle.radius + circle.thickness;
  if (theirs_.signed_distance(circle.center) - reach >= margin_) return;
  const Vec3 third = circle.axis.cross(across);
  const int starts = circle.is_edge ? circle_points : circle_points / 4;
  constexpr double full_turn = 6.283185307179586;
  for (int n = 0; n < starts; ++n) {
    const double angle = full_turn * n / starts;
    const Vec3 direction = std::cos(angle) * across + std::sin(angle) * third;
    Vec3 x = circle.center + circle.radius * direction;
    if (circle.is_edge) add(circle.thickness > 0.0 ? Vec3(x - circle.thickness * normal_at(x)) : x);
    for (int turn = 0; turn < most_turns; ++turn) {
      const Vec3 normal = normal_at(x);
      const Vec3 in_plane = normal - circle.axis.dot(normal) * circle.axis;
      if (in_plane.norm() < 1e-6) break;
      const Vec3 next = circle.center - circle.radius * in_plane.normalized() - circle.thickness * normal;
      const double change = (next - x).norm();
      x = next;
      if (change <= rounding * dx_) break;
    }
    add(x);
  }
}

/// Add a point of `mine` if it is near.
void TouchingPoints::add(const Vec3& x) {
  double gap = theirs_.signed_distance(x);
  if (!(gap < margin_) || gap < -deepest * dx_) return;
  const Vec3 outward = slope(mine_, x);
  const double size = outward.norm();
  Vec3 direction = slope(theirs_, size > least_slope ? Vec3(x - inside * dx_ / size * outward) : x);
  if (direction.norm() <= least_slope) direction = slope(theirs_, x);
  const double steepness = direction.norm();
  if (steepness <= least_slope) return;
  direction /= steepness;
  if (dimension_ == 2) gap /= steepness;  // distances within the plane
  found_.push_back({x - 0.5 * gap * direction, direction, gap});
}

void thin_out(std::vector<TouchingPoint>& points, double dx) {
  std::vector<TouchingPoint> kept;
  std::vector<std::uint8_t> is_done(points.size(), 0);
  const auto is_alike = [](const TouchingPoint& a, const TouchingPoint& b) {
    return a.normal.dot(b.normal) > same_direction;
  };
  for (std::size_t first = 0; first < points.size(); ++first) {
    if (is_done[first] != 0) continue;
    std::vector<std::size_t> group;
    for (std::size_t n = first; n < points.size(); ++n) {
      if (is_done[n] != 0 || !is_alike(points[first], points[n])) continue;
      is_done[n] = 1;
      group.push_back(n);
    }
    double lowest = std::numeric_limits<double>::infinity();
    for (const std::size_t n : group) lowest = std::min(lowest, points[n].gap);
    const std::size_t begin = kept.size();
    while (kept.size() - begin < most_of_direction) {  // next the one that stands farthest from those kept
      double best = same_place * dx;
      std::size_t next = points.size();
      for (const std::size_t n : group) {
        double apart = kept.size() == begin ? 1e3 * dx : std::numeric_limits<double>::infinity();
        for (std::size_t m = begin; m < kept.size(); ++m) apart = std::min(apart, (points[n].x - kept[m].x).norm());
        if (apart <= same_place * dx) continue;
        const double score = apart - 2.0 * (points[n].gap - lowest);
        if (next < points.size() && score <= best) continue;
        best = score;
        next = n;
      }
      if (next == points.size()) break;
      kept.push_back(points[next]);
    }
  }
  points = std::move(kept);
}

}  // namespace freshet
