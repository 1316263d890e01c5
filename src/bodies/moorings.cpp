// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/moorings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace freshet {
namespace {

constexpr double unstretched = 1e6;  ///< E A of a line that does not stretch, over its weight
constexpr double least_span = 1e-9;  ///< span of a line that hangs straight down, over its length
constexpr double probe = 1e-5;       ///< displacement of the ends for the stiffness of a line, over its length

/// A part of a line that hangs from a height down to the bed, where it begins horizontally.
struct HangingPart {
  double vertical;  ///< weight of the part [N]
  double beyond;    ///< span of the part less its length, without the stretch by H [m]
};

/// \param[in] height  of its end over the bed [m]
HangingPart part_over_bed(const HangingLine& line, double horizontal, double height) {
  if (height <= 0.0) return {0.0, 0.0};
  const double w = line.weight;
  const auto height_of = [&](double v) {  // a difference of roots without cancellation
    return v * v / (w * (std::hypot(horizontal, v) + horizontal)) + v * v / (2.0 * line.stiffness * w);
  };
  const auto slope_of = [&](double v) { return v / (w * std::hypot(horizontal, v)) + v / (line.stiffness * w); };
  // height_of() is convex: from above, Newton's method comes down to the root without passing it
  double v = std::sqrt(w * height * (w * height + 2.0 * horizontal));
  for (int round = 0; round < 100; ++round) {
    const double next = v - (height_of(v) - height) / slope_of(v);
    if (!(next < v)) break;
    v = next;
  }
  const double span = horizontal > 0.0 ? horizontal / w * std::asinh(v / horizontal) : 0.0;
  return {v, span - v / w};
}

/// Try a line part of which lies on the bed. \return false if none does
bool lies_on_bed(const HangingLine& line, double span, double rise, LineForces& forces) {
  if (!line.to_bed || !(rise + *line.to_bed >= 0.0) || !std::isfinite(span)) return false;
  HangingPart upper{}, lower{};
  const auto lying = [&](double horizontal) {
    upper = part_over_bed(line, horizontal, rise + *line.to_bed);
    lower = part_over_bed(line, horizontal, *line.to_bed);
    return line.length - (upper.vertical + lower.vertical) / line.weight;
  };
  const auto is_above = [&](double horizontal) {  // once true, it stays true as H grows
    if (lying(horizontal) < 0.0) return true;
    return line.length * (1.0 + horizontal / line.stiffness) + upper.beyond + lower.beyond >= span;
  };
  double low = 0.0, high = 0.0;
  if (!is_above(0.0)) {
    high = line.weight * line.length;
    while (!is_above(high)) low = std::exchange(high, 2.0 * high);
    for (double middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high))
      (is_above(middle) ? high : low) = middle;
  }
  const double length = lying(high);
  if (length < 0.0) return false;
  forces = {high, upper.vertical, std::hypot(high, lower.vertical), length};
  return true;
}

/// Span and rise of a line between two points in the air, and their derivatives.
struct FreeLine {
  double span, rise;
  double by_h_of_span, by_v_of_span, by_v_of_rise;  ///< the derivative of the rise over H is that of the span over V
  double energy;                                    ///< the convex function whose gradient they are

  FreeLine(const HangingLine& line, double h, double v) {
    const double w = line.weight, ea = line.stiffness, va = v - w * line.length;
    const double t = std::hypot(h, v), ta = std::hypot(h, va);
    const double arc = std::asinh(v / h) - std::asinh(va / h);
    span = h / w * arc + h * line.length / ea;
    rise = (v - va) * (v + va) / (w * (t + ta)) + (v * v - va * va) / (2.0 * ea * w);
    by_h_of_span = (arc - v / t + va / ta) / w + line.length / ea;
    by_v_of_span = h / w * (1.0 / t - 1.0 / ta);
    by_v_of_rise = (v / t - va / ta) / w + line.length / ea;
    energy = 0.5 / w * (v * t - va * ta + h * h * arc) +
             (h * h * (v - va) + (v * v * v - va * va * va) / 3.0) / (2.0 * ea * w);
  }
};

/// A line that touches no bed: damped Newton's method on its convex function, from the first guess of Jonkman 2007,
/// section 2.5.
LineForces free_line(const HangingLine& line, double span, double rise) {
  const double w = line.weight;
  const double slack = (line.length * line.length - rise * rise) / (span * span) - 1.0;
  const double shape = slack > 0.0 ? std::max(std::sqrt(3.0 * slack), 1e-3) : 0.2;
  double h = 0.5 * w * span / shape, v = 0.5 * w * (rise / std::tanh(shape) + line.length);
  FreeLine now(line, h, v);
  for (int round = 0; round < 200; ++round) {
    const double of_span = span - now.span, of_rise = rise - now.rise;
    const double determinant = now.by_h_of_span * now.by_v_of_rise - now.by_v_of_span * now.by_v_of_span;
    if (!(determinant > 0.0)) break;
    const double dh = (now.by_v_of_rise * of_span - now.by_v_of_span * of_rise) / determinant;
    const double dv = (now.by_h_of_span * of_rise - now.by_v_of_span * of_span) / determinant;
    const double slope = of_span * dh + of_rise * dv;  // by which the function falls
    double part = h + dh > 0.1 * h ? 1.0 : -0.9 * h / dh;
    const double before = now.energy - span * h - rise * v;
    for (int halving = 0; halving < 40; ++halving, part *= 0.5) {
      now = FreeLine(line, h + part * dh, v + part * dv);
      const double rounding = 1e-14 * (std::abs(now.energy) + std::abs(before));
      if (now.energy - span * (h + part * dh) - rise * (v + part * dv) <= before - 1e-4 * part * slope + rounding)
        break;
    }
    h += part * dh;
    v += part * dv;
    if (std::abs(dh) + std::abs(dv) <= 1e-13 * std::hypot(h, v)) break;
  }
  return {h, v, std::hypot(h, v - w * line.length), 0.0};
}

/// Minus the derivative of a hanging line's force over the place of its fairlead.
Mat3 stiffness_of(const HangingLine& line, double span, double rise, double horizontal, const Vec3& out,
                  const Vec3& up) {
  const double step = probe * line.length, inner = std::min(step, span);
  const LineForces far = forces_of(line, span + step, rise), near = forces_of(line, span - inner, rise);
  const LineForces above = forces_of(line, span, rise + step), below = forces_of(line, span, rise - step);
  const double along = std::max(0.0, (far.horizontal - near.horizontal) / (step + inner));
  const double upwards = std::max(0.0, (above.vertical - below.vertical) / (2.0 * step));
  const double largest = std::sqrt(along * upwards);  // else it were not semidefinite
  const double mixed = std::clamp((above.horizontal - below.horizontal) / (2.0 * step), -largest, largest);
  const double across = span > 0.0 ? horizontal / span : along;
  Mat3 matrix = across * (Mat3::Identity() - up * up.transpose() - out * out.transpose());
  matrix += along * out * out.transpose() + upwards * up * up.transpose();
  matrix += mixed * (out * up.transpose() + up * out.transpose());
  return matrix;
}

MooringForce tether_force(const Mooring& mooring, const Vec3& way, const Vec3& velocity) {
  MooringForce result;
  const double length = way.norm();
  if (length <= mooring.length) return result;
  const Vec3 out = way / length;
  const double pull = mooring.stiffness * (length - mooring.length);
  const double drag = mooring.damping * out.dot(velocity);
  if (pull + drag <= 0.0) return result;  // it would push
  result.tension = result.anchor_tension = pull + drag;
  result.still = -pull * out;
  result.force = -result.tension * out;
  result.stiffness = mooring.stiffness * out * out.transpose();
  result.damping = mooring.damping * out * out.transpose();
  return result;
}

}  // namespace

LineForces forces_of(const HangingLine& line, double span, double rise) {
  LineForces forces;
  if (lies_on_bed(line, span, rise, forces)) return forces;
  return free_line(line, std::max(span, least_span * line.length), rise);
}

Mooring make_mooring(const MooringParameters& parameters, int body, const Vec3& center, const Vec3& gravity,
                     double thickness) {
  Mooring mooring;
  mooring.name = parameters.name;
  mooring.kind = parameters.kind;
  mooring.body = body;
  mooring.anchor = parameters.anchor;
  mooring.point = parameters.fairlead - center;
  if (gravity.norm() > 0.0) mooring.up = -gravity.normalized();
  mooring.length = parameters.length.value_or((parameters.fairlead - parameters.anchor).norm());
  mooring.stiffness = thickness * parameters.stiffness;
  mooring.damping = thickness * parameters.damping;
  const double stiffness =
      parameters.axial_stiffness > 0.0 ? parameters.axial_stiffness : unstretched * parameters.weight * mooring.length;
  mooring.line = {mooring.length, thickness * parameters.weight, thickness * stiffness, {}};
  if (parameters.bed) mooring.line.to_bed = std::max(0.0, mooring.up.dot(mooring.anchor) - *parameters.bed);
  return mooring;
}

MooringForce force_of(const Mooring& mooring, const Vec3& fairlead, const Vec3& velocity) {
  const Vec3 way = fairlead - mooring.anchor;
  if (mooring.kind == MooringKind::tether) return tether_force(mooring, way, velocity);
  const double rise = mooring.up.dot(way);
  const Vec3 level = way - rise * mooring.up;
  const double span = level.norm();
  const Vec3 out = span > 0.0 ? Vec3(level / span) : Vec3::Zero();
  const LineForces line = forces_of(mooring.line, span, rise);
  MooringForce result;
  result.still = result.force = -line.horizontal * out - line.vertical * mooring.up;
  result.tension = std::hypot(line.horizontal, line.vertical);
  result.anchor_tension = line.at_anchor;
  result.lying = line.lying;
  result.stiffness = stiffness_of(mooring.line, span, rise, line.horizontal, out, mooring.up);
  return result;
}

}  // namespace freshet
