// SPDX-License-Identifier: Apache-2.0
#include "key_tables.hpp"
#include "targets.hpp"

namespace freshet::config {

std::vector<Key> keys_of(Parameters& p) {
  std::vector<Key> keys = {
      {"title", TextTarget{&p.title}, "", "What the case is, in a few words.", at_restart},
      {"reference", TextTarget{&p.reference}, "", "Where the case comes from.", at_restart},
  };
  append(keys, run_keys(p.run));
  append(keys, domain_keys(p.domain));
  append(keys, method_keys(p));
  append(keys, motion_keys(p.frame, "frame."));
  append(keys, reseeding_keys(p.particles.reseeding));
  append(keys, distribution_keys(p.particles.distribution, p.labels));
  append(keys, pressure_keys(p.pressure));
  append(keys, wall_keys(p.pressure.walls));
  append(keys, density_keys(p.density));
  append(keys, service_keys(p.balance, p.output));
  append(keys, checkpoint_keys(p.checkpoint));
  keys.push_back(
      {"liquid", TablesTarget<LiquidParameters>{&p.liquids}, "",
       "A body of liquid at the start; where bodies overlap, the first one holds. At least one, or a source."});
  keys.push_back({"solid", TablesTarget<SolidParameters>{&p.solids}, "", "A fixed obstacle."});
  keys.push_back({"source", TablesTarget<SourceParameters>{&p.sources}, "", "A region that emits liquid."});
  keys.push_back({"sink", TablesTarget<SinkParameters>{&p.sinks}, "", "A region that absorbs liquid."});
  keys.push_back({"attribute", TablesTarget<AttributeParameters>{&p.attributes}, "",
                  "A named number or vector that every particle carries."});
  return keys;
}

}  // namespace freshet::config
