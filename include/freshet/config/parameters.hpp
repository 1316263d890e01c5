// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/air_options.hpp"
#include "freshet/bodies/joint_parameters.hpp"
#include "freshet/bodies/mooring_parameters.hpp"
#include "freshet/fluid/motion_options.hpp"
#include "freshet/fluid/particle_care_options.hpp"
#include "freshet/forces/fluid_options.hpp"
#include "freshet/forces/force_options.hpp"
#include "freshet/formats/surface_output_options.hpp"
#include "freshet/free_surface/label_options.hpp"
#include "freshet/gauges/gauge_parameters.hpp"
#include "freshet/geometry/motion_parameters.hpp"
#include "freshet/geometry/sampled_shape.hpp"
#include "freshet/grid/domain_options.hpp"
#include "freshet/io/output_options.hpp"
#include "freshet/particles/attribute_parameters.hpp"
#include "freshet/particles/seeding_options.hpp"
#include "freshet/pressure/pressure_options.hpp"
#include "freshet/solids/solid_parameters.hpp"
#include "freshet/sources/source_parameters.hpp"
#include "freshet/transfer/transfer_options.hpp"
#include "freshet/turbulence/turbulence_options.hpp"
#include "freshet/viscosity/viscosity_options.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The values of a case file, checked and resolved. SI units throughout.
namespace freshet {

/// How a step is split into acceleration and motion; see Simulation::advance(). automatic: the program chooses, when it
/// has read the case.
enum class Splitting { first_order, strang, reflection, automatic };

struct Parameters {
  std::string title;
  std::string reference;
  std::string source_file;       ///< the case file's path as given
  std::uint64_t input_hash = 0;  ///< FNV-1a of the resolved text

  struct Run {
    double end_time = 1.0;       ///< simulated time at the end [s]
    std::int64_t max_steps = 0;  ///< largest number of steps; 0: no limit
    double max_wall_time = 0.0;  ///< largest wall-clock time [s]; 0: no limit
    bool reproducible = false;
    std::int64_t seed = 0;
  } run;
  DomainOptions domain;
  FluidOptions fluid;
  ForceOptions forces;
  MotionParameters frame;  ///< motion of the tank and of the grid with it
  std::vector<LiquidParameters> liquids;
  std::vector<SolidParameters> solids;
  std::vector<JointParameters> joints;
  std::vector<MooringParameters> moorings;
  std::vector<SourceParameters> sources;
  std::vector<SinkParameters> sinks;
  std::vector<AttributeParameters> attributes;
  std::vector<GaugeParameters> gauges;
  struct Particles : SamplingOptions {
    NarrowBandOptions narrow_band;
    ReseedingOptions reseeding;
    DistributionOptions distribution;
  } particles;
  LabelOptions labels;
  TransferOptions transfer;
  ExtrapolationOptions extrapolation;
  struct Time {
    Splitting splitting = Splitting::automatic;
    bool splitting_is_chosen = false;  ///< whether the case leaves the splitting to the program
    double cfl = 1.0;
    double capillary = 1.0;     ///< longest step over capillary_step()
    double max_dt = 0.0;        ///< longest step [s]; 0: no limit
    double min_dt = 1e-9;       ///< shortest step [s]; a shorter one stops the run
    double runaway_cfl = 25.0;  ///< largest displacement in a step [cells]; a step with a larger one is not taken
    int max_retries = 4;        ///< largest number of retries of one step, each with a smaller dt
  } time;
  MotionOptions motion;
  PressureOptions pressure;
  AirOptions air;
  ViscosityOptions viscosity;
  TurbulenceOptions turbulence;
  DensityOptions density;
  BalanceOptions balance;
  OutputOptions output;
  SurfaceOutputOptions surface;
  CheckpointOptions checkpoint;
};

/// The share of FLIP that a liquid or a source gives its particles, if it does.
inline std::optional<double> own_flip_fraction(const CarriedValues& liquid) {
  return liquid.viscosity_coefficient ? 1.0 - *liquid.viscosity_coefficient : liquid.flip_fraction;
}
inline double flip_fraction_of(const LiquidParameters& liquid, const TransferOptions& transfer) {
  return own_flip_fraction(liquid).value_or(transfer.flip_fraction);
}

/// The lattice on which shapes from files are sampled: the corners of the grid's cells.
inline SampleLattice shape_lattice(const DomainOptions& domain) {
  return {domain.origin, domain.cell_size, domain.dimension};
}
inline SeedingOptions seeding_options(const Parameters& p) {
  return {p.particles, static_cast<std::uint64_t>(p.run.seed), p.balance};
}
inline SourceOptions source_options(const Parameters& p) {
  return {p.particles.per_axis, static_cast<std::uint64_t>(p.run.seed), p.fluid.density};
}
/// The largest viscosity of liquids and sources, or that of the case without any. [Pa s]
double largest_viscosity(const Parameters& parameters);
/// Whether any wall has a wall law.
bool has_wall_law(const Parameters& parameters);
/// Whether any liquid or source gives its particles a colour.
inline bool has_color(const Parameters& parameters) {
  const auto is_colored = [](const auto& element) { return !element.color.empty(); };
  return std::ranges::any_of(parameters.liquids, is_colored) || std::ranges::any_of(parameters.sources, is_colored);
}

}  // namespace freshet
