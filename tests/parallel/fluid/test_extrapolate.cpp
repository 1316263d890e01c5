// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/extrapolate.hpp"
#include "freshet/grid/halo.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace freshet {
namespace {

using test::all_blocks;
using test::equal_splitters;
using test::hashed;
using test::make_domain;
using test::world;

using Cell = std::tuple<int, int, int>;
Cell key_of(const Vec3i& cell) {
  return {cell.x(), cell.y(), cell.z()};
}

template <class Visit>
void for_each_owned_cell(const BlockLayout& layout, Visit visit) {
  const Vec3i n = layout.domain().block_cells();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c)
      visit(Vec3i(layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]))), b, c);
}

Label random_label(const Vec3i& cell) {
  const Vec3i coarse = cell / 3;  // clumps, so that faces several layers away exist
  return hashed(1, morton_key(coarse)) < 0.25 ? Label::liquid : Label::air;
}

double start_value(const Vec3i& cell, int d) {
  return hashed(2, morton_key(cell), static_cast<std::uint64_t>(d));
}

/// The same on one map of all faces, without blocks.
std::map<Cell, double> reference(const Domain& domain, int d, int layers) {
  std::map<Cell, double> known;
  const Vec3i n = domain.lattice().cwiseProduct(domain.block_cells());
  const auto in_lattice = [&](const Vec3i& cell) {
    return (cell.array() >= 0).all() && (cell.array() < n.array()).all();
  };
  const auto visit = [&](auto f) {
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) f(Vec3i(i, j, k));
  };
  visit([&](const Vec3i& cell) {
    const Vec3i lower = cell - Vec3i::Unit(d);
    if (random_label(cell) == Label::liquid || (in_lattice(lower) && random_label(lower) == Label::liquid))
      known[key_of(cell)] = start_value(cell, d);
  });
  for (int layer = 0; layer < layers; ++layer) {
    std::map<Cell, double> next = known;
    visit([&](const Vec3i& cell) {
      if (known.contains(key_of(cell))) return;
      double sum = 0.0;
      int count = 0;
      const int k_reach = domain.dimension() == 3 ? 1 : 0;
      for (int dk = -k_reach; dk <= k_reach; ++dk)
        for (int dj = -1; dj <= 1; ++dj)
          for (int di = -1; di <= 1; ++di) {
            const auto found = known.find(key_of(cell + Vec3i(di, dj, dk)));
            if (found == known.end()) continue;
            sum += found->second;
            ++count;
          }
      if (count > 0) next[key_of(cell)] = sum / count;
    });
    known = next;
  }
  return known;
}

class ExtrapolationLayers : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(ExtrapolationLayers, equal_those_of_a_serial_reference) {
  const auto dimension = std::get<0>(GetParam());
  const auto layers = std::get<1>(GetParam());
  const Domain domain = make_domain(dimension, dimension == 3 ? Vec3i(24, 16, 16) : Vec3i(40, 32, 1));
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  LabelField labels(layout, Label::solid);
  FaceField<double> velocity(layout);
  for_each_owned_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    labels.block(b)[c] = random_label(cell);
    for (int d = 0; d < dimension; ++d) velocity[d].block(b)[c] = start_value(cell, d);
  });
  layout.halo().gather(labels, 1);
  Extrapolation extrapolation;
  SolidFields solids;
  solids.reset(layout, {});
  extrapolation(labels, solids, layers, velocity);
  for (int d = 0; d < dimension; ++d) {
    const std::map<Cell, double> expected = reference(domain, d, layers);
    for_each_owned_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
      const auto found = expected.find(key_of(cell));
      // the neighbours are summed in another order than the reference's: up to 26 roundings of sums below 26 a layer
      ASSERT_NEAR(velocity[d].block(b)[c], found == expected.end() ? 0.0 : found->second, 1e-14 * (1 + layers));
    });
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExtrapolationLayers,
                         ::testing::Combine(::testing::Values(2, 3), ::testing::Values(0, 1, 4)));

TEST(Extrapolation, continues_a_constant_exactly) {
  const Domain domain = make_domain(3, {24, 16, 16});
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  LabelField labels(layout, Label::solid);
  FaceField<double> velocity(layout);
  velocity.fill(0.0);
  for_each_owned_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    labels.block(b)[c] = cell.y() < 5 ? Label::liquid : Label::air;
    if (cell.y() <= 5) velocity[1].block(b)[c] = 0.375;
  });
  layout.halo().gather(labels, 1);
  Extrapolation extrapolation;
  SolidFields solids;
  solids.reset(layout, {});
  extrapolation(labels, solids, 3, velocity);
  for_each_owned_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    EXPECT_EQ(velocity[1].block(b)[c], cell.y() <= 8 ? 0.375 : 0.0);
  });
}

}  // namespace
}  // namespace freshet
