// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/declare.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// Steps after which multiples of an interval are written: `nearest` takes the step that ends nearest to the multiple
/// and changes no step; `exact` shortens a step so that it ends there.
enum class OutputTimes { nearest, exact };

/// Contents and times of snapshots.
struct OutputOptions {
  double interval = 0.0;                      ///< simulated time between snapshots [s]; 0: last state only
  double start_time = 0.0;                    ///< earliest time of snapshots at multiples of `interval` [s]
  OutputTimes times = OutputTimes::nearest;   ///< rule for times of snapshots and surfaces
  std::vector<std::string> fields;            ///< names in output_fields()
  Vec3 lower = Vec3::Zero();                  ///< low corner of the fields' box [m]
  Vec3 upper = Vec3::Zero();                  ///< high corner of the fields' box [m]; equal to `lower`: all blocks
  std::int64_t max_field_cells = 64'000'000;  ///< fields are left out if the box around the blocks has more cells
  std::vector<std::string> particles;         ///< names: velocity, id, tag, attributes; the position is always written
  double particle_share = 1.0;                ///< part of the particles that is written, 0 to 1
  Vec3 particle_lower = Vec3::Zero();         ///< low corner of the particles' box [m]
  Vec3 particle_upper = Vec3::Zero();         ///< high corner of the particles' box [m]; equal to the low one: no box
  int log_every = 1;                          ///< number of steps between log lines
  bool xdmf = true;
};

/// Whether two corners mark a box: equal corners mean that there is none.
inline bool is_box(const Vec3& lower, const Vec3& upper, int dimension) {
  return lower.head(dimension) != upper.head(dimension);
}

/// Intervals and number of checkpoints.
struct CheckpointOptions {
  double interval = 0.0;          ///< simulated time between checkpoints [s]; 0: no limit
  std::int64_t steps = 0;         ///< number of steps between checkpoints; 0: no limit
  double wall_interval = 3600.0;  ///< wall-clock time between checkpoints [s]; 0: no limit
  int keep = 2;                   ///< number of checkpoints that are kept: the newest ones
};

/// The part of a case that snapshots and checkpoints record.
struct InputRecord {
  std::string text;        ///< the resolved case, TOML
  std::uint64_t hash = 0;  ///< hash of the text
  std::int64_t seed = 0;
  int particles_per_axis = 2;
  double jitter = 1.0;
};

keys::Keys keys_of(OutputOptions& output);
keys::Keys keys_of(CheckpointOptions& checkpoint);

}  // namespace freshet
