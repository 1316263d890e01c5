// SPDX-License-Identifier: Apache-2.0
// The keys of a case file, without those of gauges and of the scene.
#include "freshet/formats/mesh_file.hpp"
#include "freshet/io/output_fields.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "freshet/pressure/preconditioners.hpp"
#include "key.hpp"

#include <fmt/format.h>

namespace freshet::config {
namespace {

constexpr std::int64_t most_steps = 1'000'000'000'000'000;  // the sum of two is far below the largest integer

/// Names of the preconditioners for which `counts` is true.
template <class Predicate>
std::vector<std::string> preconditioner_names(Predicate counts) {
  std::vector<std::string> names;
  for (const PreconditionerRow& entry : preconditioners())
    if (counts(entry)) names.emplace_back(entry.name);
  return names;
}

/// Names as a list: "a, b and c".
std::string rank_independent_preconditioners() {
  std::vector<std::string> names =
      preconditioner_names([](const PreconditionerRow& entry) { return entry.agreement == RankAgreement::same_bits; });
  const std::string last = names.back();
  names.pop_back();
  return joined(names) + " and " + last;
}

std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for (const FieldRecord& field : output_fields()) names.emplace_back(field.name);
  return names;
}

/// Names of particle arrays of all runs, of runs with APIC, and of runs with colours.
std::vector<std::string> snapshot_arrays() {
  std::vector<std::string> names;
  for (const ArrayNeed need : {ArrayNeed::always, ArrayNeed::apic, ArrayNeed::color})
    for (const std::string& name : array_names(need)) names.push_back(name);
  return names;
}

/// Describe output.fields with a sentence for each field.
std::string field_texts() {
  std::string text = "Grid fields that snapshots hold.";
  for (const FieldRecord& field : output_fields()) text += fmt::format(" {}: {}.", field.name, field.text);
  return text;
}

/// The keys of [output.surface], which the command `freshet mesh` takes as well.
std::vector<Key> surface_keys(SurfaceOutputOptions& output) {
  SurfaceOptions& surface = output.surface;
  std::vector<std::string> methods, endings, arrays = snapshot_arrays();
  std::string method_text = "How particles become a surface.";
  for (const SurfaceMethodRecord& method : surface_methods()) {
    methods.emplace_back(method.name);
    method_text += fmt::format(" {}: {}.", method.name, method.text);
  }
  std::string format_text = "Format of the files.";
  for (const MeshFormat& format : mesh_formats()) {
    endings.emplace_back(format.ending);
    format_text += fmt::format(" {}: {}.", format.ending, format.text);
  }
  const auto format = choice(
      endings,
      [&output, endings] {
        return static_cast<std::size_t>(std::ranges::find(endings, output.format) - endings.begin());
      },
      [&output, endings](std::size_t m) { output.format = endings[m]; });
  return {
      {"output.surface.interval", number(output.interval, at_least(0.0)), "s",
       "Simulated time between surfaces that the run writes; 0: none."},
      {"output.surface.format", format, "", format_text},
      {"output.surface.attributes", names(output.attributes, arrays, "a name of [[attribute]]"), "",
       "Particle data that the vertices of surfaces take over from the particles around them."},
      {"output.surface.method", choice(surface.method, methods), "", method_text},
      {"output.surface.resolution", number(surface.resolution, {1, 3}), "",
       "Number of cells of the surface's lattice along one cell of the simulation."},
      {"output.surface.solids", choice(surface.solids, {"open", "closed"}), "",
       "Whether the surface ends where liquid touches walls and solids (open), or covers the liquid there too and "
       "encloses a volume (closed)."},
      {"output.surface.volume", choice(surface.volume, {"kept", "as_made"}), "",
       "Whether the surface is shifted by a part of a lattice cell, first where it is curved or thin, until it "
       "encloses the volume of the particles (kept), or stays as the method makes it (as_made). If radii are "
       "given, it stays."},
      {"output.surface.flatten", number(surface.flatten, {0.0, 1.0}), "",
       "How much of the bumps that single particles leave on flat water is smoothed out of the level set."},
      {"output.surface.kernel", number(surface.kernel, {0.0, 4.0}), "cells",
       "Reach of a particle; 0: 2 with method anisotropic, else 1.5."},
      {"output.surface.radius", number(surface.radius, {0.0, 4.0}), "cells",
       "Radius of a particle; 0: such that a lattice of particles encloses the volume that it stands for."},
      {"output.surface.radius_from", line(surface.radius_from), "",
       "With method improved_blobbies, an [[attribute]] of type real that holds each particle's own radius [m], above "
       "0 and at most output.surface.kernel. Empty: all have the same."},
      {"output.surface.min_cell_particles", number(surface.min_cell_particles, {1, 1000}), "",
       "Particles in cells that hold fewer than this many are left out of the surface."},
      {"output.surface.band", number(surface.band, {2.0, 8.0}), "",
       "Number of lattice cells on both sides of the surface in which the level set is a distance."},
      {"output.surface.weld", number(surface.weld, {0.0, 0.4}), "",
       "Least distance between a vertex and the ends of its lattice edge, as a part of the edge."},
      {"output.surface.stretch", number(surface.stretch, {1.0, 100.0}), "",
       "With method anisotropic, the largest ratio of a kernel's axes."},
      {"output.surface.center_smoothing", number(surface.center_smoothing, {0.0, 1.0}), "",
       "With method anisotropic, the weight of the neighbours' mean in the place of a particle."},
      {"output.surface.smoothing", number(surface.smoothing, {0, 1000}), "",
       "Number of rounds in which the triangles are smoothed; their volume stays."},
      {"output.surface.decimate", number(surface.decimate, above(0.0, 1.0)), "",
       "Part of the triangles that stays after flat regions get larger ones; 1: all of them."},
      {"output.surface.min_particles", number(surface.min_particles, at_least(0.0)), "",
       "Separate pieces of the surface, drops and bubbles, are left out if they enclose less than the volume of this "
       "many particles."},
  };
}

/// Make one key for each side of the domain: table.x_low, table.x_high, ... \param[in] slot_of  gets (axis, side)
template <class SlotOf>
std::vector<Key> side_keys(const std::string& table, const std::string& text, SlotOf slot_of,
                           const std::string& unit = "") {
  std::vector<Key> keys;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string name = {"xyz"[axis]};
      const std::string end = side == 0 ? "low" : "high";
      keys.push_back({table + "." + name + "_" + end, slot_of(axis, side), unit,
                      text + " at the " + end + " end of " + name + (axis == 2 ? "; not in 2-D." : ".")});
    }
  return keys;
}

/// Mark keys whose values may differ between a run and its restart.
std::vector<Key> changeable(std::vector<Key> keys) {
  for (Key& key : keys) key.change = Change::at_restart;
  return keys;
}

}  // namespace

std::vector<Key> keys_of(Parameters& p) {
  ReseedingOptions& reseeding = p.particles.reseeding;
  DistributionOptions& distribution = p.particles.distribution;
  LabelOptions& labels = p.labels;
  WallOptions& walls = p.pressure.walls;
  const std::vector<Key> run = {
      {"title", line(p.title), "", "Title of the case, a few words."},
      {"reference", line(p.reference), "", "Publication or experiment from which the case is taken."},
      {"run.end_time", number(p.run.end_time, above(0.0)), "s", "Simulated time at which the run ends.", required},
      {"run.max_steps", number(p.run.max_steps, {0, most_steps}), "",
       "The run stops after this many steps; 0: no limit."},
      {"run.max_wall_time", number(p.run.max_wall_time, at_least(0.0)), "s",
       "The run stops in good order after this much wall-clock time; 0: no limit."},
      {"run.reproducible", flag(p.run.reproducible), "",
       "Order the particles of a cell by id. A run then has the same bits on any number of ranks and threads, "
       "with the preconditioners " +
           rank_independent_preconditioners() + "."},
  };
  const std::vector<Key> domain = {
      {"run.seed", number(p.run.seed, at_least<std::int64_t>(0)), "", "Seed of all random numbers."},
      {"domain.dimension", number(p.domain.dimension, {2, 3}), "", "Number of space dimensions."},
      {"domain.cells", cells(p.domain.cells, {1, 1 << 20}), "",
       "Number of cells along each axis. In 2-D the third number is 1 or left out.", required},
      {"domain.cell_size", number(p.domain.cell_size, above(0.0)), "m",
       "Edge length of a cell, the same along every axis.", required},
      {"domain.origin", vector(p.domain.origin, ThirdEntry::zero), "m", "Low corner of the domain."},
  };
  const auto boundary = side_keys("domain.boundary", "Boundary condition", [&](std::size_t axis, std::size_t side) {
    return choice(p.domain.boundary[axis][side], {"free_slip", "no_slip", "periodic", "open"});
  });
  const std::vector<Key> outside = side_keys(
      "fluid.outside_pressure", "Pressure of liquid at rest outside (0: air), at the lowest point of the open side",
      [&](std::size_t axis, std::size_t side) { return number(p.fluid.outside_pressure[axis][side], at_least(0.0)); },
      "Pa");
  const std::vector<Key> method = {
      {"fluid.density", number(p.fluid.density, above(0.0)), "kg/m^3", "Density of the liquid."},
      {"fluid.viscosity", number(p.fluid.viscosity, {0.0, 1e12}), "Pa s",
       "Dynamic viscosity of the liquid; 0: none. Domain faces and solids without slip drag it."},
      {"fluid.gravity", vector(p.fluid.gravity, ThirdEntry::must_vanish, 1e30), "m/s^2", "Acceleration of gravity."},
      {"fluid.rotation", vector(p.fluid.rotation, ThirdEntry::zero, 1e6), "rad/s",
       "Steady rotation of the frame of reference, which gives the liquid a Coriolis force. The centrifugal force is "
       "taken to be part of gravity. In 2-D the rotation is about z."},
      {"fluid.surface_tension", number(p.fluid.surface_tension, {0.0, 1e6}), "N/m",
       "Tension of the liquid's surface; not with labels.surface voxels."},
      {"fluid.contact_angle", number(p.fluid.contact_angle, {0.0, 180.0}), "degrees",
       "With surface tension, the angle in the liquid at which its surface meets walls and solids at rest."},
      {"fluid.wind.velocity", vector(p.fluid.wind.velocity, ThirdEntry::must_vanish, 1e4), "m/s",
       "Velocity of the wind, whose drag moves the liquid's upper surface. 0: no wind."},
      {"fluid.wind.drag", number(p.fluid.wind.drag, {0.0, 1.0}), "",
       "Drag coefficient of the wind: the stress is this times the density of air times the square of the velocity of "
       "the wind relative to the liquid."},
      {"fluid.wind.density", number(p.fluid.wind.density, {0.0, 1e6}), "kg/m^3", "Density of the air."},
      {"particles.per_axis", number(p.particles.per_axis, {1, 8}), "",
       "Number n of particles along each axis of a full cell, which holds n^3 particles, or n^2 in 2-D."},
      {"particles.jitter", number(p.particles.jitter, {0.0, 1.0}), "",
       "Random displacement of seeded particles: none from the centres of their sub-cells (0), up to anywhere in them "
       "(1), or a share of that."},
      {"transfer.method", choice(p.transfer.method, {"flip", "apic"}), "",
       "Transfer of velocities between particles and grid: FLIP blended with PIC (flip), or affine PIC (apic)."},
      {"transfer.flip_fraction", number(p.transfer.flip_fraction, {0.0, 1.0}), "",
       "With method flip, the share of FLIP in the particles' new velocity; the rest is PIC."},
      {"transfer.flip_per", choice(p.transfer.per, {"time", "step"}), "",
       "Whether flip_fraction is the share of FLIP over the time flip_time (time), or over each step of any length "
       "(step). With time, a step takes flip_fraction^(dt / flip_time), so that shorter steps damp the flow no more "
       "than longer ones."},
      {"transfer.flip_time", number(p.transfer.flip_time, at_least(0.0)), "s",
       "With flip_per time, the time over which the share of FLIP is flip_fraction; 0: the time in which the fastest "
       "particle crosses a cell, which is a step at time.cfl = 1."},
      {"vortex.boost", number(p.vortex.boost, {0.0, 1e3}), "",
       "Strength of the vortex boost; 0: off. With confinement it is the epsilon of the method [1/s]. With weights it "
       "is a pure number, and the method's source takes at most 1."},
      {"vortex.method", choice(p.vortex.method, {"confinement", "weights"}), "",
       "How vortices are boosted: by vorticity confinement (Fedkiw, Stam & Jensen 2001), or by heavier weights in the "
       "deposit (Ioannidis 2012, Table 20). Weights are not Galilean-invariant: a uniform velocity grows as well."},
      {"extrapolation.method", choice(p.extrapolation.method, {"layers", "distance"}), "",
       "How velocity is continued into the air: layer by layer as means of known neighbours, or constant along the "
       "normals of the liquid surface."},
  };
  const std::vector<Key> time = {
      {"time.splitting", choice(p.time.splitting, {"first_order", "strang", "reflection"}), "",
       "How a step is split into acceleration and motion. first_order: both take dt, one after the other. strang: "
       "velocities are half a step behind positions, so that both are of second order in time where forces and "
       "pressure depend on positions only. reflection: as strang, and every other step only projects what the step "
       "before it foresaw (Zehnder, Narain & Thomaszewski 2018): at the same cost swirling liquid loses half the "
       "energy. After odd steps, particles have the velocities of half a step ahead. "
       "Liquids without viscosity only."},
      {"time.cfl", number(p.time.cfl, {0.1, 5.0}), "cells",
       "Displacement of the fastest particle for which the time step is chosen. A step in which anything would move "
       "more than 1.5 times as far is begun again with a smaller dt."},
      {"time.capillary", number(p.time.capillary, above(0.0, 4.0)), "",
       "With surface tension, the longest step as a multiple of sqrt(density cell_size^3 / (2 pi surface_tension)), in "
       "which a wave as short as two cells moves by 0.7 cells. Longer steps hold with method flip, as such waves "
       "have little tension; with apic they do not."},
      {"time.max_dt", number(p.time.max_dt, at_least(0.0)), "s", "Longest step; 0: no limit."},
      {"time.min_dt", number(p.time.min_dt, above(0.0)), "s", "A step shorter than this stops the run."},
      {"time.runaway_cfl", number(p.time.runaway_cfl, {6.0, 1e6}), "cells",
       "A step that would move anything farther than this is not taken: it is begun again with a smaller dt, or the "
       "run stops."},
      {"time.max_retries", number(p.time.max_retries, {0, 30}), "",
       "How often a step that fails, or that would move anything too far, is begun again with a smaller dt. A step "
       "that is "
       "too long even then is taken with a warning, up to runaway_cfl."},
  };
  const std::vector<Key> motion = {
      {"motion.scheme", choice(p.motion.scheme, {"rk1", "rk2", "rk3", "rk4"}), "",
       "Runge-Kutta scheme that moves the particles."},
      {"motion.field", choice(p.motion.field, {"solve", "enright", "zalesak"}), "",
       "The velocity that moves the particles: that of the liquid, or in the unit cube the prescribed deformation of "
       "LeVeque (1996) or in the unit square a rotation (Zalesak 1979)."},
  };
  const std::vector<Key> particles = {
      {"particles.reseeding.enabled", flag(reseeding.enabled), "",
       "Make particles in liquid cells that hold few, and remove some from liquid cells that hold many."},
      {"particles.reseeding.min", number(reseeding.min, {1, 512}), "",
       "A cell with fewer particles is filled up to this number, as far as the liquid there lacks particles. The "
       "default is that of cells seeded with 8; with other particles.per_axis, and in 2-D, it is 3/8 of the seeding."},
      {"particles.reseeding.max", number(reseeding.max, {1, 4096}), "",
       "A cell with more particles is thinned out to this number, as long as no more particles are removed in all than "
       "were made. The default is that of cells seeded with 8, else 12/8 of the seeding."},
      {"particles.reseeding.cells", choice(reseeding.cells, {"inner", "liquid"}), "",
       "Which cells are treated: those with no air around them, or all liquid cells. With all liquid cells, liquid "
       "that spreads out thin gains volume."},
      {"particles.reseeding.keep_volume", flag(reseeding.keep_volume), "",
       "Make only as many particles as the liquid lacks, and remove only as many as were made. If false, every such "
       "cell is brought between min and max, and the liquid gains or loses mass."},
      {"particles.distribution.enabled", flag(distribution.enabled), "",
       "Push particles inside the liquid apart that are too close, by springs; at most a tenth of a cell a step."},
      {"particles.distribution.strength", number(distribution.strength, above(0.0, 1.0)), "",
       "Strength of the springs that push particles apart."},
      {"labels.method", choice(labels.method, {"particles", "density"}), "",
       "Which cells are liquid: those with a particle, or those with enough particles close together (Ando, Thuerey & "
       "Tsuruno 2012)."},
      {"labels.alpha", number(labels.alpha, above(0.0, 1.0)), "",
       "With method density, the share of a full cell's density that makes a cell liquid."},
      {"labels.surface", choice(labels.surface, {"voxels", "level_set"}), "",
       "Where the surface of the liquid lies for the pressure: at the centres of the cells of air next to the liquid "
       "(voxels), or at the zero of the signed distance that the particles give (level_set; Gibou et al. 2002). With "
       "level_set, particles that are seeded with jitter are moved at the start until their surface is that of the "
       "liquids' shapes. With labels.method density or a prescribed motion.field the default is voxels."},
  };
  const std::vector<Key> pressure = {
      {"pressure.preconditioner",
       choice(p.pressure.preconditioner, preconditioner_names([](const PreconditionerRow&) { return true; })), "",
       "Preconditioner of the conjugate gradients."},
      {"pressure.tolerance", number(p.pressure.tolerance, {1e-14, 1e-1}), "",
       "The solve stops at this residual, relative to the right-hand side."},
      {"pressure.max_divergence", number(p.pressure.max_divergence, at_least(0.0)), "1/s",
       "Largest divergence of a cell at which the solve may stop, beside the residual; 0: the residual alone decides."},
      {"pressure.max_iterations", number(p.pressure.max_iterations, at_least<std::int64_t>(1)), "",
       "A solve that needs more iterations has failed."},
      {"pressure.warm_start", flag(p.pressure.warm_start), "", "Start each solve from the pressure of the last step."},
      {"pressure.theta_min", number(p.pressure.theta_min, {1e-4, 1.0}), "",
       "With labels.surface level_set, the least part of the distance between the centres of a liquid cell and a cell "
       "of air at which the surface may lie."},
      {"pressure.w_cycle_levels", number(p.pressure.w_cycle_levels, {1, 64}), "",
       "Number of multigrid's coarsest levels that form a W-cycle; finer levels are visited once. More levels save "
       "iterations where a rank's work takes longer than messages, fewer levels save messages."},
      {"pressure.mic0_tau", number(p.pressure.mic0_tau, {0.0, 1.0}), "",
       "Share of the dropped fill-in that mic0 adds to the diagonal."},
      {"pressure.mic0_sigma", number(p.pressure.mic0_sigma, {0.0, 1.0}), "",
       "mic0 keeps the original pivot where the new one is below this share of the diagonal."},
      {"pressure.petsc", solver_options(p.pressure.petsc), "",
       "Options of PETSc's solver that name no files, without the leading dash and the prefix pressure_."},
  };
  const std::vector<Key> wall_method = {
      {"pressure.walls.condition", choice(walls.condition, {"sticky", "separating"}), "",
       "Whether liquid sticks to walls or may leave them."},
      {"pressure.walls.method", choice(walls.method, {"cg", "admm", "iop", "iop_bc", "complementarity"}), "",
       "How the walls' condition is met: exactly (complementarity), or by a method of Eckert (2014)."},
      {"pressure.walls.classification", choice(walls.classification, {"velocity", "pressure"}), "",
       "With the methods of Eckert (2014), the quantity by which liquid is found to leave a wall face."},
      {"pressure.walls.stopping", choice(walls.stopping, {"velocity", "divergence"}), "",
       "Criterion at which admm stops: the difference of its two velocity fields, or the divergence."},
  };
  const std::vector<Key> wall_limits = {
      {"pressure.walls.epsilon_cg", number(walls.epsilon_cg, at_least(0.0)), "1/s",
       "Largest divergence at which each solve of cg, admm, iop and iop_bc stops; 0: pressure.tolerance decides."},
      {"pressure.walls.epsilon_aabs", number(walls.epsilon_aabs, at_least(0.0)), "m/s",
       "Absolute part of the difference of velocities at which admm stops."},
      {"pressure.walls.epsilon_arel", number(walls.epsilon_arel, at_least(0.0)), "",
       "Relative part of the difference of velocities at which admm stops, as a share of the largest velocity."},
      {"pressure.walls.epsilon_adiv", number(walls.epsilon_adiv, at_least(0.0)), "1/s",
       "Largest divergence at which admm stops; 0: a hundredth of the largest velocity over the cell size."},
      {"pressure.walls.epsilon_idiv", number(walls.epsilon_idiv, at_least(0.0)), "1/s",
       "Largest divergence at which iop and iop_bc stop; 0: the same as epsilon_adiv."},
      {"pressure.walls.max_outer", number(walls.max_outer, at_least<std::int64_t>(1)), "",
       "Largest number of solves in a step. Beyond it, complementarity fails; other methods go on with a warning."},
  };
  const auto wall_sides = side_keys("pressure.walls", "Condition of the wall", [&](std::size_t axis, std::size_t side) {
    return choice(walls.face[axis][side], {"inherit", "sticky", "separating"});
  });
  const std::vector<Key> density = {
      {"viscosity.coupling", choice(p.viscosity.coupling, {"stokes", "split"}), "",
       "Whether viscosity and the pressure that it causes are solved for together (stokes), or one after the other "
       "(split); with split, stretched liquid resists too little."},
      {"viscosity.tolerance", number(p.viscosity.tolerance, {1e-14, 1e-1}), "",
       "The viscous solve stops when the relative error of the velocity, in the energy norm, is at most this."},
      {"viscosity.max_iterations", number(p.viscosity.max_iterations, at_least<std::int64_t>(1)), "",
       "A viscous solve that needs more iterations has failed: the step is begun again with a smaller dt."},
      {"viscosity.petsc", solver_options(p.viscosity.petsc), "",
       "Options of PETSc's solver that name no files, without the leading dash and the prefix viscosity_."},
      {"density.correction", choice(p.density.correction, {"off", "implicit"}), "",
       "Whether particles are displaced so that the liquid keeps its density, and thereby its volume."},
      {"density.every", number(p.density.every, at_least<std::int64_t>(1)), "",
       "Number of steps from one density correction to the next."},
      {"density.strength", number(p.density.strength, above(0.0, 1.0)), "",
       "Share of the density error that one correction takes away."},
      {"density.max_displacement", number(p.density.max_displacement, above(0.0, 0.5)), "cells",
       "Farthest that one density correction moves a particle."},
  };
  const std::vector<Key> rest = {
      {"density.tolerance", number(p.density.tolerance, {1e-10, 0.5}), "",
       "The correction's solve stops at this residual, relative to the error."},
      {"balance.enabled", flag(p.balance.enabled), "", "Move blocks between ranks when it pays."},
      {"balance.threshold", number(p.balance.threshold, at_least(1.0)), "",
       "Blocks are moved when the largest cost of a rank exceeds the mean cost by this factor."},
      {"balance.particle_cost", number(p.balance.particle_cost, {0.0, 1e9}), "",
       "Cost of a particle, in any unit of work."},
      {"balance.cell_cost", number(p.balance.cell_cost, {0.0, 1e9}), "",
       "Cost of an allocated cell, in the unit of balance.particle_cost."},
      {"output.interval", number(p.output.interval, at_least(0.0)), "s",
       "Simulated time between snapshots; 0: only the last state is written."},
      {"output.start_time", number(p.output.start_time, at_least(0.0)), "s",
       "Time of the first snapshot by output.interval, or the first multiple of the interval after it."},
      {"output.times", choice(p.output.times, {"nearest", "exact"}), "",
       "When the multiples of output.interval and output.surface.interval are written. nearest: after the step that "
       "ends nearest to them, so that output changes no step. exact: steps are shortened so that they end there."},
      {"output.fields", names(p.output.fields, field_names()), "", field_texts()},
      {"output.lower", vector(p.output.lower, ThirdEntry::below), "m",
       "Low corner of the box whose cells the fields show. With output.upper equal to it, the box is that around all "
       "blocks with liquid, whose size changes. With both equal along an axis, it is the slice of cells there. Cells "
       "without liquid nearby hold 0."},
      {"output.upper", vector(p.output.upper, ThirdEntry::above), "m", "High corner of the fields' box."},
      {"output.max_field_cells", number(p.output.max_field_cells, at_least<std::int64_t>(0)), "",
       "Fields are left out when their bounding box has more cells than this."},
      {"output.particles", names(p.output.particles, snapshot_arrays(), "a name of [[attribute]]"), "",
       "Particle data that snapshots hold besides the position."},
      {"output.particle_share", number(p.output.particle_share, {0.0, 1.0}), "",
       "Share of the particles that snapshots hold; 0: none. It is chosen by id: a particle is in all of them or in "
       "none. Surfaces can be made only from snapshots with all particles of their box."},
      {"output.particle_lower", vector(p.output.particle_lower, ThirdEntry::below), "m",
       "Low corner of the box whose particles snapshots hold. With output.particle_upper equal to it, there is no "
       "box. With both equal along an axis, it holds those in the slice of cells there."},
      {"output.particle_upper", vector(p.output.particle_upper, ThirdEntry::above), "m",
       "High corner of the particles' box."},
      {"output.log_every", number(p.output.log_every, at_least<std::int64_t>(1)), "",
       "Number of steps between lines of the log."},
      {"output.xdmf", flag(p.output.xdmf), "", "Write the side file that opens snapshots in ParaView."},
      {"checkpoint.interval", number(p.checkpoint.interval, at_least(0.0)), "s",
       "Simulated time between checkpoints; 0: not by simulated time."},
      {"checkpoint.steps", number(p.checkpoint.steps, {0, most_steps}), "",
       "Number of steps between checkpoints; 0: not by steps."},
      {"checkpoint.wall_interval", number(p.checkpoint.wall_interval, at_least(0.0)), "s",
       "Wall-clock time between checkpoints; 0: not by wall-clock time."},
      {"checkpoint.keep", number(p.checkpoint.keep, at_least<std::int64_t>(1)), "",
       "How many checkpoints are kept; older ones are removed."},
  };
  const std::vector<Key> scene = {
      {"liquid", tables(p.liquids), "",
       "A body of liquid at the start. Where bodies overlap, the first one holds. A case has at least one "
       "liquid or source."},
      {"solid", tables(p.solids), "", "An obstacle, at rest or moving as its keys say."},
      {"source", tables(p.sources), "", "A region that emits liquid."},
      {"sink", tables(p.sinks), "", "A region that absorbs liquid."},
      {"absorber", tables(p.fluid.absorbers), "", "A box that absorbs waves which enter it."},
      {"attribute", tables(p.attributes), "", "A named number or vector that every particle carries."},
  };
  const std::vector<Key> gauges = {
      {"gauge", tables(p.gauges), "", "An instrument that writes numbers of steps to gauges/NAME.csv."},
  };
  std::vector<Key> keys;
  for (const std::vector<Key>& group :
       {changeable(run), domain, boundary, method, outside, changeable(time), motion, motion_keys(p.frame, "frame."),
        particles, changeable(pressure), wall_method, changeable(wall_limits), wall_sides, density, changeable(rest),
        changeable(surface_keys(p.surface)), scene, changeable(gauges)})
    append(keys, group);
  return keys;
}

}  // namespace freshet::config
