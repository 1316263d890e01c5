// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/absorber.hpp"
#include "freshet/forces/forces.hpp"
#include "freshet/forces/outside_pressure.hpp"
#include "freshet/forces/vortex.hpp"
#include "freshet/forces/wind.hpp"

#include <algorithm>

namespace freshet {
namespace {

using Term = std::unique_ptr<ForceTerm>;

/// A row of the table: makes the term if the options ask for it, else returns null.
using MakeTerm = Term (*)(const Domain&, const ForceOptions&);

Term make_confinement(const Domain&, const ForceOptions& options) {
  const bool confines = options.vortex.method == VortexMethod::confinement && options.vortex.boost > 0.0;
  return confines ? std::make_unique<VorticityConfinement>(options.vortex.boost) : nullptr;
}

Term make_gravity(const Domain&, const ForceOptions& options) {
  return std::make_unique<Gravity>(options.fluid.gravity, options.frame);
}

Term make_frame(const Domain& domain, const ForceOptions& options) {
  return options.frame ? std::make_unique<MovingFrame>(domain, options.frame) : nullptr;
}

Term make_coriolis(const Domain&, const ForceOptions& options) {
  return options.fluid.rotation.isZero(0.0) ? nullptr : std::make_unique<Coriolis>(options.fluid.rotation);
}

Term make_absorbers(const Domain& domain, const ForceOptions& options) {
  const auto& zones = options.fluid.absorbers;
  return zones.empty() ? nullptr : std::make_unique<AbsorbingZones>(domain, zones);
}

Term make_wind(const Domain& domain, const ForceOptions& options) {
  const FluidOptions& fluid = options.fluid;
  const bool blows = !fluid.wind.velocity.isZero(0.0) && fluid.wind.drag * fluid.wind.density > 0.0;
  return blows && !fluid.gravity.isZero(0.0) ? std::make_unique<Wind>(domain, fluid) : nullptr;
}

Term make_outside_pressure(const Domain& domain, const ForceOptions& options) {
  const bool pushes = OutsidePressure::is_wanted(domain, options.fluid);
  return pushes ? std::make_unique<OutsidePressure>(domain, options.fluid) : nullptr;
}

/// Every body force. Forces that report their energy come first, as it is measured from u^n.
constexpr MakeTerm table[] = {make_confinement, make_gravity, make_frame,           make_coriolis,
                              make_absorbers,   make_wind,    make_outside_pressure};

}  // namespace

ForceTerms make_forces(const Domain& domain, const ForceOptions& options) {
  ForceTerms terms;
  for (const MakeTerm make : table)
    if (Term term = make(domain, options)) terms.push_back(std::move(term));
  return terms;
}

int reach_of(const ForceTerms& terms) {
  int reach = 0;
  for (const Term& term : terms) reach = std::max(reach, term->reach());
  return reach;
}

}  // namespace freshet
