// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/turbulence/turbulence_options.hpp"
#include "freshet/turbulence/wall_faces.hpp"

#include <vector>

namespace freshet {

/// The flow as input of turbulence models.
struct EddyInput {
  const FaceField<double>& velocity;  ///< u^n, ghosts valid to width 1 [m/s]
  const LabelField& labels;           ///< ghosts valid to width 1
  const SolidFields& solids;          ///< with their velocities during the step
  double dt = 0.0;                    ///< time that forces act for [s]
};

/// The viscosity of eddies that the grid does not resolve, and its stress.
///
/// nu_t = (C dx)^2 |S| (Smagorinsky 1963), (C dx)^2 times the invariant of Nicoud & Ducros (1999), or, with the
/// distance d from the nearest wall that holds liquid back, (C d)^2 |S| (Prandtl 1925). For |S| stands shear_rate(),
/// and all three leave irrotational flow alone: see acting_part(). Towards walls Smagorinsky's and the mixing length
/// are multiplied by 1 - exp(-d+ / 26) (van Driest 1956) with d+ = d u_tau / nu and u_tau^2 = (nu + nu_t) |S|, the
/// local stress; they are at most 0.4 d.
///
/// Edges beside air have no stress, nor have edges at walls, whose stress is that of the wall law or of the molecular
/// viscosity. In cells beside air nu_t is 0 with the first two models, and the mixing length takes differences on the
/// liquid's side. Normal stresses vanish there: a face on the surface takes no force, and a stress on it would feed the
/// work of its motion into the liquid. Blocks in which nu_t is below negligible_viscosity dx^2 / dt everywhere have
/// no stress at all.
///
/// The stress 2 nu_t D acts by forward Euler. Its largest eigenvalue is 16 nu_t / dx^2 in 3-D, so that a step is stable
/// up to largest_viscosity dx^2 / dt. The first two models hardly come near that, and are limited to it; the mixing
/// length in deep water goes beyond, and takes up to most_substeps sub-steps.
class EddyViscosity {
 public:
  static constexpr double largest_viscosity = 0.1;
  static constexpr double negligible_viscosity = 1e-6;
  static constexpr int most_substeps = 10;

  explicit EddyViscosity(const TurbulenceOptions& options);
  bool is_on() const { return options_.model != TurbulenceModel::none; }
  /// Within how many cells of walls the distance counts.
  float reach() const;

  /// Find nu_t in owned cells. \param[in] walls  of the same layout and time \param[in] viscosity  kinematic [m^2/s]
  /// Parallel: collective (one gather of width 1; with the mixing length two and one maximum); OpenMP; the same bits on
  /// any number of ranks and threads
  void find(const EddyInput& flow, const WallFaces& walls, double viscosity);
  /// u += dt div (2 nu_t D(u^n)) on owned faces. \param[in,out] velocity  owned [m/s]
  /// \param[in,out] lost  kinetic energy that it takes, over density times dx^3 [m^2/s^2]
  /// \pre find() with the same flow. Parallel: as find(), a gather for each sub-step but the first; OpenMP
  void apply(const EddyInput& flow, FaceField<double>& velocity, ExactSum& lost);
  /// nu_t of the last step, ghosts valid to width 1. [m^2/s]
  const CellField<float>& viscosity() const { return viscosity_; }

 private:
  template <class Shape>
  void find_in_block(const EddyInput& flow, const WallFaces& walls, double viscosity, LocalIndex block);
  void count_substeps(const EddyInput& flow);
  template <class Shape>
  double apply_in_block(const EddyInput& flow, FaceField<double>& velocity, LocalIndex block) const;
  void apply_once(const EddyInput& flow, FaceField<double>& velocity, ExactSum& lost) const;

  TurbulenceOptions options_;
  double constant_;
  int n_substeps_ = 1;
  CellField<float> viscosity_;
  CellField<std::uint8_t> beside_air_;  ///< 1 in cells with a viscosity and air around them; for the mixing length
  FaceField<double> now_, next_;        ///< velocity at the beginning and the end of a sub-step [m/s]
};

}  // namespace freshet
