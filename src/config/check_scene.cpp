// SPDX-License-Identifier: Apache-2.0
// Checks of sources, sinks and attributes of particles.
#include "check.hpp"
#include "freshet/geometry/wave_maker.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>

namespace freshet::config {
namespace {

void check_schedule(const ScheduleParameters& schedule, const Place& place) {
  place.require(schedule.intervals.empty() || (schedule.start == 0.0 && schedule.end == 0.0), "schedule",
                "is given together with start_time or end_time", "both tell when it is on", "Leave one of them out");
  place.require(
      schedule.end == 0.0 || schedule.end > schedule.start, "end_time", "is not after '" + place.name + "start_time'",
      number_text(schedule.end) + " s <= " + number_text(schedule.start) + " s", "Make it later, or 0 for never");
}

void check_inflow(const SourceParameters& source, const Place& place) {
  const bool by_velocity = !source.velocity.isZero(0.0);
  const bool directed = !source.direction.isZero(0.0);
  const int n_given = int{source.rate > 0.0} + int{source.pressure > 0.0} + int{by_velocity};
  if (n_given != 1)
    place.refuse("rate",
                 fmt::format("'{}' gives {} of rate, pressure and velocity",
                             place.name.substr(0, place.name.size() - 1), n_given),
                 "an inflow needs exactly one of them above 0", "Give one");
  place.require(!by_velocity || !directed, "direction", "is given together with velocity",
                "the velocity says where the liquid goes", "Leave one of them out");
  place.require(by_velocity || directed, "direction", "is missing or zero",
                "rate and pressure do not say where the liquid goes", "Give a direction, such as [1.0, 0.0, 0.0]");
  place.require(std::isnormal(std::max(source.direction.norm(), source.velocity.norm())),
                directed ? "direction" : "velocity", "has no finite length", "its square is beyond 64-bit numbers",
                "Give numbers near 1");
  place.require(source.shape.kind != ShapeKind::half_space, "shape", "is a half_space", "its cross-section is infinite",
                "Choose another shape, or mode = \"fill\"");
}

void check_fill(const SourceParameters& source, const Place& place) {
  place.require(source.rate == 0.0 && source.pressure == 0.0 && source.direction.isZero(0.0), "mode",
                "is \"fill\" together with rate, pressure or direction",
                "a source that keeps its region full has no rate of its own",
                "Leave them out, or choose mode = \"inflow\"");
}

/// Check that numbers of particles fit in 64-bit integers, and speeds in the particles' type.
void check_amount(const Parameters& p, const SourceParameters& source, const Place& place) {
  constexpr double fastest = 1e30;  // [m/s], as for liquids
  constexpr double most = 1e15;     // number of particles
  const double volume = std::pow(p.domain.cell_size, 3) / std::pow(p.particles.per_axis, p.domain.dimension);
  place.require(source.rate * p.run.end_time / volume <= most, "rate",
                "= " + number_text(source.rate) + " makes too many particles",
                fmt::format("more than {:.0e} until run.end_time", most), "Give a rate in m^3/s");
  place.require(std::sqrt(2.0 * source.pressure / p.fluid.density) <= fastest, "pressure", "is too high",
                "the speed is beyond the particles' 32-bit numbers", "Give a pressure in Pa");
}

/// Check an attribute whose name has a meaning in openPMD, on which readers of snapshots rely.
void check_meaning(const AttributeParameters& attribute, const Place& place) {
  const auto is_any_of = [&](std::initializer_list<const char*> names) {
    return std::ranges::find(names, attribute.name) != names.end();
  };
  const bool is_vector = attribute.kind == AttributeKind::vector;
  if (is_vector ? !is_any_of({"mass", "charge", "weighting"}) : !is_any_of({"momentum"})) return;
  place.refuse("type",
               fmt::format("'{}name' = {} is given as {}", place.name, quote(attribute.name),
                           is_vector ? "a vector" : "one number"),
               fmt::format("in openPMD files it is {}", is_vector ? "one number" : "a vector"),
               "Change the type, or choose another name");
}

void check_value(const AttributeParameters& attribute, const std::vector<double>& value, const Place& place,
                 const char* key) {
  const std::size_t n = attribute.kind == AttributeKind::vector ? 3 : 1;
  place.require(value.empty() || value.size() == n, key, fmt::format("has {} numbers", value.size()),
                fmt::format("the type of the attribute needs {}", n), "Change one of them");
  for (const double x : value) {
    const bool fits = attribute.kind == AttributeKind::integer
                          ? x == std::floor(x) && std::abs(x) <= std::numeric_limits<int>::max()
                          : std::abs(x) <= std::numeric_limits<float>::max();
    place.require(fits, key, "= " + number_text(x) + " does not fit",
                  "particles hold it as a 32-bit number of the attribute's type", "Change the value or the type");
  }
}

void check_attribute(const AttributeParameters& attribute, std::set<std::string>& taken, const Place& place) {
  constexpr std::size_t longest = 64;
  const std::string& name = attribute.name;
  place.require(name.size() <= longest, "name", fmt::format("has {} characters", name.size()),
                fmt::format("at most {} are legal", longest), "Choose a shorter name");
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  place.require(!name.empty() && std::all_of(name.begin(), name.end(), is_letter), "name",
                "is not a name of letters, digits and _", "it names data in files", "Choose another name");
  place.require(taken.insert(name).second, "name", "= " + quote(name) + " is taken",
                "every particle has one of that name", "Choose another name");
  check_meaning(attribute, place);
  check_value(attribute, attribute.value, place, "default");
  for (std::size_t r = 0; r < attribute.regions.size(); ++r)
    check_value(attribute, attribute.regions[r].value, place.entry("region", r), "value");
}

/// A corner of a box and the key that gives it.
struct Corner {
  const char* key;
  const Vec3& x;  ///< position [m]
};

/// Check the box of the fields or particles in snapshots. \param[in] shown  "fields" or "particles"
void check_box(const Parameters& p, const Corner& low, const Corner& high, const char* shown, const Place& place) {
  place.require((low.x.array() <= high.x.array()).head(p.domain.dimension).all(), high.key,
                fmt::format("is below '{}'", low.key), fmt::format("the {}' box has a low and a high corner", shown),
                "Give the low corner, then the high corner");
  place.require(!is_box(low.x, high.x, p.domain.dimension) || meets_domain(p.domain, low.x, high.x), low.key,
                "lies outside the domain", fmt::format("the {}' box, up to '{}', has cells of it", shown, high.key),
                "Move it into the domain");
}

void check_output(const Parameters& p, const Place& place) {
  check_array_names(p, "output.particles", p.output.particles, place);
  check_box(p, {"output.lower", p.output.lower}, {"output.upper", p.output.upper}, "fields", place);
  check_box(p, {"output.particle_lower", p.output.particle_lower}, {"output.particle_upper", p.output.particle_upper},
            "particles", place);
}

void check_absorber(const DomainOptions& domain, const AbsorberParameters& zone, const Place& place) {
  for (int d = 0; d < 3; ++d)
    place.require(
        zone.lower[d] < zone.upper[d], "upper", fmt::format("is not above '{}lower' along {}", place.name, "xyz"[d]),
        number_text(zone.upper[d]) + " <= " + number_text(zone.lower[d]), "Give the low corner, then the high corner");
  place.require(zone.direction.norm() > 0.0, "direction", "is zero", "it does not say where waves come from",
                "Give the direction in which they travel");
  place.require(meets_domain(domain, zone.lower, zone.upper), "lower", "lies outside the domain",
                "nothing is absorbed there", "Choose a box that meets the domain");
}

}  // namespace

std::vector<std::string> known_arrays(const Parameters& p) {
  std::vector<std::string> names = array_names(ArrayNeed::always);
  const auto add = [&](const std::vector<std::string>& more) { names.insert(names.end(), more.begin(), more.end()); };
  if (p.transfer.method == TransferMethod::apic) add(array_names(ArrayNeed::apic));
  if (has_color(p)) add(array_names(ArrayNeed::color));
  for (const AttributeParameters& attribute : p.attributes) names.push_back(attribute.name);
  return names;
}

void check_array_names(const Parameters& p, const char* key, const std::vector<std::string>& names,
                       const Place& place) {
  const std::vector<std::string> known = known_arrays(p);
  for (const std::string& name : names)
    place.require(
        std::ranges::find(known, name) != known.end(), key,
        "= " + quote(shortened(name)) + " is not one of the choices", joined(known),
        name == "color" ? "Give a [[liquid]] or [[source]] a color" : "Choose one of them, or add an [[attribute]]");
}

void check_scene(const Parameters& p, const Place& place) {
  place.require(!p.liquids.empty() || !p.sources.empty(), "liquid", "is missing",
                "without it and without a source there is nothing to simulate", "Add a [[liquid]] or a [[source]]");
  for (std::size_t i = 0; i < p.sources.size(); ++i) {
    const SourceParameters& source = p.sources[i];
    const Place entry = place.entry("source", i);
    (source.mode == SourceMode::inflow ? check_inflow : check_fill)(source, entry);
    check_schedule(source.schedule, entry);
    check_amount(p, source, entry);
  }
  for (std::size_t i = 0; i < p.solids.size(); ++i) {
    const WaveMaker::Flaw flaw = WaveMaker::flaw_of(p.solids[i].motion.wave, p.fluid.gravity, p.domain.dimension);
    place.entry("solid", i).require(flaw.problem.empty(), "wave." + flaw.key, flaw.problem, flaw.why, flaw.remedy);
  }
  for (std::size_t i = 0; i < p.fluid.absorbers.size(); ++i)
    check_absorber(p.domain, p.fluid.absorbers[i], place.entry("absorber", i));
  for (std::size_t i = 0; i < p.sinks.size(); ++i) check_schedule(p.sinks[i].schedule, place.entry("sink", i));
  const std::vector<std::string> reserved = reserved_array_names();
  std::set<std::string> taken(reserved.begin(), reserved.end());
  for (std::size_t i = 0; i < p.attributes.size(); ++i)
    check_attribute(p.attributes[i], taken, place.entry("attribute", i));
  check_output(p, place);
}

}  // namespace freshet::config
