// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/layout.hpp"
#include "support/layout_cases.hpp"

#include <algorithm>
#include <set>

namespace freshet {
namespace {

using test::world;

TEST(Layout, every_wanted_block_is_owned_once_whoever_asks_for_it) {
  test::for_each_layout_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    std::vector<BlockKey> wanted;  // each rank asks for another part, with repeats
    for (std::size_t n = 0; n < keys.size(); ++n)
      if (static_cast<int>(n) % world().size() == world().rank() || n % 3 == 0) wanted.push_back(keys[n]);
    const BlockLayout layout(world(), domain, splitters, wanted);
    EXPECT_EQ(layout.n_global(), static_cast<GlobalIndex>(keys.size()));
    EXPECT_TRUE(std::is_sorted(layout.owned_keys().begin(), layout.owned_keys().end()));
    for (const BlockKey key : layout.owned_keys()) EXPECT_EQ(splitters.owner(key), world().rank());
  });
}

TEST(Layout, neighbours_are_those_of_a_serial_reference) {
  test::for_each_layout_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    const std::set<BlockKey> exists(keys.begin(), keys.end());
    const BlockLayout layout(world(), domain, splitters, keys);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int direction = 0; direction < n_directions; ++direction) {
        Vec3i block = layout.block_coords(b) + direction_offset(direction);
        const LocalIndex neighbour = layout.neighbours(b)[direction];
        if (domain.wrap_block(block) && exists.contains(morton_key(block))) {
          ASSERT_LT(neighbour, layout.n_blocks());
          EXPECT_EQ(layout.key(neighbour), morton_key(block));
        } else {
          EXPECT_EQ(neighbour, layout.background());
        }
      }
  });
}

}  // namespace
}  // namespace freshet
