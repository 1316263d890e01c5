// SPDX-License-Identifier: Apache-2.0
// The keys of the domain and of the method, but for the pressure.
#include "key_tables.hpp"
#include "targets.hpp"

namespace freshet::config {
namespace {

ChoiceTarget condition(FaceCondition& value) {
  return choice(value, {"free_slip", "no_slip", "periodic", "open"});
}

}  // namespace

std::vector<Key> domain_keys(DomainOptions& domain) {
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
       "at most 1 in its source."},
      {"vortex.method", choice(p.vortex.method, {"confinement", "weights"}), "",
       "Vorticity confinement (Fedkiw, Stam & Jensen 2001), or heavier weights when particles meet the grid (Ioannidis "
       "2012, Table 20); weights is not Galilean-invariant: a uniform velocity grows as well."},
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

std::vector<Key> reseeding_keys(ReseedingOptions& reseeding) {
  return {
      {"particles.reseeding.enabled", FlagTarget{&reseeding.enabled}, "",
       "Make particles where a liquid cell has few, and remove some where it has many."},
      {"particles.reseeding.min", between(reseeding.min, 1, 512), "",
       "A cell with fewer particles is filled up to so many, as far as the liquid there lacks them."},
      {"particles.reseeding.max", between(reseeding.max, 1, 4096), "",
       "A cell with more keeps so many; in all no more go than were reseeded."},
      {"particles.reseeding.cells", choice(reseeding.cells, {"inner", "liquid"}), "",
       "Which cells: those with no air around, or all liquid ones, by which liquid that spreads out thin grows."},
      {"particles.reseeding.keep_volume", FlagTarget{&reseeding.keep_volume}, "",
       "No more come than the liquid lacks, and no more go than came; else every such cell is brought to min to max, "
       "and "
       "the liquid gains or loses mass by it."},
  };
}

std::vector<Key> distribution_keys(DistributionOptions& distribution, LabelOptions& labels) {
  return {
      {"particles.distribution.enabled", FlagTarget{&distribution.enabled}, "",
       "Push particles inside the liquid apart that are too close, by springs; at most a tenth of a cell a step."},
      {"particles.distribution.strength", above_up_to(distribution.strength, 0.0, 1.0), "",
       "Strength of these springs."},
      {"labels.method", choice(labels.method, {"particles", "density"}), "",
       "Which cells are liquid: those with a particle, or those with enough particles close together (Ando)."},
      {"labels.alpha", above_up_to(labels.alpha, 0.0, 1.0), "",
       "With density: part of a full cell's density from which on a cell is liquid."},
  };
}

std::vector<Key> density_keys(DensityOptions& density) {
  return {
      {"density.correction", choice(density.correction, {"off", "implicit"}), "",
       "Whether particles are moved each step so that the liquid keeps its density, and with it its volume."},
      {"density.strength", above_up_to(density.strength, 0.0, 1.0), "",
       "Part of the density error that one step takes away."},
      {"density.max_displacement", above_up_to(density.max_displacement, 0.0, 0.5), "cells",
       "Farthest that the density correction moves a particle in one step."},
      {"density.tolerance", between(density.tolerance, 1e-10, 0.5), "",
       "Residual that its solve stops at, relative to the error.", at_restart},
  };
}

}  // namespace freshet::config
