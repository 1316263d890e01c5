// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/moment_deposit.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/spoiled_memory.hpp"

#include <gtest/gtest.h>

#include <array>
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

using Sum = std::array<double, 4>;  ///< weight, and the three offsets

/// Quadratic B-spline.
double spline(double s) {
  s = std::abs(s);
  return s < 0.5 ? 0.75 - s * s : s < 1.5 ? 0.5 * (1.5 - s) * (1.5 - s) : 0.0;
}

bool is_chosen(const BlockLayout& layout, LocalIndex b, int cell) {
  return test::hashed(layout.key(b), static_cast<std::uint64_t>(cell)) < 0.7;
}

/// The sums of a layout of one rank in double, particle by particle and image by image, by block and cell.
std::map<std::pair<LocalIndex, int>, Sum> sums_by_hand(const BlockLayout& layout, const ParticleStore& particles) {
  const Domain& domain = layout.domain();
  const int dimension = domain.dimension();
  const Vec3i n = domain.block_cells();
  const Vec3i n_images = dimension == 3 ? Vec3i(1, 1, 1) : Vec3i(1, 1, 0);
  std::map<std::pair<LocalIndex, int>, Sum> sums;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      const ParticleReal* at = particles.position() + 3 * p;
      const Vec3i own(static_cast<int>(at[0]), static_cast<int>(at[1]), dimension == 3 ? static_cast<int>(at[2]) : 0);
      if (!is_chosen(layout, b, own[0] + n[0] * (own[1] + n[1] * own[2]))) continue;
      const Vec3 x = layout.first_cell(b).cast<double>() + Vec3(at[0], at[1], at[2]);
      Vec3i side;
      for (side[2] = -n_images[2]; side[2] <= n_images[2]; ++side[2])
        for (side[1] = -n_images[1]; side[1] <= n_images[1]; ++side[1])
          for (side[0] = -n_images[0]; side[0] <= n_images[0]; ++side[0]) {
            Vec3 image = x;
            for (int d = 0; d < dimension; ++d) {
              const double size = domain.cells()[d];
              if (domain.periodic(d))
                image[d] += side[d] * domain.lattice()[d] * n[d];
              else if (side[d] != 0)
                image[d] = (side[d] < 0 ? 0.0 : 2.0 * size) - x[d];
            }
            Vec3i cell;
            const Vec3i base = image.array().floor().cast<int>();
            for (cell[2] = base[2] - n_images[2]; cell[2] <= base[2] + n_images[2]; ++cell[2])
              for (cell[1] = base[1] - 1; cell[1] <= base[1] + 1; ++cell[1])
                for (cell[0] = base[0] - 1; cell[0] <= base[0] + 1; ++cell[0]) {
                  if (!domain.contains_cell(cell)) continue;
                  const Vec3i block = cell.cwiseQuotient(n);
                  const LocalIndex found = layout.find(morton_key(block));
                  if (found == layout.background()) continue;
                  double w = 1.0;
                  Vec3 offset = Vec3::Zero();
                  for (int d = 0; d < dimension; ++d) {
                    offset[d] = image[d] - cell[d] - 0.5;
                    w *= spline(offset[d]);
                  }
                  const Vec3i in_block = cell - block.cwiseProduct(n);
                  Sum& sum = sums[{found, in_block[0] + n[0] * (in_block[1] + n[1] * in_block[2])}];
                  sum[0] += w;
                  for (int d = 0; d < dimension; ++d) sum[static_cast<std::size_t>(d) + 1] += w * offset[d];
                }
          }
    }
  return sums;
}

/// Particles with the first one of each cell; they stand in the order of blocks and cells.
ParticleStore scattered(const BlockLayout& layout) {
  ParticleStore particles = test::scatter_particles(layout, {}, random_velocity);
  const Vec3i n = layout.domain().block_cells();
  const auto cells = static_cast<std::size_t>(layout.cells_per_block());
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(layout.n_owned()) * cells, 0);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      const ParticleReal* x = particles.position() + 3 * p;
      const int k = n[2] > 1 ? static_cast<int>(x[2]) : 0;
      ++counts[static_cast<std::size_t>(b) * cells +
               static_cast<std::size_t>(static_cast<int>(x[0]) + n[0] * (static_cast<int>(x[1]) + n[1] * k))];
    }
  particles.cell_begin().assign(1, 0);
  for (const std::uint32_t count : counts) particles.cell_begin().push_back(particles.cell_begin().back() + count);
  return particles;
}

struct Moved {
  CellField<std::uint8_t> chosen;
  CellField<Moments> moments;

  Moved(MomentDeposit& deposit, const BlockLayout& layout, const ParticleStore& particles)
      : chosen(layout, std::uint8_t{0}), moments(layout, Moments{}) {
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) chosen.block(b)[c] = is_chosen(layout, b, c) ? 1 : 0;
    deposit(particles, chosen, std::vector<std::vector<ExtraPoint>>(static_cast<std::size_t>(layout.n_owned())),
            moments);
  }
};

TEST(MomentDeposit, sums_are_those_of_particles_and_of_their_images_on_any_number_of_ranks) {
  struct Case {
    int dimension;
    Vec3i cells;
    FaceCondition condition;
  };
  const Communicator self(MPI_COMM_SELF);
  const auto memory = std::make_shared<ScratchMemory>();
  MomentDeposit deposit(memory);  // one for all layouts, as in a run
  for (const Case& c :
       {Case{3, {32, 24, 24}, FaceCondition::free_slip}, Case{3, {33, 17, 9}, FaceCondition::free_slip},
        Case{3, {16, 24, 24}, FaceCondition::periodic}, Case{2, {64, 40, 1}, FaceCondition::free_slip}}) {
    SCOPED_TRACE(::testing::Message() << c.dimension << "-D " << c.cells.transpose());
    const Domain domain = make_domain(c.dimension, c.cells, c.condition);
    const std::vector<BlockKey> keys = test::random_blocks(domain, 0.7, 5);
    const BlockLayout serial(self, domain, Splitters{}, keys);
    const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
    const auto expected = sums_by_hand(serial, scattered(serial));
    MomentDeposit serial_deposit;
    const Moved alone(serial_deposit, serial, scattered(serial));
    test::spoil(*memory);
    const Moved found(deposit, layout, scattered(layout));
    double largest = 0.0;
    for (const auto& [place, sum] : expected) largest = std::max(largest, sum[0]);
    // a sum of some hundred terms, each rounded to particle reals
    const double rounding = 16.0 * std::numeric_limits<ParticleReal>::epsilon() * largest;
    GlobalIndex n_cells = 0;
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      const LocalIndex s = serial.find(layout.key(b));
      for (int cell = 0; cell < layout.cells_per_block(); ++cell) {
        const Moments& here = found.moments.block(b)[cell];
        const Moments& of_one_rank = alone.moments.block(s)[cell];
        ASSERT_EQ(here.weight, of_one_rank.weight);
        const Vec3i n = domain.block_cells();
        const Vec3i in_block(cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1]));
        if (!domain.contains_cell(layout.first_cell(b) + in_block)) continue;
        const auto place = expected.find({s, cell});
        const Sum sum = place == expected.end() ? Sum{} : place->second;
        ASSERT_NEAR(here.weight, sum[0], rounding);
        for (std::size_t d = 0; d < 3; ++d) {
          ASSERT_EQ(here.offset[d], of_one_rank.offset[d]);
          ASSERT_NEAR(here.offset[d], sum[d + 1], rounding);
        }
        n_cells += sum[0] > 0.0 ? 1 : 0;
      }
    }
    EXPECT_GT(world().sum(n_cells), 1000);
  }
}

}  // namespace
}  // namespace freshet
