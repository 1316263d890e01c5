// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// Finds the curvature kappa = div n [1/cell] of the liquid's surface, n out of the liquid, from the distance phi;
/// keeps its buffers from step to step.
///
/// Particles make phi rough at the scale of a cell, so kappa is that of a smooth field G:
///   F = phi between -1 and 1 cells,   S F = F smoothed n_passes times by (1, 2, 1) / 4 along each axis         (1)
///   G = S F + beta (S F - S S F),   beta = gamma a / ((1 + gamma) b - gamma a)                                 (2)
///   n = grad G / |grad G|,   kappa = div n - n . (grad n) n                                                    (3)
/// S weakens a wave of wavenumber k [1/cell] on the surface by s = exp(-v k^2 / 2) with v = n_passes / 2, and S S F has
/// s^2 of it. a and b are the slopes of S F and S S F across a plane surface: a field counts in G by its slope, and
/// beta weighs them so that G has s + gamma (s - s^2) of the wave. The differences of (3) are central and take a factor
/// (sin(k) / k)^2 besides, about 1 - k^2 / 3. With gamma = 1 + 2 / (3 v) all of this cancels but for terms of k^4: the
/// curvature of a wave of 32 cells lacks 0.5 %, of 16 cells 8 %, of 8 cells more than half. Waves shorter than about
/// six cells have no tension, see relax_at_surface(). The contours of S F and of S S F are concentric about a circle or
/// a sphere, so its kappa is free of this.
///
/// A component of grad G is the central difference along its axis, smoothed by (1, 4, 1) / 6 across it. Its error of
/// second order is then a gradient as well, and turns no normal. Without the smoothing n is wrong by 0.013 sin(4 angle)
/// and kappa of a circle by 0.05 cos(4 angle), and an ellipse along the axes, whose normals have turned from those of
/// the circle, is pulled back with 5 % too little force. In (3) the part along n is 0 but for the grid; if it counted,
/// the two surfaces of a film, whose normals are opposite, would see each other as curvature.
///
/// Error of kappa on the surface of a circle (2-D) and a sphere (3-D) of particles that stand anywhere in their parts
/// of the cells, relative to the exact value: mean and root mean square, of eight seeds.
///   radius [cells]     4              8             16             32
///   2-D           0.014 0.050   -0.012 0.114   -0.009 0.244   -0.015 0.505
///   3-D           0.012 0.019    0.002 0.024    0.001 0.054
///
/// No F flows into solids, so that the surface meets them at a right angle. Another contact angle theta pulls the
/// surface along the wall with the force sigma cos(theta) of Young's law for each length of the contact line, spread
/// over the kernel of 2 S - S S:
///   kappa_c -= 2 cos(theta) K(d),   K = 2 N(n_passes / 2) - N(n_passes)                                        (4)
/// where d is the distance of the centre c from the wall and N(v) the normal distribution of variance v.
/// Source: Brackbill, Kothe & Zemach 1992, sections 4 and 5, for curvature of a smoothed field
class SurfaceCurvature {
 public:
  static constexpr int n_passes = 8;

  /// \param[in] contact_angle  [degrees]
  explicit SurfaceCurvature(double contact_angle = 90.0);

  /// Blocks far from the liquid may exist or not, as ranks and earlier steps left them: they count as air, F = 1.
  /// \param[in]  phi        [cells], negative in the liquid; owned
  /// \param[out] curvature  [1/cell] in cells with |phi| < 1.5, else 0; owned, ghosts valid to width 1; background 0
  /// \param[in]  near       of each owned block 0 if it is far from the liquid; empty: none is
  /// Parallel: collective (2 n_passes + 5 gathers); OpenMP; the same bits for any number of ranks and threads
  void operator()(const CellField<float>& phi, const SolidFields& solids, CellField<float>& curvature,
                  std::span<const std::uint8_t> near = {});
  /// G of the last call; owned, ghosts valid to width 1; background 1.
  const CellField<float>& smooth_surface() const { return smooth_surface_; }

 private:
  template <class Shape>
  void find_closed(const SolidFields& solids);
  template <class Shape>
  void smooth(CellField<float>& field);
  template <class Shape>
  void find_normals();
  template <class Shape>
  void evaluate(const CellField<float>& phi, const SolidFields& solids, CellField<float>& curvature) const;
  double pull_of_walls(const Vec3i& cell, const SolidFields& solids, bool near_body) const;

  double cosine_;                     ///< of the contact angle
  CellField<float> smooth_surface_;   ///< S F, then G
  CellField<float> twice_;            ///< S S F
  CellField<float> next_;             ///< of a pass
  FaceField<float> normal_;           ///< n at the centres of cells, its components in one exchange
  CellField<std::uint8_t> far_;       ///< 1 in blocks that count as air
  std::vector<std::uint8_t> closed_;  ///< of each owned block and its neighbours: 1 in solids and beyond walls
};

/// Step of the explicit surface tension that resolves waves as short as a grid carries: sqrt(rho dx^3 / (2 pi sigma)).
/// \param[in] density  [kg/m^3] \param[in] dx  [m] \param[in] tension  [N/m]. [s]
double capillary_step(double density, double dx, double tension);

}  // namespace freshet
