// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/contact.hpp"
#include "freshet/geometry/rigid_motion.hpp"

#include <vector>

namespace freshet {

/// Finds the points of a shape's features that are near another shape.
class TouchingPoints {
 public:
  /// \param[in] margin  distance up to which points count [m] \param[in] dx  size of a cell, which sets the
  /// resolution [m]
  TouchingPoints(const Shape& mine, const Shape& theirs, int dimension, double dx, double margin,
                 std::vector<TouchingPoint>& found);

  /// Search the features of `mine` at a pose.
  void search(const SurfaceFeatures& features, const Pose& pose);

 private:
  void search_line(const RoundedLine& line);
  void search_round(const Vec3& center, double radius);
  void search_circle(const RoundedCircle& circle, const Vec3& across);
  void add(const Vec3& x);
  bool clip(const RoundedLine& line, double& begin, double& end) const;
  Vec3 slope(const Shape& shape, const Vec3& x) const;
  Vec3 normal_at(const Vec3& x) const;

  const Shape& mine_;
  const Shape& theirs_;
  int dimension_;
  double dx_;
  double margin_;
  Box near_;  ///< a box around what may be near the other shape
  std::vector<TouchingPoint>& found_;
  std::vector<double> distances_;
};

/// Leave the points that hold two shapes apart as well as all: those that stand out, of each direction of the normal.
void thin_out(std::vector<TouchingPoint>& points, double dx);

}  // namespace freshet
