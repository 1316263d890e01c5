// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/block_shape.hpp"
#include "freshet/transfer/cell_deposit.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/spoiled_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>

namespace freshet {
namespace {

using test::equal_splitters;
using test::make_domain;
using test::random_velocity;
using test::world;

struct Case {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
  double fraction;  ///< blocks that exist
};
const Case cases[] = {{3, {32, 24, 24}, FaceCondition::free_slip, 0.7},
                      {3, {16, 24, 8}, FaceCondition::periodic, 2.0},  // one block wide along z
                      {3, {8, 8, 8}, FaceCondition::periodic, 2.0},    // one block for all ranks
                      {3, {33, 17, 9}, FaceCondition::open, 0.8},
                      {2, {64, 40, 1}, FaceCondition::free_slip, 0.8},
                      {2, {8, 48, 1}, FaceCondition::periodic, 2.0}};

/// Rounding of a number below 1 in the sums of a box, which 3-D deposits are made of, and in those of 2-D ones.
double rounding(int dimension) {
  const double of_boxes = std::numeric_limits<ParticleReal>::epsilon() / 2.0;
  return dimension == 3 ? of_boxes : std::numeric_limits<double>::epsilon() / 2.0;
}

/// What a deposit gives, by block and cell.
struct Counts {
  CellField<std::uint8_t> chosen;
  CellField<double> all;
  CellField<double> of_chosen;
  CellField<double> without_choice;  ///< of all particles, summed alone

  Counts(CellDeposit& deposit, const BlockLayout& layout, const ParticleStore& particles)
      : chosen(layout, std::uint8_t{0}), all(layout, 0.0), of_chosen(layout, 0.0), without_choice(layout, 0.0) {
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c)
        chosen.block(b)[c] = test::hashed(layout.key(b), static_cast<std::uint64_t>(c)) < 0.5 ? 1 : 0;
    deposit(particles, {}, chosen, all, of_chosen);
    deposit(particles, {}, without_choice);
  }
  double sum(const CellField<double>& field) const {
    double total = 0.0;
    for (LocalIndex b = 0; b < field.layout().n_owned(); ++b)
      for (int c = 0; c < field.layout().cells_per_block(); ++c) total += field.block(b)[c];
    return world().sum(total);
  }
};

TEST(CellDeposit, agrees_with_one_rank_bit_by_bit) {
  const Communicator self(MPI_COMM_SELF);
  const auto memory = std::make_shared<ScratchMemory>();
  CellDeposit deposit(memory);  // one for all layouts, as in a run
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << c.dimension << "-D " << c.cells.transpose());
    const Domain domain = make_domain(c.dimension, c.cells, c.condition);
    const std::vector<BlockKey> keys = test::random_blocks(domain, c.fraction, 5);
    const BlockLayout serial(self, domain, Splitters{}, keys);
    const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
    CellDeposit serial_deposit;
    const Counts expected(serial_deposit, serial, test::scatter_particles(serial, {}, random_velocity));
    test::spoil(*memory);
    const Counts found(deposit, layout, test::scatter_particles(layout, {}, random_velocity));
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      const LocalIndex s = serial.find(layout.key(b));
      for (int cell = 0; cell < layout.cells_per_block(); ++cell) {
        ASSERT_EQ(found.all.block(b)[cell], expected.all.block(s)[cell]);
        ASSERT_EQ(found.of_chosen.block(b)[cell], expected.of_chosen.block(s)[cell]);
        ASSERT_EQ(found.without_choice.block(b)[cell], expected.without_choice.block(s)[cell]);
      }
    }
  }
}

TEST(CellDeposit, agrees_with_the_weights_summed_over_all_particles) {
  const Communicator self(MPI_COMM_SELF);
  for (const Case& c : cases) {
    const Domain domain = make_domain(c.dimension, c.cells, c.condition);
    const BlockLayout layout(self, domain, Splitters{}, test::random_blocks(domain, c.fraction, 5));
    const ParticleStore particles = test::scatter_particles(layout, {}, random_velocity);
    CellDeposit deposit;
    const Counts found(deposit, layout, particles);
    std::map<std::array<int, 3>, double> expected, expected_of_chosen;
    for (ParticleIndex p = 0; p < particles.size(); ++p) {
      const Vec3 x = test::place_of(layout, particles, p);
      const ParticleReal* in_block = particles.position() + 3 * p;
      const int own = static_cast<int>(in_block[0]) +
                      block_width * (static_cast<int>(in_block[1]) + block_width * static_cast<int>(in_block[2]));
      const bool is_chosen = found.chosen.block(test::block_of(particles, p))[c.dimension == 3 ? own : own % 64] != 0;
      for (int n = 0; n < 27; ++n) {
        const Vec3i cell = x.array().floor().cast<int>().matrix() + direction_offset(n);
        double weight = 1.0;
        for (int d = 0; d < c.dimension; ++d) weight *= std::max(0.0, 1.0 - std::abs(cell[d] + 0.5 - x[d]));
        const Vec3i inside = domain.wrap_cell(cell);
        if (c.dimension == 3 || cell.z() == 0) {
          expected[{inside.x(), inside.y(), inside.z()}] += weight;
          if (is_chosen) expected_of_chosen[{inside.x(), inside.y(), inside.z()}] += weight;
        }
      }
    }
    const Vec3i n = domain.block_cells();
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int cell = 0; cell < layout.cells_per_block(); ++cell) {
        const Vec3i at = layout.first_cell(b) + Vec3i(cell % n.x(), cell / n.x() % n.y(), cell / (n.x() * n.y()));
        // at most 162 particles, each with a weight below 1 and a few roundings
        const double tolerance = 60.0 * rounding(c.dimension);
        ASSERT_NEAR(found.all.block(b)[cell], (expected[{at.x(), at.y(), at.z()}]), tolerance);
        ASSERT_NEAR(found.without_choice.block(b)[cell], (expected[{at.x(), at.y(), at.z()}]), tolerance);
        ASSERT_NEAR(found.of_chosen.block(b)[cell], (expected_of_chosen[{at.x(), at.y(), at.z()}]), tolerance);
      }
  }
}

TEST(CellDeposit, conserves_the_number_of_particles) {
  const Domain domain = make_domain(3, {24, 16, 16}, FaceCondition::periodic);
  const std::vector<BlockKey> keys = test::all_blocks(domain);
  const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
  const ParticleStore particles = test::scatter_particles(layout, {}, random_velocity);
  CellDeposit deposit;
  const Counts found(deposit, layout, particles);
  const auto n = static_cast<double>(world().sum(static_cast<GlobalIndex>(particles.size())));
  // a rounding for each of n terms among the few of its box, and of each partial sum
  EXPECT_NEAR(found.sum(found.all), n, rounding(3) * n + 1e-15 * n * std::sqrt(n));
}

}  // namespace
}  // namespace freshet
