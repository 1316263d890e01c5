// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/timers.hpp"
#include "freshet/diagnostics/energy.hpp"
#include "freshet/driver/flow_fields.hpp"
#include "freshet/driver/particle_care.hpp"
#include "freshet/driver/particle_grid.hpp"
#include "freshet/driver/step_record.hpp"
#include "freshet/fluid/narrow_band.hpp"
#include "freshet/io/checkpoint.hpp"

#include <vector>

namespace freshet {

/// What a step does for a narrow band of particles, see NarrowBand. Nothing, where the band is off.
class BandPhase {
 public:
  BandPhase(const NarrowBand::Options& options, Timers& timers) : timers_(timers), band_(options) {}

  /// Cells that need no particles, see NarrowBand::below_core(); null: none.
  const CellField<std::uint8_t>* below_core() const { return band_.below_core(); }
  /// Whether a run may begin without the particles of the bulk. \param[in] is_filled  the case asks for all of them
  bool leaves_out_bulk(bool is_filled) const { return band_.is_on() && !is_filled; }
  /// Errors: InputError if there is a band, in which a source would stay unknown
  void refuse_sources() const;

  /// Begin with blocks that are seeded without particles, before the first layout; see NarrowBand::begin().
  void begin(const Domain& domain, const std::vector<BlockKey>& bulk_blocks) { band_.begin(domain, bulk_blocks); }
  /// Set the velocity of that liquid, the same everywhere, on the first layout. [m/s] Parallel: local
  void set_velocity(const Vec3& velocity, FlowFields& flow, ParticleCare& care) const;
  /// Take the bulk and the velocity there from a checkpoint; nothing from one without a band. \param[in] dt  length of
  /// the last step [s]. Errors: FileError. Parallel: local
  void restore(const RestoredState& restored, double dt, FlowFields& flow);
  void carry_to(const BlockLayout& next) { band_.carry_to(next); }
  std::vector<BlockKey> blocks() const { return band_.blocks(); }

  void begin_step() { band_.begin_step(); }
  void end_step(double dt) { band_.end_step(dt); }
  /// Let the velocity return to u^n of the step that has begun, if advect_bulk() has set it. \return whether it has
  bool return_velocity(FlowFields& flow) { return band_.return_velocity(flow.velocity_old, flow.velocity); }
  /// Set u^n where there are no particles. \param[in] labels  ghosts are not read
  /// \param[in] particles  sorted state of the labels' layout. Parallel: collective; OpenMP
  void advect_bulk(const LabelField& labels, const ParticleStore& particles, FlowFields& flow, StepRecord& record);
  /// Make and remove particles where the band comes and goes, and tell the density correction where.
  ///
  /// \param[in]     velocity   the velocity that new particles take; ghosts valid to width 1 [m/s]
  /// \param[in,out] particles  sorted state, before and after
  /// Errors: RunError if no particle is left. Parallel: collective; OpenMP
  void fill(const FaceField<double>& velocity, StepRecord& record, ParticleCare& care, ParticleGrid& grid,
            ParticleStore& particles);
  /// fill() before the first step, after a projection: the velocity returns to u^n, which new particles take.
  void fill_at_start(FlowFields& flow, StepRecord& record, ParticleCare& care, ParticleGrid& grid,
                     ParticleStore& particles);
  /// Add the liquid without particles to the sums over particles. Parallel: collective
  void add_to(FaceField<double>& velocity, const ParticleStore& particles, ParticleMoments& moments,
              Reduction& pending);

 private:
  Timers& timers_;
  NarrowBand band_;
};

}  // namespace freshet
