// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parts of edges and faces that lie outside a solid, from signed distances at their corners.
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
  const double middle = 0.25 * (a + b + c + d);
  return 0.25 * (positive_part(a, b, middle) + positive_part(b, c, middle) + positive_part(c, d, middle) +
                 positive_part(d, a, middle));
}

}  // namespace freshet
