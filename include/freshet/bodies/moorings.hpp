// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/mooring_parameters.hpp"
#include "freshet/bodies/rigid_body.hpp"

#include <optional>
#include <string>

namespace freshet {

/// A heavy line between two points in a vertical plane.
struct HangingLine {
  double length = 1.0;                ///< without tension [m]
  double weight = 1.0;                ///< in water, over length [N/m]
  double stiffness = 1e9;             ///< axial stiffness E A [N]
  std::optional<double> to_bed = {};  ///< height of the anchor over a bed [m]; nothing: there is no bed
};

/// What holds a hanging line.
struct LineForces {
  double horizontal = 0.0;  ///< horizontal part of the tension, the same everywhere [N]
  double vertical = 0.0;    ///< vertical part at the upper end, downwards on what holds it [N]
  double at_anchor = 0.0;   ///< tension at the anchor [N]
  double lying = 0.0;       ///< length without tension that lies on the bed [m]
};

/// The forces of a hanging line at rest, which slides on the bed without friction.
///
/// With H and V the horizontal and vertical parts of the tension at the fairlead, V_a = V - w L that at the anchor:
///   span = H/w (asinh(V/H) - asinh(V_a/H)) + H L / EA
///   rise = (sqrt(H^2 + V^2) - sqrt(H^2 + V_a^2)) / w + (V^2 - V_a^2) / (2 EA w)
/// Where the line lies on the bed, each of its two hanging parts begins there without a vertical part, and
///   span = L (1 + H/EA) + sum of (H/w asinh(V_i/H) - V_i/w)
///   height_i = (sqrt(H^2 + V_i^2) - H) / w + V_i^2 / (2 EA w)
/// Both are the gradient of a convex function of H and V: there is one solution.
/// \param[in] span  horizontal distance of its ends, from 0 on [m] \param[in] rise  height of the fairlead over the
/// anchor [m]
/// Source: Irvine 1981, the elastic catenary; with the bed Jonkman 2007, section 2.5. Parallel: local
LineForces forces_of(const HangingLine& line, double span, double rise);

/// A mooring between a fixed point and a body.
struct Mooring {
  std::string name;
  MooringKind kind = MooringKind::tether;
  int body = 0;                ///< index among the bodies that the liquid moves
  Vec3 anchor = Vec3::Zero();  ///< [m]
  Vec3 point = Vec3::Zero();   ///< fairlead from the centre of the body, in its axes [m]
  Vec3 up = Vec3::UnitY();     ///< unit vector against gravity
  double length = 0.0;         ///< without tension [m]
  double stiffness = 0.0;      ///< stiffness of a tether [N/m]
  double damping = 0.0;        ///< damping of a tether [kg/s]
  HangingLine line;            ///< the line itself if it is a catenary
};

/// A mooring from its keys. \param[in] body  number of the body that its solid is \param[in] center  the body's centre
/// of mass at the start [m] \param[in] thickness  of the slab in 2-D [m]; 1 in 3-D. Parallel: local
Mooring make_mooring(const MooringParameters& parameters, int body, const Vec3& center, const Vec3& gravity,
                     double thickness);

/// What a mooring does to its body.
struct MooringForce {
  Vec3 still = Vec3::Zero();      ///< force on the body without damping [N]
  Vec3 force = Vec3::Zero();      ///< on the body at the fairlead [N]
  double tension = 0.0;           ///< at the fairlead [N]
  double anchor_tension = 0.0;    ///< [N]
  double lying = 0.0;             ///< length on the bed [m]
  Mat3 stiffness = Mat3::Zero();  ///< minus the derivative of the force over the fairlead's place, semidefinite [N/m]
  Mat3 damping = Mat3::Zero();    ///< minus the derivative of the force over the fairlead's velocity [kg/s]
};
/// \param[in] fairlead  place of the end on the body [m] \param[in] velocity  its velocity [m/s]. Parallel: local
MooringForce force_of(const Mooring& mooring, const Vec3& fairlead, const Vec3& velocity);

}  // namespace freshet
