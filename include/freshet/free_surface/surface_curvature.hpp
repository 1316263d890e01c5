// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// Finds the curvature kappa = div n [1/cell] of the liquid's surface, n out of the liquid, from the level set phi;
/// keeps its buffers from step to step.
///
/// Particles make phi rough at the scale of a cell, so kappa is that of a smooth field G:
///   F = phi between -1 and 1 cells,   S F = F smoothed n_passes times by (1, 2, 1) / 4 along each axis         (1)
///   G = S F + beta (S F - S S F),   beta = gamma a / ((1 + gamma) b - gamma a)                                 (2)
///   n = grad G / |grad G|,   kappa = div n - n . (grad n) n                                                    (3)
/// S weakens a wave of wavenumber k [1/cell] on the surface by s = exp(-v k^2 / 2) with v = n_passes / 2, and S S F has
/// s^2 of it. a and b are the slopes of S F and S S F across a plane surface: a field contributes to G by its slope,
/// and beta weights them so that G has s + gamma (s - s^2) of the wave. The central differences of (3) multiply it by
/// (sin(k) / k)^2, about 1 - k^2 / 3. With gamma = 1 + 2 / (3 v) these factors cancel but for terms of k^4: by (3) the
/// curvature of a wave of 32 cells is 0.5 % too small, of 16 cells 8 %, of 8 cells more than half. Waves shorter than
/// about six cells have little tension, see (5) and relax_at_surface(). The contours of S F and of S S F are concentric
/// about a circle or a sphere, so its kappa is free of this.
///
/// A component of grad G is the central difference along its axis, smoothed by (1, 4, 1) / 6 across it. Its error of
/// second order is then a gradient, too, and turns no normal. Without the smoothing, n and kappa of a circle would vary
/// with 4 times the angle. The part of (3) along n would be 0 without discretisation errors; with it, the two surfaces
/// of a film, whose normals are opposite, would see each other as curvature.
///
/// Across closed faces of solids F is extrapolated so that the surface meets the wall at the contact angle theta, with
/// s the normal into the wall or the nearest body:
///   grad F . s = -cos(theta) |grad F|,   n . s = -cos(theta)                                                   (4)
/// A cut cell with its centre in a body is closed as well, and takes the curvature of its neighbour along the normal. A
/// plane or sphere that meets the wall at theta then has its exact curvature up to the wall; any other surface is
/// pulled along the wall by the force sigma cos(theta) per length of contact line, as in Young's law.
///
/// Waves of two to six cells would have no tension by (3), and the errors of kappa, which are largest at contact lines,
/// would drive them without bound. They get a part of it:
///   kappa += epsilon tr((I - n n^T) grad grad E),   E = S_1 F / a_1 - S_3 F / a_3,   epsilon = 0.2             (5)
/// where S_m F is F after m passes and a_m its slope across a plane surface. E is 0 on a plane surface. (5) changes the
/// curvature of long waves and of balls little, since E decreases away from the surface. With a smaller epsilon spheres
/// that move by APIC break up; with a larger one the particles' noise drives faster currents.
/// Source: Brackbill, Kothe & Zemach 1992, sections 4 and 5, for curvature of a smoothed field and (4) of n
class SurfaceCurvature {
 public:
  static constexpr int n_passes = 8;

  /// \param[in] contact_angle  [degrees]
  explicit SurfaceCurvature(double contact_angle = 90.0);

  /// Blocks far from the liquid count as air, F = 1, because their existence depends on ranks and earlier steps.
  /// \param[in]  phi        [cells], negative in the liquid; owned
  /// \param[out] curvature  [1/cell] in cells with |phi| < 1.5, else 0; owned, ghosts valid to width 1; background 0
  /// \param[in]  near       0 for each owned block far from the liquid; empty: none is far
  /// Parallel: collective (2 n_passes + 6 gathers, 8 with open fractions); OpenMP; the same bits for any number of
  /// ranks and threads
  void operator()(const CellField<float>& phi, const SolidFields& solids, CellField<float>& curvature,
                  std::span<const std::uint8_t> near = {});
  /// G of the last call; owned, ghosts valid to width 1; background 1.
  const CellField<float>& smooth_surface() const { return smooth_surface_; }

 private:
  void find_shut(const SolidFields& solids);
  template <class Shape>
  void extend_into_bodies(const SolidFields& solids, CellField<float>& curvature);
  template <class Shape>
  void find_closed();
  template <class Shape>
  void smooth(CellField<float>& field, int passes);
  void add_to_short_waves(float weight);
  template <class Shape>
  void find_normals();
  template <class Shape>
  void find_wall_faces(const SolidFields& solids);
  template <class Shape, class Function>
  void for_each_wall_face(LocalIndex b, const float* value, Function&& f) const;
  template <class Shape>
  void evaluate(const CellField<float>& phi, CellField<float>& curvature) const;

  /// A closed face of a cell outside the solids.
  struct WallFace {
    std::int16_t cell;
    std::int8_t axis;
    std::int8_t side;  ///< -1 low, 1 high
    Vec3 into_wall;    ///< the wall's unit normal out of the liquid
  };

  double cosine_;                                  ///< cosine of the contact angle
  CellField<float> smooth_surface_;                ///< S F, then G
  CellField<float> twice_;                         ///< S S F
  CellField<float> short_waves_;                   ///< E
  CellField<float> next_;                          ///< result of a pass
  FaceField<float> normal_;                        ///< n at cell centres; one exchange gathers all components
  CellField<std::uint8_t> shut_;                   ///< 1 in solids, owned, ghosts valid to width 1; background 1
  CellField<std::uint8_t> far_;                    ///< 1 in blocks that count as air
  std::vector<std::vector<WallFace>> wall_faces_;  ///< by owned block; see find_wall_faces()
  std::vector<std::uint8_t> closed_;               ///< tile of each owned block: 1 in solids and beyond walls
};

/// Step of explicit surface tension that resolves the shortest waves of the grid: sqrt(rho dx^3 / (2 pi sigma)).
/// \param[in] density  [kg/m^3] \param[in] dx  [m] \param[in] tension  [N/m]. [s]
double capillary_step(double density, double dx, double tension);

}  // namespace freshet
