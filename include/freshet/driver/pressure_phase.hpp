// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/core/timers.hpp"
#include "freshet/driver/flow_fields.hpp"
#include "freshet/driver/time_splitting.hpp"
#include "freshet/free_surface/free_surface.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/pressure/projection.hpp"

#include <string>

namespace freshet {

/// What the projections of one trial of a step share.
struct ProjectionTrial {
  FlowFields& flow;
  FreeSurface& surface;
  const CellField<double>* inflow;  ///< flow of sources and sinks, from Scene::inflow(); null where nothing flows
  const TimeSplitting& splitting;
  double dt;  ///< length of the step [s]
};

/// u^{n+1} = u* - dt/rho grad p: the projection in physical units, with a trial's own start and surface.
class PressurePhase {
 public:
  PressurePhase(const Communicator& comm, const Parameters& parameters, Timers& timers);

  /// Project flow.velocity; flow.pressure is the start, and the pressure on return [Pa].
  /// \param[in,out] report  changes if the projection succeeds
  /// \return why it failed; empty if it did not. Parallel: collective
  std::string operator()(const ProjectionTrial& trial, ProjectionReport& report);
  /// p~ / p = dt / (rho dx) of a trial [m/s / Pa]
  double to_scaled(const ProjectionTrial& trial) const;
  Projection& projection() { return projection_; }
  const Projection& projection() const { return projection_; }

 private:
  Timers& timers_;
  double density_;  ///< [kg/m^3]
  bool warm_start_;
  Projection projection_;
};

}  // namespace freshet
