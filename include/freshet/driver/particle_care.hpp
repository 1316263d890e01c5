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

/// Keeps the particles a good sample of the liquid: it reseeds them, corrects their positions, and puts those that
/// solids have closed in on back into the liquid. Every function is collective.
class ParticleCare {
 public:
  struct Options {
    SamplingOptions sampling;
    ReseedingOptions reseeding;
    DistributionOptions distribution;
    DensityOptions density;
    std::uint64_t seed = 0;      ///< seed of the random places
    int per_cell = 8;            ///< particles of a full cell
    double longest_shift = 0.0;  ///< of those that correct_positions() is given [cells]
  };
  /// \param[in] memory  free between calls; null: memory of its own
  ParticleCare(const Communicator& comm, const Options& options, std::shared_ptr<ScratchMemory> memory = nullptr);

  bool reseeds() const { return options_.reseeding.enabled; }
  /// Particles come and go where [particles.reseeding] asks for it. Afterwards ParticleGrid::sort() is due if any did.
  ///
  /// \param[in] surface   of these particles
  /// \param[in] velocity  what new particles take; ghosts valid to width 1 [m/s]
  /// \param[in] surplus  particles reseeded less removed in earlier steps
  ReseedingReport resample(const FreeSurface& surface, const SolidFields& solids, const FaceField<double>& velocity,
                           std::int64_t step, GlobalIndex next_id, GlobalIndex surplus, ParticleStore& particles) const;

  /// What correct_positions() did, on all ranks.
  struct Corrections {
    DensityReport density;
    GlobalIndex spread = 0;  ///< particles that the distribution correction moved
  };
  bool corrects_positions() const { return corrects_density() || options_.distribution.enabled; }
  /// Whether the step, counted from 0, corrects the density. What is done before the first step counts as step 0.
  bool corrects_density(std::int64_t step) const { return corrects_density() && step % options_.density.every == 0; }
  /// Move particles to where the liquid has its density ([density]) and where they are spread evenly
  /// ([particles.distribution]). Both corrections are computed from the positions before either of them is applied.
  /// Without a correction of the density at this step, the report of it is empty.
  ///
  /// \param[in,out] flow        u^{n+1} and solids; ghosts are refreshed as needed
  /// \param[in]     surface     of these particles
  /// \param[in]     projection  the one of this step: its matrix is used again
  /// \param[in]     shifts      a further displacement on faces [cells], ghosts valid to width 1; null: none
  Corrections correct_positions(FlowFields& flow, FreeSurface& surface, Projection& projection,
                                const FaceField<double>* shifts, std::int64_t step, ParticleStore& particles);
  /// Farthest that correct_positions() moves a particle. [cells]
  double largest_correction() const {
    return (corrects_density() ? options_.density.max_displacement : options_.longest_shift) +
           (options_.distribution.enabled ? largest_spread : 0.0);
  }

  /// After the motion: put particles that stay inside solids into the liquid. ParticleGrid::redistribute() comes next
  /// if any were repositioned.
  ///
  /// \param[in,out] flow  u^{n+1}, whose ghosts are refreshed, and solids, which move to `time` [s]
  StuckReport free_stuck(FlowFields& flow, double time, std::int64_t step, ParticleStore& particles) const;

 private:
  bool corrects_density() const { return options_.density.correction != DensityMethod::off; }

  const Communicator& comm_;
  Options options_;
  DensityCorrection density_correction_;
  DistributionCorrection distribution_correction_;
};

}  // namespace freshet
