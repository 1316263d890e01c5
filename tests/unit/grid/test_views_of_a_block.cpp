// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/rows_around.hpp"
#include "freshet/grid/kernels/star.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/grid/layout.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

constexpr double nowhere = -1.0;  ///< background of the fields

double number(const Vec3i& cell) {
  return cell.x() + 100.0 * cell.y() + 10000.0 * cell.z();
}

/// Fields with a number for each cell in some blocks of a domain: along y and z they reach over a periodic side.
template <class Shape>
struct Fields {
  Domain domain = test::make_domain(Shape::dim, {24, 24, Shape::dim == 3 ? 24 : 1}, FaceCondition::periodic);
  BlockLayout layout{test::world(), domain, uniform_splitters(domain, test::world().size()),
                     test::random_blocks(domain, 0.6, 3)};
  CellField<double> cells{layout, nowhere};
  FaceField<float> faces{layout, float{nowhere}};

  Fields() {
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < Shape::cells; ++c) {
        const double value = number(layout.first_cell(b) + Shape::place(c));
        cells.block(b)[c] = value;
        for (int d = 0; d < Shape::dim; ++d) faces[d].block(b)[c] = static_cast<float>(value + 0.25 * d);
      }
  }
  /// The number of a cell in or around a block, or the background.
  double expected(LocalIndex b, const Vec3i& place) const {
    const Vec3i cell = domain.wrap_cell(layout.first_cell(b) + place);
    const LocalIndex slot = layout.find(morton_key(cell.cwiseQuotient(domain.block_cells())));
    return slot == layout.background() ? nowhere : number(cell);
  }
};

/// Call f(i, j, k) for the cells of a block and of `pad` layers around it.
template <class Shape, class Function>
void for_each_around(int pad, Function&& f) {
  const int z = Shape::dim == 3 ? pad : 0;
  for (int k = -z; k < Shape::nz + z; ++k)
    for (int j = -pad; j < Shape::ny + pad; ++j)
      for (int i = -pad; i < Shape::nx + pad; ++i) f(i, j, k);
}

template <class Shape>
class ViewsOfABlock : public ::testing::Test {};
using Shapes = ::testing::Types<BlockShape<2>, BlockShape<3>>;
TYPED_TEST_SUITE(ViewsOfABlock, Shapes);

template <int pad, class Shape>
void check_tiles(const Fields<Shape>& fields, LocalIndex b) {
  const Tile<double, Shape, pad> tile(fields.cells, b);
  const Tile<float, Shape, pad> narrow(fields.cells, b);
  const FaceTile<double, Shape, pad> faces(fields.faces, b);
  for_each_around<Shape>(pad, [&](int i, int j, int k) {
    const Vec3i place(i, j, k);
    const double value = fields.expected(b, place);
    const int n = tile.extents.at(place);
    ASSERT_EQ(tile(i, j, k), value) << place.transpose();
    ASSERT_EQ(tile.extents.place(n), place);
    ASSERT_EQ(narrow[n], static_cast<float>(value));
    for (int d = 0; d < Shape::dim; ++d)
      ASSERT_EQ(faces[d][n], value == nowhere ? nowhere : static_cast<double>(static_cast<float>(value + 0.25 * d)));
  });
  for (int c = 0; c < Shape::cells; ++c) ASSERT_EQ(tile.extents.of_cell(c), tile.extents.at(Shape::place(c)));
  EXPECT_EQ(tile.extents.first(), tile.extents.of_cell(0));
  EXPECT_EQ(tile.extents.end(), tile.extents.of_cell(Shape::cells - 1) + 1);
}

TYPED_TEST(ViewsOfABlock, tiles_hold_the_values_around_and_the_background_where_no_block_is) {
  const Fields<TypeParam> fields;
  ASSERT_GT(fields.layout.n_owned(), 0);
  for (LocalIndex b = 0; b < fields.layout.n_owned(); ++b) {
    check_tiles<1>(fields, b);
    check_tiles<2>(fields, b);
    check_tiles<3>(fields, b);
  }
}

TYPED_TEST(ViewsOfABlock, rows_in_place_are_those_of_the_tiles) {
  using Shape = TypeParam;
  const Fields<Shape> fields;
  for (LocalIndex b = 0; b < fields.layout.n_owned(); ++b) {
    const Tile<double, Shape, 2> tile(fields.cells, b);
    const RowsAround<Shape, double> rows(fields.cells, b);
    const Star<double> star = star_of(fields.cells, b);
    constexpr int z = Shape::dim == 3 ? 2 : 0;
    for (int k = -z; k < Shape::nz + z; ++k)
      for (int j = -2; j < Shape::ny + 2; ++j)
        for (int i = 0; i < Shape::nx; ++i) {
          ASSERT_EQ(rows.template get<-2>(j, k)[i], tile(i - 2, j, k));
          ASSERT_EQ(rows.template get<0>(j, k)[i], tile(i, j, k));
          ASSERT_EQ(rows.template get<1>(j, k)[i], tile(i + 1, j, k));
        }
    for (int r = 0; r < Shape::rows; ++r)
      for (int i = 0; i < Shape::nx; ++i) {
        const int j = r % Shape::ny, k = r / Shape::ny;
        ASSERT_EQ((row_below<Shape, 1>(star, r)[i]), tile(i, j - 1, k));
        ASSERT_EQ((row_above<Shape, 1>(star, r)[i]), tile(i, j + 1, k));
        if constexpr (Shape::dim == 3) {
          ASSERT_EQ((row_below<Shape, 2>(star, r)[i]), tile(i, j, k - 1));
          ASSERT_EQ((row_above<Shape, 2>(star, r)[i]), tile(i, j, k + 1));
        }
      }
  }
}

}  // namespace
}  // namespace freshet
