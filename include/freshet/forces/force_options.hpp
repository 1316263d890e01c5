// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/absorber.hpp"
#include "freshet/forces/outside_pressure.hpp"
#include "freshet/forces/vortex.hpp"
#include "freshet/forces/wind.hpp"

#include <tuple>

namespace freshet {

/// The options of the body forces that have keys: the list of these forces, in the order in which they add up.
///
/// The header of a force declares a struct of options, which names the `table` of its keys, and three functions of it:
///   keys::Keys keys_of(Options&)                                           its keys, within the table
///   void check_force(const Options&, const ForceScene&, const keys::Table&)      throws InputError
///   std::unique_ptr<ForceTerm> make_force(const Options&, const Domain&, const FluidOptions&)     null: none
using ForceOptions = std::tuple<VortexOptions, AbsorberOptions, WindOptions, OutsidePressureOptions>;

keys::Keys keys_of(ForceOptions& forces);  ///< those of all forces
/// Check the options of all forces. Errors: InputError
void check_forces(const ForceOptions& forces, const ForceScene& scene, const keys::Table& table);

/// The terms of a run, those that report their energy first: gravity, the frame's inertia and what the options ask for.
/// \param[in] frame  motion of the tank that the grid is fixed to; null: at rest
ForceTerms make_forces(const Domain& domain, const FluidOptions& fluid, const ForceOptions& options = {},
                       std::shared_ptr<const RigidMotion> frame = {});

}  // namespace freshet
