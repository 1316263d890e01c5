// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/extrapolate.hpp"
#include "freshet/grid/halo.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

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

/// The same on one map of all faces, without blocks. All sides are walls: no layer reads the faces on them.
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
  const auto is_on_wall = [&](const Vec3i& cell) { return cell[d] == 0; };
  visit([&](const Vec3i& cell) {
    if (is_on_wall(cell)) return;
    const Vec3i lower = cell - Vec3i::Unit(d);
    if (random_label(cell) == Label::liquid || (in_lattice(lower) && random_label(lower) == Label::liquid))
      known[key_of(cell)] = start_value(cell, d);
  });
  for (int layer = 0; layer < layers; ++layer) {
    std::map<Cell, double> next = known;
    visit([&](const Vec3i& cell) {
      if (is_on_wall(cell) || known.contains(key_of(cell))) return;
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
                         ::testing::Combine(::testing::Values(2, 3), ::testing::Values(0, 1, 4, 7)));

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
    EXPECT_EQ(velocity[1].block(b)[c], cell.y() > 0 && cell.y() <= 8 ? 0.375 : 0.0);
  });
}

/// Extrapolation of a field that is given on known faces, from what is liquid.
struct Distant {
  FaceField<double> velocity;
  LabelField labels;
  Extrapolation extrapolation;

  template <class IsLiquid, class Velocity>
  Distant(const BlockLayout& layout, int layers, IsLiquid is_liquid, Velocity u,
          ExtrapolationMethod method = ExtrapolationMethod::distance)
      : velocity(layout), labels(layout, Label::solid), extrapolation(method) {
    for_each_owned_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
      labels.block(b)[c] = is_liquid(cell) ? Label::liquid : Label::air;
      for (int d = 0; d < velocity.dimension(); ++d) velocity[d].block(b)[c] = u(cell, d);
    });
    layout.halo().gather(labels, 1);
    SolidFields solids;
    solids.reset(layout, {});
    extrapolation(labels, solids, layers, velocity);
  }
};

/// Place of face d of a cell. [cells]
Vec3 place(const Vec3i& cell, int d) {
  Vec3 x = cell.cast<double>() + Vec3::Constant(0.5);
  x[d] -= 0.5;
  return x;
}

TEST(Extrapolation, has_the_same_bits_on_any_number_of_ranks) {
  const Communicator self(MPI_COMM_SELF);
  for (const int dimension : {2, 3})
    for (const int layers : {1, 3, 7}) {
      const Domain domain = make_domain(dimension, dimension == 3 ? Vec3i(40, 24, 16) : Vec3i(80, 32, 1));
      const std::vector<BlockKey> keys = test::random_blocks(domain, 0.8, 7);
      const auto is_liquid = [](const Vec3i& cell) { return hashed(3, morton_key(cell / 5)) < 0.1; };
      const BlockLayout alone(self, domain, Splitters{}, keys);
      const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
      const Distant serial(alone, layers, is_liquid, start_value, ExtrapolationMethod::layers);
      const Distant shared(layout, layers, is_liquid, start_value, ExtrapolationMethod::layers);
      EXPECT_EQ(test::field_hash(shared.velocity), test::field_hash(serial.velocity));
    }
}

TEST(ExtrapolationByDistance, of_a_plane_is_exact) {
  for (const int dimension : {2, 3}) {
    const Domain domain = make_domain(dimension, {24, 24, dimension == 3 ? 16 : 1}, FaceCondition::periodic);
    const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
    const auto along_normals = [](const Vec3i& cell, int d) {  // no pattern in the plane, constant across it
      return hashed(3, static_cast<std::uint64_t>(cell.x() + 100 * cell.z()), static_cast<std::uint64_t>(d));
    };
    const Distant result(
        layout, 6, [](const Vec3i& cell) { return cell.y() >= 5 && cell.y() < 9; }, along_normals);
    for_each_owned_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
      if (cell.y() < 9 || cell.y() > 14) return;  // as far as the layers reach, nearer than from the other side
      for (int d = 0; d < dimension; ++d) {
        const double distance = place(cell, d).y() - 9.0;
        EXPECT_EQ(result.extrapolation.distance()[d].block(b)[c], distance);
        EXPECT_EQ(result.velocity[d].block(b)[c], along_normals(cell, d));
      }
    });
  }
}

/// Largest errors on the faces 1/2 to 3 cells off a ball, over its radius: of the distance, and of a velocity that
/// depends on the direction from its centre only.
std::pair<double, double> errors_at_ball(int n) {
  const Domain domain = make_domain(3, Vec3i::Constant(n));
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  const Vec3 center = Vec3::Constant(0.5 * n);
  const double radius = 0.3 * n;
  const auto by_direction = [&](const Vec3i& cell, int d) -> double {
    return (place(cell, d) - center).normalized()[d];
  };
  const Distant result(
      layout, 3,
      [&](const Vec3i& cell) { return (cell.cast<double>() + Vec3::Constant(0.5) - center).norm() < radius; },
      by_direction);
  double of_distance = 0.0, of_velocity = 0.0;
  for_each_owned_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    for (int d = 0; d < 3; ++d) {
      const double exact = (place(cell, d) - center).norm() - radius;
      if (exact < 0.5 || exact > 3.0) continue;
      of_distance = std::max(of_distance, std::abs(result.extrapolation.distance()[d].block(b)[c] - exact) / radius);
      of_velocity = std::max(of_velocity, std::abs(result.velocity[d].block(b)[c] - by_direction(cell, d)));
    }
  });
  return {world().max(of_distance), world().max(of_velocity)};
}

TEST(ExtrapolationByDistance, of_a_ball_is_of_first_order) {
  const auto [distance_16, velocity_16] = errors_at_ball(16);
  const auto [distance_64, velocity_64] = errors_at_ball(64);
  if (world().is_root())
    std::printf("[ measured ] errors at 16^3 and 64^3: %.3g %.3g, %.3g %.3g\n", distance_16, distance_64, velocity_16,
                velocity_64);
  EXPECT_LT(distance_16, 1.0 / 4.8);          // a cell: its voxels are half a cell off the ball
  EXPECT_LT(distance_64, distance_16 / 3.0);  // a quarter of the cell size; the worst face is not the same
  EXPECT_LT(velocity_64, velocity_16 / 2.5);
}

TEST(ExtrapolationByDistance, has_the_same_bits_on_any_number_of_ranks_and_the_reach_of_the_layers) {
  const Communicator self(MPI_COMM_SELF);
  for (const int dimension : {2, 3})
    for (const int layers : {0, 1, 3}) {
      const Domain domain = make_domain(dimension, dimension == 3 ? Vec3i(24, 16, 16) : Vec3i(40, 32, 1));
      const std::vector<BlockKey> keys = test::random_blocks(domain, 0.9, 5);
      const auto is_liquid = [](const Vec3i& cell) { return random_label(cell) == Label::liquid; };
      const auto constant = [](const Vec3i&, int) { return 0.375; };
      const BlockLayout alone(self, domain, Splitters{}, keys);
      const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
      const Distant serial(alone, layers, is_liquid, start_value);
      const Distant shared(layout, layers, is_liquid, start_value);
      EXPECT_EQ(test::field_hash(shared.velocity), test::field_hash(serial.velocity));
      EXPECT_EQ(test::field_hash(shared.extrapolation.distance()), test::field_hash(serial.extrapolation.distance()));
      const Distant reached(layout, layers, is_liquid, constant);
      FaceField<double> by_layers(layout);
      by_layers.fill(0.375);
      SolidFields solids;
      solids.reset(layout, {});
      LabelField labels = reached.labels;
      Extrapolation()(labels, solids, layers, by_layers);
      for_each_owned_cell(layout, [&](const Vec3i&, LocalIndex b, int c) {
        for (int d = 0; d < dimension; ++d) {
          if (by_layers[d].block(b)[c] == 0.0) {
            ASSERT_EQ(reached.velocity[d].block(b)[c], 0.0);
            continue;
          }
          // a mean of equal numbers rounds to within an ulp or two
          ASSERT_NEAR(reached.velocity[d].block(b)[c], 0.375, 1e-15);
        }
      });
    }
}

/// The blocks with cells within a distance of liquid along every axis.
template <class IsLiquid>
std::vector<BlockKey> blocks_near(const Domain& domain, int distance, IsLiquid is_liquid) {
  std::vector<BlockKey> near;
  const Vec3i width = domain.block_cells() + Vec3i::Constant(2 * distance);
  for (const BlockKey key : all_blocks(domain)) {
    const Vec3i first = morton_block(key).cwiseProduct(domain.block_cells()) - Vec3i::Constant(distance);
    bool is_near = false;
    for (int n = 0; n < width.prod() && !is_near; ++n) {
      const Vec3i cell = first + Vec3i(n % width[0], n / width[0] % width[1], n / (width[0] * width[1]));
      is_near = domain.contains_cell(cell) && is_liquid(cell);
    }
    if (is_near) near.push_back(key);
  }
  return near;
}

/// A face may be nearer to liquid that its layers do not reach, by a way around what they reach.
TEST(Extrapolation, does_not_depend_on_blocks_beyond_the_layers) {
  constexpr int layers = 3;
  const Communicator self(MPI_COMM_SELF);
  for (const int dimension : {2, 3}) {
    const Domain domain = make_domain(dimension, dimension == 3 ? Vec3i(40, 40, 40) : Vec3i(96, 96, 1));
    const double density = dimension == 3 ? 3e-4 : 5e-3;
    const auto is_liquid = [&](const Vec3i& cell) { return hashed(4, morton_key(cell)) < density; };
    const BlockLayout full(self, domain, Splitters{}, all_blocks(domain));
    const BlockLayout sparse(self, domain, Splitters{}, blocks_near(domain, layers, is_liquid));
    ASSERT_LT(sparse.n_owned(), full.n_owned());
    for (const ExtrapolationMethod method : {ExtrapolationMethod::layers, ExtrapolationMethod::distance}) {
      const Distant of_full(full, layers, is_liquid, start_value, method);
      const Distant of_sparse(sparse, layers, is_liquid, start_value, method);
      for_each_owned_cell(sparse, [&](const Vec3i& cell, LocalIndex b, int c) {
        for (int d = 0; d < dimension; ++d)
          EXPECT_EQ(of_sparse.velocity[d].block(b)[c], of_full.velocity[d].block(full.find(sparse.key(b)))[c])
              << cell.transpose() << " along " << d;
      });
    }
  }
}

}  // namespace
}  // namespace freshet
