// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/driver/body_forces.hpp"
#include "freshet/driver/flow_fields.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/driver/velocity_extension.hpp"

namespace freshet {

/// Of which times a step's positions, velocities and pressure are, and for which part of time forces and pressure act:
/// time.splitting. See Simulation::advance() for the three schemes.
///
/// Two numbers of the run belong to it, which checkpoints keep: RunNumbers::velocity_lead and foreseen. With splitting
/// reflection it has fields, too: what the first step of a pair leaves for the second one.
class TimeSplitting {
 public:
  /// \param[in] is_prescribed  the velocity is a given one, of the middle of each step
  /// \param[in,out] numbers    of the run; must outlive this
  TimeSplitting(Splitting splitting, bool is_prescribed, RunNumbers& numbers)
      : splitting_(splitting), is_prescribed_(is_prescribed), numbers_(numbers) {}

  /// The part of time that forces and pressure of a step of dt act for [s]: dt, or with splitting strang and reflection
  /// the half of it and of the step before. Then velocities are those of the middle between two positions.
  double acting_time(double dt) const;
  enum class Holder { particles, grid };
  /// By how much the velocities, and so the energies, are of a later time than the positions [s]; below 0 if they are
  /// of an earlier one.
  double velocity_lead(Holder holder) const;
  /// The same for the pressure: with splitting strang and reflection it is that of the last step's start. [s]
  double pressure_lead() const;
  /// The part of a pressure given by begin_pressure() that has acted on the velocity already, over acting_time().
  double acted_part(double dt) const { return numbers_.foreseen / acting_time(dt); }
  /// For how many steps the surface tension of a step acts.
  double steps_of_tension() const { return splitting_ == Splitting::reflection ? 2.0 : 1.0; }
  /// The step that the velocity was foreseen for [s]; 0: none.
  double foreseen_step() const { return numbers_.foreseen; }
  /// Take the lead of a checkpoint that does not know it.
  void restore_lead();

  /// A step begins, whose number the run's numbers have. \param[in] pressure  of the step before. Parallel: local
  void begin_step(const CellField<double>& pressure);
  /// u* = u^n + dt a. \param[in] labels  ghosts valid to the forces' reach, as those of flow.velocity_old
  /// \return the energy that the forces report [J]. Parallel: as BodyForces::act()
  double apply_forces(const BodyForces& forces, const LabelField& labels, double time, double dt, FlowFields& flow);
  /// The pressure that a projection begins with: in the second step of a pair that of the first one. Parallel: local
  /// \return whether it has acted on the velocity already
  bool begin_pressure(CellField<double>& pressure) const;
  /// Whether the present step is the first one of a pair.
  bool foresees() const { return place() == PlaceInPair::first; }
  /// After a projection, in the first step of a pair: foresee what the velocity will be in the middle of the second.
  /// \return the energy that the forces report [J]. Parallel: collective
  double foresee(const BodyForces& forces, const LabelField& labels, double time, double dt, FlowFields& flow);
  /// Continue what foresee() has found into `layers` of air and into solids; without foresight nothing happens.
  /// Parallel: collective; OpenMP
  void extend_foresight(int layers, VelocityExtension& extension, FreeSurface& surface, const SolidFields& solids);
  /// Add u^{n+1} to it. \pre once in a step, after extend_foresight(). Parallel: collective; OpenMP
  void finish_foresight(VelocityExtension& extension, const Projection& projection, const FlowFields& flow);
  /// What particles take and keep up to the next step: u^{n+1}, or what is foreseen. \pre finish_foresight()
  FaceField<double>& held(FlowFields& flow) { return place() == PlaceInPair::first ? foresight_ : flow.velocity; }
  /// The step is at its end. Parallel: local
  void end_step(double dt);

 private:
  /// Of the present step, with splitting reflection.
  enum class PlaceInPair { none, first, second };
  PlaceInPair place() const;
  double lead_after(double dt) const;
  double mend_foresight(const BodyForces& forces, const LabelField& labels, double time, double dt, FlowFields& flow);

  Splitting splitting_;
  bool is_prescribed_;
  RunNumbers& numbers_;
  FaceField<double> before_projection_;  ///< in the first step of a pair [m/s]
  FaceField<double> foresight_;          ///< change of velocity that is foreseen, then with u^{n+1} [m/s]
  CellField<double> first_pressure_;     ///< pressure of the first step of a pair, for the second [Pa]
};

}  // namespace freshet
