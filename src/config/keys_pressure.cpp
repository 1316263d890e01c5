// SPDX-License-Identifier: Apache-2.0
// The keys of the pressure solve and of the walls in it.
#include "freshet/pressure/preconditioners.hpp"
#include "key_tables.hpp"
#include "targets.hpp"

namespace freshet::config {
namespace {

std::vector<std::string> preconditioner_names() {
  std::vector<std::string> names;
  for (const PreconditionerEntry& entry : preconditioners) names.emplace_back(entry.name);
  return names;
}

}  // namespace

std::vector<Key> pressure_keys(PressureOptions& pressure) {
  return {
      {"pressure.preconditioner", choice(pressure.preconditioner, preconditioner_names()), "",
       "Preconditioner of the conjugate gradients.", at_restart},
      {"pressure.tolerance", between(pressure.tolerance, 1e-14, 1e-1), "",
       "Residual to stop at, relative to the right-hand side.", at_restart},
      {"pressure.max_divergence", at_least(pressure.max_divergence, 0.0), "1/s",
       "Largest divergence of a cell to stop at, besides the residual; 0: the residual alone decides.", at_restart},
      {"pressure.max_iterations", at_least(pressure.max_iterations, 1), "", "More iterations than this stop the run.",
       at_restart},
      {"pressure.warm_start", FlagTarget{&pressure.warm_start}, "", "Start from the pressure of the last step.",
       at_restart},
      {"pressure.mic0_tau", between(pressure.mic0_tau, 0.0, 1.0), "",
       "How much of the dropped fill-in mic0 adds to the diagonal.", at_restart},
      {"pressure.mic0_sigma", between(pressure.mic0_sigma, 0.0, 1.0), "",
       "Below this share of the diagonal mic0 keeps the original pivot.", at_restart},
      {"pressure.petsc", OptionsTarget{&pressure.petsc}, "",
       "Options of PETSc's solver that name no files, without the leading dash and the prefix pressure_.", at_restart},
  };
}

std::vector<Key> wall_keys(WallOptions& walls) {
  auto& faces = walls.face;
  return {
      {"pressure.walls.condition", choice(walls.condition, {"sticky", "separating"}), "",
       "Whether liquid sticks to walls or may leave them."},
      {"pressure.walls.method", choice(walls.method, {"cg", "admm", "iop", "iop_bc", "complementarity"}), "",
       "How the walls' condition is met: exactly (complementarity), or as Eckert (2014) does."},
      {"pressure.walls.classification", choice(walls.classification, {"velocity", "pressure"}), "",
       "What tells that liquid leaves a wall's face, with the methods of Eckert (2014)."},
      {"pressure.walls.stopping", choice(walls.stopping, {"velocity", "divergence"}), "",
       "What admm stops by: the difference of its two velocity fields, or the divergence."},
      {"pressure.walls.epsilon_cg", at_least(walls.epsilon_cg, 0.0), "1/s",
       "Largest divergence at which each solve of cg, admm, iop and iop_bc stops; 0: pressure.tolerance decides.",
       at_restart},
      {"pressure.walls.epsilon_aabs", at_least(walls.epsilon_aabs, 0.0), "m/s",
       "Absolute part of the difference of velocities that admm stops at.", at_restart},
      {"pressure.walls.epsilon_arel", at_least(walls.epsilon_arel, 0.0), "",
       "The part of that difference relative to the largest velocity.", at_restart},
      {"pressure.walls.epsilon_adiv", at_least(walls.epsilon_adiv, 0.0), "1/s",
       "Largest divergence that admm stops at; 0: a hundredth of the largest velocity over the cell size.", at_restart},
      {"pressure.walls.epsilon_idiv", at_least(walls.epsilon_idiv, 0.0), "1/s",
       "Largest divergence that iop and iop_bc stop at; 0: as epsilon_adiv.", at_restart},
      {"pressure.walls.max_outer", at_least(walls.max_outer, 1), "",
       "Most solves of one step; complementarity fails beyond them, the other methods go on with a warning.",
       at_restart},
      {"pressure.walls.x_low", wall_choice(faces[0][0]), "", "Condition of the wall at the low end of x."},
      {"pressure.walls.x_high", wall_choice(faces[0][1]), "", "Condition of the wall at the high end of x."},
      {"pressure.walls.y_low", wall_choice(faces[1][0]), "", "Condition of the wall at the low end of y."},
      {"pressure.walls.y_high", wall_choice(faces[1][1]), "", "Condition of the wall at the high end of y."},
      {"pressure.walls.z_low", wall_choice(faces[2][0]), "", "Condition of the wall at the low end of z; not in 2-D."},
      {"pressure.walls.z_high", wall_choice(faces[2][1]), "",
       "Condition of the wall at the high end of z; not in 2-D."},
  };
}

}  // namespace freshet::config
