// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace freshet {

constexpr int group_size = 8;  ///< triangles or discs in a group: one vector of AVX-512, two of AVX2
using SquaredDistances = std::array<double, group_size>;  ///< from a point, by lane [m^2]

struct Corners {
  Vec3 a, b, c;
};

/// Eight triangles, one a lane of the processor's vectors.
struct alignas(64) TriangleGroup {
  double a[3][group_size];
  double b[3][group_size];
  double c[3][group_size];

  void set(int lane, const Corners& t) {
    for (int d = 0; d < 3; ++d) {
      a[d][lane] = t.a[d];
      b[d][lane] = t.b[d];
      c[d][lane] = t.c[d];
    }
  }
  Corners get(int lane) const {
    return {Vec3(a[0][lane], a[1][lane], a[2][lane]), Vec3(b[0][lane], b[1][lane], b[2][lane]),
            Vec3(c[0][lane], c[1][lane], c[2][lane])};
  }

  /// Squares of the distances from x. [m^2]
  SquaredDistances distances2(const Vec3& x) const;
};

/// A disc with a thickness, which encloses triangles. Around triangles that lie nearly in one plane it is hardly larger
/// than they are, whatever their direction. Boxes along the axes and balls are larger, so that a search from afar,
/// where many triangles are nearly as near as the nearest one, could discard fewer of them.
struct Disc {
  Vec3 center;
  Vec3 normal;       ///< unit vector; 0 if the disc is a ball
  double thickness;  ///< half of the thickness [m]
  double radius;     ///< [m]
};

/// Eight discs, one a lane.
struct alignas(64) DiscGroup {
  double center[3][group_size];
  double normal[3][group_size];
  double thickness[group_size];
  double radius[group_size];

  void set(int lane, const Disc& disc) {
    for (int d = 0; d < 3; ++d) {
      center[d][lane] = disc.center[d];
      normal[d][lane] = disc.normal[d];
    }
    thickness[lane] = disc.thickness;
    radius[lane] = disc.radius;
  }

  /// Squares of lower bounds of the distances from x to the triangles in the discs. [m^2]
  SquaredDistances distances2(const Vec3& x) const;
};

// Loops over lanes have no branches, so that the compiler vectorises them.

constexpr double smallest_square = 1e-300;  ///< least square of an edge or of an area in a division

inline SquaredDistances DiscGroup::distances2(const Vec3& x) const {
  const double x0 = x[0], x1 = x[1], x2 = x[2];
  SquaredDistances result;
#pragma omp simd
  for (int i = 0; i < group_size; ++i) {
    const double w0 = x0 - center[0][i], w1 = x1 - center[1][i], w2 = x2 - center[2][i];
    const double along = w0 * normal[0][i] + w1 * normal[1][i] + w2 * normal[2][i];
    const double across2 = w0 * w0 + w1 * w1 + w2 * w2 - along * along;
    const double above = std::max(std::abs(along) - thickness[i], 0.0);
    const double beside = std::max(std::sqrt(std::max(across2, 0.0)) - radius[i], 0.0);
    result[static_cast<std::size_t>(i)] = above * above + beside * beside;
  }
  return result;
}

/// The distance to the nearest of the three edges, or to the inside if x projects onto it. Rounding does no harm: for a
/// sliver the edges alone give the distance up to the sliver's height.
inline SquaredDistances TriangleGroup::distances2(const Vec3& x) const {
  const double x0 = x[0], x1 = x[1], x2 = x[2];
  SquaredDistances result;
#pragma omp simd
  for (int i = 0; i < group_size; ++i) {
    const double ab0 = b[0][i] - a[0][i], ab1 = b[1][i] - a[1][i], ab2 = b[2][i] - a[2][i];
    const double ac0 = c[0][i] - a[0][i], ac1 = c[1][i] - a[1][i], ac2 = c[2][i] - a[2][i];
    const double bc0 = c[0][i] - b[0][i], bc1 = c[1][i] - b[1][i], bc2 = c[2][i] - b[2][i];
    const double ax0 = x0 - a[0][i], ax1 = x1 - a[1][i], ax2 = x2 - a[2][i];
    const double bx0 = x0 - b[0][i], bx1 = x1 - b[1][i], bx2 = x2 - b[2][i];
    const auto to_edge = [](double e0, double e1, double e2, double f0, double f1, double f2) {
      const double part = e0 * f0 + e1 * f1 + e2 * f2;
      const double whole = std::max(e0 * e0 + e1 * e1 + e2 * e2, smallest_square);
      const double share = std::min(std::max(part / whole, 0.0), 1.0);
      const double r0 = f0 - share * e0, r1 = f1 - share * e1, r2 = f2 - share * e2;
      return r0 * r0 + r1 * r1 + r2 * r2;
    };
    const double to_edges =
        std::min(std::min(to_edge(ab0, ab1, ab2, ax0, ax1, ax2), to_edge(ac0, ac1, ac2, ax0, ax1, ax2)),
                 to_edge(bc0, bc1, bc2, bx0, bx1, bx2));
    const double n0 = ab1 * ac2 - ab2 * ac1, n1 = ab2 * ac0 - ab0 * ac2, n2 = ab0 * ac1 - ab1 * ac0;
    const double whole = n0 * n0 + n1 * n1 + n2 * n2;
    const double along_b = (ax1 * ac2 - ax2 * ac1) * n0 + (ax2 * ac0 - ax0 * ac2) * n1 + (ax0 * ac1 - ax1 * ac0) * n2;
    const double along_c = (ab1 * ax2 - ab2 * ax1) * n0 + (ab2 * ax0 - ab0 * ax2) * n1 + (ab0 * ax1 - ab1 * ax0) * n2;
    // Beside the triangle both shares are 0, and the distance is that to a corner.
    const bool is_above = static_cast<bool>((along_b > 0.0) & (along_c > 0.0) & (along_b + along_c < whole));
    const double share_b = (is_above ? along_b : 0.0) / std::max(whole, smallest_square);
    const double share_c = (is_above ? along_c : 0.0) / std::max(whole, smallest_square);
    const double r0 = ax0 - share_b * ab0 - share_c * ac0;
    const double r1 = ax1 - share_b * ab1 - share_c * ac1;
    const double r2 = ax2 - share_b * ab2 - share_c * ac2;
    result[static_cast<std::size_t>(i)] = std::min(to_edges, r0 * r0 + r1 * r1 + r2 * r2);
  }
  return result;
}

}  // namespace freshet
