// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain_options.hpp"
#include "freshet/keys/declare.hpp"
#include "freshet/solids/solid_parameters.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace freshet {

/// Index of a row of preconditioners(); 0 is the default.
enum class Preconditioner : std::size_t {};
/// Index of a row of wall_methods(); 0 is the default.
enum class WallMethod : std::size_t {};
enum class WallClassification { velocity, pressure };
enum class WallStopping { velocity, divergence };
enum class DensityMethod { off, implicit };

/// How walls act on the pressure.
struct WallOptions {
  WallCondition condition = WallCondition::separating;
  WallMethod method{};
  WallClassification classification = WallClassification::velocity;
  WallStopping stopping = WallStopping::velocity;
  double epsilon_cg = 0.0;     ///< divergence to which cg, admm, iop, iop_bc solve [1/s]; 0: `tolerance` decides
  double epsilon_aabs = 0.0;   ///< threshold of admm for velocities [m/s]
  double epsilon_arel = 1e-3;  ///< part of the largest velocity, added to it
  double epsilon_adiv = 0.0;   ///< threshold of admm [1/s]; 0: from the largest velocity
  double epsilon_idiv = 0.0;   ///< threshold of iop, iop_bc [1/s]; 0: from the largest velocity
  int max_outer = 1000;
  std::array<std::array<WallChoice, 2>, 3> face{};  ///< [axis][0 low, 1 high] of the domain
  bool condition_is_chosen = false;                 ///< whether the case leaves the condition to the program
};

/// How the pressure is solved for.
struct PressureOptions {
  Preconditioner preconditioner{};
  double tolerance = 1e-5;      ///< norm of the residual relative to the right-hand side
  double max_divergence = 0.0;  ///< largest cell divergence to stop at as well [1/s]; 0: no limit
  int max_iterations = 2000;
  bool warm_start = true;
  double theta_min = 0.01;  ///< lower bound of the ghost fluid theta
  int w_cycle_levels = 0;   ///< coarsest levels of multigrid that form a W-cycle; 0: by the number of all levels
  double mic0_tau = 0.97;
  double mic0_sigma = 0.25;
  WallOptions walls;
  std::map<std::string, std::string> petsc;  ///< PETSc options below the prefix pressure_, without the dash
};

/// Options of the density correction.
struct DensityOptions {
  DensityMethod correction = DensityMethod::implicit;
  bool correction_is_chosen = false;  ///< whether the case leaves the correction to the program
  std::int64_t every = 1;             ///< steps from one correction to the next
  double strength = 1.0;              ///< part of the error that a correction removes
  double max_displacement = 0.25;     ///< bound of a particle's displacement in one correction [cells]
  double tolerance = 1e-2;            ///< norm of the residual relative to the error
};

keys::Keys keys_of(PressureOptions& pressure);
keys::Keys keys_of(DensityOptions& density);
/// Check that the method of the walls has a threshold at which it stops. Errors: InputError
void check_walls(const WallOptions& walls, const keys::Table& table);

}  // namespace freshet
