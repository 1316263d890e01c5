// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

/// Parts of edges and faces that lie outside a solid or in it, from signed distances at their corners.
namespace freshet {

/// Part of an edge where a linear function is positive.
inline double positive_part(double a, double b) {
  if (a > 0.0 && b > 0.0) return 1.0;
  if (a <= 0.0 && b <= 0.0) return 0.0;
  return a > 0.0 ? a / (a - b) : b / (b - a);
}

/// Part of a triangle where a linear function with these values at the corners is positive.
inline double positive_part(double a, double b, double c) {
  const int n = int{a > 0.0} + int{b > 0.0} + int{c > 0.0};
  if (n == 0) return 0.0;
  if (n == 3) return 1.0;
  // rotate the corners until the one whose sign differs from the other two comes first
  const bool alone_positive = n == 1;
  double first = a, second = b, third = c;
  if ((b > 0.0) == alone_positive) {
    first = b, second = c, third = a;
  } else if ((c > 0.0) == alone_positive) {
    first = c, second = a, third = b;
  }
  const double alone = first / (first - second) * (first / (first - third));
  return alone_positive ? alone : 1.0 - alone;
}

/// Part of a square, corners in order around it: four triangles about its middle. Exact for a linear function.
inline double positive_part(double a, double b, double c, double d) {
  if (a > 0.0 && b > 0.0 && c > 0.0 && d > 0.0) return 1.0;
  if (a <= 0.0 && b <= 0.0 && c <= 0.0 && d <= 0.0) return 0.0;
  const double middle = 0.25 * (a + b + c + d);
  return 0.25 * (positive_part(a, b, middle) + positive_part(b, c, middle) + positive_part(c, d, middle) +
                 positive_part(d, a, middle));
}

/// The part of a face, an edge in 2-D, that a solid covers.
struct CoveredPart {
  double size = 0.0;  ///< 0 to 1
  Eigen::Vector2d moment =
      Eigen::Vector2d::Zero();  ///< size times the place of its middle, from the middle of the face [cells]

  Eigen::Vector2d middle() const {
    return size > 0.0 ? Eigen::Vector2d(moment / size) : Eigen::Vector2d(Eigen::Vector2d::Zero());
  }
};

/// Covered part of an edge, with a linear function between its ends.
inline CoveredPart covered_part(double a, double b) {
  const double size = 1.0 - positive_part(a, b);
  const double middle = a <= 0.0 ? 0.5 * (size - 1.0) : 0.5 * (1.0 - size);
  return {size, {size * middle, 0.0}};
}

/// Covered part of the triangle between two corners of a square, where a linear function has the values a and b, and
/// its middle.
inline CoveredPart covered_part_of_quarter(double a, double b, double middle, const Eigen::Vector2d& at_a,
                                           const Eigen::Vector2d& at_b) {
  const double value[3] = {a, b, middle};
  const Eigen::Vector2d place[3] = {at_a, at_b, Eigen::Vector2d::Zero()};
  const CoveredPart all{0.25, 0.25 / 3.0 * (at_a + at_b)};
  const int n = int{a > 0.0} + int{b > 0.0} + int{middle > 0.0};
  if (n == 0) return all;
  if (n == 3) return {};
  int alone = 0;  // the corner whose sign differs from the other two
  while ((value[alone] > 0.0) != (n == 1)) ++alone;
  const int second = (alone + 1) % 3, third = (alone + 2) % 3;
  const double to_second = value[alone] / (value[alone] - value[second]);
  const double to_third = value[alone] / (value[alone] - value[third]);
  const double size = 0.25 * to_second * to_third;
  const Eigen::Vector2d center =
      place[alone] + (to_second * (place[second] - place[alone]) + to_third * (place[third] - place[alone])) / 3.0;
  if (n == 2) return {size, size * center};
  return {all.size - size, all.moment - size * center};
}

/// Covered part of a square, corners in order around it from that at the low ends of both axes, the second along the
/// first axis.
inline CoveredPart covered_part(double a, double b, double c, double d) {
  if (a > 0.0 && b > 0.0 && c > 0.0 && d > 0.0) return {};
  if (a <= 0.0 && b <= 0.0 && c <= 0.0 && d <= 0.0) return {1.0, Eigen::Vector2d::Zero()};
  const double value[4] = {a, b, c, d};
  const Eigen::Vector2d place[4] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
  const double middle = 0.25 * (a + b + c + d);
  CoveredPart sum;
  for (int n = 0; n < 4; ++n) {
    const int next = (n + 1) % 4;
    const CoveredPart quarter = covered_part_of_quarter(value[n], value[next], middle, place[n], place[next]);
    sum.size += quarter.size;
    sum.moment += quarter.moment;
  }
  return sum;
}

}  // namespace freshet
