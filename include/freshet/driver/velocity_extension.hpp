// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/flow_fields.hpp"
#include "freshet/fluid/extrapolate.hpp"
#include "freshet/free_surface/free_surface.hpp"
#include "freshet/pressure/projection.hpp"
#include "freshet/solids/walls.hpp"

namespace freshet {

/// Extrapolates the liquid's velocity into the air, as far as particles move in a step, and into solids.
class VelocityExtension {
 public:
  /// \param[in] cfl  largest displacement in a step that the correction beside the surface may cause [cells]
  VelocityExtension(ExtrapolationMethod method, double cfl) : extrapolation_(method), cfl_(cfl) {}

  /// Extrapolate a velocity into layers of air [cells] and into solids. \param[in] dt  length of the step [s]
  /// \param[in]     projection  its released() says where liquid leaves solids
  /// \param[in,out] velocity    owned faces; known on faces of liquid cells [m/s]
  /// Parallel: collective; OpenMP
  void operator()(int layers, double dt, FreeSurface& surface, const SolidFields& solids, const Projection& projection,
                  FaceField<double>& velocity);
  /// Extrapolate a change of velocity into layers of air only. [cells] Parallel: collective; OpenMP
  void extend_change(int layers, FreeSurface& surface, const SolidFields& solids, FaceField<double>& change) {
    extrapolation_(surface.reached(), solids, layers, change);
  }
  /// Extrapolate a velocity that is known in the air into solids. Parallel: collective; OpenMP
  void into_solids(const SolidFields& solids, const Projection& projection, FaceField<double>& velocity);

 private:
  Extrapolation extrapolation_;
  CoveredFaceConstraint constrain_covered_faces_;
  double cfl_;
};

}  // namespace freshet
