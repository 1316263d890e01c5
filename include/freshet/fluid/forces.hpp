// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// One term of the body forces: adds its acceleration times dt to the face velocities.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;
  /// u_f += dt a(x_f, t). \param[in,out] velocity owned faces [m/s]. Parallel: local; OpenMP
  virtual void apply(FaceField<double>& velocity, double time, double dt) const = 0;
  /// Largest acceleration the term can give; limits the time step. [m/s^2]
  virtual double largest_acceleration() const = 0;
};

/// The same acceleration everywhere.
class Gravity : public ForceTerm {
 public:
  explicit Gravity(const Vec3& acceleration) : acceleration_(acceleration) {}
  void apply(FaceField<double>& velocity, double time, double dt) const override;
  double largest_acceleration() const override { return acceleration_.norm(); }

 private:
  Vec3 acceleration_;  ///< [m/s^2]
};

using ForceTerms = std::vector<std::unique_ptr<ForceTerm>>;

}  // namespace freshet
