// SPDX-License-Identifier: Apache-2.0
#include "build_shape.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/geometry/shape.hpp"
#include "shapes.hpp"

#include <utility>

namespace freshet {
namespace {

std::shared_ptr<const Shape> build_box(const ShapeParameters& p, const Placement& placement, const ShapeSpace& space) {
  Vec3 lower = p.lower;
  Vec3 upper = p.upper;
  if (space.dimension == 2) {  // a box that is scaled down stays as thick: its section must not come near its faces
    const double growth = std::max(1.0, 1.0 / placement.scale());
    lower.z() = space.plane + growth * (lower.z() - space.plane);
    upper.z() = space.plane + growth * (upper.z() - space.plane);
  }
  if (placement.turns()) return std::make_shared<TurnedBox>(lower, upper, placement);
  const Box placed = placement.box({lower, upper});
  return std::make_shared<BoxShape>(placed.lower, placed.upper);
}

}  // namespace

void Shape::sample(const LatticeNodes& nodes, std::span<double> distances) const {
  FRESHET_EXPECT(distances.size() == nodes.size());
  for (int k = 0; k < nodes.count.z(); ++k)
    for (int j = 0; j < nodes.count.y(); ++j)
      for (int i = 0; i < nodes.count.x(); ++i) distances[nodes.index(i, j, k)] = signed_distance(nodes.at(i, j, k));
}

Vec3 transformed(const TransformParameters& transform, double plane, const Vec3& x) {
  return Placement(transform, plane).point(x);
}

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

std::shared_ptr<const Shape> build_shape(const ShapeParameters& p, const Placement& outer, const ShapeSpace& space,
                                         const MeshMaker& mesh) {
  const Placement placement = outer * Placement(p.transform, space.plane);
  const double scale = placement.scale();
  std::vector<std::shared_ptr<const Shape>> parts;
  for (const ShapeParameters& part : p.parts) parts.push_back(build_shape(part, placement, space, mesh));
  switch (p.kind) {
    case ShapeKind::box:
      return build_box(p, placement, space);
    case ShapeKind::sphere:
      return std::make_shared<Sphere>(placement.point(p.center), scale * p.radius);
    case ShapeKind::cylinder:
      return std::make_shared<Cylinder>(placement.point(p.start), placement.point(p.end), scale * p.radius);
    case ShapeKind::capsule:
      return std::make_shared<Capsule>(placement.point(p.start), placement.point(p.end), scale * p.radius);
    case ShapeKind::torus:
      return std::make_shared<Torus>(placement.point(p.center), placement.direction(p.axis), scale * p.major_radius,
                                     scale * p.minor_radius);
    case ShapeKind::half_space:
      return std::make_shared<HalfSpace>(placement.point(p.point), placement.direction(p.normal));
    case ShapeKind::mesh:
      return mesh(p, placement);
    case ShapeKind::particles:  // no shape: see read_particle_file()
      break;
    case ShapeKind::union_of:
      return std::make_shared<Union>(std::move(parts));
    case ShapeKind::intersection_of:
      return std::make_shared<Intersection>(std::move(parts));
    case ShapeKind::difference_of:
      return std::make_shared<Difference>(std::move(parts));
  }
  return nullptr;
}

std::shared_ptr<const Shape> make_shape(const ShapeParameters& parameters) {
  const MeshMaker no_mesh = [](const ShapeParameters&, const Placement&) -> std::shared_ptr<const Shape> {
    FRESHET_EXPECT(false);
    return nullptr;
  };
  return build_shape(parameters, Placement(), ShapeSpace(), no_mesh);
}

}  // namespace freshet
