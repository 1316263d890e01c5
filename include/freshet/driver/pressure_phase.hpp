// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/trapped_air.hpp"
#include "freshet/bodies/contact.hpp"
#include "freshet/bodies/contact_impulses.hpp"
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/config/parameters.hpp"
#include "freshet/core/timers.hpp"
#include "freshet/driver/flow_fields.hpp"
#include "freshet/driver/time_splitting.hpp"
#include "freshet/free_surface/free_surface.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/pressure/projection.hpp"

#include <string>
#include <vector>

namespace freshet {

/// Input that the projections of one trial of a step share.
struct ProjectionTrial {
  FlowFields& flow;
  FreeSurface& surface;
  const CellField<double>* inflow;  ///< result of Scene::inflow() [m/s]; null: no inflow
  const TimeSplitting& splitting;
  double dt;  ///< length of the step [s]
  /// Time in which the fastest of liquid and bodies crosses a cell as the step begins; read where bodies touch. [s]
  double crossing_time;
  TrappedAir& air;
};

/// u^{n+1} = u* - dt/rho grad p: the projection of one trial in physical units.
///
/// Where bodies touch, impulses change V* after the projection, and the projection is repeated from u*, so that their
/// pressure and the liquid's agree: contact - solve - contact, until the impulses change no velocity by more than a
/// thousandth of a cell in the step, four times at most. The last impulses act on the bodies alone.
class PressurePhase {
 public:
  /// \param[in] bodies    bodies that the pressure moves; must outlive the phase
  /// \param[in] surfaces  of the solids of the case, for contact; none: bodies pass through each other
  PressurePhase(const Communicator& comm, const Parameters& parameters, Timers& timers, FreeBodies& bodies,
                std::vector<ContactSurface> surfaces);

  /// Project flow.velocity and set the bodies' velocities; flow.pressure is the initial guess on entry and the solution
  /// on return [Pa].
  /// \param[in,out] report  set if the projection succeeds
  /// \return why it failed; empty if it did not. Parallel: collective
  std::string operator()(const ProjectionTrial& trial, ProjectionReport& report);
  /// p~ / p = dt / (rho dx) of a trial [m/s / Pa]
  double to_scaled(const ProjectionTrial& trial) const;
  FreeBodies& bodies() { return bodies_; }
  /// Number of places where bodies pushed each other, walls or solids in the last projection.
  GlobalIndex contacts() const { return contacts_; }
  Projection& projection() { return projection_; }
  const Projection& projection() const { return projection_; }

 private:
  ProjectionReport project(const ProjectionTrial& trial, Bubbles* bubbles);
  void touch(const ProjectionTrial& trial, Bubbles* bubbles, ProjectionReport& report);

  Timers& timers_;
  FreeBodies& bodies_;
  ContactSearch search_;
  ContactImpulses impulses_;
  FaceField<double> unprojected_;  ///< u*, if bodies may touch [m/s]
  GlobalIndex contacts_ = 0;
  double density_;  ///< [kg/m^3]
  bool warm_start_;
  double farthest_;  ///< largest way along an axis with which a step is accepted [cells]
  Projection projection_;
};

}  // namespace freshet
