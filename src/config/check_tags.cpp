// SPDX-License-Identifier: Apache-2.0
// Checks of what particles have by their tags.
#include "check.hpp"
#include "freshet/forces/vortex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>

namespace freshet::config {
namespace {

using keys::number_text;

/// The share of FLIP for particles with a tag, and the entry that gives it first.
struct GivenShare {
  std::string name;  ///< name of the entry, such as "liquid.0"
  double share;
};

/// Check that all liquids and sources with one tag have the same share of PIC.
template <class Liquid>
void check_flip_fraction(const Parameters& p, const Liquid& liquid, std::optional<double> share, const Table& table,
                         std::array<std::optional<GivenShare>, 256>& by_tag) {
  constexpr double rounding = 1e-12;  // error of 1 minus a coefficient
  const std::string name = table.name.substr(0, table.name.size() - 1);
  const bool by_coefficient = liquid.viscosity_coefficient.has_value();
  if (liquid.flip_fraction && by_coefficient)
    table.refuse("viscosity_coefficient",
                 fmt::format("'{0}.flip_fraction' and '{0}.viscosity_coefficient' are both given", name),
                 "each one determines the other", "Leave one of them out");
  const std::string key = by_coefficient ? "viscosity_coefficient" : "flip_fraction";
  table.require(p.transfer.method != TransferMethod::apic || !(liquid.flip_fraction || by_coefficient), key,
                "is given with 'transfer.method' = \"apic\"", "APIC does not blend PIC and FLIP",
                "Leave one of them out");
  if (!share) return;
  std::optional<GivenShare>& same_tag = by_tag[static_cast<std::size_t>(liquid.tag)];
  if (!same_tag) same_tag = {name, *share};
  if (std::abs(*share - same_tag->share) > rounding)
    table.refuse(key,
                 fmt::format("{} and {} carry tag {} with shares {} and {} of FLIP", same_tag->name, name, liquid.tag,
                             number_text(same_tag->share), number_text(*share)),
                 "particles take their share of FLIP by their tag", "Give them different tags");
}

/// Check that all liquids and sources with one tag have the same viscosity.
void check_viscosities(const Parameters& p, const Table& table) {
  std::array<std::optional<GivenShare>, 256> by_tag;
  const auto check = [&](int tag, double viscosity, const Table& entry) {
    const std::string name = entry.name.substr(0, entry.name.size() - 1);
    std::optional<GivenShare>& same_tag = by_tag[static_cast<std::size_t>(tag)];
    if (!same_tag) same_tag = {name, viscosity};
    if (viscosity != same_tag->share)
      entry.refuse("viscosity",
                   fmt::format("{} and {} carry tag {} with viscosities of {} and {} Pa s", same_tag->name, name, tag,
                               number_text(same_tag->share), number_text(viscosity)),
                   "particles have the viscosity of their tag", "Give them different tags");
  };
  for (std::size_t i = 0; i < p.liquids.size(); ++i)
    check(p.liquids[i].tag, p.liquids[i].viscosity.value_or(p.fluid.viscosity), table.entry("liquid", i));
  for (std::size_t i = 0; i < p.sources.size(); ++i)
    if (p.sources[i].viscosity) check(p.sources[i].tag, *p.sources[i].viscosity, table.entry("source", i));
}

void check_flip_fractions(const Parameters& p, const Table& table) {
  std::array<std::optional<GivenShare>, 256> by_tag;
  for (std::size_t i = 0; i < p.liquids.size(); ++i)
    check_flip_fraction(p, p.liquids[i], flip_fraction_of(p.liquids[i], p.transfer), table.entry("liquid", i), by_tag);
  for (std::size_t i = 0; i < p.sources.size(); ++i)
    check_flip_fraction(p, p.sources[i], own_flip_fraction(p.sources[i]), table.entry("source", i), by_tag);
}

/// Check the weights, which add to the grid's velocity in each step, however short. Particles take PIC's part of it.
/// The part that they take while they cross a cell must stay small, or their energy grows without bound: the limit is
/// that of the method's source, a boost of 1 with 5 % of PIC.
void check_vortex_weights(const Parameters& p, const Table& table) {
  const VortexOptions& vortex = std::get<VortexOptions>(p.forces);
  if (vortex.method != VortexMethod::weights || vortex.boost == 0.0) return;
  const std::string why = "particles would take so much of the boost that their energy grows without bound";
  table.require(p.transfer.method != TransferMethod::apic, "vortex.method",
                "is \"weights\" with 'transfer.method' = \"apic\"", why,
                "Choose \"confinement\", or transfer.method \"flip\"");
  table.require(p.transfer.per == FlipPer::step || p.transfer.flip_time == 0.0, "transfer.flip_time",
                fmt::format("is {} s with 'vortex.method' = \"weights\"", number_text(p.transfer.flip_time)),
                "the part of the boost that particles take while they cross a cell would depend on their speed",
                "Leave it out, or choose \"confinement\"");
  constexpr double most_taken = 0.05 * (1.0 + 1e-9);
  const double steps =
      p.transfer.per == FlipPer::step ? std::max(1.0, 1.0 / p.time.cfl) : 1.0;  // steps to cross a cell
  const auto check = [&](const auto& liquid, const Table& entry) {
    const std::optional<double> own = own_flip_fraction(liquid);
    const double share = own.value_or(p.transfer.flip_fraction);
    if ((1.0 - share) * vortex.boost * steps <= most_taken) return;
    const Table& where = own ? entry : table;
    where.require(false,
                  liquid.viscosity_coefficient ? "viscosity_coefficient"
                  : own                        ? "flip_fraction"
                                               : "transfer.flip_fraction",
                  fmt::format("leaves a share of {} of FLIP with 'vortex.method' = \"weights\"", number_text(share)),
                  why,
                  fmt::format("Choose \"confinement\", or a share of at least {}",
                              number_text(1.0 - 0.05 / (vortex.boost * steps))));
  };
  for (std::size_t i = 0; i < p.liquids.size(); ++i) check(p.liquids[i], table.entry("liquid", i));
  for (std::size_t i = 0; i < p.sources.size(); ++i) check(p.sources[i], table.entry("source", i));
}

}  // namespace

std::set<double> viscosities_of(const Parameters& p) {
  std::array<double, 256> of_tag{};
  of_tag.fill(p.fluid.viscosity);
  const auto for_each_entry = [&p](auto&& visit) {
    for (const LiquidParameters& liquid : p.liquids) visit(static_cast<std::size_t>(liquid.tag), liquid.viscosity);
    for (const SourceParameters& source : p.sources) visit(static_cast<std::size_t>(source.tag), source.viscosity);
  };
  for_each_entry([&](std::size_t tag, const std::optional<double>& own) { of_tag[tag] = own.value_or(of_tag[tag]); });
  std::set<double> found;
  for_each_entry([&](std::size_t tag, const std::optional<double>&) { found.insert(of_tag[tag]); });
  if (found.empty()) found.insert(p.fluid.viscosity);
  return found;
}

void check_tags(const Parameters& p, const Table& table) {
  check_flip_fractions(p, table);
  check_vortex_weights(p, table);
  check_viscosities(p, table);
}

}  // namespace freshet::config
