// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/deposit.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/spoiled_memory.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

namespace freshet {
namespace {

using test::equal_splitters;
using test::make_domain;
using test::random_velocity;
using test::Scatter;
using test::scatter_particles;
using test::world;

struct Case {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
  double fraction;     ///< blocks that exist
  double full_blocks;  ///< of them, with particles
};

const Case cases[] = {
    {3, {32, 24, 24}, FaceCondition::free_slip, 0.7, 0.7},
    {3, {16, 24, 8}, FaceCondition::periodic, 1.0, 0.8},   // one block wide along z
    {3, {16, 16, 16}, FaceCondition::periodic, 1.0, 1.0},  // a block meets its neighbour on both sides
    {3, {8, 8, 8}, FaceCondition::periodic, 1.0, 1.0},     // one block for all ranks
    {3, {33, 17, 9}, FaceCondition::open, 0.8, 0.5},
    {2, {64, 40, 1}, FaceCondition::free_slip, 0.8, 0.7},
    {2, {8, 48, 1}, FaceCondition::periodic, 1.0, 0.7},
    {3, {32, 24, 24}, FaceCondition::free_slip, 0.7, 0.0},
    {2, {32, 24, 1}, FaceCondition::free_slip, 0.0, 0.0}};

struct Hashes {
  std::uint64_t velocity = 0;
  std::uint64_t weight = 0;
};

Hashes deposit_hashes(Deposit& deposit, const BlockLayout& layout, const Case& c) {
  const ParticleStore particles = scatter_particles(layout, Scatter{c.full_blocks, 5, 11}, random_velocity);
  FaceField<double> velocity(layout);
  FaceField<double> weight(layout);
  deposit(particles, layout, velocity, weight);
  return {test::field_hash(velocity), test::field_hash(weight)};
}

TEST(Deposit, gives_the_same_bits_on_any_number_of_ranks) {
  const Communicator self(MPI_COMM_SELF);
  const auto memory = std::make_shared<ScratchMemory>();
  Deposit deposit(memory);  // one for all layouts, as in a run
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << c.dimension << "-D " << c.cells.transpose());
    const Domain domain = make_domain(c.dimension, c.cells, c.condition);
    const std::vector<BlockKey> keys = test::random_blocks(domain, c.fraction, 5);
    Deposit serial_deposit;
    const BlockLayout serial(self, domain, Splitters{}, keys);
    const Hashes expected = deposit_hashes(serial_deposit, serial, c);
    for (const Splitters& splitters : {equal_splitters(world(), keys), uniform_splitters(domain, world().size())}) {
      const BlockLayout layout(world(), domain, splitters, keys);
      for (int repeat = 0; repeat < 2; ++repeat) {
        test::spoil(*memory);
        const Hashes found = deposit_hashes(deposit, layout, c);
        EXPECT_EQ(found.velocity, expected.velocity);
        EXPECT_EQ(found.weight, expected.weight);
      }
    }
  }
}

TEST(Deposit, conserves_the_number_of_particles_over_ranks) {
  const Domain domain = make_domain(3, {24, 16, 16}, FaceCondition::periodic);
  const std::vector<BlockKey> keys = test::all_blocks(domain);
  const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
  const ParticleStore particles = scatter_particles(layout, Scatter{}, random_velocity);
  FaceField<double> velocity(layout);
  FaceField<double> weight(layout);
  Deposit deposit;
  deposit(particles, layout, velocity, weight);
  const auto n = static_cast<double>(world().sum(static_cast<GlobalIndex>(particles.size())));
  for (int d = 0; d < 3; ++d) {
    double sum = 0.0;
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) sum += weight[d].block(b)[c];
    // n numbers below 1: each is rounded among the few of its box, and a partial sum of n by 1.1e-16
    const double of_boxes = std::numeric_limits<ParticleReal>::epsilon() / 2.0 * n;
    EXPECT_NEAR(world().sum(sum), n, of_boxes + 1e-15 * n * std::sqrt(n));
  }
}

}  // namespace
}  // namespace freshet
