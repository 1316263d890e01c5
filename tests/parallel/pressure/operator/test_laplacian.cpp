// SPDX-License-Identifier: Apache-2.0
#include "pressure/operator/assembler.hpp"
#include "pressure/operator/laplacian.hpp"
#include "support/rough_scenes.hpp"

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

TEST(Unknowns, compress_and_expand_are_inverse) {
  for_each_rough_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    const CellField<double> field = noise_field(scene, 1);
    const std::vector<double> values = compressed(unknowns, field);
    std::size_t n = 0;
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex, int) {
      ASSERT_LT(n, values.size());
      EXPECT_EQ(values[n++], noise(cell, 1));  // by block, cells x fastest
    });
    EXPECT_EQ(n, values.size());
    CellField<double> back(scene.layout, 0.0);
    back.fill(7.0);
    unknowns.expand(values.data(), back);
    for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block) {
      EXPECT_TRUE(
          std::equal(back.block(block), back.block(block) + scene.layout.cells_per_block(), field.block(block)));
    }
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
    const CellField<double> x = noise_field(scene, 1);
    const std::vector<double> expected = compressed(unknowns, multiply(scene, x));
    std::vector<double> y(expected.size(), 99.0);
    for (int repeat = 0; repeat < 2; ++repeat) laplacian.apply(compressed(unknowns, x).data(), y.data());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-14);  // sums of 7 terms below 6
  });
  EXPECT_TRUE(world().any(any_interior));  // the shortest path was tried
}

TEST(Laplacian, is_symmetric) {
  for_each_rough_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    Laplacian laplacian;
    laplacian.reset(scene.coefficients, unknowns);
    const std::vector<double> x = compressed(unknowns, noise_field(scene, 1));
    const std::vector<double> y = compressed(unknowns, noise_field(scene, 2));
    std::vector<double> a_x(x.size());
    std::vector<double> a_y(x.size());
    laplacian.apply(x.data(), a_x.data());
    laplacian.apply(y.data(), a_y.data());
    EXPECT_NEAR(dot(y, a_x), dot(x, a_y), 1e-9);  // sums of up to 1e5 terms of size 1
  });
}

TEST(Assembler, matrix_equals_the_definition_cell_by_cell) {
  for_each_rough_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    SealedBodies sealed;
    if (world().sum(sealed.find_unanchored(scene.coefficients, unknowns)) > 0) sealed.resolve();
    Assembler assembler;
    const MatHandle matrix = assembler.assemble(scene.coefficients, unknowns, sealed);
    VecHandle x;
    VecHandle y;
    ASSERT_EQ(MatCreateVecs(matrix.get(), x.receive(), y.receive()), 0);
    const CellField<double> field = noise_field(scene, 1);
    const std::vector<double> values = compressed(unknowns, field);
    std::copy(values.begin(), values.end(), VecArray(x.get()).data());
    ASSERT_EQ(MatMult(matrix.get(), x.get(), y.get()), 0);
    const std::vector<double> expected = compressed(unknowns, multiply(scene, field));
    const VecArray product(y.get());
    // Sums of 7 terms below 6; in sealed bodies the diagonal is raised by 1e-8 of itself.
    const double bound = sealed.count() > 0 ? 1e-7 : 1e-14;
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(product.data()[i], expected[i], bound);
  });
}

}  // namespace
}  // namespace freshet
