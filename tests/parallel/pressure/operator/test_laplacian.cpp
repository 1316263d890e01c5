// SPDX-License-Identifier: Apache-2.0
#include "pressure/operator/laplacian.hpp"
#include "support/rough_scenes.hpp"

#include <algorithm>
#include <limits>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

TEST(Unknowns, are_counted_and_copied_without_what_stands_in_other_cells) {
  for_each_rough_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    LocalIndex n = 0;
    scene.for_each_unknown([&n](const Vec3i&, LocalIndex, int) { ++n; });
    EXPECT_EQ(unknowns.count(), n);
    CellField<double> everywhere(scene.layout, 0.0);
    for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block)
      scene.for_each_cell(block, [&](const Vec3i& cell, int c) { everywhere.block(block)[c] = noise(cell, 1); });
    const CellField<double> expected = noise_field(scene, 1);
    CellField<double> copied(scene.layout, 0.0);
    copied.fill(7.0);
    unknowns.copy(everywhere.data(), copied.data());
    CellField<double> in_rows(scene.layout, 0.0);
    in_rows.fill(0.0);  // what copy_active() leaves where a row has no unknown
    unknowns.copy_active(everywhere.data(), in_rows.data());
    unknowns.copy(everywhere.data(), everywhere.data());
    for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block)
      for (const CellField<double>* field : {&copied, &everywhere, &in_rows})
        EXPECT_TRUE(std::equal(field->block(block), field->block(block) + scene.layout.cells_per_block(),
                               expected.block(block)));
  });
}

TEST(Laplacian, equals_the_definition_cell_by_cell) {
  bool any_interior = false;
  for_each_rough_scene([&](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    for (const LocalIndex block : unknowns.active_blocks()) {
      any_interior = any_interior || unknowns.coefficients(block) == Coefficients::interior;
    }
    Laplacian laplacian;
    laplacian.reset(scene.coefficients, unknowns);
    CellField<double> x = noise_field(scene, 1);
    const CellField<double> b = noise_field(scene, 2);
    const CellField<double> expected = multiply(scene, x);
    CellField<double> y = zeros(scene);
    const ResidualSize residual = laplacian.measure_residual(b.data(), x.data());
    double squares = 0.0;
    double largest = 0.0;
    for (LocalIndex ghost = scene.layout.n_owned(); ghost < scene.layout.n_blocks(); ++ghost)
      std::fill_n(x.block(ghost), scene.layout.cells_per_block(), std::numeric_limits<double>::quiet_NaN());
    laplacian.apply(x.data(), y.data());  // fetches the ghosts
    const int cells = scene.layout.cells_per_block();
    for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block)
      for (int c = 0; c < cells; ++c) {  // sums of 7 terms below 6; 0 where there is no unknown
        EXPECT_NEAR(y.block(block)[c], expected.block(block)[c], 1e-14);
        const double r = b.block(block)[c] - expected.block(block)[c];
        squares += r * r;
        largest = std::max(largest, std::abs(r));
      }
    EXPECT_NEAR(residual.squares.round(), squares, 1e-12 * squares);
    EXPECT_NEAR(residual.largest, largest, 1e-14);
  });
  EXPECT_TRUE(world().any(any_interior));  // the shortest path was tried
}

TEST(Laplacian, is_symmetric) {
  for_each_rough_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    Laplacian laplacian;
    laplacian.reset(scene.coefficients, unknowns);
    CellField<double> x = noise_field(scene, 1);
    CellField<double> y = noise_field(scene, 2);
    CellField<double> a_x = zeros(scene);
    CellField<double> a_y = zeros(scene);
    laplacian.apply(x.data(), a_x.data());
    laplacian.apply(y.data(), a_y.data());
    EXPECT_NEAR(dot(scene, y, a_x), dot(scene, x, a_y), 1e-9);  // sums of up to 1e5 terms of size 1
  });
}

}  // namespace
}  // namespace freshet
