// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/flow_fields.hpp"
#include "freshet/fluid/distribution.hpp"
#include "freshet/fluid/reseeding.hpp"
#include "freshet/fluid/stuck.hpp"
#include "freshet/free_surface/free_surface.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/pressure/density_correction.hpp"
#include "freshet/pressure/projection.hpp"

#include <cstdint>
#include <memory>

namespace freshet {

/// Keeps the particles an even sample of the liquid: it reseeds, corrects positions, and puts particles that are stuck
/// in solids back into the liquid. Every function is collective.
class ParticleCare {
 public:
  struct Options {
    SamplingOptions sampling;
    ReseedingOptions reseeding;
    DistributionOptions distribution;
    DensityOptions density;
    std::uint64_t seed = 0;      ///< seed of the random positions
    int per_cell = 8;            ///< particles of a full cell
    double longest_shift = 0.0;  ///< bound of FreeSurface::find_smoothing() [cells]; 0: the surface is not smoothed
  };
  /// \param[in] memory  free between calls; null: memory of its own
  ParticleCare(const Communicator& comm, const Options& options, std::shared_ptr<ScratchMemory> memory = nullptr);

  bool reseeds() const { return options_.reseeding.enabled; }
  /// Make and remove particles as [particles.reseeding] says. ParticleGrid::sort() must follow if there were any.
  ///
  /// \param[in] surface   the surface of these particles
  /// \param[in] velocity  the velocity that new particles take; ghosts valid to width 1 [m/s]
  /// \param[in] surplus   particles reseeded less particles removed in earlier steps
  /// \param[in] bulk      not 0 in owned cells that need no particles; null: none
  ReseedingReport resample(const FreeSurface& surface, const SolidFields& solids, const FaceField<double>& velocity,
                           std::int64_t step, GlobalIndex next_id, GlobalIndex surplus, ParticleStore& particles,
                           const CellField<std::uint8_t>* bulk = nullptr) const;

  /// What correct_positions() did, summed over all ranks.
  struct Corrections {
    DensityReport density;
    GlobalIndex spread = 0;  ///< particles that the distribution correction moved
  };
  /// Whether correct_positions() moves particles in a step of dt: smoothing takes time.
  bool moves_particles(double dt) const { return smooths(dt) || corrects_positions(); }
  bool corrects_positions() const { return corrects_density() || options_.distribution.enabled; }
  /// Whether a step corrects the density. Steps count from 1; corrections before the first step count as step 0.
  bool corrects_density(std::int64_t step) const { return corrects_density() && step % options_.density.every == 0; }
  /// Number and length of a step. [s]
  struct Step {
    std::int64_t number;
    double dt;
  };
  /// Move particles so that the liquid has its density ([density]), that they are spread evenly
  /// ([particles.distribution]), and that a surface with tension is smooth. The corrections are computed before any is
  /// applied. The report's density is empty in a step that does not correct it.
  ///
  /// \param[in,out] flow        u^{n+1} and solids; ghosts are refreshed as needed
  /// \param[in]     surface     the surface of these particles
  /// \param[in]     projection  this step's projection, whose matrix is used again
  Corrections correct_positions(FlowFields& flow, FreeSurface& surface, Projection& projection, const Step& step,
                                ParticleStore& particles);
  /// Leave cells out of the density correction, see DensityCorrection::leave_out(). Parallel: local
  void leave_out(const CellField<std::uint8_t>* cells, double source) { density_correction_.leave_out(cells, source); }
  /// Upper bound of the distance by which correct_positions() moves a particle. [cells]
  double largest_correction() const {
    return (corrects_density() ? options_.density.max_displacement : options_.longest_shift) +
           (options_.distribution.enabled ? largest_spread : 0.0);
  }

  /// After the motion, put particles that are still inside solids into the liquid. ParticleGrid::redistribute() must
  /// follow if any were repositioned.
  ///
  /// \param[in,out] flow  u^{n+1}, whose ghosts are refreshed, and solids, which move to `time` [s]
  StuckReport free_stuck(FlowFields& flow, double time, std::int64_t step, ParticleStore& particles) const;

 private:
  bool smooths(double dt) const { return options_.longest_shift > 0.0 && dt > 0.0; }
  bool corrects_density() const { return options_.density.correction != DensityMethod::off; }

  const Communicator& comm_;
  Options options_;
  DensityCorrection density_correction_;
  DistributionCorrection distribution_correction_;
};

}  // namespace freshet
