// SPDX-License-Identifier: Apache-2.0
// The keys of what comes into a scene and leaves it, and of what particles carry.
#include "keys.hpp"

namespace freshet::config {
namespace {

constexpr Range<double> not_negative{0.0};

template <class Enum>
ChoiceTarget choice(Enum& value, std::vector<std::string> names) {
  return {std::move(names), [&value] { return static_cast<std::size_t>(value); },
          [&value](std::size_t i) { value = static_cast<Enum>(i); }};
}

void append_schedule(std::vector<Key>& keys, ScheduleParameters& schedule) {
  keys.push_back({"start_time", RealTarget{&schedule.start, not_negative}, "s", "Time from which it is on."});
  keys.push_back({"end_time", RealTarget{&schedule.end, not_negative}, "s", "Time at which it goes off; 0: never."});
  keys.push_back({"schedule", IntervalsTarget{&schedule.intervals}, "s",
                  "Intervals of time in which it is on, instead of start_time and end_time."});
}

}  // namespace

std::vector<Key> keys_of(SourceParameters& source) {
  std::vector<Key> keys = keys_of(source.shape);
  keys.push_back({"mode", choice(source.mode, {"inflow", "fill"}), "",
                  "Liquid that enters at the upstream side of the shape and moves on (inflow), or as many particles as "
                  "keep the shape full (fill)."});
  keys.push_back({"rate", RealTarget{&source.rate, not_negative}, "m^3/s",
                  "Volume that an inflow brings; its speed follows. One of rate, pressure and velocity."});
  keys.push_back({"pressure", RealTarget{&source.pressure, not_negative}, "Pa",
                  "Pressure above the air's behind an inflow: speed = sqrt(2 pressure / density)."});
  keys.push_back({"direction", VectorTarget{&source.direction, ThirdEntry::must_vanish}, "",
                  "Where an inflow by rate or pressure goes, of any length."});
  keys.push_back({"velocity", VectorTarget{&source.velocity, ThirdEntry::must_vanish}, "m/s",
                  "Velocity of what comes; an inflow given by it brings velocity times cross-section."});
  keys.push_back({"jitter", RealTarget{&source.jitter, {0.0, 1.0}}, "",
                  "How far particles stand from an even spread: 0: not at all, 1: anywhere in their sub-cell."});
  keys.push_back({"tag", IntegerTarget{&source.tag, {0, 255}}, "", "Number that its particles carry."});
  keys.push_back(color_key(source.color));
  append_schedule(keys, source.schedule);
  return keys;
}

std::vector<Key> keys_of(SinkParameters& sink) {
  std::vector<Key> keys = keys_of(sink.shape);
  keys.push_back({"rate", RealTarget{&sink.rate, not_negative}, "m^3/s",
                  "Volume drawn out of a shape full of liquid, where particles too many for it go; 0: every particle "
                  "inside goes."});
  append_schedule(keys, sink.schedule);
  return keys;
}

std::vector<Key> keys_of(AttributeRegionParameters& region) {
  std::vector<Key> keys = keys_of(region.shape);
  keys.push_back({"value", NumbersTarget{&region.value, {}, {1, 3}}, "", "Value of particles that are made inside.",
                  Change::never, Presence::required});
  return keys;
}

std::vector<Key> keys_of(AttributeParameters& attribute) {
  return {
      {"name", TextTarget{&attribute.name}, "", "Name, also in files.", Change::never, Presence::required},
      {"type", choice(attribute.kind, {"integer", "real", "vector"}), "",
       "A 32-bit integer, a 32-bit float, or three of them."},
      {"default", NumbersTarget{&attribute.value, {}, {1, 3}}, "", "Value outside all regions; [] for 0."},
      {"region", TablesTarget<AttributeRegionParameters>{&attribute.regions}, "",
       "A shape and the value of particles made inside; where regions overlap, the first one holds."},
  };
}

}  // namespace freshet::config
