// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape_parameters.hpp"
#include "freshet/grid/balance_options.hpp"
#include "freshet/keys/declare.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace freshet {

/// The number and places of the particles of a full cell.
struct SamplingOptions {
  int per_axis = 2;     ///< n: a full cell holds n^dimension particles
  double jitter = 1.0;  ///< 0: particles at the centres of sub-cells, 1: anywhere in sub-cells
};

/// The options that decide where particles are seeded, and on which rank.
struct SeedingOptions {
  SamplingOptions sampling;
  std::uint64_t seed = 0;
  BalanceOptions balance;
};

/// What the particles of a liquid or a source carry.
struct CarriedValues {
  int tag = 0;  ///< 0 .. 255
  // At most one of the next two members is given. If none is given, transfer.flip_fraction holds, or for a source that
  // of the liquid with this tag.
  std::optional<double> flip_fraction;
  std::optional<double> viscosity_coefficient;  ///< 1 - flip_fraction
  std::optional<double>
      viscosity;              ///< dynamic viscosity [Pa s]; if it is not given, that of the tag or fluid.viscosity
  std::vector<double> color;  ///< red, green, blue in 0 .. 1; empty: no colour
};

/// A body of liquid at the start.
struct LiquidParameters : CarriedValues {
  ShapeParameters shape;
  Vec3 velocity = Vec3::Zero();  ///< velocity at the start [m/s]
};

keys::Keys keys_of(CarriedValues& values);
keys::Keys keys_of(SamplingOptions& sampling);
keys::Entry entry_of(LiquidParameters& liquid);

}  // namespace freshet
