// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/tile.hpp"

#include <algorithm>
#include <cmath>

/// Distance to the liquid on the faces of one component, and velocities extended along its gradient. Lengths in cells.
namespace freshet {

/// x of sum_n max(0, x - a_n)^2 = 1: the upwind form of |grad phi| = 1 at a point whose nearer neighbours along each
/// axis hold a_n. Source: Zhao 2005, section 2.1
template <int dim>
double upwind_distance(double (&a)[dim]) {
  std::sort(a, a + dim);
  double x = a[0] + 1.0;
  double sum = a[0];
  double squares = a[0] * a[0];
  for (int n = 1; n < dim && x > a[n]; ++n) {
    sum += a[n];
    squares += a[n] * a[n];
    const double count = n + 1;
    x = (sum + std::sqrt(std::max(0.0, sum * sum - count * (squares - 1.0)))) / count;
  }
  return x;
}

/// Set the distances of known faces. Other faces get unknown_distance and no velocity.
template <class Shape>
void start_distance(const LabelField& labels, int d, LocalIndex b, double unknown, double* distance, double* u) {
  const Tile<Label, Shape, 1> label(labels, b);
  for (int c = 0; c < Shape::cells; ++c) {
    const int at = label.extents.of_cell(c), below = at - label.extents.stride(d);
    const int n_liquid = (label[below] == Label::liquid ? 1 : 0) + (label[at] == Label::liquid ? 1 : 0);
    distance[c] = n_liquid == 2 ? -0.5 : n_liquid == 1 ? 0.0 : unknown;
    if (n_liquid == 0) u[c] = 0.0;
  }
}

/// One iteration for the faces of one component of a block that are not in `kept` (planes of bits, see face_bits.hpp):
/// calls change(pointer, value) for each number that differs from the value that its neighbours give. Faces beyond
/// `farthest` do not change.
template <class Shape, class Change>
void follow_distance(CellField<double>& distance, CellField<double>& velocity, const std::uint64_t* kept, LocalIndex b,
                     double farthest, Change change) {
  const Tile<double, Shape, 1> phi(distance, b);
  if (std::none_of(phi.begin(), phi.end(), [&](double p) { return p <= farthest; })) return;
  const Tile<double, Shape, 1> u(velocity, b);
  for (int c = 0; c < Shape::cells; ++c) {
    if ((kept[c / 64] >> c % 64 & 1U) != 0) continue;
    const int at = phi.extents.of_cell(c);
    double nearer[Shape::dim], upwind[Shape::dim];
    for (int axis = 0; axis < Shape::dim; ++axis) {
      const int low = at - phi.extents.stride(axis), high = at + phi.extents.stride(axis);
      nearer[axis] = std::min(phi[low], phi[high]);
      upwind[axis] = phi[low] < phi[high] ? u[low] : phi[high] < phi[low] ? u[high] : 0.5 * (u[low] + u[high]);
    }
    double sorted[Shape::dim];
    std::copy_n(nearer, Shape::dim, sorted);
    const double x = upwind_distance(sorted);
    if (x > farthest) continue;
    double weight = 0.0;
    double sum = 0.0;
    for (int axis = 0; axis < Shape::dim; ++axis) {
      const double slope = std::max(0.0, x - nearer[axis]);
      weight += slope;
      sum += slope > 0.0 ? slope * upwind[axis] : 0.0;
    }
    if (x != phi[at]) change(distance.block(b) + c, x);
    if (sum / weight != u[at]) change(velocity.block(b) + c, sum / weight);
  }
}

}  // namespace freshet
