// SPDX-License-Identifier: Apache-2.0
#include "keys.hpp"

#include <algorithm>

namespace freshet::config {
namespace {

constexpr auto required = Presence::required;
constexpr auto fixed = Change::never;
constexpr auto at_restart = Change::at_restart;
constexpr std::int64_t largest_int = std::numeric_limits<int>::max();
constexpr std::int64_t most_steps = 1'000'000'000'000'000;  // sums of two stay far from the largest integer

using Reals = Range<double>;
using Integers = Range<std::int64_t>;

RealTarget above(double& value, double lower) {
  return {&value, {lower, Reals{}.upper, Reals::Lower::left_out}};
}
RealTarget at_least(double& value, double lower) {
  return {&value, {lower}};
}
RealTarget between(double& value, double lower, double upper) {
  return {&value, {lower, upper}};
}
IntegerTarget at_least(int& value, std::int64_t lower) {
  return {&value, {lower, largest_int}};
}
IntegerTarget at_least(std::int64_t& value, std::int64_t lower) {
  return {&value, {lower}};
}
IntegerTarget between(std::int64_t& value, std::int64_t lower, std::int64_t upper) {
  return {&value, {lower, upper}};
}
IntegerTarget between(int& value, std::int64_t lower, std::int64_t upper) {
  return {&value, {lower, upper}};
}

/// One of the names; the enumerators stand in the same order, from 0.
template <class Enum>
ChoiceTarget choice(Enum& value, std::vector<std::string> names) {
  return {std::move(names), [&value] { return static_cast<std::size_t>(value); },
          [&value](std::size_t i) { value = static_cast<Enum>(i); }};
}

ChoiceTarget condition(FaceCondition& value) {
  return choice(value, {"free_slip", "no_slip", "periodic", "open"});
}

void append(std::vector<Key>& keys, std::vector<Key> more) {
  for (Key& key : more) keys.push_back(std::move(key));
}

std::vector<Key> run_keys(Parameters::Run& run) {
  return {
      {"run.end_time", above(run.end_time, 0.0), "s", "Simulated time at which the run ends.", at_restart, required},
      {"run.max_steps", between(run.max_steps, 0, most_steps), "", "Stop after this many steps; 0: no limit.",
       at_restart},
      {"run.max_wall_time", at_least(run.max_wall_time, 0.0), "s",
       "Stop in good order after this much wall-clock time; 0: no limit.", at_restart},
      {"run.reproducible", FlagTarget{&run.reproducible}, "",
       "Order the particles of a cell by id, so that a run has the same bits on any number of ranks and threads; with "
       "the "
       "preconditioners multigrid, jacobi and none.",
       at_restart},
      {"run.seed", at_least(run.seed, 0), "", "Seed of all random numbers."},
  };
}

std::vector<Key> domain_keys(Parameters::Domain& domain) {
  auto& sides = domain.boundary;
  return {
      {"domain.dimension", between(domain.dimension, 2, 3), "", "Number of space dimensions."},
      {"domain.cells", CellsTarget{&domain.cells, {1, 1 << 20}}, "",
       "Cells along each axis; in 2-D the third is 1 or left out.", fixed, required},
      {"domain.cell_size", above(domain.cell_size, 0.0), "m", "Edge of a cell, the same along every axis.", fixed,
       required},
      {"domain.origin", VectorTarget{&domain.origin, ThirdEntry::zero}, "m", "Low corner of the domain."},
      {"domain.boundary.x_low", condition(sides[0][0]), "", "What the fluid meets at the low end of x."},
      {"domain.boundary.x_high", condition(sides[0][1]), "", "What the fluid meets at the high end of x."},
      {"domain.boundary.y_low", condition(sides[1][0]), "", "What the fluid meets at the low end of y."},
      {"domain.boundary.y_high", condition(sides[1][1]), "", "What the fluid meets at the high end of y."},
      {"domain.boundary.z_low", condition(sides[2][0]), "", "What the fluid meets at the low end of z; not in 2-D."},
      {"domain.boundary.z_high", condition(sides[2][1]), "", "What the fluid meets at the high end of z; not in 2-D."},
  };
}

std::vector<Key> method_keys(Parameters& p) {
  return {
      {"fluid.density", above(p.fluid.density, 0.0), "kg/m^3", "Density of the liquid."},
      {"fluid.gravity", VectorTarget{&p.fluid.gravity, ThirdEntry::must_vanish}, "m/s^2", "Acceleration of gravity."},
      {"particles.per_axis", between(p.particles.per_axis, 1, 8), "",
       "Particles along each axis of a full cell: n^3 a cell, n^2 in 2-D."},
      {"particles.jitter", between(p.particles.jitter, 0.0, 1.0), "",
       "Where seeded particles stand; 0: the centres of their sub-cells, 1: anywhere in them."},
      {"transfer.method", choice(p.transfer.method, {"flip", "apic"}), "",
       "How velocities travel between particles and grid: FLIP blended with PIC, or affine PIC."},
      {"transfer.flip_fraction", between(p.transfer.flip_fraction, 0.0, 1.0), "",
       "With method flip the share of FLIP in the particles' new velocity; the rest is PIC."},
      {"vortex.boost", between(p.vortex.boost, 0.0, 1e3), "",
       "Strength of what spins the liquid up; 0: off. With confinement its epsilon [1/s]; with weights a pure number, "
       "at "
       "most 1 in its source."},
      {"vortex.method", choice(p.vortex.method, {"confinement", "weights"}), "",
       "Vorticity confinement (Fedkiw, Stam & Jensen 2001), or heavier weights when particles meet the grid."},
      {"extrapolation.method", choice(p.extrapolation.method, {"layers", "distance"}), "",
       "How velocity goes on into the air: as means of layers, or constant along the normals of the liquid."},
      {"time.cfl", between(p.time.cfl, 0.1, 5.0), "cells", "Farthest that a particle may move in one step.",
       at_restart},
      {"time.max_dt", at_least(p.time.max_dt, 0.0), "s", "Longest step; 0: no limit.", at_restart},
      {"time.min_dt", above(p.time.min_dt, 0.0), "s", "A step shorter than this stops the run.", at_restart},
      {"time.runaway_cfl", between(p.time.runaway_cfl, 6.0, 1e6), "cells",
       "A step whose velocities would carry anything farther than this is done again with half of dt.", at_restart},
      {"time.max_retries", between(p.time.max_retries, 0, 30), "",
       "How often a step that fails is done again, each time with half of dt, before the run stops.", at_restart},
      {"motion.scheme", choice(p.motion.scheme, {"rk1", "rk2", "rk3", "rk4"}), "",
       "Runge-Kutta scheme that moves the particles."},
      {"motion.field", choice(p.motion.field, {"solve", "enright"}), "",
       "The velocity that moves them: of the liquid, or the prescribed deformation of LeVeque (1996) in the unit "
       "cube."},
  };
}

std::vector<Key> reseeding_keys(Parameters::Particles::Reseeding& reseeding) {
  return {
      {"particles.reseeding.enabled", FlagTarget{&reseeding.enabled}, "",
       "Make particles where a liquid cell has few, and remove some where it has many."},
      {"particles.reseeding.min", between(reseeding.min, 1, 512), "",
       "A cell with fewer particles is filled up to so many, as far as the liquid there lacks them."},
      {"particles.reseeding.max", between(reseeding.max, 1, 4096), "",
       "A cell with more keeps so many; in all no more go than were reseeded."},
      {"particles.reseeding.cells", choice(reseeding.cells, {"inner", "liquid"}), "",
       "Which cells: those with no air around, or all liquid ones, by which liquid that spreads out thin grows."},
  };
}

std::vector<Key> distribution_keys(Parameters::Particles::Distribution& distribution, Parameters::Labels& labels) {
  return {
      {"particles.distribution.enabled", FlagTarget{&distribution.enabled}, "",
       "Push particles inside the liquid apart that are too close, by springs; at most a tenth of a cell a step."},
      {"particles.distribution.strength", RealTarget{&distribution.strength, {0.0, 1.0, Reals::Lower::left_out}}, "",
       "Strength of these springs."},
      {"labels.method", choice(labels.method, {"particles", "density"}), "",
       "Which cells are liquid: those with a particle, or those with enough particles close together (Ando)."},
      {"labels.alpha", RealTarget{&labels.alpha, {0.0, 1.0, Reals::Lower::left_out}}, "",
       "With density: part of a full cell's density from which on a cell is liquid."},
  };
}

std::vector<Key> pressure_keys(Parameters::Pressure& pressure) {
  return {
      {"pressure.preconditioner",
       choice(pressure.preconditioner, {"multigrid", "mic0", "icc", "hypre", "gamg", "jacobi", "none"}), "",
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

ChoiceTarget wall_choice(WallChoice& value) {
  return choice(value, {"inherit", "sticky", "separating"});
}

std::vector<Key> wall_keys(Parameters::Pressure::Walls& walls) {
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

/// \param[in] base  of the names
std::vector<Key> motion_keys(MotionParameters& motion, const std::string& base) {
  std::vector<Key> keys = {
      {"velocity", VectorTarget{&motion.velocity, ThirdEntry::must_vanish}, "m/s", "Constant velocity."},
      {"angular_velocity", VectorTarget{&motion.angular_velocity, ThirdEntry::zero}, "degrees/s",
       "Constant angular velocity about the pivot: axis times rate."},
      {"pivot", VectorTarget{&motion.pivot, ThirdEntry::middle}, "m",
       "Point of the body that it turns about, where it is at the start."},
      {"keyframes", RowsTarget{&motion.keyframes, {4, 7}}, "s, m, degrees",
       "Rows of time, way along x, y, z and perhaps rotation vector: where the body is since the start."},
      {"motion_file", TextTarget{&motion.file}, "", "File with such rows, beside the case file."},
      {"motion_file_hash", TextTarget{&motion.file_hash}, "",
       "Hash of that file's bytes; if given, another file is refused."},
      {"interpolation", choice(motion.interpolation, {"linear", "smooth"}), "", "How it moves between keyframes."},
  };
  for (Key& key : keys) key.name = base + key.name;
  return keys;
}

std::vector<Key> density_keys(Parameters::Density& density) {
  return {
      {"density.correction", choice(density.correction, {"off", "implicit"}), "",
       "Whether particles are moved each step so that the liquid keeps its density, and with it its volume."},
      {"density.strength", RealTarget{&density.strength, {0.0, 1.0, Reals::Lower::left_out}}, "",
       "Part of the density error that one step takes away."},
      {"density.max_displacement", RealTarget{&density.max_displacement, {0.0, 0.5, Reals::Lower::left_out}}, "cells",
       "Farthest that the density correction moves a particle in one step."},
      {"density.tolerance", between(density.tolerance, 1e-10, 0.5), "",
       "Residual that its solve stops at, relative to the error.", at_restart},
  };
}

std::vector<Key> service_keys(Parameters::Balance& balance, Parameters::Output& output) {
  return {
      {"balance.enabled", FlagTarget{&balance.enabled}, "", "Move blocks between ranks when it pays.", at_restart},
      {"balance.threshold", at_least(balance.threshold, 1.0), "",
       "Largest cost of a rank over the mean cost that starts a rebalance.", at_restart},
      {"balance.particle_cost", between(balance.particle_cost, 0.0, 1e9), "", "Cost of a particle in the balance.",
       at_restart},
      {"balance.cell_cost", between(balance.cell_cost, 0.0, 1e9), "", "Cost of an allocated cell in the balance.",
       at_restart},
      {"output.interval", at_least(output.interval, 0.0), "s",
       "Simulated time between snapshots; 0: only the last state.", at_restart},
      {"output.fields", NamesTarget{&output.fields, {"pressure", "velocity", "label", "face_velocity"}}, "",
       "Grid fields to write.", at_restart},
      {"output.max_field_cells", at_least(output.max_field_cells, 0), "",
       "Fields are left out when their bounding box has more cells than this.", at_restart},
      {"output.particles",
       NamesTarget{&output.particles, {"velocity", "id", "tag", "color"}, "a name of [[attribute]]"}, "",
       "Particle data to write besides the position.", at_restart},
      {"output.log_every", at_least(output.log_every, 1), "", "Steps between lines of the log.", at_restart},
      {"output.xdmf", FlagTarget{&output.xdmf}, "", "Write the side file that opens snapshots in ParaView.",
       at_restart},
  };
}

std::vector<Key> checkpoint_keys(Parameters::Checkpoint& checkpoint) {
  return {
      {"checkpoint.interval", at_least(checkpoint.interval, 0.0), "s",
       "Simulated time between checkpoints; 0: not by simulated time.", at_restart},
      {"checkpoint.steps", between(checkpoint.steps, 0, most_steps), "", "Steps between checkpoints; 0: not by steps.",
       at_restart},
      {"checkpoint.wall_interval", at_least(checkpoint.wall_interval, 0.0), "s",
       "Wall-clock time between checkpoints; 0: not by wall-clock time.", at_restart},
      {"checkpoint.keep", at_least(checkpoint.keep, 1), "", "How many checkpoints stay: the newest ones.", at_restart},
  };
}

std::vector<Key> transform_keys(TransformParameters& transform) {
  return {
      {"scale", between(transform.scale, 1e-9, 1e9), "",
       "First the shape is scaled by this about the origin of coordinates (in 2-D within the plane)."},
      {"rotate.axis", VectorTarget{&transform.axis, ThirdEntry::zero}, "",
       "Then it is rotated about this direction, of any length; in 2-D that of z."},
      {"rotate.angle", RealTarget{&transform.angle, {}}, "degrees",
       "Angle of that rotation, counter-clockwise seen from the end of the axis."},
      {"rotate.center", VectorTarget{&transform.center, ThirdEntry::zero}, "m",
       "A point that the rotation leaves fixed."},
      {"translate", VectorTarget{&transform.translate, ThirdEntry::zero}, "m", "Then it is moved by this."},
  };
}

}  // namespace

std::vector<Key> keys_of(Parameters& p) {
  std::vector<Key> keys = {
      {"title", TextTarget{&p.title}, "", "What the case is, in a few words.", at_restart},
      {"reference", TextTarget{&p.reference}, "", "Where the case comes from.", at_restart},
  };
  append(keys, run_keys(p.run));
  append(keys, domain_keys(p.domain));
  append(keys, method_keys(p));
  append(keys, motion_keys(p.frame, "frame."));
  append(keys, reseeding_keys(p.particles.reseeding));
  append(keys, distribution_keys(p.particles.distribution, p.labels));
  append(keys, pressure_keys(p.pressure));
  append(keys, wall_keys(p.pressure.walls));
  append(keys, density_keys(p.density));
  append(keys, service_keys(p.balance, p.output));
  append(keys, checkpoint_keys(p.checkpoint));
  keys.push_back(
      {"liquid", TablesTarget<LiquidParameters>{&p.liquids}, "",
       "A body of liquid at the start; where bodies overlap, the first one holds. At least one, or a source."});
  keys.push_back({"solid", TablesTarget<SolidParameters>{&p.solids}, "", "A fixed obstacle."});
  keys.push_back({"source", TablesTarget<SourceParameters>{&p.sources}, "", "A region that emits liquid."});
  keys.push_back({"sink", TablesTarget<SinkParameters>{&p.sinks}, "", "A region that absorbs liquid."});
  keys.push_back({"attribute", TablesTarget<AttributeParameters>{&p.attributes}, "",
                  "A named number or vector that every particle carries."});
  return keys;
}

std::vector<Key> keys_of(ShapeParameters& s) {
  using enum ShapeKind;
  const std::vector<ShapeKind> combinations = {union_of, intersection_of, difference_of};
  const std::vector<ShapeKind> with_ends = {cylinder, capsule};
  const auto point = [](Vec3& value) { return VectorTarget{&value, ThirdEntry::middle}; };
  std::vector<Key> keys = {
      {"shape", choice(s.kind, shape_names()), "", "Kind of shape; it says which of the keys below count.", fixed,
       required},
      {"lower", VectorTarget{&s.lower, ThirdEntry::below}, "m", "Low corner.", fixed, required, {box}},
      {"upper", VectorTarget{&s.upper, ThirdEntry::above}, "m", "High corner.", fixed, required, {box}},
      {"center", point(s.center), "m", "Centre.", fixed, required, {sphere, torus}},
      {"start", point(s.start), "m", "Centre of one end: of a cap, or of a capsule's sphere.", fixed, required,
       with_ends},
      {"end", point(s.end), "m", "Centre of the other end.", fixed, required, with_ends},
      {"radius", above(s.radius, 0.0), "m", "Radius.", fixed, required, {sphere, cylinder, capsule}},
      {"point", point(s.point), "m", "A point of the plane.", fixed, required, {half_space}},
      {"normal",
       VectorTarget{&s.normal, ThirdEntry::must_vanish},
       "",
       "Direction out of the shape, of any length.",
       fixed,
       required,
       {half_space}},
      {"axis",
       VectorTarget{&s.axis, ThirdEntry::zero},
       "",
       "Direction of the axis of symmetry, of any length.",
       fixed,
       required,
       {torus}},
      {"major_radius", above(s.major_radius, 0.0), "m", "Radius of the tube's centre line.", fixed, required, {torus}},
      {"minor_radius", above(s.minor_radius, 0.0), "m", "Radius of the tube.", fixed, required, {torus}},
      {"file",
       TextTarget{&s.file},
       "",
       "Triangle mesh (.obj, .stl, .ply), or particles (.csv, .txt, .h5, .geo, .obj), as seen from the case file's "
       "directory.",
       at_restart,
       required,
       {mesh, particles}},
      {"file_hash",
       TextTarget{&s.file_hash},
       "",
       "Hash of that file's bytes; if given, another file is refused.",
       fixed,
       Presence::optional,
       {mesh, particles}},
      {"parts", TablesTarget<ShapeParameters>{&s.parts}, "",
       "The shapes it is made of; a difference is the first without the others.", fixed, required, combinations},
  };
  append(keys, transform_keys(s.transform));
  return keys;
}

Key color_key(std::vector<double>& color) {
  return {"color", NumbersTarget{&color, {0.0, 1.0}, {3}}, "",
          "Red, green and blue that its particles carry as the attribute color; [] for none."};
}

std::vector<Key> keys_of(LiquidParameters& liquid) {
  std::vector<Key> keys = keys_of(liquid.shape);
  keys.push_back(
      {"velocity", VectorTarget{&liquid.velocity, ThirdEntry::must_vanish}, "m/s", "Velocity at the start."});
  keys.push_back({"tag", between(liquid.tag, 0, 255), "", "Number that its particles carry."});
  keys.push_back({"flip_fraction", OptionalRealTarget{&liquid.flip_fraction, {0.0, 1.0}}, "",
                  "Share of FLIP in the new velocity of particles with its tag, in place of transfer.flip_fraction."});
  keys.push_back({"viscosity_coefficient", OptionalRealTarget{&liquid.viscosity_coefficient, {0.0, 1.0}}, "",
                  "The same as the share of PIC: 1 - flip_fraction."});
  keys.push_back(color_key(liquid.color));
  return keys;
}

std::vector<Key> keys_of(SolidParameters& solid) {
  std::vector<Key> keys = keys_of(solid.shape);
  keys.push_back({"slip", choice(solid.slip, {"free_slip", "no_slip"}), "", "How the fluid slides along its surface."});
  keys.push_back({"wall", wall_choice(solid.wall), "", "Whether liquid sticks to it or may leave it."});
  keys.push_back(
      {"surface", choice(solid.surface, {"auto", "fractions", "voxels"}), "",
       "What it is to the grid: open fractions of faces, or whole cells; auto: voxels where liquid may leave "
       "it, else fractions."});
  append(keys, motion_keys(solid.motion, ""));
  return keys;
}

bool applies_to(const Key& key, ShapeKind kind) {
  return key.shapes.empty() || std::find(key.shapes.begin(), key.shapes.end(), kind) != key.shapes.end();
}

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"box",   "sphere", "cylinder",     "half_space", "union",    "capsule",
                                                 "torus", "mesh",   "intersection", "difference", "particles"};
  return names;
}

}  // namespace freshet::config
