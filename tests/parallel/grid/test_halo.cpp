// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/field.hpp"
#include "freshet/grid/halo.hpp"
#include "support/layout_cases.hpp"

#include <algorithm>
#include <set>

namespace freshet {
namespace {

using test::world;

TEST(Halo, gather_fills_the_rim_from_the_owners_and_nothing_else) {
  test::for_each_layout_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    const BlockLayout layout(world(), domain, splitters, keys);
    const Vec3i n = domain.block_cells();
    for (const int width : {1, 3, 8}) {
      CellField<double> field(layout);
      field.fill(-1.0);
      for (LocalIndex b = 0; b < layout.n_owned(); ++b)
        for (int c = 0; c < layout.cells_per_block(); ++c) field.block(b)[c] = test::cell_value(layout.key(b), c);
      layout.halo().gather(field, width);

      // serial reference: a ghost cell is in the rim if an owned block's dilation by `width` reaches it
      std::vector<std::uint8_t> in_rim(static_cast<std::size_t>(layout.n_ghost()) * layout.cells_per_block(), 0);
      for (LocalIndex b = 0; b < layout.n_owned(); ++b)
        for (int direction = 0; direction < n_directions; ++direction) {
          const LocalIndex g = layout.neighbours(b)[direction] - layout.n_owned();
          if (g < 0 || g >= layout.n_ghost()) continue;
          const Vec3i offset = direction_offset(direction);
          for (int c = 0; c < layout.cells_per_block(); ++c) {
            const Vec3i place = Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1])) + offset.cwiseProduct(n);
            const bool near = (place.array() >= -width).all() && (place.array() < n.array() + width).all();
            if (near) in_rim[static_cast<std::size_t>(g) * layout.cells_per_block() + c] = 1;
          }
        }
      for (LocalIndex g = 0; g < layout.n_ghost(); ++g)
        for (int c = 0; c < layout.cells_per_block(); ++c) {
          const bool rim = in_rim[static_cast<std::size_t>(g) * layout.cells_per_block() + c] != 0;
          const double expected = rim ? test::cell_value(layout.key(layout.n_owned() + g), c) : -1.0;
          ASSERT_EQ(field.block(layout.n_owned() + g)[c], expected);
        }
    }
  });
}

}  // namespace
}  // namespace freshet
