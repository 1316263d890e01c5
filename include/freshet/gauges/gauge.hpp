// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/free_surface/surface_place.hpp"
#include "freshet/gauges/gauge_parameters.hpp"
#include "freshet/grid/domain_options.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/io/checkpoint.hpp"
#include "freshet/io/text_files.hpp"
#include "freshet/keys/declare.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/viscosity/viscous_step.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace freshet {

class TrappedAir;

/// Values of a run that all gauges know from the start.
struct GaugeSetup {
  Domain domain;
  int per_cell = 8;             ///< number of particles in a full cell
  double particle_mass = 0.0;   ///< mass of a particle [kg]
  Vec3 gravity = Vec3::Zero();  ///< acceleration [m/s^2]
};

/// The grid in the middle of a step from t^n to t^{n+1}, after the projection and before particles move.
struct GaugeFlow {
  const FaceField<double>& velocity;               ///< u^{n+1}, ghosts valid to width 1 [m/s]
  const CellField<double>& pressure;               ///< pressure of this step's projection, ghosts valid to width 1 [Pa]
  const LabelField& labels;                        ///< labels of cells at x^n, ghosts valid to width 1
  const CellField<std::uint8_t>& inner_cells;      ///< marks of owned cells at x^n; see find_inner_cells()
  const SolidFields& solids;                       ///< solids at t^n
  const ParticleStore& particles;                  ///< particles at x^n, sorted by the labels' layout
  std::span<const HeldForce> viscous_forces = {};  ///< this step's viscous forces on solids, if the liquid is viscous
  SurfacePlace surface = {};                       ///< the surface at t^n
  bool has_tension = false;                        ///< the pressure at the surface is not 0
  double dt = 0.0;                                 ///< t^{n+1} - t^n [s]; 0 before the first step
  const CellField<double>* viscous_pressure = nullptr;  ///< part of `pressure` that viscosity gives rise to, ghosts
                                                        ///< valid to width 1 [Pa]; null: unknown
  const CellField<float>* wall_stress = nullptr;  ///< stress of the wall law, owned cells; null: there is none [Pa]
  const CellField<float>* y_plus = nullptr;       ///< distance of the first velocity from such a wall; as wall_stress
  const CellField<float>* wall_part = nullptr;    ///< weights of both, WallLaw::part(); as wall_stress
  const TrappedAir* air = nullptr;                ///< bubbles at the end of the step; null: not followed
  /// Not 0 in owned cells that are full whatever particles they hold; null: there are none.
  const CellField<std::uint8_t>* below_core = nullptr;
};

/// The liquid at the end of a step.
struct GaugeLiquid {
  const BlockLayout& layout;
  const ParticleStore& particles;  ///< x^{n+1} and u^{n+1}, sorted by the layout
  const std::vector<SolidBody>& bodies;
  double time = 0.0;                                    ///< t^{n+1} [s]
  const CellField<std::uint8_t>* below_core = nullptr;  ///< as in GaugeFlow
  const FaceField<double>* velocity = nullptr;  ///< u^{n+1}, if there is below_core; ghosts valid to width 1 [m/s]
};

/// An instrument that gives one row of numbers for a step.
///
/// Each rank measures its own part and hands partial sums to the step's last reduction. Sums are counts or exact sums,
/// so that any number of ranks and threads gives the same digits. No member is collective.
class Gauge {
 public:
  virtual ~Gauge() = default;
  /// Reset the last measurement, and measure the fields. Local
  virtual void measure_flow(const GaugeFlow& flow) = 0;
  /// Reset the last measurement, and measure the particles. \pre measure_flow() of the same step. Local
  virtual void measure_liquid(const GaugeLiquid& liquid) = 0;
  /// Give this rank's numbers to a reduction; they must stay in place until it is done.
  virtual void add_to(Reduction& reduction) = 0;
  /// One number for each column. \pre the numbers of add_to() have been reduced
  virtual std::vector<double> values() const = 0;
  /// Describe quantity and place of the gauge, and how much of the place is wet. \pre as for values()
  virtual std::string describe(const SolidFields& solids) const = 0;
};

/// What checks of a gauge's keys read of a case.
struct GaugeScene {
  const DomainOptions& domain;
  std::size_t n_solids;
};

/// What a type of gauge reads that not every case has; particles_of_voxels: particles, where there is no level set.
enum class GaugeNeeds { nothing, particles, particles_of_voxels, viscous_forces, bubbles, wall_law };

/// The place that a type of gauge measures; a warning tells a user if all of it lies in solids.
enum class GaugePlace { any, point, line, lines, rectangle };

/// A type of gauge: its name in case files, a description, its keys, and the columns of its file.
struct GaugeTypeRecord {
  const char* name;
  const char* text;
  std::vector<std::string> keys;  ///< keys of [[gauge]] that the type has beside those of all types
  /// Checks the values of those keys. Errors: InputError
  void (*check)(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table);
  std::vector<CsvColumn> (*columns)(const GaugeParameters& parameters);
  std::unique_ptr<Gauge> (*make)(const GaugeParameters& parameters, const GaugeSetup& setup);
  GaugeNeeds needs = GaugeNeeds::nothing;
  GaugePlace place = GaugePlace::any;
};
/// All types of gauges. A new one is one row in src/gauges/gauges.cpp and one file with its class.
const std::vector<GaugeTypeRecord>& gauge_types();
const GaugeTypeRecord& gauge_type(GaugeType type);
/// \pre some row has this name
GaugeType gauge_type_named(std::string_view name);

/// Check the gauges of a case. Errors: InputError
void check_gauges(const std::vector<GaugeParameters>& gauges, const GaugeScene& scene, const keys::Table& table);

/// Whether a gauge gives a row for the step from time `before` to time `after`. [s]
///
/// With an interval it is the first step that ends at or after a multiple of the interval: gauges never change dt.
bool gauge_is_due(const GaugeParameters& gauge, std::int64_t step, double before, double after);

/// The columns of a gauge's file: step, time, and those of the type; names of means begin with mean_. The names differ
/// even in numpy's genfromtxt, which keeps only letters, digits and underscores.
std::vector<CsvColumn> gauge_columns(const GaugeParameters& gauge);

/// The gauges of a run. Every rank calls the functions below in this order; none of them is collective.
class Gauges {
 public:
  Gauges() = default;
  Gauges(const std::vector<GaugeParameters>& parameters, const GaugeSetup& setup);

  /// Begin before the first step: all gauges measure, and those without means have a row.
  void begin_run();
  /// Choose the gauges that measure in the step from `before` to `after`, and those that give a row for it. [s]
  void begin_step(std::int64_t step, double before, double after);
  void measure_flow(const GaugeFlow& flow);
  void measure_liquid(const GaugeLiquid& liquid);
  void add_to(Reduction& reduction);
  /// Add the step to the means, weighted by its length. \pre the reduction is done
  void end_step();

  /// The sums of means since their last rows, for a checkpoint; the same on all ranks.
  std::vector<NamedNumber> kept() const;
  /// Restore the means of an earlier run. Gauges that it did not have, or that had other columns, begin anew.
  void go_on(std::span<const NamedNumber> kept);

  /// Whether any gauge reads GaugeFlow::viscous_forces.
  bool need_viscous_forces() const;
  std::size_t size() const { return entries_.size(); }
  const std::string& name(std::size_t i) const { return entries_[i].parameters.name; }
  bool has_row(std::size_t i) const { return entries_[i].has_row; }
  /// The row of gauge i. \pre has_row(i), and end_step() of its step
  std::vector<double> values(std::size_t i) const;
  /// Same as Gauge::describe(). \pre the gauge has measured in the last step, or at the start
  std::string describe(std::size_t i, const SolidFields& solids) const { return entries_[i].gauge->describe(solids); }
  /// The row of gauge i for the last finished step, also while the next step is taken; empty if there is none.
  /// \param[in] step  number of that step
  std::vector<double> row_of(std::size_t i, std::int64_t step) const;

 private:
  struct Entry {
    GaugeParameters parameters;
    std::unique_ptr<Gauge> gauge;
    bool measures = false;  ///< whether the gauge measures in this step
    bool has_row = false;
    double time = 0.0;                ///< time since the last row of a mean [s]
    std::vector<double> sums = {};    ///< sums over that time of values times lengths of steps
    std::vector<double> means = {};   ///< means in the last row
    std::vector<double> before = {};  ///< row of the step before the present one; empty: none
  };
  std::vector<Entry> entries_;
  std::int64_t step_ = 0;  ///< number of the last step that began
  double dt_ = 0.0;        ///< length of that step; 0 before the first one [s]
};

}  // namespace freshet
