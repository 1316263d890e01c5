// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/face_maximum.hpp"
#include "freshet/grid/regrid.hpp"
#include "support/layout_cases.hpp"

#include <algorithm>
#include <limits>

namespace freshet {
namespace {

using test::equal_splitters;
using test::make_domain;
using test::random_blocks;
using test::world;

TEST(Regrid, values_follow_their_blocks_to_new_owners_and_new_blocks_get_the_initial_value) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const std::vector<BlockKey> before = random_blocks(domain, 0.5, 1);
  const std::vector<BlockKey> after = random_blocks(domain, 0.7, 2);
  const BlockLayout source(world(), domain, equal_splitters(world(), before), before);
  const BlockLayout target(world(), domain, uniform_splitters(domain, world().size()), after);
  CellField<double> field(source);
  for (LocalIndex b = 0; b < source.n_owned(); ++b)
    for (int c = 0; c < source.cells_per_block(); ++c) field.block(b)[c] = test::cell_value(source.key(b), c);
  CellField<double> buffer(source);
  buffer.fill(5.0);  // is lost
  transfer_field(field, buffer, target, -7.0);
  EXPECT_TRUE(field.is_bound_to(target));
  for (LocalIndex b = 0; b < target.n_owned(); ++b) {
    const bool old = std::find(before.begin(), before.end(), target.key(b)) != before.end();
    for (int c = 0; c < target.cells_per_block(); ++c)
      ASSERT_EQ(field.block(b)[c], old ? test::cell_value(target.key(b), c) : -7.0);
  }
  for (LocalIndex b = target.n_owned(); b < target.n_blocks(); ++b)
    for (int c = 0; c < target.cells_per_block(); ++c) ASSERT_EQ(field.block(b)[c], -7.0) << "a ghost";
}

TEST(Regrid, owned_faces_are_copied_and_ghosts_are_not) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const std::vector<BlockKey> keys = random_blocks(domain, 0.7, 3);
  const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
  FaceField<double> from(layout), to(layout);
  from.fill(1.5);
  to.fill(-1.0);
  copy_owned(from, to);
  for (int d = 0; d < 3; ++d)
    for (LocalIndex b = 0; b < layout.n_blocks(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c)
        ASSERT_EQ(to[d].block(b)[c], b < layout.n_owned() ? 1.5 : -1.0);
}

TEST(FaceMaximum, is_the_largest_magnitude_on_owned_faces_of_any_rank) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const std::vector<BlockKey> keys = random_blocks(domain, 1.0, 3);
  const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
  FaceField<double> velocity(layout);
  velocity.fill(0.5);
  for (LocalIndex g = layout.n_owned(); g < layout.n_blocks(); ++g) velocity[0].block(g)[0] = 100.0;
  EXPECT_EQ(largest_face_velocity(velocity), 0.5);
  const LocalIndex last = layout.find_owned(morton_key({4, 3, 2}));
  if (last != layout.background()) velocity[2].block(last)[511] = -3.0;
  EXPECT_EQ(largest_face_velocity(velocity), 3.0);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    EXPECT_EQ(largest_face_velocity_of(velocity, b), b == last ? 3.0 : 0.5);
  if (last != layout.background()) velocity[1].block(last)[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(largest_face_velocity(velocity), std::numeric_limits<double>::infinity());
  if (last != layout.background()) {
    EXPECT_EQ(largest_face_velocity_of(velocity, last), std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace freshet
