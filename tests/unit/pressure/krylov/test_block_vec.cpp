// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/floating_point.hpp"
#include "freshet/parallel/petsc_handle.hpp"
#include "pressure/krylov/block_vec.hpp"
#include "pressure/krylov/dot.hpp"
#include "support/rough_scenes.hpp"

#include <omp.h>

#include <cmath>
#include <limits>

namespace freshet {
namespace {

using namespace pressure;
using namespace test;

/// The unknowns of a splash in a box, and vectors for them.
struct Splash {
  explicit Splash(const Domain& domain, std::uint64_t seed = 3)
      : scene(world(), domain, all_blocks(domain), uniform_splitters(domain, 1), splash(domain.cells(), seed)) {
    unknowns.rebuild(scene.coefficients);
  }
  Scene scene;
  Unknowns unknowns;
};

void fill(Vec vec, const CellField<double>& field) {
  PetscInt n = 0;
  VecGetLocalSize(vec, &n);
  std::copy_n(field.data(), n, VecArray(vec).data());
}

TEST(BlockVec, operations_equal_plain_loops_also_on_duplicates) {
  for_each_rough_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    const CellField<double> a = noise_field(scene, 1);
    const CellField<double> b = noise_field(scene, 2);
    BlockVecs vecs;
    vecs.set_unknowns(unknowns);
    const VecHandle x(vecs.create());
    VecHandle y;
    ASSERT_EQ(VecDuplicate(x.get(), y.receive()), 0);
    fill(x.get(), a);
    fill(y.get(), b);
    PetscScalar result = -1.0;
    PetscReal norm = -1.0;
    ASSERT_EQ(VecDot(x.get(), y.get(), &result), 0);
    EXPECT_NEAR(result, dot(scene, a, b), 1e-11);  // sums of up to 1e5 terms below 1
    ASSERT_EQ(VecTDot(y.get(), x.get(), &result), 0);
    EXPECT_NEAR(result, dot(scene, a, b), 1e-11);
    ASSERT_EQ(VecNorm(x.get(), NORM_2, &norm), 0);
    EXPECT_NEAR(norm, std::sqrt(dot(scene, a, a)), 1e-11);
    ASSERT_EQ(VecNorm(x.get(), NORM_INFINITY, &norm), 0);
    EXPECT_EQ(norm, local_max_magnitude(a.data(), unknowns));
    ASSERT_EQ(VecAXPY(y.get(), 2.0, x.get()), 0);
    ASSERT_EQ(VecAYPX(y.get(), -3.0, x.get()), 0);
    const int cells = scene.layout.cells_per_block();
    {
      const VecArray values(y.get());
      for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block)
        for (int c = 0; c < cells; ++c) {  // 0 where there is no unknown
          const double p = a.block(block)[c];
          EXPECT_NEAR(values.data()[block * cells + c], p - 3.0 * (b.block(block)[c] + 2.0 * p), 1e-14);
        }
    }
    ASSERT_EQ(VecCopy(x.get(), y.get()), 0);
    EXPECT_TRUE(std::equal(a.data(), a.data() + scene.layout.n_owned() * cells, VecArray(y.get()).data()));
  });
}

TEST(LocalDot, has_the_same_bits_for_any_number_of_threads) {
  const int n_threads = omp_get_max_threads();
  const Splash splash(make_domain(3, {72, 48, 40}));
  const CellField<double> x = noise_field(splash.scene, 5);
  omp_set_num_threads(1);
  const double alone = local_dot(x.data(), x.data(), splash.unknowns).round();
  for (const int threads : {2, 3, 7}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(local_dot(x.data(), x.data(), splash.unknowns).round(), alone);
  }
  omp_set_num_threads(n_threads);
}

TEST(BlockVec, rows_that_lose_their_unknowns_become_0_in_every_vector) {
  const Domain domain = make_domain(3, {24, 16, 16});
  Splash splash(domain);
  BlockVecs vecs;
  vecs.set_unknowns(splash.unknowns);
  const VecHandle x(vecs.create());
  fill(x.get(), noise_field(splash.scene, 1));
  for (LocalIndex block = 0; block < splash.scene.layout.n_owned(); ++block)
    splash.scene.for_each_cell(block, [&](const Vec3i& cell, int c) {
      if (cell.y() > 2) splash.scene.labels.block(block)[c] = Label::air;
    });
  build_coefficients(splash.scene.labels, splash.scene.open_fraction, splash.scene.coefficients);
  splash.unknowns.rebuild(splash.scene.coefficients);
  vecs.set_unknowns(splash.unknowns);
  const VecArray values(x.get());
  const int cells = splash.scene.layout.cells_per_block();
  double kept = 0.0;
  for (LocalIndex block = 0; block < splash.scene.layout.n_owned(); ++block)
    splash.scene.for_each_cell(block, [&](const Vec3i& cell, int c) {
      const double value = values.data()[block * cells + c];
      if (cell.y() > 2) {
        EXPECT_EQ(value, 0.0);
      }
      kept += std::abs(value);
    });
  EXPECT_GT(kept, 0.0);
}

TEST(LocalDot, is_nan_where_an_entry_is_not_finite) {
  const WithoutTraps suspended;
  const Splash splash(make_domain(2, {16, 16, 1}));
  CellField<double> x = noise_field(splash.scene, 1);
  const LocalIndex block = splash.unknowns.active_blocks().front();
  const std::size_t row = static_cast<std::size_t>(std::countr_zero(splash.unknowns.active_rows(block)));
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan(""), 1e200}) {  // 1e400 is too large
    x.block(block)[8 * row] = bad;
    EXPECT_TRUE(std::isnan(local_dot(x.data(), x.data(), splash.unknowns).round()));
  }
}

TEST(BlockVec, memory_is_taken_again) {
  const Splash splash(make_domain(2, {16, 16, 1}));
  BlockVecs vecs;
  vecs.set_unknowns(splash.unknowns);
  const double* first = nullptr;
  {
    const VecHandle x(vecs.create());
    first = VecArray(x.get()).data();
    VecArray(x.get()).data()[7] = 1.0;
  }
  const VecHandle again(vecs.create());
  EXPECT_EQ(VecArray(again.get()).data(), first);
  EXPECT_EQ(VecArray(again.get()).data()[7], 0.0);  // new vectors are 0
}

TEST(LargestMagnitude, is_infinite_where_an_entry_is_not_a_number) {
  const WithoutTraps suspended;
  const Splash splash(make_domain(2, {16, 16, 1}));
  CellField<double> x = splash.scene.field([](const Vec3i& cell) { return -3.0 + 0.01 * cell.x(); });
  double largest = 0.0;
  double* last = nullptr;
  splash.scene.for_each_unknown([&](const Vec3i&, LocalIndex block, int c) {
    last = &x.block(block)[c];
    largest = std::max(largest, -*last);
  });
  EXPECT_EQ(local_max_magnitude(x.data(), splash.unknowns), largest);
  *last = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(local_max_magnitude(x.data(), splash.unknowns), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace freshet
