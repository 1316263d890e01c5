// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/output_fields.hpp"
#include "freshet/io/output_options.hpp"
#include "freshet/keys/slots.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <fmt/format.h>

namespace freshet {
namespace {

constexpr std::int64_t most_steps = 1'000'000'000'000'000;  // the sum of two is far below the largest integer

std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for (const FieldRecord& field : output_fields()) names.emplace_back(field.name);
  return names;
}

/// Describe output.fields with a sentence for each field.
std::string field_texts() {
  std::string text = "Grid fields that snapshots hold.";
  for (const FieldRecord& field : output_fields()) text += fmt::format(" {}: {}.", field.name, field.text);
  return text;
}

/// The keys of the particles in snapshots.
keys::Keys particle_keys(OutputOptions& output) {
  using namespace keys;
  return {
      {"particles", names(output.particles, array_names(), "a name of [[attribute]]"), "",
       "Particle data that snapshots hold besides the position."},
      {"particle_share", number(output.particle_share, {0.0, 1.0}), "",
       "Share of the particles that snapshots hold; 0: none. It is chosen by id: a particle is in all of them or in "
       "none. Surfaces can be made only from snapshots with all particles of their box."},
      {"particle_lower", vector(output.particle_lower, ThirdEntry::below), "m",
       "Low corner of the box whose particles snapshots hold. With output.particle_upper equal to it, there is no "
       "box. With both equal along an axis, it holds those in the slice of cells there."},
      {"particle_upper", vector(output.particle_upper, ThirdEntry::above), "m", "High corner of the particles' box."},
  };
}

}  // namespace

keys::Keys keys_of(OutputOptions& output) {
  using namespace keys;
  Keys rows = {
      {"interval", number(output.interval, at_least(0.0)), "s",
       "Simulated time between snapshots; 0: only the last state is written."},
      {"start_time", number(output.start_time, at_least(0.0)), "s",
       "Time of the first snapshot by output.interval, or the first multiple of the interval after it."},
      {"times", choice(output.times, {"nearest", "exact"}), "",
       "When the multiples of output.interval and output.surface.interval are written. nearest: after the step that "
       "ends nearest to them, so that output changes no step. exact: steps are shortened so that they end there."},
      {"fields", names(output.fields, field_names()), "", field_texts()},
      {"lower", vector(output.lower, ThirdEntry::below), "m",
       "Low corner of the box whose cells the fields show. With output.upper equal to it, the box is that around all "
       "blocks with liquid, whose size changes. With both equal along an axis, it is the slice of cells there. Cells "
       "without liquid nearby hold 0."},
      {"upper", vector(output.upper, ThirdEntry::above), "m", "High corner of the fields' box."},
      {"max_field_cells", number(output.max_field_cells, at_least<std::int64_t>(0)), "",
       "Fields are left out when their bounding box has more cells than this."},
  };
  append(rows, particle_keys(output));
  append(rows, {
                   {"log_every", number(output.log_every, at_least<std::int64_t>(1)), "",
                    "Number of steps between lines of the log."},
                   {"xdmf", flag(output.xdmf), "", "Write the side file that opens snapshots in ParaView."},
               });
  return changeable(std::move(rows));
}

keys::Keys keys_of(CheckpointOptions& checkpoint) {
  using namespace keys;
  return changeable({
      {"interval", number(checkpoint.interval, at_least(0.0)), "s",
       "Simulated time between checkpoints; 0: not by simulated time."},
      {"steps", number(checkpoint.steps, {0, most_steps}), "", "Number of steps between checkpoints; 0: not by steps."},
      {"wall_interval", number(checkpoint.wall_interval, at_least(0.0)), "s",
       "Wall-clock time between checkpoints; 0: not by wall-clock time."},
      {"keep", number(checkpoint.keep, at_least<std::int64_t>(1)), "",
       "How many checkpoints are kept; older ones are removed."},
  });
}

}  // namespace freshet
