// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape_maker.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/sources/schedule.hpp"
#include "freshet/sources/source_parameters.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace freshet {

/// The regions of a case that absorb liquid.
///
/// A sink without a rate removes every particle inside its shape. A sink with a rate draws liquid in: its liquid cells
/// lose that volume per time, and as many particles are removed as make up that volume. Particles of the fullest cells
/// are removed first, and of one cell those with the highest ids. As long as its cells hold enough liquid, a sink
/// removes its volume exactly to one particle, for any step length.
class Sinks {
 public:
  Sinks(const Domain& domain, int per_axis, const std::vector<SinkParameters>& sinks, ShapeMaker& make_shape);

  bool empty() const { return sinks_.empty(); }
  /// "sink.0" and its shape, and so on.
  std::vector<std::pair<std::string, std::shared_ptr<const Shape>>> shapes() const;
  /// True if a sink with a rate is on in [t, t + dt].
  bool draws(double t, double dt) const;

  /// Subtract the volume that cells lose in [t, t + dt], per time and area of a cell's face, from `inflow`. [m/s]
  /// Parallel: collective if draws(t, dt), else local. Writes owned cells
  void prescribe(const LabelField& labels, double t, double dt, CellField<double>& inflow) const;

  /// One value a particle: 1 if a sink that is on in [t, t + dt] removes it. Empty if no sink is on.
  /// \pre sorted state of `layout`. Parallel: collective if draws(t, dt), else local; OpenMP; the same particles on any
  /// number of ranks
  std::vector<std::uint8_t> absorbed(const BlockLayout& layout, const ParticleStore& particles, double t,
                                     double dt) const;

 private:
  struct Sink {
    double rate;  ///< [m^3/s]; 0 if the sink removes every particle inside
    std::shared_ptr<const Shape> shape;
    Schedule schedule;
  };
  bool is_on(const Sink& sink, double t, double dt) const {
    return sink.schedule.time_on(t + dt) > sink.schedule.time_on(t);
  }
  void take_inside(const Sink& sink, const BlockLayout& layout, LocalIndex block, const ParticleStore& particles,
                   std::vector<std::uint8_t>& taken) const;
  /// A particle that a sink with a rate may remove. Candidates with the smallest keys are removed first.
  struct Candidate {
    ParticleIndex particle;
    std::uint64_t key;
  };
  void find_candidates(const Sink& sink, const BlockLayout& layout, LocalIndex block, const ParticleStore& particles,
                       std::vector<Candidate>& candidates) const;
  void take_rate(const Sink& sink, const BlockLayout& layout, const ParticleStore& particles, double t, double dt,
                 std::vector<std::uint8_t>& taken) const;
  /// The number of particles that a sink with a rate has removed by a time.
  GlobalIndex n_removed_by(const Sink& sink, double time) const;

  const Domain& domain_;
  std::vector<Sink> sinks_;
  double particle_volume_;  ///< [m^3]
};

}  // namespace freshet
