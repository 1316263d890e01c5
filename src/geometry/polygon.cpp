// SPDX-License-Identifier: Apache-2.0
#include "mesh_repair.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>

namespace freshet {
namespace {

constexpr std::size_t most_ears = 256;  // the time grows with the square of the number of ears

using Point2 = std::array<double, 2>;

/// Twice the vector area of a polygon, by Newell's formula. [m^2]
Vec3 area_vector(std::span<const std::int32_t> corners, const std::vector<Vec3>& points) {
  const Vec3& first = points[static_cast<std::size_t>(corners[0])];
  Vec3 area = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    const Vec3 b = points[static_cast<std::size_t>(corners[i])] - first;
    area += b.cross(points[static_cast<std::size_t>(corners[i + 1])] - first);
  }
  return area;
}

/// Twice the area of a triangle, positive if the corners are counter-clockwise.
double twice_area(const Point2& a, const Point2& b, const Point2& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

bool contains(const Point2& a, const Point2& b, const Point2& c, const Point2& x) {
  return twice_area(a, b, x) >= 0.0 && twice_area(b, c, x) >= 0.0 && twice_area(c, a, x) >= 0.0;
}

class EarCutter {
 public:
  EarCutter(std::span<const std::int32_t> corners, const std::vector<Vec3>& points)
      : corners_(corners.begin(), corners.end()) {
    const Vec3 normal = area_vector(corners, points);
    int axis = 0;
    normal.cwiseAbs().maxCoeff(&axis);
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    const double sign = normal[axis] < 0.0 ? -1.0 : 1.0;
    for (const std::int32_t corner : corners) {
      const Vec3& x = points[static_cast<std::size_t>(corner)];
      flat_.push_back({sign * x[u], x[v]});
    }
  }

  /// Cut the polygon into triangles. \return false if no ear is left before the polygon is a triangle
  bool cut(std::vector<Triangle>& triangles) {
    while (corners_.size() > 3) {
      const std::size_t n = corners_.size();
      std::size_t i = 0;
      while (i < n && !is_ear(i)) ++i;
      if (i == n) return false;
      triangles.push_back({corners_[(i + n - 1) % n], corners_[i], corners_[(i + 1) % n]});
      corners_.erase(corners_.begin() + static_cast<std::ptrdiff_t>(i));
      flat_.erase(flat_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    triangles.push_back({corners_[0], corners_[1], corners_[2]});
    return true;
  }

 private:
  bool is_ear(std::size_t i) const {
    const std::size_t n = corners_.size();
    const std::size_t before = (i + n - 1) % n;
    const std::size_t after = (i + 1) % n;
    if (!(twice_area(flat_[before], flat_[i], flat_[after]) > 0.0)) return false;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == before || j == i || j == after) continue;
      const bool is_same_point = flat_[j] == flat_[before] || flat_[j] == flat_[i] || flat_[j] == flat_[after];
      if (!is_same_point && contains(flat_[before], flat_[i], flat_[after], flat_[j])) return false;
    }
    return true;
  }

  std::vector<std::int32_t> corners_;
  std::vector<Point2> flat_;
};

}  // namespace

void cut_polygon(std::span<const std::int32_t> corners, const std::vector<Vec3>& points,
                 std::vector<Triangle>& triangles) {
  const std::size_t before = triangles.size();
  if (corners.size() > 3 && corners.size() <= most_ears) {
    if (EarCutter(corners, points).cut(triangles)) return;
    triangles.resize(before);
  }
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) triangles.push_back({corners[0], corners[i], corners[i + 1]});
}

}  // namespace freshet
