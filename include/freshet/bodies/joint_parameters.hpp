// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/declare.hpp"
#include "freshet/solids/solid_parameters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace freshet {

/// What a joint leaves free: the rotation about an axis, the displacement along an axis, all rotations, nothing; a
/// spring holds nothing.
enum class JointKind { hinge, slider, ball, fixed, spring };
/// The value of the key `kind` of a kind of joint, and what a sentence calls such a joint.
struct JointKindRecord {
  const char* name;
  const char* noun;
};
const JointKindRecord& record_of(JointKind kind);

/// A joint between two bodies that the liquid moves, or between one and the ground.
///
/// In 2-D stiffnesses and dampings are those of one metre of thickness.
struct JointParameters {
  std::string name;  ///< name of its table
  JointKind kind = JointKind::hinge;
  std::vector<double> solids;    ///< numbers of the one or two solids that it joins
  Vec3 anchor = Vec3::Zero();    ///< place of the joint at the start; of a spring its end on the first body [m]
  Vec3 end = Vec3::Zero();       ///< other end of a spring at the start [m]
  Vec3 axis = Vec3::UnitZ();     ///< direction of the axis of a hinge or a slider at the start, of any length
  double stiffness = 0.0;        ///< stiffness of the free coordinate [N/m]; of a hinge [N m/rad]
  double damping = 0.0;          ///< damping of the free coordinate [kg/s]; of a hinge [N m s/rad]
  std::optional<double> length;  ///< length of a spring or a slider without force; nothing: as at the start [m]
  double angle = 0.0;            ///< angle of a hinge without moment, from the start [degrees]
};

keys::Entry entry_of(JointParameters& joint);
/// Check the joints of a case against its solids. Errors: InputError
void check_joints(const std::vector<JointParameters>& joints, const std::vector<SolidParameters>& solids, int dimension,
                  const keys::Table& table);

/// Check the name of a table NAME.csv: 1 to 64 letters, digits, _ and -, other than the names before. Errors:
/// InputError \param[in] earlier  names of the entries before it
void check_table_name(const std::string& name, const std::vector<std::string>& earlier, const keys::Table& entry);

}  // namespace freshet
