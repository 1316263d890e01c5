// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/block_shape.hpp"
#include "freshet/transfer/deposit.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace freshet {
namespace {

using test::make_domain;
using test::random_velocity;
using test::Scatter;
using test::scatter_particles;
using test::world;

/// A grid, fields on it and one deposit.
struct Bench {
  Domain domain;
  BlockLayout layout;
  FaceField<double> velocity;
  FaceField<double> weight;

  Bench(int dimension, const Vec3i& cells, FaceCondition condition, double fraction = 2.0)
      : domain(make_domain(dimension, cells, condition)),
        layout(world(), domain, uniform_splitters(domain, world().size()), test::random_blocks(domain, fraction, 3)),
        velocity(layout),
        weight(layout) {}
  void deposit(const ParticleStore& particles) {
    Deposit deposit;
    deposit(particles, layout, velocity, weight);
  }
};

struct Case {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
  double fraction;
};
const Case cases[] = {
    {3, {24, 16, 24}, FaceCondition::free_slip, 2.0}, {3, {24, 16, 16}, FaceCondition::free_slip, 0.6},
    {3, {16, 16, 8}, FaceCondition::periodic, 2.0},   {3, {8, 8, 8}, FaceCondition::periodic, 2.0},
    {3, {17, 9, 12}, FaceCondition::open, 2.0},       {2, {40, 24, 1}, FaceCondition::free_slip, 0.7},
    {2, {16, 8, 1}, FaceCondition::periodic, 2.0},    {2, {19, 16, 1}, FaceCondition::open, 2.0}};

/// Of a number below 1 in the sums of a box in 3-D, and where it goes to another block.
constexpr double rounding = std::numeric_limits<ParticleReal>::epsilon() / 2.0;

/// \param[in] bound  of the difference
void expect_plain_scatter(Bench& bench, const ParticleStore& particles, double bound) {
  bench.deposit(particles);
  auto faces = test::scatter_reference(bench.layout, particles);
  for (LocalIndex b = 0; b < bench.layout.n_owned(); ++b)
    for (int d = 0; d < bench.domain.dimension(); ++d)
      for (int cell = 0; cell < bench.layout.cells_per_block(); ++cell) {
        const test::FaceSums face = faces[{bench.layout.key(b), d, cell}];
        ASSERT_NEAR(bench.weight[d].block(b)[cell], face.weight, bound);
        if (face.weight == 0.0) {
          ASSERT_EQ(bench.velocity[d].block(b)[cell], 0.0);
        } else {
          ASSERT_NEAR(bench.velocity[d].block(b)[cell] * face.weight, face.momentum, bound);
        }
      }
}

TEST(Deposit, depends_neither_on_what_the_fields_held_nor_on_the_use_of_the_weights) {
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << c.dimension << "-D " << c.cells.transpose());
    Bench first(c.dimension, c.cells, c.condition, c.fraction);
    const ParticleStore particles = scatter_particles(first.layout, Scatter{0.4, 1, 9}, random_velocity);
    first.deposit(particles);
    for (const WeightUse use : {WeightUse::kept, WeightUse::scratch}) {
      Bench again(c.dimension, c.cells, c.condition, c.fraction);
      again.velocity.fill(std::numeric_limits<double>::quiet_NaN());
      again.weight.fill(std::numeric_limits<double>::quiet_NaN());
      Deposit deposit;
      deposit(particles, again.layout, again.velocity, again.weight, DepositKernel::trilinear, use);
      EXPECT_EQ(test::field_hash(again.velocity), test::field_hash(first.velocity));
      if (use == WeightUse::kept) {
        EXPECT_EQ(test::field_hash(again.weight), test::field_hash(first.weight));
      }
    }
  }
}

TEST(Deposit, agrees_with_a_plain_scatter_over_all_particles) {
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << c.dimension << "-D " << c.cells.transpose());
    Bench bench(c.dimension, c.cells, c.condition, c.fraction);
    const ParticleStore particles = scatter_particles(bench.layout, Scatter{}, random_velocity);
    ASSERT_GT(particles.size(), 100);
    // at most 48 particles reach a face, each adds a number below 1 with two roundings at most
    expect_plain_scatter(bench, particles, 90.0 * rounding);
  }
}

/// Only a part of a block's faces is reached; the others must not keep what an earlier block left in memory.
TEST(Deposit, of_thin_sheets_agrees_with_a_plain_scatter) {
  for (const int axis : {0, 1, 2})
    for (const double low : {0.1, 2.3, 7.2}) {
      SCOPED_TRACE(::testing::Message() << "normal to " << axis << " at " << low);
      Bench bench(3, {16, 16, 24}, FaceCondition::periodic);
      ParticleStore particles = scatter_particles(bench.layout, Scatter{}, random_velocity);
      bench.deposit(particles);
      for (ParticleIndex p = 0; p < particles.size(); ++p) {
        ParticleReal& x = particles.position()[3 * p + axis];
        x = static_cast<ParticleReal>(low + 0.09 * x);
      }
      expect_plain_scatter(bench, particles, 1080.0 * rounding);  // up to 12 times as many particles as above
    }
}

/// Reverse the particles of each block, or exchange each with one further on.
void reorder(const BlockLayout& layout, bool reverse, ParticleStore& particles) {
  const auto exchange = [&](ParticleIndex p, ParticleIndex q) {
    std::swap_ranges(particles.position() + 3 * p, particles.position() + 3 * p + 3, particles.position() + 3 * q);
    std::swap_ranges(particles.velocity() + 3 * p, particles.velocity() + 3 * p + 3, particles.velocity() + 3 * q);
  };
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const ParticleIndex begin = particles.block_begin()[b], end = particles.block_begin()[b + 1];
    for (ParticleIndex p = begin; p < end; ++p) {
      const ParticleIndex other =
          reverse ? begin + end - 1 - p : p + static_cast<ParticleIndex>((p * 7919) % (end - p));
      if (other > p) exchange(p, other);
    }
  }
}

TEST(Deposit, of_particles_in_any_order_differs_by_rounding) {
  Bench bench(3, {24, 16, 16}, FaceCondition::free_slip), again(3, {24, 16, 16}, FaceCondition::free_slip);
  ParticleStore particles = scatter_particles(bench.layout, Scatter{}, random_velocity);
  bench.deposit(particles);
  for (const bool reverse : {true, false}) {
    reorder(again.layout, reverse, particles);
    again.deposit(particles);
    for (LocalIndex b = 0; b < bench.layout.n_owned(); ++b)
      for (int d = 0; d < 3; ++d)
        for (int cell = 0; cell < bench.layout.cells_per_block(); ++cell) {
          // sums of at most 48 numbers below 1, each with two roundings at most
          const double bound = 90.0 * rounding;
          ASSERT_NEAR(again.weight[d].block(b)[cell], bench.weight[d].block(b)[cell], bound);
          const double momentum = bench.velocity[d].block(b)[cell] * bench.weight[d].block(b)[cell];
          ASSERT_NEAR(again.velocity[d].block(b)[cell] * again.weight[d].block(b)[cell], momentum, bound);
        }
  }
}

TEST(Deposit, reproduces_a_constant_velocity) {
  for (const Case& c : cases) {
    Bench bench(c.dimension, c.cells, c.condition, c.fraction);
    const Vec3 constant(0.3, -1.7, 2.9);
    const ParticleStore particles = scatter_particles(bench.layout, Scatter{}, [&](const Vec3&) { return constant; });
    bench.deposit(particles);
    for (LocalIndex b = 0; b < bench.layout.n_owned(); ++b)
      for (int d = 0; d < c.dimension; ++d)
        for (int cell = 0; cell < bench.layout.cells_per_block(); ++cell) {
          if (bench.weight[d].block(b)[cell] == 0.0) continue;
          // momentum, of up to 2.9, and weight are each sums of at most 48 terms with roundings
          const double bound = 270.0 * rounding;
          ASSERT_NEAR(bench.velocity[d].block(b)[cell], static_cast<ParticleReal>(constant[d]), bound);
        }
  }
}

/// The particles of a full block standing on the unjittered lattice, 2 a cell and axis.
ParticleStore lattice_particles(const BlockLayout& layout, const std::function<Vec3(const Vec3&)>& velocity) {
  const Domain& domain = layout.domain();
  const int n_z = domain.dimension() == 3 ? 2 : 1;
  const Vec3i width = domain.block_cells();
  ParticleStore particles;
  const int per_cell = 4 * n_z;
  particles.resize(static_cast<ParticleIndex>(layout.n_owned()) * layout.cells_per_block() * per_cell);
  particles.block_begin().assign(1, 0);
  ParticleIndex p = 0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    for (int c = 0; c < layout.cells_per_block(); ++c)
      for (int s = 0; s < per_cell; ++s, ++p) {
        const Vec3 cell(c % width.x(), c / width.x() % width.y(), c / (width.x() * width.y()));
        const Vec3 in_cell(0.25 + 0.5 * (s & 1), 0.25 + 0.5 * (s >> 1 & 1), n_z == 2 ? 0.25 + 0.5 * (s >> 2) : 0.5);
        const Vec3 x = cell + in_cell;
        const Vec3 u = velocity(layout.first_cell(b).cast<double>() + x);
        for (int d = 0; d < 3; ++d) {
          particles.position()[3 * p + d] = static_cast<ParticleReal>(x[d]);
          particles.velocity()[3 * p + d] = static_cast<ParticleReal>(u[d]);
        }
      }
    particles.block_begin().push_back(p);
  }
  return particles;
}

TEST(Deposit, reproduces_a_linear_velocity_from_an_even_lattice_of_particles) {
  for (const int dimension : {2, 3}) {
    Bench bench(dimension, {16, 24, dimension == 3 ? 16 : 1}, FaceCondition::free_slip);
    const auto linear = [](const Vec3& x) {
      return Vec3(0.5 * x.x() - 0.25 * x.y() + 1.0, 0.125 * x.z() + x.y() - 3.0, 0.75 * x.x() + 0.5 * x.y() - x.z());
    };
    bench.deposit(lattice_particles(bench.layout, linear));
    int n_checked = 0;
    for (LocalIndex b = 0; b < bench.layout.n_owned(); ++b)
      for (int c = 0; c < bench.layout.cells_per_block(); ++c) {
        const Vec3i cell = bench.layout.first_cell(b) + Vec3i(c % 8, c / 8 % 8, c / 64);
        bool interior = true;
        for (int axis = 0; axis < dimension; ++axis)
          interior = interior && cell[axis] >= 1 && cell[axis] < bench.domain.cells()[axis] - 1;
        if (!interior) continue;
        for (int d = 0; d < dimension; ++d) {
          Vec3 x = cell.cast<double>() + Vec3::Constant(0.5);
          x[d] -= 0.5;
          // all numbers are small multiples of 1/32: only the division rounds
          ASSERT_NEAR(bench.velocity[d].block(b)[c], linear(x)[d], 1e-14);
          ASSERT_EQ(bench.weight[d].block(b)[c], dimension == 3 ? 8.0 : 4.0);
          ++n_checked;
        }
      }
    EXPECT_GT(n_checked, 500);
  }
}

TEST(Deposit, conserves_momentum_and_number_in_a_periodic_box) {
  for (const int dimension : {2, 3}) {
    Bench bench(dimension, {16, 8, dimension == 3 ? 24 : 1}, FaceCondition::periodic);
    const ParticleStore particles = scatter_particles(bench.layout, Scatter{}, random_velocity);
    bench.deposit(particles);
    const auto n = static_cast<double>(particles.size());
    for (int d = 0; d < dimension; ++d) {
      double of_particles = 0.0, of_faces = 0.0, weight = 0.0;
      for (ParticleIndex p = 0; p < particles.size(); ++p)
        of_particles += static_cast<double>(particles.velocity()[3 * p + d]);
      for (LocalIndex b = 0; b < bench.layout.n_owned(); ++b)
        for (int c = 0; c < bench.layout.cells_per_block(); ++c) {
          weight += bench.weight[d].block(b)[c];
          of_faces += bench.weight[d].block(b)[c] * bench.velocity[d].block(b)[c];
        }
      // a sum of n numbers below 1: its rounding grows at most as n times that of a partial sum below n, and that of
      // boxes, whose partial sums are below 10, as n
      EXPECT_NEAR(of_faces, of_particles, 10.0 * rounding * n);
      EXPECT_NEAR(weight, n, 1e-15 * n * std::sqrt(n) + 10.0 * rounding * n);
    }
  }
}

TEST(Deposit, gives_the_same_bits_for_any_number_of_threads) {
  const int threads_before = omp_get_max_threads();
  for (const Case& c : cases) {
    Bench bench(c.dimension, c.cells, c.condition, c.fraction);
    const ParticleStore particles = scatter_particles(bench.layout, Scatter{}, random_velocity);
    std::uint64_t first = 0;
    for (const int n_threads : {1, 2, 4}) {
      omp_set_num_threads(n_threads);
      bench.deposit(particles);
      const std::uint64_t hash = test::field_hash(bench.velocity) + 3 * test::field_hash(bench.weight);
      if (n_threads == 1) first = hash;
      EXPECT_EQ(hash, first) << n_threads << " threads";
    }
  }
  omp_set_num_threads(threads_before);
}

TEST(Deposit, forgets_the_last_call_and_the_last_layout) {
  Deposit deposit;
  for (const double full_blocks : {1.0, 0.3, 0.0, 0.8}) {
    for (const int n : {16, 24}) {
      Bench bench(3, {n, 16, 16}, FaceCondition::free_slip);
      const ParticleStore particles = scatter_particles(bench.layout, Scatter{full_blocks, 4, 7}, random_velocity);
      deposit(particles, bench.layout, bench.velocity, bench.weight);
      const std::uint64_t velocity = test::field_hash(bench.velocity);
      const std::uint64_t weight = test::field_hash(bench.weight);
      bench.deposit(particles);  // by a new one
      EXPECT_EQ(velocity, test::field_hash(bench.velocity));
      EXPECT_EQ(weight, test::field_hash(bench.weight));
    }
  }
}

TEST(Deposit, of_one_particle_by_hand) {
  Bench bench(3, {8, 8, 8}, FaceCondition::free_slip);
  ParticleStore particles;
  particles.resize(1);
  const float x[3] = {3.25F, 2.5F, 4.75F};
  const float u[3] = {2.0F, -1.0F, 0.5F};
  std::copy_n(x, 3, particles.position());
  std::copy_n(u, 3, particles.velocity());
  particles.block_begin() = {0, 1};
  bench.deposit(particles);
  const auto cell = [](int i, int j, int k) { return BlockShape<3>::cell(i, j, k); };
  const double* m_u = bench.weight[0].block(0);
  EXPECT_EQ(m_u[cell(3, 2, 4)], 0.75 * 0.75);  // along z the particle stands 0.25 above the centre of cell 4
  EXPECT_EQ(m_u[cell(4, 2, 4)], 0.25 * 0.75);
  EXPECT_EQ(m_u[cell(3, 2, 5)], 0.75 * 0.25);
  EXPECT_EQ(m_u[cell(3, 1, 4)], 0.0);  // along y it stands on the centre of cell 2
  const double* m_v = bench.weight[1].block(0);
  EXPECT_EQ(m_v[cell(2, 2, 4)], 0.25 * 0.5 * 0.75);  // along x it stands 0.25 below the centre of cell 3
  EXPECT_EQ(m_v[cell(3, 3, 5)], 0.75 * 0.5 * 0.25);
  const double* m_w = bench.weight[2].block(0);
  EXPECT_EQ(m_w[cell(3, 2, 4)], 0.75 * 0.25);
  EXPECT_EQ(m_w[cell(2, 2, 5)], 0.25 * 0.75);
  EXPECT_EQ(bench.velocity[0].block(0)[cell(4, 2, 5)], 2.0);
  EXPECT_EQ(bench.velocity[1].block(0)[cell(3, 3, 5)], -1.0);
  EXPECT_EQ(bench.velocity[2].block(0)[cell(2, 2, 5)], 0.5);
  EXPECT_EQ(bench.velocity[2].block(0)[cell(2, 2, 6)], 0.0);
}

}  // namespace
}  // namespace freshet
