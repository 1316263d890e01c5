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

/// Input of a blend.
struct BlendInput {
  FlowFields& flow;
  FaceField<double>& held;                ///< the velocity that particles take, flow.velocity or another [m/s]
  const FlipFractions& flip_fractions;    ///< FLIP fractions by particle tag
  std::function<double()> crossing_time;  ///< time in which the fastest particle crosses a cell [s]
  int reach = 2;                          ///< width of the ghosts that the motion reads [cells]
  double dt = 0.0;                        ///< [s]
};

/// Transfers velocities between particles and grid, as transfer.method says or from a prescribed flow to particles.
class ParticleTransfer {
 public:
  /// \param[in] particle_mass  [kg] \param[in] memory  free between calls; null: memory of its own
  ParticleTransfer(const Parameters& parameters, int particles_per_cell, double particle_mass, Timers& timers,
                   std::shared_ptr<ScratchMemory> memory = nullptr);

  /// Add the arrays that the method needs, or remove those that it does not. Parallel: local
  void prepare(ParticleStore& particles) const;
  /// prepare() for particles of a checkpoint. Errors: FileError if an array is missing. Parallel: local
  void prepare_restored(ParticleStore& particles) const;

  /// Whether the deposit gives each face the velocity at the face's centre, as affine particles do.
  static bool is_at_faces(const TransferOptions& options) { return options.method == TransferMethod::apic; }
  /// Set flow.velocity_old to u^n on faces, and flow.weight to the weights if they are kept.
  /// \param[in] rider  ghosts to be refreshed by the deposit's messages
  /// \return the kinetic energy that the vortex boost by weights adds [J]. Parallel: collective
  double deposit(const ParticleStore& particles, bool keeps_weights, const GhostRequest& rider, FlowFields& flow);
  /// Correct flow.velocity_old and flow.weight beside the surface; a prescribed flow leaves no deposit.
  /// Parallel: collective
  void correct_deposit(FreeSurface& surface, FlowFields& flow) const;
  /// Upper bound of the factor by which the deposit enlarges a velocity. [1]
  double largest_gain() const { return boost_.is_on() ? boost_.largest_gain() : 1.0; }

  /// Set particle velocities from u^{n+1} and u^n. Ghosts of both are refreshed to the width that the motion reads.
  /// \param[in] shears_surface  whether a force is a stress along the surface. Parallel: collective
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
