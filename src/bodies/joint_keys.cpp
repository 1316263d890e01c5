// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/joint_parameters.hpp"
#include "freshet/geometry/motion_parameters.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace freshet {
namespace {

/// In the order of the enumerators.
constexpr std::array<JointKindRecord, 5> joint_kinds = {
    {{"hinge", "hinge"}, {"slider", "slider"}, {"ball", "ball joint"}, {"fixed", "fixed joint"}, {"spring", "spring"}}};

std::vector<std::string> joint_kind_names() {
  std::vector<std::string> names;
  for (const JointKindRecord& record : joint_kinds) names.emplace_back(record.name);
  return names;
}

/// A slot for the numbers of one or two solids; check_joined_solids() checks that they are whole.
keys::Slot numbers_of_solids(std::vector<double>& solids) {
  keys::Slot slot = keys::numbers(solids, {0.0, 1e6}, {1, 2});
  slot.type = "1 or 2 integers";
  slot.text = [&solids] {
    if (solids.size() == 1) return fmt::format("{:.0f}", solids[0]);
    return solids.empty() ? std::string("[]") : fmt::format("[{:.0f}, {:.0f}]", solids[0], solids[1]);
  };
  return slot;
}

/// Check the solids that a joint names.
void check_joined_solids(const JointParameters& joint, const std::vector<SolidParameters>& solids,
                         const keys::Table& entry) {
  for (const double number : joint.solids) {
    entry.require(number == std::floor(number), "solids", fmt::format("has the entry {:g}", number),
                  "solids are numbered from 0", "Give whole numbers");
    entry.require(number < static_cast<double>(solids.size()), "solids",
                  fmt::format("names solid {:g}, which there is not", number),
                  solids.size() == 1 ? "there is 1 solid, solid 0"
                                     : fmt::format("there are {} solids, numbered from 0", solids.size()),
                  "Give the number of a [[solid]], counted from 0 in the order of the file");
    entry.require(solids[static_cast<std::size_t>(number)].body.is_free(), "solids",
                  fmt::format("names solid {:g}, which the liquid does not move", number),
                  "it has neither body.density nor body.mass",
                  "Name bodies only: with one, the joint is to the ground");
  }
  entry.require(joint.solids.size() == 1 || joint.solids[0] != joint.solids[1], "solids",
                fmt::format("names solid {:g} twice", joint.solids[0]), "a joint connects two bodies",
                "Name another body, or one alone for a joint to the ground");
}

/// Check the axis of a joint, and in 2-D that it leaves bodies in the plane.
void check_axis(const JointParameters& joint, int dimension, const keys::Table& entry) {
  const bool is_slider = joint.kind == JointKind::slider;
  if (!is_slider && joint.kind != JointKind::hinge) return;
  entry.require(joint.axis.norm() > 0.0, "axis", "is zero", "it is a direction", "Give one of any length");
  if (dimension == 3) return;
  const bool is_out = joint.axis.x() == 0.0 && joint.axis.y() == 0.0;
  const bool is_in = joint.axis.z() == 0.0;
  entry.require(
      is_slider ? is_in : is_out, "axis", is_slider ? "leaves the plane" : "lies in the plane", "domain.dimension is 2",
      is_slider ? "Give a direction in the plane, as axis = [1.0, 0.0]" : "Leave it out: hinges turn about z");
}

}  // namespace

const JointKindRecord& record_of(JointKind kind) {
  return joint_kinds[static_cast<std::size_t>(kind)];
}

keys::Entry entry_of(JointParameters& joint) {
  using namespace keys;
  using enum JointKind;
  constexpr double most = 1e30;
  Keys rows = {
      {"kind", choice(joint.kind, joint_kind_names()), "",
       "What the joint leaves free. hinge: rotation about the axis. slider: displacement along the axis. ball: all "
       "rotations. fixed: nothing. spring: everything, as a spring and a damper between two points.",
       required},
      {"name", line(joint.name), "", "Name of the joint. It writes the file joints/NAME.csv.", required},
      {"solids", numbers_of_solids(joint.solids), "",
       "Numbers, counted from 0, of the [[solid]] that it joins, which the liquid moves. There are two, or one for a "
       "joint to the ground.",
       required},
      {"anchor", vector(joint.anchor, ThirdEntry::middle), "m",
       "Place of the joint at the start; of a spring its end on the first body.", required},
  };
  const auto present = [&joint] { return std::string(record_of(joint.kind).name); };
  const auto add = [&](const std::vector<JointKind>& kinds, Key key) {
    std::vector<std::string> names;
    for (const JointKind kind : kinds) names.emplace_back(record_of(kind).name);
    restrict_to({"kind", std::move(names)}, present, key);
    rows.push_back(std::move(key));
  };
  add({spring}, {"end", vector(joint.end, ThirdEntry::middle), "m",
                 "Other end of the spring at the start, on the second body or fixed. Springs need it."});
  add({hinge, slider}, {"axis", vector(joint.axis, ThirdEntry::zero), "",
                        "Direction of the axis at the start, of any length. It goes with the second body."});
  add({hinge, slider, spring}, {"stiffness", number(joint.stiffness, {0.0, most}), "N/m",
                                "Stiffness of the free coordinate; of a hinge moment over angle [N m/rad]."});
  add({hinge, slider, spring}, {"damping", number(joint.damping, {0.0, most}), "kg/s",
                                "Damping of the free coordinate, such as that of a power take-off; of a hinge moment "
                                "over angular velocity [N m s/rad]."});
  add({slider, spring}, {"length", number(joint.length, {-1e9, 1e9}), "m",
                         "Length of a spring without force, by default that at the start; of a slider the displacement "
                         "along the axis without force, by default 0."});
  add({hinge},
      {"angle", number(joint.angle, {-1e6, 1e6}), "degrees", "Angle of a hinge without moment, from the start."});
  return {std::move(rows)};
}

void check_table_name(const std::string& name, const std::vector<std::string>& earlier, const keys::Table& entry) {
  constexpr std::size_t longest = 64;
  const auto is_legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  entry.require(!name.empty() && name.size() <= longest && std::ranges::all_of(name, is_legal), "name",
                fmt::format("= {} is not 1 to {} letters, digits, _ and -", quote(keys::shortened(name)), longest),
                "it names a file", "Choose another name");
  entry.require(std::ranges::find(earlier, name) == earlier.end(), "name", "= " + quote(name) + " is taken",
                "two tables would be one file", "Choose another name");
}

void check_joints(const std::vector<JointParameters>& joints, const std::vector<SolidParameters>& solids, int dimension,
                  const keys::Table& table) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const JointParameters& joint = joints[i];
    const keys::Table entry = table.entry("joint", i);
    check_table_name(joint.name, names, entry);
    names.push_back(joint.name);
    check_joined_solids(joint, solids, entry);
    check_axis(joint, dimension, entry);
    entry.require(joint.kind != JointKind::spring || entry.gives("end"), "kind", "is \"spring\" without 'end'",
                  "a spring joins two points", "Add the other end");
    entry.require(joint.kind != JointKind::spring || joint.length.value_or(0.0) >= 0.0, "length", "is below 0",
                  "a spring pulls when it is longer than its length", "Give a number from 0 on");
  }
}

}  // namespace freshet
