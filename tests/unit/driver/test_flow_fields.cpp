// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/flow_fields.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace freshet {
namespace {

using test::world;

TEST(FlowFields, carry_velocity_and_pressure_to_the_next_layout_and_begin_there_with_zero) {
  const Domain domain = test::make_domain(3, {24, 8, 8});
  const std::vector<BlockKey> keys = test::all_blocks(domain);
  const Splitters alone{{0}};
  const BlockLayout first(world(), domain, alone, std::vector<BlockKey>{keys[0], keys[1]});
  FlowFields flow;
  flow.carry_to(first, {}, 0.0);
  EXPECT_EQ(flow.pressure.block(1)[7], 0.0);
  EXPECT_EQ(flow.velocity[2].block(0)[7], 0.0);
  flow.pressure.block(1)[7] = 3.0;
  flow.velocity[2].block(1)[9] = -2.0;
  const BlockLayout second(world(), domain, alone, std::vector<BlockKey>{keys[1], keys[2]});
  flow.carry_to(second, {}, 0.0);
  EXPECT_EQ(flow.pressure.block(0)[7], 3.0);
  EXPECT_EQ(flow.velocity[2].block(0)[9], -2.0);
  EXPECT_EQ(flow.pressure.block(1)[7], 0.0);
  EXPECT_TRUE(flow.weight[0].is_bound_to(second));
}

TEST(FlowFields, scaling_reaches_every_cell) {
  const Domain domain = test::make_domain(2, {16, 8, 1});
  const BlockLayout layout(world(), domain, Splitters{}, test::all_blocks(domain));
  CellField<double> field(layout, 0.0);
  field.fill(2.0);
  scale_field(field, -1.5);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) EXPECT_EQ(field.block(b)[c], -3.0);
}

}  // namespace
}  // namespace freshet
