// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/declare.hpp"
#include "freshet/solids/solid_parameters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace freshet {

/// A spring that only pulls, or a heavy line in the shape in which it hangs at rest.
enum class MooringKind { tether, catenary };

/// A mooring line from a fixed point to a body that the liquid moves.
///
/// In 2-D stiffnesses, dampings and weights are those of one metre of thickness.
struct MooringParameters {
  std::string name;  ///< name of its table
  MooringKind kind = MooringKind::tether;
  int solid = 0;                 ///< number of the solid that it holds
  Vec3 anchor = Vec3::Zero();    ///< fixed end [m]
  Vec3 fairlead = Vec3::Zero();  ///< end on the body, where it is at the start [m]
  std::optional<double> length;  ///< unstretched; of a tether nothing: as at the start [m]
  double stiffness = 0.0;        ///< force of a tether over its elongation [N/m]
  double damping = 0.0;          ///< force of a taut tether over the rate of its length [kg/s]
  double weight = 0.0;           ///< weight in water of a catenary over its length [N/m]
  double axial_stiffness = 0.0;  ///< stiffness E A of a catenary [N]; 0: it does not stretch
  std::optional<double> bed;     ///< height of the bed on which a catenary may lie; nothing: there is none [m]
};

keys::Entry entry_of(MooringParameters& mooring);
/// Check the moorings of a case against its solids. \param[in] gravity  of the case [m/s^2]. Errors: InputError
void check_moorings(const std::vector<MooringParameters>& moorings, const std::vector<SolidParameters>& solids,
                    const Vec3& gravity, const keys::Table& table);

}  // namespace freshet
