// SPDX-License-Identifier: Apache-2.0
// The keys of the scene: shapes, liquids, solids, sources, sinks, and attributes of particles.
#include "key.hpp"

namespace freshet::config {
namespace {

constexpr double fastest = 1e30;  // [m/s] particles store velocities as 32-bit numbers

std::vector<Key> transform_keys(TransformParameters& transform) {
  return {
      {"scale", number(transform.scale, {1e-9, 1e9}), "",
       "Factor by which the shape is scaled about the origin of coordinates (in 2-D within the plane), before "
       "it is rotated."},
      {"rotate.axis", vector(transform.axis, ThirdEntry::zero), "",
       "Direction, of any length, about which the shape is rotated after scaling; in 2-D about z."},
      {"rotate.angle", number(transform.angle), "degrees",
       "Angle of the shape's rotation, counter-clockwise as seen from the end of rotate.axis."},
      {"rotate.center", vector(transform.center, ThirdEntry::zero), "m",
       "A point that the shape's rotation leaves fixed."},
      {"translate", vector(transform.translate, ThirdEntry::zero), "m",
       "Vector by which the shape is moved after scaling and rotation."},
  };
}

std::vector<Key> schedule_keys(ScheduleParameters& schedule) {
  return {
      {"start_time", number(schedule.start, at_least(0.0)), "s", "Time at which the source or sink is switched on."},
      {"end_time", number(schedule.end, at_least(0.0)), "s",
       "Time at which the source or sink is switched off; 0: never."},
      {"schedule", intervals(schedule.intervals), "s",
       "Intervals of time in which the source or sink is on, instead of start_time and end_time."}};
}

/// The keys for values that particles of a liquid or a source carry.
template <class Liquid>
std::vector<Key> particle_keys(Liquid& liquid) {
  return {{"tag", number(liquid.tag, {0, 255}), "", "Number that its particles carry as the attribute tag."},
          {"flip_fraction", number(liquid.flip_fraction, {0.0, 1.0}), "",
           "Share of FLIP in the new velocity of particles with its tag, in place of transfer.flip_fraction."},
          {"viscosity_coefficient", number(liquid.viscosity_coefficient, {0.0, 1.0}), "",
           "Share of PIC in the new velocity of particles with its tag: 1 - flip_fraction, and given instead of it."},
          {"viscosity", number(liquid.viscosity, {0.0, 1e12}), "Pa s",
           "Dynamic viscosity of particles with its tag, in place of fluid.viscosity."},
          {"color", numbers(liquid.color, {0.0, 1.0}, {3}), "",
           "Red, green and blue that its particles carry as the attribute color; [] for none."}};
}

}  // namespace

std::vector<std::string> shape_names() {
  return {"box",   "sphere", "cylinder",     "half_space", "union",    "capsule",
          "torus", "mesh",   "intersection", "difference", "particles"};
}

std::vector<Key> keys_of(ShapeParameters& s) {
  using enum ShapeKind;
  using enum ThirdEntry;
  std::vector<Key> keys = {{"shape", choice(s.kind, shape_names()), "",
                            "Kind of shape, which decides which other keys apply; particles: only for a liquid.",
                            required}};
  const auto add = [&](const std::vector<ShapeKind>& kinds, std::vector<Key> required_keys) {
    for (Key& key : required_keys) {
      key.presence = required;
      key.shapes = kinds;
    }
    append(keys, std::move(required_keys));
  };
  const Range<double> radius = config::above(0.0, 1e100);
  add({box}, {{"lower", vector(s.lower, below), "m", "Low corner."},
              {"upper", vector(s.upper, ThirdEntry::above), "m", "High corner."}});
  add({sphere, torus}, {{"center", vector(s.center, middle), "m", "Centre."}});
  add({cylinder, capsule},
      {{"start", vector(s.start, middle), "m", "Centre of one end: of a cap, or of a capsule's sphere."},
       {"end", vector(s.end, middle), "m", "Centre of the other end."}});
  add({sphere, cylinder, capsule}, {{"radius", number(s.radius, radius), "m", "Radius."}});
  add({half_space}, {{"point", vector(s.point, middle), "m", "A point of the plane."},
                     {"normal", vector(s.normal, must_vanish), "", "Direction out of the shape, of any length."}});
  add({torus},
      {{"axis", vector(s.axis, zero), "", "Direction of the axis of symmetry, of any length."},
       {"major_radius", number(s.major_radius, radius), "m", "Radius of the circle around which the tube runs."},
       {"minor_radius", number(s.minor_radius, radius), "m", "Radius of the tube, at most major_radius."}});
  add({mesh, particles},
      {{"file", line(s.file), "",
        "Triangle mesh (.obj, .stl, .ply), or for a liquid particles (.csv, .h5, .geo, .bgeo, .pda, .pdb, "
        ".ptc). A relative path starts from the case file's directory."}});
  keys.back().change = at_restart;
  keys.push_back({"file_hash",
                  line(s.file_hash),
                  "",
                  "Hash of the bytes of `file`. If it is given, a file with another hash is refused.",
                  Presence::optional,
                  {mesh, particles}});
  add({union_of, intersection_of, difference_of},
      {{"parts", tables(s.parts), "",
        "The shapes that it is made of. A difference is the first of them without the others."}});
  append(keys, transform_keys(s.transform));
  return keys;
}

std::vector<Key> motion_keys(MotionParameters& motion, const std::string& base) {
  std::vector<Key> keys = {
      {"velocity", vector(motion.velocity, ThirdEntry::must_vanish, motion_limits::fastest), "m/s",
       "Constant velocity."},
      {"angular_velocity", vector(motion.angular_velocity, ThirdEntry::zero, motion_limits::fastest_turn), "degrees/s",
       "Constant angular velocity about the pivot: axis times rate."},
      {"pivot", vector(motion.pivot, ThirdEntry::middle, motion_limits::farthest), "m",
       "The point about which the body turns, at its position at the start."},
      {"keyframes", rows(motion.keyframes, {4, 7}), "s, m, degrees",
       "Rows [time, x, y, z] or [time, x, y, z, rx, ry, rz]: the displacement since the start, and the rotation since "
       "the start as a vector along its axis whose length is the angle."},
      {"motion_file", line(motion.file), "",
       "File with rows as in keyframes. A relative path starts from the case file's directory. A first line may name "
       "the columns."},
      {"motion_file_hash", line(motion.file_hash), "",
       "Hash of the bytes of motion_file. If it is given, a file with another hash is refused."},
      {"interpolation", choice(motion.interpolation, {"linear", "smooth"}), "",
       "How the body moves between keyframes."},
  };
  for (Key& key : keys) key.name = base + key.name;
  return keys;
}

namespace {

/// The keys of a wave-maker's paddle. Without wave.type the others are refused, and none is written out.
std::vector<Key> wave_keys(WaveParameters& wave) {
  const auto of = [&wave](Slot slot) {
    const auto read = slot.read;
    const auto text = slot.text;
    slot.read = [&wave, read](const Given& given) {
      if (wave.type == WaveType::none)
        fail(given.value.where, "'" + given.name + "' is given without 'wave.type'", "it describes waves",
             "Add wave.type, or leave it out");
      read(given);
    };
    slot.text = [&wave, text] { return wave.type == WaveType::none ? std::string("none") : text(); };
    return slot;
  };
  Slot type = choice(wave.type, {"none", "linear", "stokes2", "stokes5", "jonswap"});
  const auto name = type.text;
  type.text = [&wave, name] { return wave.type == WaveType::none ? std::string("none") : name(); };
  return {
      {"wave.type", type, "",
       "Makes the solid the paddle of a wave-maker, with a motion that makes waves: linear (Biesel & Suquet 1951), "
       "stokes2 (with the second harmonic of Madsen 1971), stokes5 (the velocity of Fenton's wave of 1985 at the "
       "paddle's place), or jonswap (irregular, each component by Biesel & Suquet)."},
      {"wave.paddle", of(choice(wave.paddle, {"piston", "flap"})), "",
       "Whether the paddle moves to and fro (piston), or turns about `pivot` (flap)."},
      {"wave.height", of(number(wave.height, above(0.0, 1e6))), "m",
       "Height of the waves from trough to crest; of jonswap the significant height."},
      {"wave.period", of(number(wave.period, above(0.0, 1e6))), "s",
       "Period of the waves; of jonswap that of the spectrum's peak."},
      {"wave.depth", of(number(wave.depth, above(0.0, 1e6))), "m", "Depth of the water at rest, at the paddle."},
      {"wave.direction", of(vector(wave.direction, ThirdEntry::must_vanish)), "",
       "Horizontal direction in which the waves travel, of any length."},
      {"wave.ramp", of(number(wave.ramp, {0.0, 1e6})), "s",
       "Time over which the paddle's motion grows from rest; 0: two periods."},
      {"wave.hinge", of(number(wave.hinge, {-1e6, 1e6})), "m",
       "Height of a flap's pivot above the bed; below 0 if it lies beneath the bed."},
      {"wave.peak", of(number(wave.peak, {1.0, 20.0})), "", "Peak enhancement factor gamma of jonswap."},
      {"wave.components", of(number(wave.components, {1, 100000})), "", "Number of frequencies of jonswap."},
      {"wave.seed", of(number(wave.seed, at_least<std::int64_t>(0))), "",
       "Seed of the frequencies and phases of jonswap."},
  };
}

}  // namespace

std::vector<Key> keys_of(LiquidParameters& liquid) {
  std::vector<Key> keys = keys_of(liquid.shape);
  keys.push_back(
      {"velocity", vector(liquid.velocity, ThirdEntry::must_vanish, fastest), "m/s", "Velocity at the start."});
  append(keys, particle_keys(liquid));
  return keys;
}

std::vector<Key> keys_of(SolidParameters& solid) {
  std::vector<Key> keys = keys_of(solid.shape);
  append(
      keys,
      {{"slip", choice(solid.slip, {"free_slip", "no_slip"}), "",
        "Whether viscous liquid slips along the surface (free_slip), or moves with it (no_slip)."},
       {"wall", choice(solid.wall, {"inherit", "sticky", "separating"}), "",
        "Whether liquid sticks to it or may leave it; inherit: as pressure.walls.condition says."},
       {"surface", choice(solid.surface, {"auto", "fractions", "voxels"}), "",
        "How the grid represents the solid: by open fractions of faces (fractions), or by whole cells (voxels). auto "
        "takes voxels where liquid may leave the solid, and fractions elsewhere."}});
  append(keys, motion_keys(solid.motion, ""));
  append(keys, wave_keys(solid.motion.wave));
  return keys;
}

std::vector<Key> keys_of(SourceParameters& source) {
  std::vector<Key> keys = keys_of(source.shape);
  append(keys,
         {{"mode", choice(source.mode, {"inflow", "fill"}), "",
           "Either liquid enters at the upstream side of the shape and moves on (inflow), or as many particles "
           "are made as keep the shape full (fill)."},
          {"rate", number(source.rate, at_least(0.0)), "m^3/s",
           "Volume that an inflow brings per second; its speed follows. An inflow takes one of rate, "
           "pressure and velocity."},
          {"pressure", number(source.pressure, at_least(0.0)), "Pa",
           "Gauge pressure behind an inflow: speed = sqrt(2 pressure / density)."},
          {"direction", vector(source.direction, ThirdEntry::must_vanish), "",
           "Direction of an inflow by rate or pressure, of any length."},
          {"velocity", vector(source.velocity, ThirdEntry::must_vanish, fastest), "m/s",
           "Velocity of the new particles. An inflow by velocity brings velocity times cross-section."},
          {"jitter", number(source.jitter, {0.0, 1.0}), "",
           "Random displacement of new particles from an even arrangement: none (0), up to anywhere in their sub-cell "
           "(1), or a share of that."}});
  append(keys, particle_keys(source));
  append(keys, schedule_keys(source.schedule));
  return keys;
}

std::vector<Key> keys_of(SinkParameters& sink) {
  std::vector<Key> keys = keys_of(sink.shape);
  keys.push_back({"rate", number(sink.rate, at_least(0.0)), "m^3/s",
                  "Volume that is drawn per second out of a shape full of liquid, whose surplus particles are removed. "
                  "0: every particle inside is removed."});
  append(keys, schedule_keys(sink.schedule));
  return keys;
}

std::vector<Key> keys_of(AbsorberParameters& zone) {
  return {
      {"lower", vector(zone.lower, ThirdEntry::below), "m", "Low corner of the box.", required},
      {"upper", vector(zone.upper, ThirdEntry::above), "m", "High corner of the box.", required},
      {"direction", vector(zone.direction, ThirdEntry::must_vanish), "",
       "Direction in which the zone becomes stronger, from 0 where waves enter it; of any length."},
      {"strength", number(zone.strength, above(0.0, 1e6)), "1/s",
       "Rate at which the liquid is brought to `velocity` at the zone's far end. analysis/figures/waves.md shows how "
       "much of a wave is reflected.",
       required},
      {"velocity", vector(zone.velocity, ThirdEntry::must_vanish, 1e4), "m/s",
       "Velocity to which the liquid is brought, such as that of a stream."},
  };
}

std::vector<Key> keys_of(AttributeRegionParameters& region) {
  std::vector<Key> keys = keys_of(region.shape);
  keys.push_back(
      {"value", numbers(region.value, {}, {1, 3}), "", "Value of particles that are made inside.", required});
  return keys;
}

std::vector<Key> keys_of(AttributeParameters& attribute) {
  return {
      {"name", line(attribute.name), "", "Name of the attribute, also in files.", required},
      {"type", choice(attribute.kind, {"integer", "real", "vector"}), "",
       "A 32-bit integer, a 32-bit float, or three of them."},
      {"default", numbers(attribute.value, {}, {1, 3}), "", "Value outside all regions; [] for 0."},
      {"region", tables(attribute.regions), "",
       "A shape and the value of particles that are made inside. Where regions overlap, the first one holds."},
  };
}

}  // namespace freshet::config
