// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/forces.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// A box in which the liquid's velocity relaxes to a given one, so that waves which enter it do not come back.
struct AbsorberParameters {
  Vec3 lower = Vec3::Zero();       ///< [m]
  Vec3 upper = Vec3::Zero();       ///< [m]
  Vec3 direction = Vec3::UnitX();  ///< direction in which the damping increases, of any length
  double strength = 0.0;           ///< rate at the far end [1/s]
  Vec3 velocity = Vec3::Zero();    ///< velocity to which the liquid relaxes [m/s]
};

struct AbsorberOptions {
  static constexpr const char* table = "";
  std::vector<AbsorberParameters> zones;
};

/// Zones that absorb waves: inside their boxes the velocity relaxes to a given one.
///
///   du/dt = -k s^2 (u - U),   s = 0 where the zone begins .. 1 at its far end
///
/// over a step exactly, u += (exp(-k s^2 dt) - 1) (u - U). Where zones overlap their rates add up to k s^2, and U is
/// the mean of theirs, weighted by their rates. Waves pass a zone that begins this gently with little reflection, and
/// are damped in it. Source: Israeli & Orszag 1981, section 2
class AbsorbingZones : public ForceTerm {
 public:
  AbsorbingZones(const Domain& domain, std::vector<AbsorberParameters> zones);
  void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const override;
  /// Damping slows the liquid down, so that only a zone's own velocity counts.
  double largest_acceleration(double time, double speed) const override;
  /// k s^2 of one zone at a place [1/s]
  static double rate(const AbsorberParameters& zone, const Vec3& x);

 private:
  Domain domain_;
  std::vector<AbsorberParameters> zones_;
};

keys::Entry entry_of(AbsorberParameters& zone);
keys::Keys keys_of(AbsorberOptions& absorbers);
/// Errors: InputError if a zone has no volume in the domain, or no direction
void check_force(const AbsorberOptions& absorbers, const ForceScene& scene, const keys::Table& table);
std::unique_ptr<ForceTerm> make_force(const AbsorberOptions& absorbers, const Domain& domain,
                                      const FluidOptions& fluid);

}  // namespace freshet
