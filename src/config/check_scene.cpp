// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "freshet/transfer/affine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>

/// What comes into a scene and leaves it, and what its particles carry.
namespace freshet::config {
namespace {

/// Names that no attribute may have: those of arrays that the solver owns, and of openPMD's own records.
std::set<std::string> reserved_names(const Parameters& p) {
  std::set<std::string> names = {"position", "positionOffset", "velocity", "id", "tag", "color", "particlePatches"};
  if (p.transfer.method == TransferMethod::apic) names.insert(affine_attribute);
  return names;
}

/// openPMD gives some names a meaning, which readers of snapshots rely on.
void check_meaning(const AttributeParameters& attribute, const Value& root, const std::string& base) {
  const auto is_any_of = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), attribute.name) != names.end();
  };
  const bool is_vector = attribute.kind == AttributeKind::vector;
  if (is_vector ? !is_any_of({"mass", "charge", "weighting"}) : !is_any_of({"momentum"})) return;
  fail(location(root, base + "type"),
       fmt::format("'{}name' = {} is given as {}", base, quoted(attribute.name), is_vector ? "a vector" : "one number"),
       fmt::format("in openPMD files it is {}", is_vector ? "one number" : "a vector"),
       "Change the type, or choose another name");
}

void check_schedule(const ScheduleParameters& schedule, const Value& root, const std::string& base) {
  if (!schedule.intervals.empty() && (schedule.start != 0.0 || schedule.end != 0.0))
    fail(location(root, base + "schedule"), "'" + base + "schedule' is given beside start_time or end_time",
         "either says when it is on", "Leave one of them out");
  if (schedule.end != 0.0 && schedule.end <= schedule.start)
    fail(location(root, base + "end_time"), "'" + base + "end_time' is not after '" + base + "start_time'",
         number_text(schedule.end) + " s <= " + number_text(schedule.start) + " s", "Make it later, or 0 for never");
}

void check_inflow(const SourceParameters& source, const Value& root, const std::string& base) {
  const bool by_velocity = !source.velocity.isZero(0.0);
  const int n_given = (source.rate > 0.0 ? 1 : 0) + (source.pressure > 0.0 ? 1 : 0) + (by_velocity ? 1 : 0);
  if (n_given != 1)
    fail(location(root, base + "rate"),
         fmt::format("'{}' gives {} of rate, pressure and velocity", base.substr(0, base.size() - 1), n_given),
         "an inflow takes one of them, above 0", "Give one");
  const bool directed = !source.direction.isZero(0.0);
  if (by_velocity && directed)
    fail(location(root, base + "direction"), "'" + base + "direction' is given beside velocity",
         "the velocity says where the liquid goes", "Leave one of them out");
  if (!by_velocity && !directed)
    fail(location(root, base + "direction"), "'" + base + "direction' is missing or zero",
         "rate and pressure do not say where the liquid goes", "Give a direction, such as [1.0, 0.0, 0.0]");
  if (!std::isnormal(std::max(source.direction.norm(), source.velocity.norm())))
    fail(location(root, base + (directed ? "direction" : "velocity")), "'" + base + "direction' has no finite length",
         "its square is beyond 64-bit numbers", "Give numbers near 1");
  if (source.shape.kind == ShapeKind::half_space)
    fail(location(root, base + "shape"), "'" + base + "shape' is a half_space", "its cross-section has no end",
         "Choose another shape, or mode = \"fill\"");
}

void check_fill(const SourceParameters& source, const Value& root, const std::string& base) {
  if (source.rate == 0.0 && source.pressure == 0.0 && source.direction.isZero(0.0)) return;
  fail(location(root, base + "mode"), "'" + base + "mode' is \"fill\" beside rate, pressure or direction",
       "a region that is kept full takes what is missing", "Leave them out, or choose mode = \"inflow\"");
}

/// Every number of particles fits in 64-bit integers, and speeds in the particles' numbers.
void check_amount(const Parameters& p, const SourceParameters& source, const Value& root, const std::string& base) {
  constexpr double fastest = 1e30;  // [m/s], as for liquids
  constexpr double most = 1e15;     // particles
  const double volume = std::pow(p.domain.cell_size, 3) / std::pow(p.particles.per_axis, p.domain.dimension);
  if (source.rate * p.run.end_time / volume > most)
    fail(location(root, base + "rate"),
         "'" + base + "rate' = " + number_text(source.rate) + " makes too many particles",
         fmt::format("more than {:.0e} until run.end_time", most), "Give a rate in m^3/s");
  if (std::sqrt(2.0 * source.pressure / p.fluid.density) > fastest)
    fail(location(root, base + "pressure"), "'" + base + "pressure' is too high",
         "the speed is beyond the particles' 32-bit numbers", "Give a pressure in Pa");
}

bool is_integer(double x) {
  return x == std::floor(x) && std::abs(x) <= std::numeric_limits<int>::max();
}

void check_value(const AttributeParameters& attribute, const std::vector<double>& value, const Value& root,
                 const std::string& key) {
  const std::size_t n = attribute.kind == AttributeKind::vector ? 3 : 1;
  if (!value.empty() && value.size() != n)
    fail(location(root, key), fmt::format("'{}' has {} numbers", key, value.size()),
         fmt::format("its attribute's type takes {}", n), "Change one of them");
  for (const double x : value) {
    if (attribute.kind == AttributeKind::integer ? is_integer(x) : std::abs(x) <= std::numeric_limits<float>::max())
      continue;
    fail(location(root, key), "'" + key + "' = " + number_text(x) + " does not fit",
         "particles hold it as a 32-bit number of the attribute's type", "Change the value or the type");
  }
}

void check_attributes(const Parameters& p, const Value& root) {
  std::set<std::string> names = reserved_names(p);
  for (std::size_t i = 0; i < p.attributes.size(); ++i) {
    const AttributeParameters& attribute = p.attributes[i];
    const std::string base = fmt::format("attribute.{}.", i);
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    constexpr std::size_t longest = 64;
    const std::string& name = attribute.name;
    if (name.size() > longest)
      fail(location(root, base + "name"), fmt::format("'{}name' has {} characters", base, name.size()),
           fmt::format("at most {} are legal", longest), "Choose a shorter name");
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_letter))
      fail(location(root, base + "name"), "'" + base + "name' is not a name of letters, digits and _",
           "it names data in files", "Choose another name");
    if (!names.insert(name).second)
      fail(location(root, base + "name"), "'" + base + "name' = " + quoted(name) + " is taken",
           "every particle has one of that name", "Choose another name");
    check_meaning(attribute, root, base);
    check_value(attribute, attribute.value, root, base + "default");
    for (std::size_t r = 0; r < attribute.regions.size(); ++r)
      check_value(attribute, attribute.regions[r].value, root, fmt::format("{}region.{}.value", base, r));
  }
}

void check_output(const Parameters& p, const Value& root) {
  std::vector<std::string> names = {"velocity", "id", "tag"};
  if (has_color(p)) names.emplace_back("color");
  for (const AttributeParameters& attribute : p.attributes) names.push_back(attribute.name);
  for (const std::string& name : p.output.particles) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    fail(location(root, "output.particles"),
         "'output.particles' = " + quoted(shortened(name)) + " is not one of the choices", joined(names),
         name == "color" ? "Give a [[liquid]] or [[source]] a color" : "Choose one of them, or add an [[attribute]]");
  }
}

}  // namespace

void check_scene(const Parameters& p, const Value& root) {
  if (p.liquids.empty() && p.sources.empty())
    fail(location(root, "liquid"), "'liquid' is missing",
         "without it and without a source there is nothing to simulate", "Add a [[liquid]] or a [[source]]");
  for (std::size_t i = 0; i < p.sources.size(); ++i) {
    const std::string base = fmt::format("source.{}.", i);
    const SourceParameters& source = p.sources[i];
    (source.mode == SourceMode::inflow ? check_inflow : check_fill)(source, root, base);
    check_schedule(source.schedule, root, base);
    check_amount(p, source, root, base);
  }
  for (std::size_t i = 0; i < p.sinks.size(); ++i)
    check_schedule(p.sinks[i].schedule, root, fmt::format("sink.{}.", i));
  check_attributes(p, root);
  check_output(p, root);
}

}  // namespace freshet::config
