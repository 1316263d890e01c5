// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/migration.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"
#include "support/particle_crowd.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using test::all_blocks;
using test::make_crowd;
using test::make_domain;
using test::world;

const Domain domains[] = {make_domain(3, {40, 16, 24}), make_domain(3, {9, 9, 9}), make_domain(2, {40, 24, 1})};
constexpr ParticleId n_particles = 3000;  // several a cell in the smaller domains

int cell_of(const ParticleStore& particles, ParticleIndex p) {
  const ParticleReal* x = particles.position() + 3 * p;
  return static_cast<int>(x[0]) + 8 * (static_cast<int>(x[1]) + 8 * static_cast<int>(x[2]));
}

template <class Check>
void for_each_sorted(CellOrder order, Check check) {
  for (const Domain& domain : domains) {
    SCOPED_TRACE(::testing::Message() << domain.dimension() << "-D " << domain.cells().transpose());
    const Splitters splitters = uniform_splitters(domain, world().size());
    const BlockLayout layout(world(), domain, splitters, all_blocks(domain));
    ParticleStore particles = make_crowd(domain, splitters, world().rank(), n_particles);
    SortWorkspace workspace;
    sort_particles(particles, layout, order, workspace);
    check(layout, particles);
  }
}

TEST(Sort, particles_stand_by_block_then_cell) {
  for_each_sorted(CellOrder::arrival, [](const BlockLayout& layout, ParticleStore& particles) {
    const std::vector<ParticleIndex>& begin = particles.block_begin();
    ASSERT_EQ(begin.size(), static_cast<std::size_t>(layout.n_owned()) + 1);
    EXPECT_EQ(begin.front(), 0);
    EXPECT_EQ(begin.back(), particles.size());
    EXPECT_EQ(world().sum(GlobalIndex{particles.size()}), static_cast<GlobalIndex>(n_particles));
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (ParticleIndex p = begin[b]; p < begin[b + 1]; ++p) {
        const auto place = test::place_of(particles, static_cast<std::size_t>(p), layout.key(b));
        ASSERT_EQ(place, test::random_place(layout.domain(), particles.id()[p]));
        ASSERT_TRUE(p == begin[b] || cell_of(particles, p - 1) <= cell_of(particles, p));
      }
  });
}

TEST(Sort, cell_begins_delimit_the_cells_of_all_blocks) {
  for_each_sorted(CellOrder::by_id, [](const BlockLayout& layout, ParticleStore& particles) {
    const auto n = static_cast<std::size_t>(layout.cells_per_block());
    const ParticleStore::CellBegins& begin = particles.cell_begin();
    ASSERT_EQ(begin.size(), n * static_cast<std::size_t>(layout.n_owned()) + 1);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      ASSERT_EQ(begin[n * static_cast<std::size_t>(b)], particles.block_begin()[static_cast<std::size_t>(b)]);
      for (std::size_t c = 0; c < n; ++c)
        for (ParticleIndex p = begin[n * static_cast<std::size_t>(b) + c];
             p < begin[n * static_cast<std::size_t>(b) + c + 1]; ++p)
          ASSERT_EQ(cell_of(particles, p), static_cast<int>(c));
    }
    EXPECT_EQ(begin.back(), particles.size());
    particles.forget_order();
    EXPECT_TRUE(particles.cell_begin().empty() && particles.block_begin().empty());
  });
}

TEST(Sort, every_attribute_follows_its_particle) {
  for (const CellOrder order : {CellOrder::arrival, CellOrder::by_id})
    for_each_sorted(order, [](const BlockLayout&, ParticleStore& particles) {
      for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p)
        ASSERT_TRUE(test::has_its_marks(particles, p));
    });
}

TEST(Sort, particles_of_a_cell_keep_the_order_in_which_they_came) {
  for_each_sorted(CellOrder::arrival, [](const BlockLayout& layout, ParticleStore& particles) {  // falling ids
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (ParticleIndex p = particles.block_begin()[b] + 1; p < particles.block_begin()[b + 1]; ++p)
        ASSERT_TRUE(cell_of(particles, p - 1) != cell_of(particles, p) || particles.id()[p - 1] > particles.id()[p]);
  });
}

TEST(Sort, by_id_the_particles_of_a_cell_ascend) {
  for_each_sorted(CellOrder::by_id, [](const BlockLayout& layout, ParticleStore& particles) {
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (ParticleIndex p = particles.block_begin()[b] + 1; p < particles.block_begin()[b + 1]; ++p)
        ASSERT_TRUE(cell_of(particles, p - 1) != cell_of(particles, p) || particles.id()[p - 1] < particles.id()[p]);
  });
}

/// Sum over particles of a number that depends on id, block, cell and place within the cell.
GlobalIndex order_checksum(const ParticleStore& particles, const BlockLayout& layout) {
  GlobalIndex sum = 0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const ParticleIndex begin = particles.block_begin()[b];
    for (ParticleIndex p = begin; p < particles.block_begin()[b + 1]; ++p)
      sum += static_cast<GlobalIndex>(
          1e12 * test::hashed(particles.id()[p], layout.key(b), static_cast<std::uint64_t>(p - begin)));
  }
  return sum;
}

TEST(Sort, by_id_the_order_is_that_of_one_rank) {
  const Communicator alone(MPI_COMM_SELF);
  const auto run = [](const Communicator& comm, const Domain& domain) {
    const Splitters splitters = uniform_splitters(domain, comm.size());
    const BlockLayout layout(comm, domain, splitters, all_blocks(domain));
    ParticleStore particles = make_crowd(domain, splitters, comm.rank(), n_particles);
    SortWorkspace workspace;
    sort_particles(particles, layout, CellOrder::by_id, workspace);
    for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p)  // many change their block and rank
      for (std::size_t axis = 0; axis < 2; ++axis)
        particles.position()[3 * p + axis] +=
            static_cast<ParticleReal>(20.0 * test::hashed(particles.id()[p], axis) - 10.0);
    migrate(particles, layout, splitters);
    sort_particles(particles, layout, CellOrder::by_id, workspace);
    return comm.sum(order_checksum(particles, layout));
  };
  for (const Domain& domain : domains) EXPECT_EQ(run(world(), domain), run(alone, domain));
}

TEST(Sort, crowded_cells_are_sorted_too) {
  const Domain domain = make_domain(3, {8, 8, 8});
  const Splitters splitters = uniform_splitters(domain, world().size());
  const BlockLayout layout(world(), domain, splitters, all_blocks(domain));
  ParticleStore particles = make_crowd(domain, splitters, world().rank(), n_particles);
  std::fill_n(particles.position(), 3 * particles.size(), ParticleReal{4.5});
  SortWorkspace workspace;
  sort_particles(particles, layout, CellOrder::by_id, workspace);
  for (ParticleIndex p = 0; p < particles.size(); ++p) {
    ASSERT_EQ(particles.id()[p], static_cast<ParticleId>(p));
    ASSERT_TRUE(test::has_its_marks(particles, static_cast<std::size_t>(p)));
  }
}

}  // namespace
}  // namespace freshet
