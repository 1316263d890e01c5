// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "freshet/geometry/shape.hpp"
#include "shapes.hpp"

#include <utility>

namespace freshet {

Vec3 outward_normal(const Shape& shape, const Vec3& x, double h) {
  FRESHET_EXPECT(h > 0.0);
  Vec3 gradient;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 step = h * Vec3::Unit(axis);
    gradient[axis] = (shape.signed_distance(x + step) - shape.signed_distance(x - step)) / (2.0 * h);
  }
  // A true distance has slope 1; far less is rounding about a point where the slopes cancel, such as a centre.
  constexpr double vanishing = 1e-6;
  const double slope = gradient.norm();
  return slope > vanishing ? Vec3(gradient / slope) : Vec3(Vec3::Zero());
}

std::shared_ptr<const Shape> make_shape(const ShapeParameters& parameters) {
  switch (parameters.kind) {
    case ShapeKind::box:
      return std::make_shared<BoxShape>(parameters.lower, parameters.upper);
    case ShapeKind::sphere:
      return std::make_shared<Sphere>(parameters.center, parameters.radius);
    case ShapeKind::cylinder:
      return std::make_shared<Cylinder>(parameters.start, parameters.end, parameters.radius);
    case ShapeKind::half_space:
      return std::make_shared<HalfSpace>(parameters.point, parameters.normal);
    case ShapeKind::particles:  // no shape: see read_particle_file()
      break;
    case ShapeKind::union_of:
      break;
  }
  std::vector<std::shared_ptr<const Shape>> parts;
  for (const ShapeParameters& part : parameters.parts) parts.push_back(make_shape(part));
  return std::make_shared<Union>(std::move(parts));
}

}  // namespace freshet
