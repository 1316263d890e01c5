// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/joint_parameters.hpp"
#include "freshet/bodies/mooring_parameters.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

#include <utility>

namespace freshet {
namespace {

const std::vector<std::string>& mooring_kinds() {
  static const std::vector<std::string> names = {"tether", "catenary"};
  return names;
}

const std::string& name_of(MooringKind kind) {
  return mooring_kinds()[static_cast<std::size_t>(kind)];
}

/// Check that a catenary has what its shape needs.
void check_catenary(const MooringParameters& mooring, const Vec3& gravity, const keys::Table& entry) {
  entry.require(gravity.norm() > 0.0, "kind", "is \"catenary\" without gravity",
                "a line without weight has no such shape", "Choose \"tether\", or give fluid.gravity");
  entry.require(mooring.length.has_value(), "kind", "is \"catenary\" without a length", "its shape follows from it",
                "Add length, weight and perhaps axial_stiffness");
  entry.require(mooring.weight > 0.0, entry.gives("weight") ? "weight" : "kind", "is that of a line without weight",
                "a catenary hangs by its weight in water", "Give weight in N/m, or choose \"tether\"");
  const Vec3 up = -gravity.normalized();
  const double lowest = up.dot(mooring.anchor);
  if (mooring.bed)
    entry.require(*mooring.bed <= lowest + 1e-9 * (1.0 + std::abs(lowest)), "bed",
                  fmt::format("= {:g} lies above the anchor", *mooring.bed),
                  fmt::format("the anchor's height against gravity is {:g} m", lowest), "Lower it");
  entry.require(mooring.axial_stiffness > 0.0 || *mooring.length > (mooring.fairlead - mooring.anchor).norm(), "length",
                fmt::format("= {:g} is not above the distance of its ends", *mooring.length),
                "a line that does not stretch needs some slack", "Give a longer one, or axial_stiffness");
}

}  // namespace

keys::Entry entry_of(MooringParameters& mooring) {
  using namespace keys;
  using enum MooringKind;
  constexpr double most = 1e30;
  Keys rows = {
      {"kind", choice(mooring.kind, mooring_kinds()), "",
       "What the line is. tether: a spring that only pulls. catenary: a heavy line in the shape in which it hangs at "
       "rest, part of which may lie on the bed.",
       required},
      {"name", line(mooring.name), "", "Name of the line. It writes the file moorings/NAME.csv.", required},
      {"solid", number(mooring.solid, {0, 1'000'000}), "",
       "Number, counted from 0, of the [[solid]] that it holds, which the liquid moves.", required},
      {"anchor", vector(mooring.anchor, ThirdEntry::middle), "m", "Fixed end, anywhere.", required},
      {"fairlead", vector(mooring.fairlead, ThirdEntry::middle), "m", "End on the body, where it is at the start.",
       required},
      {"length", number(mooring.length, above(0.0, 1e9)), "m",
       "Length without tension; of a tether by default that at the start."},
  };
  const auto present = [&mooring] { return name_of(mooring.kind); };
  const auto add = [&](MooringKind kind, Key key) {
    restrict_to({"kind", {name_of(kind)}}, present, key);
    rows.push_back(std::move(key));
  };
  add(tether, {"stiffness", number(mooring.stiffness, {0.0, most}), "N/m", "Tension over elongation."});
  add(tether, {"damping", number(mooring.damping, {0.0, most}), "kg/s",
               "Tension over the rate of the length, while the line is taut."});
  add(catenary, {"weight", number(mooring.weight, {0.0, most}), "N/m", "Weight in water over unstretched length."});
  add(catenary, {"axial_stiffness", number(mooring.axial_stiffness, {0.0, most}), "N",
                 "Axial stiffness E A: tension over strain; 0: the line does not stretch."});
  add(catenary,
      {"bed", number(mooring.bed, {-1e9, 1e9}), "m",
       "Height, measured against gravity from the origin, of the bed on which the line may lie; none: there is "
       "no bed."});
  return {std::move(rows)};
}

void check_moorings(const std::vector<MooringParameters>& moorings, const std::vector<SolidParameters>& solids,
                    const Vec3& gravity, const keys::Table& table) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < moorings.size(); ++i) {
    const MooringParameters& mooring = moorings[i];
    const keys::Table entry = table.entry("mooring", i);
    check_table_name(mooring.name, names, entry);
    names.push_back(mooring.name);
    const auto solid = static_cast<std::size_t>(mooring.solid);
    entry.require(solid < solids.size(), "solid", fmt::format("= {} is none", solid),
                  solids.size() == 1 ? "there is 1 solid, solid 0"
                                     : fmt::format("there are {} solids, numbered from 0", solids.size()),
                  "Give the number of a [[solid]], counted from 0 in the order of the file");
    entry.require(solids[solid].body.is_free(), "solid",
                  fmt::format("= {} is a solid that the liquid does not move", solid),
                  "it has neither body.density nor body.mass", "Name a body, or leave the mooring out");
    if (mooring.kind == MooringKind::catenary) check_catenary(mooring, gravity, entry);
    entry.require(mooring.kind != MooringKind::tether || mooring.stiffness + mooring.damping > 0.0, "kind",
                  "is \"tether\" without stiffness", "it would not pull", "Give stiffness in N/m");
  }
}

}  // namespace freshet
