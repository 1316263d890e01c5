// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/force_options.hpp"

#include "freshet/keys/key.hpp"

#include <algorithm>
#include <utility>

namespace freshet {
namespace {

/// Call f(options) for the options of each force, in their order.
template <class Options, class Function>
void for_each_force(Options& options, Function f) {
  std::apply([&f](auto&... of_force) { (f(of_force), ...); }, options);
}

}  // namespace

keys::Keys keys_of(ForceOptions& forces) {
  keys::Keys rows;
  for_each_force(forces,
                 [&rows](auto& options) { keys::append(rows, keys::in_table(options.table, keys_of(options))); });
  return rows;
}

void check_forces(const ForceOptions& forces, const ForceScene& scene, const keys::Table& table) {
  for_each_force(forces, [&](const auto& options) { check_force(options, scene, table); });
}

ForceTerms make_forces(const Domain& domain, const FluidOptions& fluid, const ForceOptions& options,
                       std::shared_ptr<const RigidMotion> frame) {
  ForceTerms terms;
  terms.push_back(std::make_unique<Gravity>(fluid.gravity, frame));
  if (frame) terms.push_back(std::make_unique<MovingFrame>(domain, frame));
  if (!fluid.rotation.isZero(0.0)) terms.push_back(std::make_unique<Coriolis>(fluid.rotation));
  for_each_force(options, [&](const auto& of_force) {
    if (auto term = make_force(of_force, domain, fluid)) terms.push_back(std::move(term));
  });
  // energy is measured from u^n
  std::ranges::stable_partition(terms, [](const auto& term) { return term->reports_energy(); });
  return terms;
}

int reach_of(const ForceTerms& terms) {
  int reach = 0;
  for (const auto& term : terms) reach = std::max(reach, term->reach());
  return reach;
}

}  // namespace freshet
