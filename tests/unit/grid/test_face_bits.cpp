// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/kernels/face_bits.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using test::make_domain;

/// Bit by bit against the definition: a face has a cell of the domain on one side at least, and lies on no wall.
template <class Shape>
void expect_faces(const Domain& domain, const Vec3i& block) {
  const Vec3i first = block.cwiseProduct(domain.block_cells());
  for (int component = 0; component < Shape::dim; ++component) {
    const InnerFaces faces(Shape{}, domain, first, component);
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j)
        for (int i = 0; i < Shape::nx; ++i) {
          const Vec3i above = first + Vec3i(i, j, k);
          Vec3i below = above;
          --below[component];
          const auto holds = [&domain](const Vec3i& cell) { return domain.contains_cell(domain.wrap_cell(cell)); };
          const bool on_wall = domain.is_wall(component, 0) && holds(above) != holds(below);
          const bool is_inner = !on_wall && (holds(above) || holds(below));
          EXPECT_EQ((faces.plane(k) >> (Shape::nx * j + i) & 1U) != 0, is_inner)
              << "component " << component << ", face " << above.transpose();
        }
  }
}

TEST(InnerFaces, are_those_of_the_cells_of_the_domain_but_the_ones_on_walls) {
  for (const FaceCondition condition : {FaceCondition::free_slip, FaceCondition::open, FaceCondition::periodic}) {
    const bool closes = condition == FaceCondition::periodic;  // whole blocks
    const Domain flat = make_domain(2, closes ? Vec3i(16, 8, 1) : Vec3i(16, 11, 1), condition);
    const Domain box = make_domain(3, closes ? Vec3i(8, 16, 8) : Vec3i(8, 13, 17), condition);
    for (int x = 0; x < (closes ? 1 : 3); ++x)
      for (int y = 0; y < (closes ? 1 : 2); ++y) {
        expect_faces<BlockShape<2>>(flat, {x, y, 0});
        for (int z = 0; z < (closes ? 1 : 3); ++z) expect_faces<BlockShape<3>>(box, {x, y, z});
      }
  }
}

}  // namespace
}  // namespace freshet
