// SPDX-License-Identifier: Apache-2.0
// Checks of snapshots, and of surfaces that a run writes or that are made of its snapshots.
#include "check.hpp"
#include "freshet/grid/domain_sides.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet::config {
namespace {

using keys::joined;
using keys::number_text;
using keys::shortened;

/// Names of the particle arrays that snapshots can hold.
std::vector<std::string> known_arrays(const Parameters& p) {
  std::vector<std::string> names = array_names(ArrayNeed::always);
  const auto add = [&](const std::vector<std::string>& more) { names.insert(names.end(), more.begin(), more.end()); };
  if (p.transfer.method == TransferMethod::apic) add(array_names(ArrayNeed::apic));
  if (has_color(p)) add(array_names(ArrayNeed::color));
  for (const AttributeParameters& attribute : p.attributes) names.push_back(attribute.name);
  return names;
}

/// Check names of particle arrays.
void check_array_names(const Parameters& p, const char* key, const std::vector<std::string>& names,
                       const Table& table) {
  const std::vector<std::string> known = known_arrays(p);
  for (const std::string& name : names)
    table.require(
        std::ranges::find(known, name) != known.end(), key,
        "= " + quote(shortened(name)) + " is not one of the choices", joined(known),
        name == "color" ? "Give a [[liquid]] or [[source]] a color" : "Choose one of them, or add an [[attribute]]");
}

/// A corner of a box and the key that gives it.
struct Corner {
  const char* key;
  const Vec3& x;  ///< position [m]
};

/// Check the box of the fields or particles in snapshots. \param[in] shown  "fields" or "particles"
void check_box(const Parameters& p, const Corner& low, const Corner& high, const char* shown, const Table& table) {
  table.require((low.x.array() <= high.x.array()).head(p.domain.dimension).all(), high.key,
                fmt::format("is below '{}'", low.key), fmt::format("the {}' box has a low and a high corner", shown),
                "Give the low corner, then the high corner");
  table.require(!is_box(low.x, high.x, p.domain.dimension) || meets_domain(p.domain, low.x, high.x), low.key,
                "lies outside the domain", fmt::format("the {}' box, up to '{}', has cells of it", shown, high.key),
                "Move it into the domain");
}

void check_snapshots(const Parameters& p, const Table& table) {
  check_array_names(p, "output.particles", p.output.particles, table);
  check_box(p, {"output.lower", p.output.lower}, {"output.upper", p.output.upper}, "fields", table);
  check_box(p, {"output.particle_lower", p.output.particle_lower}, {"output.particle_upper", p.output.particle_upper},
            "particles", table);
}

/// Check the attribute of particles that holds radii.
void check_radius_from(const Parameters& p, const Table& table) {
  constexpr const char* key = "output.surface.radius_from";
  const SurfaceOptions& surface = p.surface.surface;
  if (surface.radius_from.empty()) return;
  std::vector<std::string> names;
  for (const AttributeParameters& attribute : p.attributes)
    if (attribute.kind == AttributeKind::real) names.push_back(attribute.name);
  const auto found = std::ranges::find(p.attributes, surface.radius_from, &AttributeParameters::name);
  table.require(std::ranges::find(names, surface.radius_from) != names.end(), key,
                "= " + quote(shortened(surface.radius_from)) + " is no [[attribute]] of type \"real\"",
                names.empty() ? "the case has none" : "those are " + joined(names),
                "Add one that holds radii in metres, or choose one");
  table.require(surface.method == SurfaceMethod::improved_blobbies, key,
                "is given with another 'output.surface.method' than \"improved_blobbies\"",
                "the others give all particles one size", "Leave one of them out");
  table.require(surface.radius == 0.0, key, "is given together with 'output.surface.radius'",
                "each of them says how large particles are", "Leave one of them out");
  const double largest = kernel_of(surface) * p.domain.cell_size;
  const auto check = [&](const std::vector<double>& value, const std::string& where) {
    const double radius = value.empty() ? 0.0 : value.front();
    table.require(
        radius > 0.0 && radius <= largest, key,
        fmt::format("takes a radius of {} m from '{}'", number_text(radius), where),
        fmt::format("a radius is above 0 and at most {} m, which 'output.surface.kernel' lets a particle reach",
                    number_text(largest)),
        "Give radii in metres");
  };
  if (p.surface.interval == 0.0) return;  // a program may set the values before snapshots become surfaces
  const std::string entry = fmt::format("attribute.{}.", found - p.attributes.begin());
  check(found->value, entry + "default");
  for (std::size_t r = 0; r < found->regions.size(); ++r)
    check(found->regions[r].value, fmt::format("{}region.{}.value", entry, r));
}

void check_surfaces(const Parameters& p, const Table& table) {
  table.require(p.surface.interval == 0.0 || p.domain.dimension == 3, "output.surface.interval",
                "asks for surfaces of a case in 2-D", "a surface is made of triangles", "Leave it out");
  check_format(p.surface, table);
  check_array_names(p, "output.surface.attributes", p.surface.attributes, table);
  check_radius(p.surface.surface, table);
  check_radius_from(p, table);
}

}  // namespace

void check_output(const Parameters& p, const Table& table) {
  check_snapshots(p, table);
  check_surfaces(p, table);
}

}  // namespace freshet::config
