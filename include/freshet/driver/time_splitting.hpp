// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/driver/body_forces.hpp"
#include "freshet/driver/flow_fields.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/driver/velocity_extension.hpp"

#include <span>
#include <vector>

namespace freshet {

/// Splits a step in time as time.splitting says: the time levels of positions, velocities and pressure, and the
/// interval over which forces and pressure act. See Simulation::advance() for the three schemes.
///
/// Checkpoints keep its two numbers, RunNumbers::velocity_lead and foreseen. With splitting reflection they also keep
/// predicted_change(), which the first step of a pair leaves for the second one.
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
  /// Length of the step for which the velocity was predicted [s]; 0: none.
  double foreseen_step() const { return numbers_.foreseen; }
  /// Keep the pressure by which the change was predicted, for foreseen_pressure() in the next step. Parallel: local
  void keep_pressure(const CellField<double>& pressure);
  /// The kept pressure between the steps of a pair, owned cells [Pa]; null: none.
  const CellField<double>* foreseen_pressure() const {
    return numbers_.foreseen > 0.0 && pressure_.is_bound() ? &pressure_ : nullptr;
  }
  /// Set the velocities' lead after a restart from a checkpoint that lacks it.
  void restore_lead();

  /// u* = u^n + dt a. The second step of a pair first subtracts the predicted change from u^n.
  /// \param[in] labels  ghosts valid to the forces' reach; so are those of flow.velocity_old
  /// \return the energy that the forces report [J]. Parallel: as BodyForces::act()
  double apply_forces(const BodyForces& forces, const LabelField& labels, double time, double dt, FlowFields& flow);
  /// Whether the present step is the first one of a pair.
  bool foresees() const { return place() == PlaceInPair::first; }
  /// After a projection in the first step of a pair, predict the velocity in the middle of the second.
  /// Parallel: collective
  void foresee(const BodyForces& forces, const LabelField& labels, double time, double dt, FlowFields& flow);
  /// Extrapolate the result of foresee() into `layers` of air, if there is one.
  /// Parallel: collective; OpenMP
  void extend_foresight(int layers, VelocityExtension& extension, FreeSurface& surface, const SolidFields& solids);
  /// Add u^{n+1} to the result of foresee() and extrapolate the sum into solids; the predicted change becomes what the
  /// sum differs by from u^{n+1} then.
  /// \pre called once in a step, after extend_foresight(). Parallel: collective; OpenMP
  void finish_foresight(VelocityExtension& extension, const Projection& projection, const FlowFields& flow);
  /// The velocity that particles take: u^{n+1}, or the predicted one. \pre finish_foresight()
  FaceField<double>& held(FlowFields& flow) { return place() == PlaceInPair::first ? predicted_ : flow.velocity; }
  /// End the step: update the velocities' lead. Parallel: local
  void end_step(double dt);

  /// Move what the second step of a pair needs to another layout. Parallel: collective; OpenMP
  void carry_to(const BlockLayout& next);
  /// The change of velocity that particles got in advance, owned faces [m/s]; null between pairs.
  const FaceField<double>* predicted_change() const { return numbers_.foreseen > 0.0 ? &change_ : nullptr; }
  /// Take predicted_change() from a checkpoint, if RunNumbers::foreseen says that there is one.
  /// \param[in] change  by axis, owned faces in the order of `layout` [m/s]. Parallel: local. Errors: FileError
  void restore_change(std::span<const std::vector<double>> change, const BlockLayout& layout);

 private:
  /// Place of the present step in a pair, with splitting reflection.
  enum class PlaceInPair { none, first, second };
  PlaceInPair place() const;
  double lead_after(double dt) const;
  double lead_at_start() const { return numbers_.velocity_lead - numbers_.foreseen; }

  Splitting splitting_;
  bool is_prescribed_;
  RunNumbers& numbers_;
  FaceField<double> predicted_;  ///< u* of a pair's first step; after finish_foresight() u^{n+1} plus change_ [m/s]
  FaceField<double> change_;     ///< predicted change of velocity [m/s]
  CellField<double> pressure_;   ///< pressure that keep_pressure() got [Pa]
  CellField<double> buffer_;     ///< memory for carry_to()
};

}  // namespace freshet
