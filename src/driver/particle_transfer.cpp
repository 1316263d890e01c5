// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/particle_transfer.hpp"

#include "freshet/core/error.hpp"
#include "freshet/diagnostics/energy.hpp"
#include "freshet/free_surface/surface_shear.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/outer_faces.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <fmt/format.h>

#include <utility>

namespace freshet {

ParticleTransfer::ParticleTransfer(const Parameters& parameters, int particles_per_cell, double particle_mass,
                                   Timers& timers, std::shared_ptr<ScratchMemory> memory)
    : method_(parameters.motion.is_prescribed()  ? Method::prescribed
              : is_at_faces(parameters.transfer) ? Method::apic
                                                 : Method::flip),
      options_(parameters.transfer),
      particles_per_cell_(particles_per_cell),
      particle_mass_(particle_mass),
      timers_(timers),
      deposit_(std::move(memory)),
      boost_(std::get<VortexOptions>(parameters.forces)) {}

void ParticleTransfer::prepare(ParticleStore& particles) const {
  if (is_at_faces(options_)) add_arrays(particles, ArrayNeed::apic);
}

void ParticleTransfer::prepare_restored(ParticleStore& particles) const {
  if (!is_at_faces(options_)) return remove_arrays(particles, ArrayNeed::apic);
  if (!has_arrays(particles, ArrayNeed::apic))
    throw FileError(
        fmt::format("the checkpoint has no particles/{} of {} numbers, which transfer.method = \"apic\" needs",
                    affine_name, affine_width));
}

double ParticleTransfer::deposit(const ParticleStore& particles, bool keeps_weights, const GhostRequest& rider,
                                 FlowFields& flow) {
  const DepositKernel kernel = is_at_faces(options_) ? DepositKernel::affine : DepositKernel::trilinear;
  const WeightUse use = keeps_weights || boost_.is_on() ? WeightUse::kept : WeightUse::scratch;
  deposit_(particles, flow.velocity_old.layout(), flow.velocity_old, flow.weight, kernel, use, &rider);
  if (use == WeightUse::kept) fill_outer_faces(flow.weight, 0.0);
  double energy = 0.0;
  if (boost_.is_on()) {
    const auto region = timers_.region("vortex");
    copy_owned(flow.velocity_old, flow.velocity);  // the velocity before the boost
    boost_(particles, deposit_, flow.velocity_old);
    energy = kinetic_energy_gain(flow.velocity, flow.velocity_old, flow.weight, particle_mass_);
  }
  fill_outer_faces(flow.velocity_old, 0.0);
  return energy;
}

void ParticleTransfer::correct_deposit(FreeSurface& surface, FlowFields& flow) const {
  if (method_ != Method::prescribed) surface.correct_deposit(flow.solids, flow.weight, flow.velocity_old);
}

void ParticleTransfer::blend(const BlendInput& input, bool shears_surface, FreeSurface& surface,
                             VelocityExtension& extension, const Projection& projection, ParticleStore& particles) {
  FlowFields& flow = input.flow;
  const BlockLayout& layout = flow.velocity.layout();
  // Wind shears the current at the surface. Particles there take the whole change u^{n+1} - u^n if u^n is
  // extrapolated into the air like u^{n+1}; the deposit's u^n would slow them down.
  if (shears_surface && !is_at_faces(options_))
    extension(1, input.dt, surface, flow.solids, projection, flow.velocity_old);
  if (layout.domain().stores_walls()) hold_sticky_walls(flow.solids, flow.velocity_old);  // else 0 there
  if (&input.held != &flow.velocity) layout.halo().gather(flow.velocity, input.reach);    // move() reads them
  switch (method_) {
    case Method::flip:
      blend_flip(input, particles);
      break;
    case Method::apic:
      layout.halo().gather(input.held, input.reach);
      blend_affine(shears_surface ? sheared_velocity(input, surface, extension, projection) : input.held, particles);
      break;
    case Method::prescribed:
      layout.halo().gather(flow.velocity, input.reach);
      blend_velocity(flow.velocity, flow.velocity, 0.0, particles);
      break;
  }
}

void ParticleTransfer::blend_flip(const BlendInput& input, ParticleStore& particles) const {
  FlowFields& flow = input.flow;
  const Halo& halo = flow.velocity.layout().halo();
  const double tau = options_.flip_time > 0.0 ? options_.flip_time : input.crossing_time();
  const double exponent = options_.per == FlipPer::time ? input.dt / tau : 1.0;
  halo.begin_gather(input.reach, input.held, flow.velocity_old);
  const auto end_gather = [&] { halo.end_gather(input.reach, input.held, flow.velocity_old); };
  blend_velocity(input.held, flow.velocity_old, input.flip_fractions.to_power(exponent), particles,
                 std::cref(end_gather));
}

/// The velocity that affine particles take where a force shears the surface; extrapolates u^n into the air for it.
const FaceField<double>& ParticleTransfer::sheared_velocity(const BlendInput& input, FreeSurface& surface,
                                                            VelocityExtension& extension,
                                                            const Projection& projection) {
  FlowFields& flow = input.flow;
  sheared_.reset(flow.velocity.layout(), 0.0);
  copy_owned(flow.velocity_old, sheared_);
  // particles in cells of air next to the liquid read two layers of air
  extension(2, input.dt, surface, flow.solids, projection, flow.velocity_old);
  keep_surface_shear({.known = surface.reached(),
                      .weight = flow.weight,
                      .particles_per_cell = static_cast<double>(particles_per_cell_),
                      .continued = flow.velocity_old,
                      .velocity = input.held},
                     sheared_);
  sheared_.layout().halo().gather(sheared_, 1);
  return sheared_;
}

}  // namespace freshet
