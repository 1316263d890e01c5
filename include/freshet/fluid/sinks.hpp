// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/schedule.hpp"
#include "freshet/fluid/source_parameters.hpp"
#include "freshet/geometry/shape_maker.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace freshet {

/// The regions of a case that absorb liquid.
///
/// A sink takes every particle inside its shape. One with a rate draws liquid in instead: its liquid cells lose that
/// volume per time, and as many particles go as stand for it, those first (by id, the latest) that crowd a cell most.
/// So it takes its volume to a particle, whatever the steps are, as long as there is so much in its cells.
class Sinks {
 public:
  Sinks(const Domain& domain, int per_axis, const std::vector<SinkParameters>& sinks, ShapeMaker& make_shape);

  bool empty() const { return sinks_.empty(); }
  /// True if a sink with a rate is on in [t, t + dt].
  bool draws(double t, double dt) const;

  /// Add what cells lose in [t, t + dt] to the volume per time and cell face that they give. [m/s]
  /// Parallel: collective if draws(t, dt), else local. Writes owned cells
  void prescribe(const LabelField& labels, double t, double dt, CellField<double>& inflow) const;

  /// One value a particle: 1 if a sink that is on in [t, t + dt] takes it; empty if none is on.
  /// \pre sorted state of `layout`. Parallel: collective if draws(t, dt), else local; OpenMP; the same particles on any
  /// number of ranks
  std::vector<std::uint8_t> absorbed(const BlockLayout& layout, const ParticleStore& particles, double t,
                                     double dt) const;

 private:
  struct Sink {
    double rate;  ///< [m^3/s]; 0: takes all
    std::shared_ptr<const Shape> shape;
    Schedule schedule;
  };
  bool is_on(const Sink& sink, double t, double dt) const {
    return sink.schedule.time_on(t + dt) > sink.schedule.time_on(t);
  }
  void take_inside(const Sink& sink, const BlockLayout& layout, LocalIndex block, const ParticleStore& particles,
                   std::vector<std::uint8_t>& taken) const;
  /// A particle that a sink with a rate may take; those with the smallest keys go first.
  struct Candidate {
    ParticleIndex particle;
    std::uint64_t key;
  };
  void find_candidates(const Sink& sink, const BlockLayout& layout, LocalIndex block, const ParticleStore& particles,
                       std::vector<Candidate>& candidates) const;
  void take_rate(const Sink& sink, const BlockLayout& layout, const ParticleStore& particles, double t, double dt,
                 std::vector<std::uint8_t>& taken) const;
  /// Particles that a sink with a rate has taken until a time.
  GlobalIndex due(const Sink& sink, double time) const;

  const Domain& domain_;
  std::vector<Sink> sinks_;
  double particle_volume_;  ///< [m^3]
};

}  // namespace freshet
