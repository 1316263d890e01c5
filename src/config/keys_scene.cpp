// SPDX-License-Identifier: Apache-2.0
// The keys of what a scene is made of, of what comes into it and leaves it, and of what particles carry.
#include "key_tables.hpp"
#include "targets.hpp"

namespace freshet::config {
namespace {

void append_schedule(std::vector<Key>& keys, ScheduleParameters& schedule) {
  keys.push_back({"start_time", at_least(schedule.start, 0.0), "s", "Time from which it is on."});
  keys.push_back({"end_time", at_least(schedule.end, 0.0), "s", "Time at which it goes off; 0: never."});
  keys.push_back({"schedule", IntervalsTarget{&schedule.intervals}, "s",
                  "Intervals of time in which it is on, instead of start_time and end_time."});
}

}  // namespace

std::vector<Key> motion_keys(MotionParameters& motion, const std::string& base) {
  std::vector<Key> keys = {
      {"velocity", VectorTarget{&motion.velocity, ThirdEntry::must_vanish}, "m/s", "Constant velocity."},
      {"angular_velocity", VectorTarget{&motion.angular_velocity, ThirdEntry::zero}, "degrees/s",
       "Constant angular velocity about the pivot: axis times rate."},
      {"pivot", VectorTarget{&motion.pivot, ThirdEntry::middle}, "m",
       "Point of the body that it turns about, where it is at the start."},
      {"keyframes", RowsTarget{&motion.keyframes, {4, 7}}, "s, m, degrees",
       "Rows of time, way along x, y, z and perhaps rotation vector: where the body is since the start."},
      {"motion_file", TextTarget{&motion.file}, "",
       "File with such rows, beside the case file; names in its first line may say in which order its columns stand."},
      {"motion_file_hash", TextTarget{&motion.file_hash}, "",
       "Hash of that file's bytes; if given, another file is refused."},
      {"interpolation", choice(motion.interpolation, {"linear", "smooth"}), "", "How it moves between keyframes."},
  };
  for (Key& key : keys) key.name = base + key.name;
  return keys;
}

Key color_key(std::vector<double>& color) {
  return {"color", NumbersTarget{&color, {0.0, 1.0}, {3}}, "",
          "Red, green and blue that its particles carry as the attribute color; [] for none."};
}

std::vector<Key> share_keys(std::optional<double>& flip_fraction, std::optional<double>& viscosity_coefficient) {
  return {{"flip_fraction", OptionalRealTarget{&flip_fraction, {0.0, 1.0}}, "",
           "Share of FLIP in the new velocity of particles with its tag, in place of transfer.flip_fraction."},
          {"viscosity_coefficient", OptionalRealTarget{&viscosity_coefficient, {0.0, 1.0}}, "",
           "The same as the share of PIC: 1 - flip_fraction."}};
}

std::vector<Key> keys_of(LiquidParameters& liquid) {
  std::vector<Key> keys = keys_of(liquid.shape);
  keys.push_back(
      {"velocity", VectorTarget{&liquid.velocity, ThirdEntry::must_vanish}, "m/s", "Velocity at the start."});
  keys.push_back({"tag", between(liquid.tag, 0, 255), "", "Number that its particles carry."});
  append(keys, share_keys(liquid.flip_fraction, liquid.viscosity_coefficient));
  keys.push_back(color_key(liquid.color));
  return keys;
}

std::vector<Key> keys_of(SolidParameters& solid) {
  std::vector<Key> keys = keys_of(solid.shape);
  keys.push_back({"slip", choice(solid.slip, {"free_slip", "no_slip"}), "", "How the fluid slides along its surface."});
  keys.push_back({"wall", wall_choice(solid.wall), "", "Whether liquid sticks to it or may leave it."});
  keys.push_back(
      {"surface", choice(solid.surface, {"auto", "fractions", "voxels"}), "",
       "What it is to the grid: open fractions of faces, or whole cells; auto: voxels where liquid may leave it, else "
       "fractions."});
  append(keys, motion_keys(solid.motion, ""));
  return keys;
}

std::vector<Key> keys_of(SourceParameters& source) {
  std::vector<Key> keys = keys_of(source.shape);
  keys.push_back({"mode", choice(source.mode, {"inflow", "fill"}), "",
                  "Liquid that enters at the upstream side of the shape and moves on (inflow), or as many particles as "
                  "keep the shape full (fill)."});
  keys.push_back({"rate", at_least(source.rate, 0.0), "m^3/s",
                  "Volume that an inflow brings; its speed follows. One of rate, pressure and velocity."});
  keys.push_back({"pressure", at_least(source.pressure, 0.0), "Pa",
                  "Pressure above the air's behind an inflow: speed = sqrt(2 pressure / density)."});
  keys.push_back({"direction", VectorTarget{&source.direction, ThirdEntry::must_vanish}, "",
                  "Where an inflow by rate or pressure goes, of any length."});
  keys.push_back({"velocity", VectorTarget{&source.velocity, ThirdEntry::must_vanish}, "m/s",
                  "Velocity of what comes; an inflow given by it brings velocity times cross-section."});
  keys.push_back({"jitter", between(source.jitter, 0.0, 1.0), "",
                  "How far particles stand from an even spread: 0: not at all, 1: anywhere in their sub-cell."});
  keys.push_back({"tag", between(source.tag, 0, 255), "", "Number that its particles carry."});
  append(keys, share_keys(source.flip_fraction, source.viscosity_coefficient));
  keys.push_back(color_key(source.color));
  append_schedule(keys, source.schedule);
  return keys;
}

std::vector<Key> keys_of(SinkParameters& sink) {
  std::vector<Key> keys = keys_of(sink.shape);
  keys.push_back({"rate", at_least(sink.rate, 0.0), "m^3/s",
                  "Volume drawn out of a shape full of liquid, where particles too many for it go; 0: every particle "
                  "inside goes."});
  append_schedule(keys, sink.schedule);
  return keys;
}

std::vector<Key> keys_of(AttributeRegionParameters& region) {
  std::vector<Key> keys = keys_of(region.shape);
  keys.push_back({"value", NumbersTarget{&region.value, {}, {1, 3}}, "", "Value of particles that are made inside.",
                  fixed, required});
  return keys;
}

std::vector<Key> keys_of(AttributeParameters& attribute) {
  return {
      {"name", TextTarget{&attribute.name}, "", "Name, also in files.", fixed, required},
      {"type", choice(attribute.kind, {"integer", "real", "vector"}), "",
       "A 32-bit integer, a 32-bit float, or three of them."},
      {"default", NumbersTarget{&attribute.value, {}, {1, 3}}, "", "Value outside all regions; [] for 0."},
      {"region", TablesTarget<AttributeRegionParameters>{&attribute.regions}, "",
       "A shape and the value of particles made inside; where regions overlap, the first one holds."},
  };
}

}  // namespace freshet::config
