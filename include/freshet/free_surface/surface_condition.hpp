// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/free_surface/surface_place.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/star.hpp"
#include "freshet/grid/kernels/star_rows.hpp"

namespace freshet {

/// Surface tension: the scaled pressure p~ at the surface is `strength` times the curvature there.
struct SurfaceTension {
  const CellField<float>* curvature = nullptr;  ///< [1/cell], see SurfaceCurvature; ghosts valid to width 1; null: none
  double strength = 0.0;                        ///< dt sigma / (rho dx^2) [m/s]
};

/// The condition p = 0, or p_I with tension, at the surface between liquid and air.
struct SurfaceCondition {
  SurfacePlace place = {};
  double theta_min = 0.01;  ///< lower bound of theta on open faces
  SurfaceTension tension = {};
};

/// 1 / theta of the face between two cells, or of the faces between two rows of cells; 1 between two liquid cells.
/// \tparam Real  double or RealRow
/// \param[in] phi, other  level set in the two rows \param[in] open  open fractions of the faces
template <class Real>
Real inverse_theta(const Real& phi, const Real& other, double theta_min, const Real& open) {
  const auto is_wet = phi < other;
  const Real wet = select(is_wet, phi, other);
  const Real dry = select(is_wet, other, phi);
  const double least = 1e-6;  // so that no lane divides by 0
  const Real result = 1.0 - dry / select(wet < -least, wet, Real{} - least);
  const Real bound = open * (1.0 / theta_min);
  const Real largest = select(bound > 1.0, bound, Real{} + 1.0);
  return select(dry < 0.0, Real{} + 1.0, select(result < largest, result, largest));
}

/// p_I of the face between two cells, or of the faces between two rows of cells; 0 on faces that the surface does not
/// cut. \param[in] phi, other  level set \param[in] kappa, other_kappa  curvatures \param[in] inverse  1 / theta
template <class Real>
Real surface_pressure(const Real& phi, const Real& other, const Real& kappa, const Real& other_kappa,
                      const Real& inverse, double strength) {
  const auto is_wet = phi < other;
  const Real wet = select(is_wet, kappa, other_kappa);
  const Real dry = select(is_wet, other_kappa, kappa);
  const Real result = strength * (wet + (dry - wet) / inverse);
  return select(select(is_wet, phi, other) < 0.0, select(select(is_wet, other, phi) >= 0.0, result, Real{}), Real{});
}

/// theta and p_I of the faces of a block's rows. Of voxels theta is 1, and without tension p_I is 0.
class SurfaceStar {
 public:
  SurfaceStar(const SurfaceCondition& surface, LocalIndex block)
      : theta_min_(surface.theta_min), strength_(surface.tension.strength) {
    if (!surface.place.is_between_centres()) return;
    phi_ = star_of(surface.place.phi(), block);
    if (surface.tension.curvature != nullptr) curvature_ = star_of(*surface.tension.curvature, block);
  }

  /// Divide the open fractions of row r's low and high faces along an axis by theta.
  template <class Shape, int axis>
  [[gnu::always_inline]] void divide_by_theta(int r, RealRow& low, RealRow& high) const {
    if (phi_.self == nullptr) return;
    const RealRow phi = here(phi_, r);
    low *= inverse_theta(phi, lower_cells<Shape, axis>(phi_, r), theta_min_, low);
    high *= inverse_theta(phi, upper_cells<Shape, axis>(phi_, r), theta_min_, high);
  }
  /// weight p_I / theta of row r's low faces along an axis, where air is below, and of its high faces, where it is
  /// above. \pre there is tension
  template <class Shape, int axis>
  [[gnu::always_inline]] RealRow pressure_below(int r, const RealRow& weight) const {
    return pressure_beside(r, weight, lower_cells<Shape, axis>(phi_, r), lower_cells<Shape, axis>(curvature_, r));
  }
  template <class Shape, int axis>
  [[gnu::always_inline]] RealRow pressure_above(int r, const RealRow& weight) const {
    return pressure_beside(r, weight, upper_cells<Shape, axis>(phi_, r), upper_cells<Shape, axis>(curvature_, r));
  }
  /// Make p_c - p_n across row r's low faces along an axis (p_c - p_I) / theta, with its sign, where air is on one
  /// side. \param[in] open  their open fractions
  template <class Shape, int axis>
  [[gnu::always_inline]] void complete_difference(int r, const RealRow& open, RealRow& difference) const {
    if (phi_.self == nullptr) return;
    const RealRow phi = here(phi_, r), lower = lower_cells<Shape, axis>(phi_, r);
    const RealRow inverse = inverse_theta(phi, lower, theta_min_, open);
    if (curvature_.self != nullptr) {
      const RealRow pressure = surface_pressure(phi, lower, here(curvature_, r),
                                                lower_cells<Shape, axis>(curvature_, r), inverse, strength_);
      difference += select(phi < lower, -pressure, pressure);  // sign by the side of the air
    }
    difference *= inverse;
  }

 private:
  [[gnu::always_inline]] static RealRow here(const Star<float>& field, int r) {
    return load_reals(field.self + block_width * r);
  }
  [[gnu::always_inline]] RealRow pressure_beside(int r, const RealRow& weight, const RealRow& other,
                                                 const RealRow& kappa) const {
    const RealRow phi = here(phi_, r);
    const RealRow inverse = inverse_theta(phi, other, theta_min_, weight);
    const RealRow pressure = surface_pressure(phi, other, here(curvature_, r), kappa, inverse, strength_);
    return select(phi < other, weight * inverse * pressure, RealRow{});
  }

  Star<float> phi_{};        ///< null pointers for voxels
  Star<float> curvature_{};  ///< null pointers without tension
  double theta_min_;
  double strength_;
};

/// w / theta and p_I of the face between a liquid cell and a cell of air.
struct AirFace {
  double coupling;
  double surface_pressure;
};
/// \param[in] open  the face's weight w
inline AirFace air_face(const SurfaceCondition& surface, double open, LocalIndex block, int cell, LocalIndex air_slot,
                        int air_cell) {
  if (!surface.place.is_between_centres()) return {open, 0.0};
  const CellField<float>& phi = surface.place.phi();
  const double wet = phi.block(block)[cell], dry = phi.block(air_slot)[air_cell];
  const double inverse = inverse_theta(wet, dry, surface.theta_min, open);
  if (surface.tension.curvature == nullptr) return {open * inverse, 0.0};
  const CellField<float>& curvature = *surface.tension.curvature;
  return {open * inverse,
          surface_pressure<double>(wet, dry, curvature.block(block)[cell], curvature.block(air_slot)[air_cell], inverse,
                                   surface.tension.strength)};
}

}  // namespace freshet
