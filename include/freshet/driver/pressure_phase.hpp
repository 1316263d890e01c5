// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/trapped_air.hpp"
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/config/parameters.hpp"
#include "freshet/core/timers.hpp"
#include "freshet/driver/flow_fields.hpp"
#include "freshet/driver/time_splitting.hpp"
#include "freshet/free_surface/free_surface.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/pressure/projection.hpp"

#include <string>

namespace freshet {

/// Input that the projections of one trial of a step share.
struct ProjectionTrial {
  FlowFields& flow;
  FreeSurface& surface;
  const CellField<double>* inflow;  ///< result of Scene::inflow() [m/s]; null: no inflow
  const TimeSplitting& splitting;
  double dt;  ///< length of the step [s]
  TrappedAir& air;
};

/// u^{n+1} = u* - dt/rho grad p: the projection of one trial in physical units.
class PressurePhase {
 public:
  /// \param[in] bodies  bodies that the pressure moves; must outlive the phase
  PressurePhase(const Communicator& comm, const Parameters& parameters, Timers& timers, FreeBodies& bodies);

  /// Project flow.velocity and set the bodies' velocities; flow.pressure is the initial guess on entry and the solution
  /// on return [Pa].
  /// \param[in,out] report  set if the projection succeeds
  /// \return why it failed; empty if it did not. Parallel: collective
  std::string operator()(const ProjectionTrial& trial, ProjectionReport& report);
  /// p~ / p = dt / (rho dx) of a trial [m/s / Pa]
  double to_scaled(const ProjectionTrial& trial) const;
  bool moves_bodies() const { return !bodies_.empty(); }
  Projection& projection() { return projection_; }
  const Projection& projection() const { return projection_; }

 private:
  Timers& timers_;
  FreeBodies& bodies_;
  double density_;  ///< [kg/m^3]
  bool warm_start_;
  Projection projection_;
};

}  // namespace freshet
