// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What a case file says, checked and resolved. SI units throughout.
namespace freshet {

enum class FaceCondition { free_slip, no_slip, periodic, open };
enum class ShapeKind {
  box,
  sphere,
  cylinder,
  half_space,
  union_of,
  capsule,
  torus,
  mesh,
  intersection_of,
  difference_of,
  particles
};
enum class SourceMode { inflow, fill };
enum class AttributeKind { integer, real, vector };
enum class Slip { free_slip, no_slip };
enum class TransferMethod { flip, apic };
enum class VortexMethod { confinement, weights };
enum class ExtrapolationMethod { layers, distance };
enum class MotionScheme { rk1, rk2, rk3, rk4 };
enum class MotionInterpolation { linear, smooth };
enum class SolidSurface { automatic, fractions, voxels };  ///< what a solid is to the grid: cut cells or whole ones
enum class MotionField { solve, enright };
enum class Preconditioner { multigrid, mic0, icc, hypre, gamg, jacobi, none };

enum class WallCondition { sticky, separating };        ///< may liquid leave a wall?
enum class WallChoice { inherit, sticky, separating };  ///< inherit: as pressure.walls.condition says
enum class WallMethod { cg, admm, iop, iop_bc, complementarity };
enum class WallClassification { velocity, pressure };
enum class WallStopping { velocity, divergence };
enum class ReseededCells { inner, liquid };
enum class LabelMethod { particles, density };
enum class DensityMethod { off, implicit };

inline WallCondition choose(WallChoice choice, WallCondition inherited) {
  if (choice == WallChoice::inherit) return inherited;
  return choice == WallChoice::sticky ? WallCondition::sticky : WallCondition::separating;
}

/// Where a shape stands: x -> translate + R (scale x - center) + center, R the rotation about `axis` by `angle`.
///
/// In 2-D the scale leaves the middle plane where it is.
struct TransformParameters {
  double scale = 1.0;
  Vec3 axis = Vec3::UnitZ();  ///< of any length
  double angle = 0.0;         ///< [degrees], counter-clockwise seen from the end of the axis
  Vec3 center = Vec3::Zero();
  Vec3 translate = Vec3::Zero();
};

/// One closed shape; which members count depends on `kind`.
struct ShapeParameters {
  ShapeKind kind = ShapeKind::box;
  Vec3 lower = Vec3::Zero();           ///< box [m]
  Vec3 upper = Vec3::Zero();           ///< box [m]
  Vec3 center = Vec3::Zero();          ///< sphere, torus [m]
  double radius = 0.0;                 ///< sphere, cylinder, capsule [m]
  Vec3 start = Vec3::Zero();           ///< cylinder: centre of one cap; capsule: of the sphere there [m]
  Vec3 end = Vec3::Zero();             ///< the same of the other end [m]
  Vec3 point = Vec3::Zero();           ///< half_space: a point of its plane [m]
  Vec3 normal = Vec3::UnitY();         ///< half_space: points out of the shape
  Vec3 axis = Vec3::UnitY();           ///< torus: its axis of symmetry, of any length
  double major_radius = 0.0;           ///< torus: of the circle inside the tube [m]
  double minor_radius = 0.0;           ///< torus: of the tube [m]
  std::string file;                    ///< mesh, particles: path, from the directory of the case file if it is relative
  std::string file_hash;               ///< of the file's bytes, 16 hex digits; empty: not known yet
  std::string where;                   ///< "<case file>:<line>" that names the file, for messages; no key
  std::vector<ShapeParameters> parts;  ///< union_of, intersection_of, difference_of
  TransformParameters transform;
};

struct LiquidParameters {
  ShapeParameters shape;
  Vec3 velocity = Vec3::Zero();  ///< initial [m/s]
  int tag = 0;                   ///< 0 .. 255
  // At most one of the two is given; none: as transfer.flip_fraction says.
  std::optional<double> flip_fraction;
  std::optional<double> viscosity_coefficient;  ///< 1 - flip_fraction
  std::vector<double> color;                    ///< red, green, blue in 0 .. 1; empty: none
};

/// How a rigid body moves: constant velocities, keyframes or a table of them in a file; at rest by default.
struct MotionParameters {
  Vec3 velocity = Vec3::Zero();                ///< [m/s]
  Vec3 angular_velocity = Vec3::Zero();        ///< rotation vector a second [degrees/s]
  Vec3 pivot = Vec3::Zero();                   ///< the point of the body that it turns about [m]
  std::vector<std::vector<double>> keyframes;  ///< time [s], x, y, z [m] and perhaps rotation vector [degrees]
  std::string file;                            ///< table of keyframes; relative to the case file
  std::string file_hash;                       ///< of its bytes, 16 hex digits; empty: not known yet
  std::string where;                           ///< "<case file>:<line>" that names the file, for messages; no key
  MotionInterpolation interpolation = MotionInterpolation::smooth;
  bool moves() const {
    return !keyframes.empty() || !file.empty() || !velocity.isZero(0.0) || !angular_velocity.isZero(0.0);
  }
};

/// When something is on. Nothing given: always.
struct ScheduleParameters {
  double start = 0.0;                            ///< [s]
  double end = 0.0;                              ///< [s]; 0: never
  std::vector<std::array<double, 2>> intervals;  ///< [s] instead of start and end, ascending
};

struct SourceParameters {
  ShapeParameters shape;
  SourceMode mode = SourceMode::inflow;
  double rate = 0.0;              ///< inflow: volume [m^3/s]; 0: not by it
  double pressure = 0.0;          ///< inflow: gauge pressure [Pa]; 0: not by it
  Vec3 direction = Vec3::Zero();  ///< inflow by rate or pressure: where to, of any length
  Vec3 velocity = Vec3::Zero();   ///< inflow by velocity, fill [m/s]
  double jitter = 0.0;            ///< share of a sub-cell
  int tag = 0;                    ///< 0 .. 255
  // At most one of the two is given; none: as the liquid of its tag, or transfer.flip_fraction.
  std::optional<double> flip_fraction;
  std::optional<double> viscosity_coefficient;  ///< 1 - flip_fraction
  std::vector<double> color;                    ///< red, green, blue in 0 .. 1; empty: none
  ScheduleParameters schedule;
};

struct SinkParameters {
  ShapeParameters shape;
  double rate = 0.0;  ///< volume that the liquid loses there [m^3/s]; 0: particles go, the grid does not know
  ScheduleParameters schedule;
};

/// Particles that are made inside the shape get the value.
struct AttributeRegionParameters {
  ShapeParameters shape;
  std::vector<double> value;  ///< one number, or three of a vector
};

struct AttributeParameters {
  std::string name;
  AttributeKind kind = AttributeKind::real;
  std::vector<double> value;  ///< outside all regions; empty: 0
  std::vector<AttributeRegionParameters> regions;
};

struct SolidParameters {
  ShapeParameters shape;
  SolidSurface surface = SolidSurface::automatic;
  MotionParameters motion;
  Slip slip = Slip::free_slip;
  WallChoice wall = WallChoice::inherit;
};

struct Parameters {
  std::string title;
  std::string reference;
  std::string source_file;       ///< the case file's path as given
  std::uint64_t input_hash = 0;  ///< FNV-1a of the resolved text

  struct Run {
    double end_time = 1.0;       ///< [s]
    std::int64_t max_steps = 0;  ///< 0: no limit
    double max_wall_time = 0.0;  ///< [s], 0: no limit
    bool reproducible = false;
    std::int64_t seed = 0;
  } run;
  struct Domain {
    int dimension = 3;
    Vec3i cells = Vec3i::Constant(1);                        ///< z is 1 in 2-D
    double cell_size = 1.0;                                  ///< [m]
    Vec3 origin = Vec3::Zero();                              ///< low corner [m]
    std::array<std::array<FaceCondition, 2>, 3> boundary{};  ///< [axis][0 low, 1 high]; z is ignored in 2-D
    std::array<std::array<WallCondition, 2>, 3> wall{};      ///< of the faces that are walls; from pressure.walls
    bool stores_walls = false;  ///< high walls get a layer of lattice cells to keep their faces in, sticky ones too
  } domain;
  struct Fluid {
    double density = 1000.0;        ///< [kg/m^3]
    Vec3 gravity{0.0, -9.81, 0.0};  ///< [m/s^2]
  } fluid;
  MotionParameters frame;  ///< how the tank, and the grid with it, moves
  std::vector<LiquidParameters> liquids;
  std::vector<SolidParameters> solids;
  std::vector<SourceParameters> sources;
  std::vector<SinkParameters> sinks;
  std::vector<AttributeParameters> attributes;
  struct Particles {
    int per_axis = 2;     ///< n: n^dimension a full cell
    double jitter = 1.0;  ///< 0: lattice, 1: anywhere in the sub-cell
    struct Reseeding {
      bool enabled = false;
      int min = 3;  ///< particles a liquid cell; fewer are filled up
      int max = 12;
      ReseededCells cells = ReseededCells::inner;
      bool keep_volume = true;  ///< no more come or go than that leaves the liquid's volume as it is
    } reseeding;
    struct Distribution {
      bool enabled = false;
      double strength = 0.2;  ///< of the springs
    } distribution;
  } particles;
  struct Labels {
    LabelMethod method = LabelMethod::particles;
    double alpha = 0.2;  ///< density: part of a full cell's content that makes a cell liquid
  } labels;
  struct Transfer {
    TransferMethod method = TransferMethod::flip;
    double flip_fraction = 0.95;  ///< of FLIP; 0 is PIC
  } transfer;
  struct Vortex {
    double boost = 0.0;  ///< 0: off
    VortexMethod method = VortexMethod::confinement;
  } vortex;
  struct Extrapolation {
    ExtrapolationMethod method = ExtrapolationMethod::layers;
  } extrapolation;
  struct Time {
    double cfl = 1.0;
    double max_dt = 0.0;        ///< [s], 0: no limit
    double min_dt = 1e-9;       ///< [s]; a smaller step stops the run
    double runaway_cfl = 25.0;  ///< [cells]; a step whose velocities go farther is done again
    int max_retries = 4;        ///< of one step, each with half the dt of the one before
  } time;
  struct Motion {
    MotionScheme scheme = MotionScheme::rk3;
    MotionField field = MotionField::solve;
  } motion;
  struct Pressure {
    Preconditioner preconditioner = Preconditioner::multigrid;
    double tolerance = 1e-5;      ///< residual relative to the right-hand side
    double max_divergence = 0.0;  ///< [1/s] largest cell divergence to stop at too; 0: residual only
    int max_iterations = 2000;
    bool warm_start = true;
    double mic0_tau = 0.97;
    double mic0_sigma = 0.25;
    struct Walls {
      WallCondition condition = WallCondition::sticky;
      WallMethod method = WallMethod::complementarity;
      WallClassification classification = WallClassification::velocity;
      WallStopping stopping = WallStopping::velocity;
      double epsilon_cg = 0.0;  ///< [1/s] largest divergence that a solve of cg, admm, iop, iop_bc stops at; 0: not so
      double epsilon_aabs = 0.0;   ///< [m/s]
      double epsilon_arel = 1e-3;  ///< of the largest velocity
      double epsilon_adiv = 0.0;   ///< [1/s]; 0: from the largest velocity
      double epsilon_idiv = 0.0;   ///< [1/s]; 0: from the largest velocity
      int max_outer = 1000;
      std::array<std::array<WallChoice, 2>, 3> face{};  ///< [axis][0 low, 1 high] of the domain
    } walls;
    std::map<std::string, std::string> petsc;  ///< options below the prefix pressure_, without the dash
  } pressure;
  struct Density {
    DensityMethod correction = DensityMethod::off;
    double strength = 1.0;           ///< part of the error that a step takes away
    double max_displacement = 0.25;  ///< of a particle in a step [cells]
    double tolerance = 1e-2;         ///< residual relative to the error
  } density;
  struct Balance {
    bool enabled = true;
    double threshold = 1.15;     ///< max / mean cost that starts a rebalance
    double particle_cost = 1.0;  ///< cost of a particle
    double cell_cost = 2.0;      ///< cost of an allocated cell
  } balance;
  struct Output {
    double interval = 0.0;                      ///< [s] of simulated time between snapshots; 0: only the last state
    std::vector<std::string> fields;            ///< of pressure, velocity, label, face_velocity
    std::int64_t max_field_cells = 64'000'000;  ///< fields are left out above this bounding-box size
    std::vector<std::string> particles;         ///< of velocity, id, tag, and attributes; position always
    int log_every = 1;                          ///< steps between log lines
    bool xdmf = true;
  } output;
  struct Checkpoint {
    double interval = 0.0;          ///< [s] of simulated time; 0: not by it
    std::int64_t steps = 0;         ///< 0: not by them
    double wall_interval = 3600.0;  ///< [s] of wall-clock time; 0: not by it
    int keep = 2;                   ///< newest ones that are kept
  } checkpoint;
};

/// The share of FLIP in the new velocities of what a liquid or a source brings, if it is given.
template <class Liquid>
std::optional<double> own_flip_fraction(const Liquid& liquid) {
  return liquid.viscosity_coefficient ? 1.0 - *liquid.viscosity_coefficient : liquid.flip_fraction;
}
inline double flip_fraction_of(const LiquidParameters& liquid, const Parameters::Transfer& transfer) {
  return own_flip_fraction(liquid).value_or(transfer.flip_fraction);
}

}  // namespace freshet
