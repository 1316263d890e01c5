// SPDX-License-Identifier: Apache-2.0
// Checks of surfaces that a run writes, or that are made of its snapshots.
#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet::config {
namespace {

void check_radius(const Parameters& p, const Place& place) {
  const SurfaceOptions& surface = p.surface.surface;
  if (surface.radius == 0.0) return;
  place.require(surface.method != SurfaceMethod::anisotropic, "output.surface.radius",
                "is given with 'output.surface.method' = \"anisotropic\"",
                "that method takes its radii from the particles' neighbours", "Leave one of them out");
  place.require(surface.radius <= kernel_of(surface), "output.surface.radius",
                fmt::format("= {} is beyond the reach of a particle", number_text(surface.radius)),
                fmt::format("'output.surface.kernel' is {} cells", number_text(kernel_of(surface))),
                "Lower the radius, or raise the kernel");
}

/// Check the attribute of particles that holds radii.
void check_radius_from(const Parameters& p, const Place& place) {
  constexpr const char* key = "output.surface.radius_from";
  const SurfaceOptions& surface = p.surface.surface;
  if (surface.radius_from.empty()) return;
  std::vector<std::string> names;
  for (const AttributeParameters& attribute : p.attributes)
    if (attribute.kind == AttributeKind::real) names.push_back(attribute.name);
  const auto found = std::ranges::find(p.attributes, surface.radius_from, &AttributeParameters::name);
  place.require(std::ranges::find(names, surface.radius_from) != names.end(), key,
                "= " + quote(shortened(surface.radius_from)) + " is no [[attribute]] of type \"real\"",
                names.empty() ? "the case has none" : "those are " + joined(names),
                "Add one that holds radii in metres, or choose one");
  place.require(surface.method == SurfaceMethod::improved_blobbies, key,
                "is given with another 'output.surface.method' than \"improved_blobbies\"",
                "the others give all particles one size", "Leave one of them out");
  place.require(surface.radius == 0.0, key, "is given together with 'output.surface.radius'",
                "each of them says how large particles are", "Leave one of them out");
  const double largest = kernel_of(surface) * p.domain.cell_size;
  const auto check = [&](const std::vector<double>& value, const std::string& where) {
    const double radius = value.empty() ? 0.0 : value.front();
    place.require(
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

}  // namespace

void check_surfaces(const Parameters& p, const Place& place) {
  const SurfaceOptions& surface = p.surface.surface;
  place.require(p.surface.interval == 0.0 || p.domain.dimension == 3, "output.surface.interval",
                "asks for surfaces of a case in 2-D", "a surface is made of triangles", "Leave it out");
  place.require(
      p.surface.format != "vdb" || (surface.smoothing == 0 && surface.decimate == 1.0 && surface.min_particles == 0.0),
      "output.surface.format", "= \"vdb\" is given together with smoothing, decimate or min_particles",
      "these change triangles, and a .vdb file holds a level set", "Leave them out, or choose another format");
  check_array_names(p, "output.surface.attributes", p.surface.attributes, place);
  check_radius(p, place);
  check_radius_from(p, place);
}

}  // namespace freshet::config
