// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/flow_fields.hpp"
#include "freshet/fluid/extrapolate.hpp"
#include "freshet/free_surface/free_surface.hpp"
#include "freshet/pressure/projection.hpp"
#include "freshet/solids/walls.hpp"

namespace freshet {

/// Continues a velocity of the liquid into the air, as far as particles move in a step, and into solids.
class VelocityExtension {
 public:
  /// \param[in] cfl  of a step: the largest displacement that the correction beside the surface may ask for [cells]
  VelocityExtension(ExtrapolationMethod method, double cfl) : extrapolation_(method), cfl_(cfl) {}

  /// Continue a velocity into layers of air and into solids. [cells] \param[in] dt  of the step [s]
  /// \param[in]     projection  whose released() tells where liquid leaves solids
  /// \param[in,out] velocity    owned faces; known on those of liquid cells [m/s]
  /// Parallel: collective; OpenMP
  void operator()(int layers, double dt, FreeSurface& surface, const SolidFields& solids, const Projection& projection,
                  FaceField<double>& velocity);
  /// Continue a change of velocity into the air only. [cells] Parallel: collective; OpenMP
  void extend_change(int layers, FreeSurface& surface, const SolidFields& solids, FaceField<double>& change) {
    extrapolation_(surface.reached(), solids, layers, change);
  }
  /// Continue a velocity, known in the air, into solids. Parallel: collective; OpenMP
  void into_solids(const SolidFields& solids, const Projection& projection, FaceField<double>& velocity);

 private:
  Extrapolation extrapolation_;
  CoveredFaces covered_faces_;
  double cfl_;
};

}  // namespace freshet
