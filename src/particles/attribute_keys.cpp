// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/slots.hpp"
#include "freshet/particles/attribute_parameters.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>

namespace freshet {
namespace {

/// Check an attribute whose name has a meaning in openPMD, on which readers of snapshots rely.
void check_meaning(const AttributeParameters& attribute, const keys::Table& table) {
  const auto is_any_of = [&](std::initializer_list<const char*> names) {
    return std::ranges::find(names, attribute.name) != names.end();
  };
  const bool is_vector = attribute.kind == AttributeKind::vector;
  if (is_vector ? !is_any_of({"mass", "charge", "weighting"}) : !is_any_of({"momentum"})) return;
  table.refuse("type",
               fmt::format("'{}name' = {} is given as {}", table.name, quote(attribute.name),
                           is_vector ? "a vector" : "one number"),
               fmt::format("in openPMD files it is {}", is_vector ? "one number" : "a vector"),
               "Change the type, or choose another name");
}

void check_value(const AttributeParameters& attribute, const std::vector<double>& value, const keys::Table& table,
                 const char* key) {
  const std::size_t n = attribute.kind == AttributeKind::vector ? 3 : 1;
  table.require(value.empty() || value.size() == n, key, fmt::format("has {} numbers", value.size()),
                fmt::format("the type of the attribute needs {}", n), "Change one of them");
  for (const double x : value) {
    const bool fits = attribute.kind == AttributeKind::integer
                          ? x == std::floor(x) && std::abs(x) <= std::numeric_limits<int>::max()
                          : std::abs(x) <= std::numeric_limits<float>::max();
    table.require(fits, key, "= " + keys::number_text(x) + " does not fit",
                  "particles hold it as a 32-bit number of the attribute's type", "Change the value or the type");
  }
}

void check_attribute(const AttributeParameters& attribute, std::set<std::string>& taken, const keys::Table& table) {
  constexpr std::size_t longest = 64;
  const std::string& name = attribute.name;
  table.require(name.size() <= longest, "name", fmt::format("has {} characters", name.size()),
                fmt::format("at most {} are legal", longest), "Choose a shorter name");
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  table.require(!name.empty() && std::all_of(name.begin(), name.end(), is_letter), "name",
                "is not a name of letters, digits and _", "it names data in files", "Choose another name");
  table.require(taken.insert(name).second, "name", "= " + quote(name) + " is taken",
                "every particle has one of that name", "Choose another name");
  check_meaning(attribute, table);
  check_value(attribute, attribute.value, table, "default");
  for (std::size_t r = 0; r < attribute.regions.size(); ++r)
    check_value(attribute, attribute.regions[r].value, table.entry("region", r), "value");
}

}  // namespace

keys::Entry entry_of(AttributeRegionParameters& region) {
  using namespace keys;
  Entry entry = entry_of(region.shape);
  entry.keys.push_back(
      {"value", numbers(region.value, {}, {1, 3}), "", "Value of particles that are made inside.", required});
  return entry;
}

keys::Entry entry_of(AttributeParameters& attribute) {
  using namespace keys;
  return {{
      {"name", line(attribute.name), "", "Name of the attribute, also in files.", required},
      {"type", choice(attribute.kind, {"integer", "real", "vector"}), "",
       "A 32-bit integer, a 32-bit float, or three of them."},
      {"default", numbers(attribute.value, {}, {1, 3}), "", "Value outside all regions; [] for 0."},
      {"region", tables(attribute.regions), "",
       "A shape and the value of particles that are made inside. Where regions overlap, the first one holds."},
  }};
}

void check_attributes(const std::vector<AttributeParameters>& attributes, const keys::Table& table) {
  const std::vector<std::string> reserved = reserved_array_names();
  std::set<std::string> taken(reserved.begin(), reserved.end());
  for (std::size_t i = 0; i < attributes.size(); ++i)
    check_attribute(attributes[i], taken, table.entry("attribute", i));
}

}  // namespace freshet
