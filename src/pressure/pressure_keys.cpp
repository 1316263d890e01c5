// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/slots.hpp"
#include "freshet/pressure/preconditioners.hpp"
#include "freshet/pressure/pressure_options.hpp"
#include "freshet/pressure/wall_methods.hpp"

namespace freshet {
namespace {

std::vector<std::string> preconditioner_names() {
  std::vector<std::string> names;
  for (const PreconditionerRow& row : preconditioners()) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> wall_method_names() {
  std::vector<std::string> names;
  for (const WallMethodRow& row : wall_methods()) names.emplace_back(row.name);
  return names;
}

keys::Keys keys_of(WallOptions& walls) {
  using namespace keys;
  Keys rows = {
      {"condition", choice(walls.condition, {"sticky", "separating"}), "",
       "Whether liquid sticks to walls or may leave them. Unless a case says it, walls are sticky with bodies that the "
       "liquid moves, surface tension, trapped air or a prescribed velocity."},
      {"method", choice(walls.method, wall_method_names()), "",
       "How the walls' condition is met: exactly (complementarity), or by a method of Eckert (2014)."},
      {"classification", choice(walls.classification, {"velocity", "pressure"}), "",
       "With the methods of Eckert (2014), the quantity by which liquid is found to leave a wall face."},
      {"stopping", choice(walls.stopping, {"velocity", "divergence"}), "",
       "Criterion at which admm stops: the difference of its two velocity fields, or the divergence."},
  };
  append(
      rows,
      changeable({
          {"epsilon_cg", number(walls.epsilon_cg, at_least(0.0)), "1/s",
           "Largest divergence at which each solve of cg, admm, iop and iop_bc stops; 0: pressure.tolerance decides."},
          {"epsilon_aabs", number(walls.epsilon_aabs, at_least(0.0)), "m/s",
           "Absolute part of the difference of velocities at which admm stops."},
          {"epsilon_arel", number(walls.epsilon_arel, at_least(0.0)), "",
           "Relative part of the difference of velocities at which admm stops, as a share of the largest velocity."},
          {"epsilon_adiv", number(walls.epsilon_adiv, at_least(0.0)), "1/s",
           "Largest divergence at which admm stops; 0: a hundredth of the largest velocity over the cell size."},
          {"epsilon_idiv", number(walls.epsilon_idiv, at_least(0.0)), "1/s",
           "Largest divergence at which iop and iop_bc stop; 0: the same as epsilon_adiv."},
          {"max_outer", number(walls.max_outer, at_least<std::int64_t>(1)), "",
           "Largest number of solves in a step. Beyond it, complementarity fails; other methods go on with a warning."},
      }));
  append(rows, side_keys("Condition of the wall", [&walls](std::size_t axis, std::size_t side) {
           return choice(walls.face[axis][side], {"inherit", "sticky", "separating"});
         }));
  return rows;
}

}  // namespace

keys::Keys keys_of(PressureOptions& pressure) {
  using namespace keys;
  Keys rows = changeable({
      {"preconditioner", choice(pressure.preconditioner, preconditioner_names()), "",
       "Preconditioner of the conjugate gradients."},
      {"tolerance", number(pressure.tolerance, {1e-14, 1e-1}), "",
       "The solve stops at this residual, relative to the right-hand side."},
      {"max_divergence", number(pressure.max_divergence, at_least(0.0)), "1/s",
       "Largest divergence of a cell at which the solve may stop, beside the residual; 0: the residual alone decides."},
      {"max_iterations", number(pressure.max_iterations, at_least<std::int64_t>(1)), "",
       "A solve that needs more iterations has failed."},
      {"warm_start", flag(pressure.warm_start), "", "Start each solve from the pressure of the last step."},
      {"theta_min", number(pressure.theta_min, {1e-4, 1.0}), "",
       "With labels.surface level_set, the least part of the distance between the centres of a liquid cell and a cell "
       "of air at which the surface may lie."},
      {"w_cycle_levels", number(pressure.w_cycle_levels, {0, 64}), "",
       "Number of multigrid's coarsest levels that form a W-cycle; finer levels are visited once. More levels save "
       "iterations where a rank's work takes longer than messages, fewer levels save messages. 0: six, and four where "
       "there are more than seven levels, which 34 million cells of liquid have."},
      {"mic0_tau", number(pressure.mic0_tau, {0.0, 1.0}), "",
       "Share of the dropped fill-in that mic0 adds to the diagonal."},
      {"mic0_sigma", number(pressure.mic0_sigma, {0.0, 1.0}), "",
       "mic0 keeps the original pivot where the new one is below this share of the diagonal."},
      {"petsc", solver_options(pressure.petsc), "",
       "Options of PETSc's solver that name no files, without the leading dash and the prefix pressure_."},
  });
  append(rows, in_table("walls", keys_of(pressure.walls)));
  return rows;
}

keys::Keys keys_of(DensityOptions& density) {
  using namespace keys;
  Keys rows = {
      {"correction", choice(density.correction, {"off", "implicit"}), "",
       "Whether particles are displaced so that the liquid keeps its density, and thereby its volume. With "
       "surface tension, particles.band or a prescribed velocity it is off unless a case says it."},
      {"every", number(density.every, at_least<std::int64_t>(1)), "",
       "Number of steps from one density correction to the next."},
      {"strength", number(density.strength, above(0.0, 1.0)), "",
       "Share of the density error that one correction takes away."},
      {"max_displacement", number(density.max_displacement, above(0.0, 0.5)), "cells",
       "Farthest that one density correction moves a particle."},
      {"tolerance", number(density.tolerance, {1e-10, 0.5}), "",
       "The correction's solve stops at this residual, relative to the error."},
  };
  rows.back().change = at_restart;
  return rows;
}

void check_walls(const WallOptions& walls, const keys::Table& table) {
  const bool stops_by_velocity = walls.method == wall_method_named("admm") && walls.stopping == WallStopping::velocity;
  if (stops_by_velocity && walls.epsilon_aabs == 0.0 && walls.epsilon_arel == 0.0)
    table.refuse("pressure.walls.epsilon_arel",
                 "'pressure.walls.epsilon_aabs' and 'pressure.walls.epsilon_arel' are both 0", "admm would never stop",
                 "Make one of them positive");
}

}  // namespace freshet
