// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/gauges/gauge_parameters.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/io/text_files.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/viscosity/viscous_step.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace freshet {

/// What all gauges of a run know from its start.
struct GaugeSetup {
  Domain domain;
  int per_cell = 8;             ///< particles of a full cell
  double particle_mass = 0.0;   ///< [kg]
  Vec3 gravity = Vec3::Zero();  ///< [m/s^2]
};

/// The grid in the middle of a step from t^n to t^{n+1}, after the projection and before particles move.
struct GaugeFlow {
  const FaceField<double>& velocity;               ///< u^{n+1}, ghosts valid to width 1 [m/s]
  const CellField<double>& pressure;               ///< of this step's projection, ghosts valid to width 1 [Pa]
  const LabelField& labels;                        ///< of x^n, ghosts valid to width 1
  const CellField<std::uint8_t>& inner_cells;      ///< of x^n, owned; see find_inner_cells()
  const SolidFields& solids;                       ///< at t^n
  const ParticleStore& particles;                  ///< x^n, in the sorted state of the labels' layout
  std::span<const HeldForce> viscous_forces = {};  ///< of this step on what solids hold, if the liquid is viscous
  const CellField<float>* surface_distance =
      nullptr;               ///< phi at t^n [cells], ghosts valid to width 1; see SurfaceDistance
  bool has_tension = false;  ///< the pressure at the surface is not 0
  double dt = 0.0;           ///< t^{n+1} - t^n [s]; 0 before the first step
  const CellField<double>* viscous_pressure = nullptr;  ///< the part of `pressure` that viscosity gives rise to, ghosts
                                                        ///< valid to width 1 [Pa]; null: it is not known apart
};

/// The liquid at the end of a step.
struct GaugeLiquid {
  const BlockLayout& layout;
  const ParticleStore& particles;  ///< x^{n+1} and u^{n+1}, in the sorted state of the layout
  const std::vector<SolidBody>& bodies;
  double time = 0.0;  ///< t^{n+1} [s]
};

/// An instrument that gives one row of numbers for a step.
///
/// Each rank measures what it owns and hands partial sums to the step's last reduction. Sums are counts or exact sums,
/// so that any number of ranks and threads gives the same digits. Nothing here is collective.
class Gauge {
 public:
  virtual ~Gauge() = default;
  /// Forget the last measurement, and measure the fields. Local
  virtual void measure_flow(const GaugeFlow& flow) = 0;
  /// Forget the last measurement, and measure the particles. \pre measure_flow() of the same step. Local
  virtual void measure_liquid(const GaugeLiquid& liquid) = 0;
  /// Hand over what this rank has measured; the numbers stay where they are until the reduction.
  virtual void add_to(Reduction& reduction) = 0;
  /// One number a column. \pre the numbers of add_to() have been reduced
  virtual std::vector<double> values() const = 0;
};

/// A type of gauge: its name in case files, what it measures, and the columns of its file.
struct GaugeTypeRecord {
  GaugeType type;
  const char* name;
  const char* text;
  std::vector<CsvColumn> columns;
  std::unique_ptr<Gauge> (*make)(const GaugeParameters& parameters, const GaugeSetup& setup);
};
/// All types, in the order of GaugeType.
const std::vector<GaugeTypeRecord>& gauge_types();
const GaugeTypeRecord& gauge_type(GaugeType type);

/// True if a gauge gives a row for the step from time `before` to time `after`. [s]
///
/// With an interval it is the first step that ends at or after a multiple of the interval: gauges take the steps as
/// they are and never change dt.
bool gauge_is_due(const GaugeParameters& gauge, std::int64_t step, double before, double after);

/// The columns of a gauge's file: the step, the time, and those of the type.
std::vector<CsvColumn> gauge_columns(const GaugeParameters& gauge);

/// The gauges of a run. Every rank calls the functions below in this order; none of them is collective.
class Gauges {
 public:
  Gauges() = default;
  Gauges(const std::vector<GaugeParameters>& parameters, const GaugeSetup& setup);

  /// Before the first step: all gauges give a row.
  void begin_run();
  /// Choose the gauges that give a row for the step from `before` to `after`. [s]
  void begin_step(std::int64_t step, double before, double after);
  void measure_flow(const GaugeFlow& flow);
  void measure_liquid(const GaugeLiquid& liquid);
  void add_to(Reduction& reduction);

  /// Whether some gauge reads GaugeFlow::viscous_forces.
  bool need_viscous_forces() const;
  std::size_t size() const { return entries_.size(); }
  const std::string& name(std::size_t i) const { return entries_[i].parameters.name; }
  bool has_row(std::size_t i) const { return entries_[i].is_due; }
  /// \pre has_row(i), and the reduction has been done
  std::vector<double> values(std::size_t i) const { return entries_[i].gauge->values(); }
  /// The row of gauge i for the step that came to its end last, also while the next one is taken; empty if it gave
  /// none. \param[in] step  number of that step
  std::vector<double> row_of(std::size_t i, std::int64_t step) const;

 private:
  struct Entry {
    GaugeParameters parameters;
    std::unique_ptr<Gauge> gauge;
    bool is_due = false;
    std::vector<double> before;  ///< its row of the step before the present one; empty: none
  };
  std::vector<Entry> entries_;
  std::int64_t step_ = 0;  ///< that begin_step() was called for last
};

}  // namespace freshet
