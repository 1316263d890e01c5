// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/driver/body_forces.hpp"
#include "freshet/driver/flow_fields.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/driver/velocity_extension.hpp"

namespace freshet {

/// Splits a step in time as time.splitting says: the time levels of positions, velocities and pressure, and the
/// interval over which forces and pressure act. See Simulation::advance() for the three schemes.
///
/// Checkpoints keep its two numbers, RunNumbers::velocity_lead and foreseen. With splitting reflection it also holds
/// fields that the first step of a pair leaves for the second one.
class TimeSplitting {
 public:
  /// \param[in] splitting      any but automatic, in whose place parse_parameters() has chosen another
  /// \param[in] is_prescribed  the velocity is prescribed, at the middle of each step
  /// \param[in,out] numbers    numbers of the run; must outlive this
  TimeSplitting(Splitting splitting, bool is_prescribed, RunNumbers& numbers)
      : splitting_(splitting), is_prescribed_(is_prescribed), numbers_(numbers) {
    FRESHET_EXPECT(splitting != Splitting::automatic);
  }

  /// Length of the interval over which forces and pressure of a step of dt act [s]: dt, or with splitting strang and
  /// reflection half of dt and half of the step before. Velocities then belong to the middle between two positions.
  double acting_time(double dt) const;
  enum class Holder { particles, grid };
  /// Time of the velocities, and so of the energies, less the time of the positions. [s]
  double velocity_lead(Holder holder) const;
  /// Time of the velocities at the end of a step of dt, from the start of the step. [s]
  double velocity_lag(double dt) const { return dt + lead_after(dt); }
  /// Time of the pressure less the time of the positions: -dt with splitting strang and reflection. [s]
  double pressure_lead() const;
  /// Share of the pressure of begin_pressure() that has acted on the velocity already. [1]
  double acted_part(double dt) const { return numbers_.foreseen / acting_time(dt); }
  /// Number of steps over which the surface tension of one step acts.
  double steps_of_tension() const { return splitting_ == Splitting::reflection ? 2.0 : 1.0; }
  /// Length of the step for which the velocity was predicted [s]; 0: none.
  double foreseen_step() const { return numbers_.foreseen; }
  /// Set the velocities' lead after a restart from a checkpoint that lacks it.
  void restore_lead();

  /// Begin step RunNumbers::step. \param[in] pressure  pressure of the step before. Parallel: local
  void begin_step(const CellField<double>& pressure);
  /// u* = u^n + dt a. \param[in] labels  ghosts valid to the forces' reach; so are those of flow.velocity_old
  /// \return the energy that the forces report [J]. Parallel: as BodyForces::act()
  double apply_forces(const BodyForces& forces, const LabelField& labels, double time, double dt, FlowFields& flow);
  /// Set the pressure that a projection begins with: in the second step of a pair the first one's. Parallel: local
  /// \return whether that pressure has acted on the velocity already
  bool begin_pressure(CellField<double>& pressure) const;
  /// Whether the present step is the first one of a pair.
  bool foresees() const { return place() == PlaceInPair::first; }
  /// After a projection in the first step of a pair, predict the velocity in the middle of the second.
  /// \return the energy that the forces report [J]. Parallel: collective
  double foresee(const BodyForces& forces, const LabelField& labels, double time, double dt, FlowFields& flow);
  /// Extrapolate the result of foresee() into `layers` of air, if there is one.
  /// Parallel: collective; OpenMP
  void extend_foresight(int layers, VelocityExtension& extension, FreeSurface& surface, const SolidFields& solids);
  /// Add u^{n+1} to the result of foresee() and extrapolate the sum into solids.
  /// \pre called once in a step, after extend_foresight(). Parallel: collective; OpenMP
  void finish_foresight(VelocityExtension& extension, const Projection& projection, const FlowFields& flow);
  /// The velocity that particles take: u^{n+1}, or the predicted one. \pre finish_foresight()
  FaceField<double>& held(FlowFields& flow) { return place() == PlaceInPair::first ? foresight_ : flow.velocity; }
  /// End the step: update the velocities' lead. Parallel: local
  void end_step(double dt);

 private:
  /// Place of the present step in a pair, with splitting reflection.
  enum class PlaceInPair { none, first, second };
  PlaceInPair place() const;
  double lead_after(double dt) const;
  double mend_foresight(const BodyForces& forces, const LabelField& labels, double time, double dt, FlowFields& flow);

  Splitting splitting_;
  bool is_prescribed_;
  RunNumbers& numbers_;
  FaceField<double> before_projection_;  ///< u* of a pair's first step; foresee() makes it u' - u* [m/s]
  FaceField<double> foresight_;          ///< predicted change of velocity; finish_foresight() adds u^{n+1} [m/s]
  CellField<double> first_pressure_;     ///< pressure of a pair's first step, for the second [Pa]
};

}  // namespace freshet
