// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/work_counts.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/halo.hpp"
#include "support/layout_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
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

TEST(Halo, fields_of_several_types_travel_together_and_exchanges_of_two_widths_at_once) {
  test::for_each_layout_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    const BlockLayout layout(world(), domain, splitters, keys);
    const int cells = layout.cells_per_block();
    CellField<double> alone(layout), far(layout);
    FaceField<double> faces(layout);
    CellField<std::uint8_t> bytes(layout);
    CellField<float> floats(layout);
    const auto fill = [&](LocalIndex b, double factor) {
      for (int c = 0; c < cells; ++c) {
        const double value = factor * test::cell_value(layout.key(b), c);
        alone.block(b)[c] = far.block(b)[c] = value;
        for (int d = 0; d < faces.dimension(); ++d) faces[d].block(b)[c] = value + d;
        bytes.block(b)[c] = static_cast<std::uint8_t>(200.0 * value);
        floats.block(b)[c] = static_cast<float>(value);
      }
    };
    for (LocalIndex b = 0; b < layout.n_blocks(); ++b) fill(b, b < layout.n_owned() ? 1.0 : -0.0);
    layout.halo().gather(alone, 2);
    layout.halo().begin_gather(2, bytes, faces, floats);
    layout.halo().begin_gather(1, far);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) fill(b, 0.5);  // what is under way is not touched
    layout.halo().end_gather(2, bytes, faces, floats);
    layout.halo().end_gather(1, far);
    CellField<double> near(layout);
    near.fill(0.0);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < cells; ++c) near.block(b)[c] = test::cell_value(layout.key(b), c);
    layout.halo().gather(near, 1);
    for (LocalIndex g = layout.n_owned(); g < layout.n_blocks(); ++g)
      for (int c = 0; c < cells; ++c) {
        const double value = alone.block(g)[c];
        for (int d = 0; d < faces.dimension(); ++d) ASSERT_EQ(faces[d].block(g)[c], value == 0.0 ? d : value + d);
        ASSERT_EQ(bytes.block(g)[c], static_cast<std::uint8_t>(200.0 * value));
        ASSERT_EQ(floats.block(g)[c], static_cast<float>(value));
        ASSERT_EQ(far.block(g)[c], near.block(g)[c]);
      }
  });
}

TEST(Halo, requests_of_two_widths_come_with_one_message) {
  test::for_each_layout_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    const BlockLayout layout(world(), domain, splitters, keys);
    FaceField<double> together(layout), apart(layout);
    CellField<std::uint8_t> bytes_together(layout), bytes_apart(layout);
    for (LocalIndex b = 0; b < layout.n_blocks(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const double value = b < layout.n_owned() ? test::cell_value(layout.key(b), c) : -1.0;
        for (int d = 0; d < together.dimension(); ++d) together[d].block(b)[c] = apart[d].block(b)[c] = value + d;
        bytes_together.block(b)[c] = bytes_apart.block(b)[c] = static_cast<std::uint8_t>(std::abs(100.0 * value));
      }
    const Halo& halo = layout.halo();
    const auto exchanges = [] { return work_so_far()[static_cast<std::size_t>(Work::exchanges)]; };
    const std::int64_t before = exchanges();
    Halo::gather(halo.request(3, bytes_together), halo.request(1, together));
    EXPECT_EQ(exchanges() - before, world().size() > 1 ? 1 : 0);
    halo.gather(bytes_apart, 3);
    halo.gather(apart, 1);
    for (LocalIndex b = 0; b < layout.n_blocks(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        ASSERT_EQ(bytes_together.block(b)[c], bytes_apart.block(b)[c]);
        for (int d = 0; d < together.dimension(); ++d) ASSERT_EQ(together[d].block(b)[c], apart[d].block(b)[c]);
      }
  });
}

}  // namespace
}  // namespace freshet
