// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/core/timers.hpp"
#include "freshet/driver/velocity_extension.hpp"
#include "freshet/forces/vortex.hpp"
#include "freshet/transfer/deposit.hpp"
#include "freshet/transfer/interpolate.hpp"

#include <functional>
#include <memory>

namespace freshet {

/// What a blend takes from the step.
struct BlendInput {
  FlowFields& flow;
  FaceField<double>& held;                ///< the velocity that particles take, flow.velocity or another [m/s]
  const FlipFractions& flip_fractions;    ///< by the particles' tags
  std::function<double()> crossing_time;  ///< in which the fastest particle crosses a cell [s]
  int reach = 2;                          ///< width of the ghosts that the motion reads [cells]
  double dt = 0.0;                        ///< [s]
};

/// Velocities from the particles to the grid and back, as transfer.method says, or those of a prescribed flow.
class ParticleTransfer {
 public:
  /// \param[in] particle_mass  [kg] \param[in] memory  free between calls; null: memory of its own
  ParticleTransfer(const Parameters& parameters, int particles_per_cell, double particle_mass, Timers& timers,
                   std::shared_ptr<ScratchMemory> memory = nullptr);

  /// Add the arrays that the method needs, or remove those that it does not. Parallel: local
  void prepare(ParticleStore& particles) const;
  /// The same for particles of a checkpoint. Errors: FileError if an array is missing. Parallel: local
  void prepare_restored(ParticleStore& particles) const;

  /// Whether the deposit gives faces the velocity at their own place.
  static bool is_at_faces(const TransferOptions& options) { return options.method == TransferMethod::apic; }
  /// u^n on faces, flow.velocity_old, and flow.weight if they are kept. \return the kinetic energy that the vortex
  /// boost by weights adds [J]. Parallel: collective
  double deposit(const ParticleStore& particles, bool keeps_weights, FlowFields& flow);
  /// By how much a deposit makes the fastest velocity larger. [1]
  double largest_gain() const { return boost_.is_on() ? boost_.largest_gain() : 1.0; }

  /// Particle velocities from u^{n+1} and u^n; ghosts of both velocities are refreshed to the motion's reach.
  /// \param[in] shears_surface  a force is a stress along the surface. Parallel: collective
  void blend(const BlendInput& input, bool shears_surface, FreeSurface& surface, VelocityExtension& extension,
             const Projection& projection, ParticleStore& particles);

 private:
  enum class Method { flip, apic, prescribed };
  void blend_flip(const BlendInput& input, ParticleStore& particles) const;
  const FaceField<double>& sheared_velocity(const BlendInput& input, FreeSurface& surface, VelocityExtension& extension,
                                            const Projection& projection);

  Method method_;
  TransferOptions options_;
  int particles_per_cell_;
  double particle_mass_;  ///< [kg]
  Timers& timers_;
  Deposit deposit_;
  VortexBoost boost_;
  FaceField<double> sheared_;  ///< the velocity that affine particles take where a force shears the surface [m/s]
};

}  // namespace freshet
