// SPDX-License-Identifier: Apache-2.0
#include "place_warnings.hpp"

#include "freshet/gauges/gauge.hpp"
#include "freshet/solids/nearest_body.hpp"
#include "freshet/solids/periodic_copies.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

/// The box of the domain; in 2-D it has no thickness. [m]
Box box_of(const Domain& domain) {
  Box box = domain.box();
  if (domain.dimension() == 2) box.lower.z() = box.upper.z() = domain.origin().z() + 0.5 * domain.dx();
  return box;
}

bool overlap(const Box& a, const Box& b, int axis) {
  return a.upper[axis] >= b.lower[axis] && a.lower[axis] <= b.upper[axis];
}

bool meets(const Box& bounds, const Domain& domain) {
  const Box box = box_of(domain);
  for (int d = 0; d < domain.dimension(); ++d)
    if (!overlap(bounds, box, d)) return false;
  return true;
}

bool lies_outside(const Domain& domain, const Shape& shape) {
  const Box box = box_of(domain);
  const Vec3 middle = 0.5 * (box.lower + box.upper);
  return !meets(shape.bounds(), domain) || shape.signed_distance(middle) > 0.5 * (box.upper - box.lower).norm();
}

/// Whether a moving body stays outside the domain. Between two sampled times it is taken to lie in the box around its
/// bounds at both.
bool stays_outside(const Domain& domain, double end_time, const SolidBody& body) {
  constexpr int n_times = 256;
  Box before = body.shape_at(0.0)->bounds();
  for (int n = 1; n <= n_times; ++n) {
    const Box now = body.shape_at(end_time * n / n_times)->bounds();
    if (meets({before.lower.cwiseMin(now.lower), before.upper.cwiseMax(now.upper)}, domain)) return false;
    before = now;
  }
  return true;
}

std::string line_of(const std::string& name, const Box& bounds, const char* when) {
  std::string where;
  if (bounds.lower.allFinite() && bounds.upper.allFinite())
    where = fmt::format(" (it reaches from ({:.4g}, {:.4g}, {:.4g}) to ({:.4g}, {:.4g}, {:.4g}) m)", bounds.lower.x(),
                        bounds.lower.y(), bounds.lower.z(), bounds.upper.x(), bounds.upper.y(), bounds.upper.z());
  return fmt::format(
      "{} {} outside the domain and has no effect{}. Lengths of cases and meshes are in metres; see its "
      "scale and translate",
      name, when, where);
}

/// A box whose edges are parallel to the axes.
struct StraightBox {
  std::string name;
  Box bounds;
};

bool is_straight(const ShapeParameters& shape) {
  return shape.kind == ShapeKind::box && shape.transform.angle == 0.0;
}

/// A wall or solid opposite a face of liquid.
struct Facing {
  std::string name;
  double distance;  ///< [m]
};

/// Walls and solids on one side of a box of liquid, along an axis, that the box does not touch.
std::vector<Facing> faced(const Domain& domain, const Parameters& parameters, const std::vector<StraightBox>& solids,
                          const Box& liquid, int axis, int side) {
  const auto distance_to = [&](const Box& box) {  // distance to the face nearest to the liquid
    return side == 0 ? liquid.lower[axis] - box.lower[axis] : box.upper[axis] - liquid.upper[axis];
  };
  std::vector<Facing> found;
  const FaceCondition condition =
      parameters.domain.boundary[static_cast<std::size_t>(axis)][static_cast<std::size_t>(side)];
  if (is_wall(condition))
    found.push_back(
        {fmt::format("the wall {}_{}", "xyz"[axis], side == 0 ? "low" : "high"), distance_to(box_of(domain))});
  for (const StraightBox& solid : solids) {
    bool is_opposite = true;
    for (int d = 0; d < domain.dimension(); ++d)
      is_opposite = is_opposite && (d == axis || overlap(solid.bounds, liquid, d));
    if (is_opposite) found.push_back({solid.name, distance_to({solid.bounds.upper, solid.bounds.lower})});
  }
  return found;
}

/// How far a finite shape reaches beyond sides of the domain, as text; empty if it does not. \param[in] counts  whether
/// the sides of an axis do
template <class Counts>
std::string sides_beyond(const Domain& domain, const Box& bounds, Counts&& counts) {
  const Vec3 end = domain.box().upper;
  std::string sides;
  for (int d = 0; d < domain.dimension(); ++d)
    for (const int side : {0, 1}) {
      const double beyond = side == 0 ? domain.origin()[d] - bounds.lower[d] : bounds.upper[d] - end[d];
      if (!counts(d) || !std::isfinite(beyond) || beyond <= 0.5 * domain.dx()) continue;
      sides += fmt::format("{}{:.3g} m beyond {}_{}", sides.empty() ? "" : ", ", beyond, "xyz"[d],
                           side == 0 ? "low" : "high");
    }
  return sides;
}

std::string line_of_extent(const std::string& name, const std::string& sides) {
  return fmt::format("{} reaches {}: what lies outside the domain is left out", name, sides);
}

/// Whether solids cover a line, sampled twice a cell and at least at its ends.
bool covers_line(const std::vector<std::shared_ptr<const Shape>>& solids, double dx, const Vec3& start,
                 const Vec3& way) {
  const int n = std::max(1, static_cast<int>(2.0 * way.norm() / dx));
  for (int i = 0; i <= n; ++i)
    if (!is_in_any(solids, start + way * i / n)) return false;
  return true;
}

/// Whether solids cover a rectangle, sampled twice a cell and at least at its corners.
bool covers_rectangle(const std::vector<std::shared_ptr<const Shape>>& solids, const Domain& domain, const Vec3& lower,
                      const Vec3& upper) {
  const Box box = domain.box();
  Vec3 start = lower.cwiseMax(box.lower), end = upper.cwiseMin(box.upper);
  if (domain.dimension() == 2) start.z() = end.z() = 0.5 * (box.lower.z() + box.upper.z());
  const Vec3 size = (end - start).cwiseMax(0.0);
  int across = 0;  // lines along the longest side stand along another one
  size.maxCoeff(&across);
  const Vec3 along = size[across] * Vec3::Unit(across), rest = size - along;
  const int n = std::max(1, static_cast<int>(2.0 * rest.norm() / domain.dx()));
  for (int i = 0; i <= n; ++i)
    if (!covers_line(solids, domain.dx(), start + rest * i / n, along)) return false;
  return true;
}

}  // namespace

std::vector<std::string> warnings_of_extent(const Domain& domain, const char* table, const std::vector<Box>& bounds) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const std::string sides = sides_beyond(domain, bounds[i], [](int /*axis*/) { return true; });
    if (!sides.empty()) warnings.push_back(line_of_extent(fmt::format("{}.{}", table, i), sides));
  }
  return warnings;
}

std::vector<std::string> warnings_of_periodic_sides(
    const Domain& domain, const std::vector<std::pair<std::string, std::shared_ptr<const Shape>>>& shapes) {
  std::vector<std::string> warnings;
  for (const auto& [name, shape] : shapes) {
    const std::string sides = sides_beyond(domain, shape->bounds(), [&](int d) { return domain.periodic(d); });
    if (!sides.empty()) warnings.push_back(line_of_extent(name, sides));
  }
  return warnings;
}

std::vector<std::string> warnings_of_gauges(const Domain& domain, const std::vector<GaugeParameters>& gauges,
                                            const std::vector<SolidBody>& bodies) {
  std::vector<std::string> warnings;
  std::vector<std::shared_ptr<const Shape>> solids;
  for (const SolidBody& body : bodies) solids.push_back(body.shape_at(0.0));
  const double dx = domain.dx();
  for (const GaugeParameters& gauge : gauges) {
    const GaugePlace place = gauge_type(gauge.type).place;
    if (place == GaugePlace::line && covers_line(solids, dx, gauge.start, gauge.end - gauge.start))
      warnings.push_back(fmt::format("gauge {}: all of its line lies in solids, where there is no liquid", gauge.name));
    for (int n = 0; place == GaugePlace::lines && n < gauge.count; ++n)
      if (covers_line(solids, dx, foot_of_line(gauge, n), gauge.line))
        warnings.push_back(
            fmt::format("gauge {}: all of its line {} lies in solids, where there is no liquid", gauge.name, n));
    if (place == GaugePlace::rectangle && covers_rectangle(solids, domain, gauge.lower, gauge.upper))
      warnings.push_back(
          fmt::format("gauge {}: all of its rectangle lies in solids, where there is no liquid", gauge.name));
    if (place != GaugePlace::point) continue;
    const Vec3 beside = 0.5 * dx * (gauge.normal.isZero(0.0) ? gauge.normal : gauge.normal.normalized());
    for (std::size_t i = 0; i < solids.size(); ++i) {
      const auto depth = [&](const Vec3& x) { return -solids[i]->signed_distance(x); };
      const int number = number_of_body(bodies, static_cast<int>(i));
      if (depth(gauge.point) > dx)
        warnings.push_back(fmt::format("gauge {}: its point lies {:.3g} m inside solid.{}, where there is no liquid",
                                       gauge.name, depth(gauge.point), number));
      else if (depth(gauge.point + beside) > 0.25 * dx && depth(gauge.point - beside) < 0.0)
        warnings.push_back(
            fmt::format("gauge {}: its normal points into solid.{}, where there is no liquid", gauge.name, number));
    }
  }
  return warnings;
}

std::vector<std::string> warnings_of_absence(
    const Domain& domain, const std::vector<std::pair<std::string, std::shared_ptr<const Shape>>>& shapes) {
  std::vector<std::string> warnings;
  for (const auto& [name, shape] : shapes)
    if (lies_outside(domain, *shape)) warnings.push_back(line_of(name, shape->bounds(), "lies"));
  return warnings;
}

std::vector<std::string> warnings_of_absence(const Domain& domain, double end_time,
                                             const std::vector<SolidBody>& bodies) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const bool moves = bodies[i].motion != nullptr;
    if (bodies[i].copy.of >= 0 || (!moves && has_periodic_copies(bodies[i]))) continue;
    if (moves ? stays_outside(domain, end_time, bodies[i]) : lies_outside(domain, *bodies[i].shape))
      warnings.push_back(
          line_of(fmt::format("solid.{}", i), bodies[i].shape_at(0.0)->bounds(), moves ? "stays" : "lies"));
  }
  return warnings;
}

std::vector<std::string> warnings_of_small_bodies(const Domain& domain, const std::vector<SolidBody>& bodies,
                                                  const std::vector<std::pair<int, VolumeMoments>>& moved) {
  constexpr double least_width = 2.5;  // inertia in the liquid is right within a fifth from there on [cells]
  std::vector<std::string> warnings;
  for (const auto& [solid, moments] : moved) {
    // in principal axes, rising; a box has these widths
    const Eigen::SelfAdjointEigenSolver<Mat3> axes(moments.second, Eigen::EigenvaluesOnly);
    const auto width = [&, values = axes.eigenvalues(), volume = moments.volume](int n) {
      return std::sqrt(12.0 * std::max(0.0, values[n]) / volume) / domain.dx();  // [cells]
    };
    const bool is_plane = domain.dimension() == 2;
    if (const double thickness = width(is_plane ? 1 : 0);
        has_voxels(bodies[static_cast<std::size_t>(solid)]) && thickness < 1.0)
      warnings.push_back(
          fmt::format("solid.{} is {:.2g} cells thick and made of whole cells: the liquid does not feel it where it "
                      "covers no centre "
                      "of a cell. Choose surface = \"fractions\", or smaller cells",
                      solid, thickness));
    else if (const double across = width(is_plane ? 2 : 1); across < least_width)
      warnings.push_back(
          fmt::format("solid.{} is {:.2g} cells across: the liquid lifts it, but resists its motion too little. Choose "
                      "smaller cells",
                      solid, across));
  }
  return warnings;
}

std::vector<std::string> warnings_of_gaps(const Domain& domain, const Parameters& parameters,
                                          const std::vector<LiquidBody>& liquids,
                                          const std::vector<SolidBody>& bodies) {
  constexpr double least = 0.05;  // smallest gap that matters [cells]
  std::vector<StraightBox> solids;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const int number = number_of_body(bodies, static_cast<int>(i));
    if (is_straight(parameters.solids[static_cast<std::size_t>(number)].shape) && bodies[i].motion == nullptr)
      solids.push_back({fmt::format("solid.{}", number), bodies[i].shape_at(0.0)->bounds()});
  }
  const auto is_filled = [&](const Vec3& x) {
    return std::ranges::any_of(liquids, [&](const auto& body) { return body.shape->signed_distance(x) < 0.0; }) ||
           std::ranges::any_of(bodies, [&](const auto& body) { return body.shape_at(0.0)->signed_distance(x) < 0.0; });
  };
  std::vector<std::string> warnings;
  std::size_t next = 0;  // index in `liquids`
  for (std::size_t i = 0; i < parameters.liquids.size(); ++i) {
    const ShapeParameters& shape = parameters.liquids[i].shape;
    if (shape.kind == ShapeKind::particles) continue;
    const Box box = liquids[next++].shape->bounds();
    if (!is_straight(shape)) continue;
    for (int side = 0; side < 2 * domain.dimension(); ++side)
      for (const Facing& facing : faced(domain, parameters, solids, box, side / 2, side % 2)) {
        if (facing.distance < least * domain.dx() || facing.distance > domain.dx()) continue;
        Vec3 between = 0.5 * (box.lower.cwiseMax(box_of(domain).lower) + box.upper.cwiseMin(box_of(domain).upper));
        between[side / 2] =
            side % 2 == 0 ? box.lower[side / 2] - 0.5 * facing.distance : box.upper[side / 2] + 0.5 * facing.distance;
        if (!is_filled(between))
          warnings.push_back(fmt::format(
              "liquid.{} ends {:.3g} m ({:.2g} cells) before {}: the grid cannot show so thin a layer of air. Let "
              "the liquid reach it, or choose a cell size of which the tank is a whole number of cells",
              i, facing.distance, facing.distance / domain.dx(), facing.name));
      }
  }
  return warnings;
}

}  // namespace freshet
