// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// When the multiples of an interval are written: after the step that ends nearest to them, which changes no step, or
/// after one that is shortened so that it ends there exactly.
enum class OutputTimes { nearest, exact };

/// What snapshots hold, and when they are written.
struct OutputOptions {
  double interval = 0.0;                      ///< [s] of simulated time between snapshots; 0: only the last state
  double start_time = 0.0;                    ///< [s]; none of the snapshots by `interval` is earlier
  OutputTimes times = OutputTimes::nearest;   ///< also of surfaces
  std::vector<std::string> fields;            ///< names in output_fields()
  Vec3 lower = Vec3::Zero();                  ///< low corner of the fields' box [m]
  Vec3 upper = Vec3::Zero();                  ///< its high corner [m]; equal to `lower`: the box around all blocks
  std::int64_t max_field_cells = 64'000'000;  ///< fields are left out above this bounding-box size
  std::vector<std::string> particles;         ///< of velocity, id, tag, and attributes; position always
  double particle_share = 1.0;                ///< of the particles; 0: none of them
  Vec3 particle_lower = Vec3::Zero();         ///< low corner of the box whose particles are written [m]
  Vec3 particle_upper = Vec3::Zero();         ///< its high corner [m]; equal to the low one: particles everywhere
  int log_every = 1;                          ///< steps between log lines
  bool xdmf = true;
};

/// Whether two corners mean a box: equal ones mean that there is none.
inline bool is_box(const Vec3& lower, const Vec3& upper, int dimension) {
  return lower.head(dimension) != upper.head(dimension);
}

/// When checkpoints are written.
struct CheckpointOptions {
  double interval = 0.0;          ///< [s] of simulated time between checkpoints; 0: this does not count
  std::int64_t steps = 0;         ///< between checkpoints; 0: this does not count
  double wall_interval = 3600.0;  ///< [s] of wall-clock time between checkpoints; 0: this does not count
  int keep = 2;                   ///< how many checkpoints stay: the newest ones
};

/// What snapshots and checkpoints record of the case that made them.
struct InputRecord {
  std::string text;        ///< the resolved case, TOML
  std::uint64_t hash = 0;  ///< of the text
  std::int64_t seed = 0;
  int particles_per_axis = 2;
  double jitter = 1.0;
};

}  // namespace freshet
