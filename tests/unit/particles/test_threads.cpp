// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/migration.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"
#include "support/particle_crowd.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <functional>

namespace freshet {
namespace {

using test::all_blocks;
using test::make_crowd;
using test::make_domain;
using test::world;

/// Every byte of every particle.
std::vector<std::vector<std::byte>> bytes_of(const ParticleStore& particles) {
  std::vector<std::vector<std::byte>> bytes;
  for (const Attribute& attribute : particles.attributes())
    bytes.emplace_back(attribute.values.begin(), attribute.values.end());
  return bytes;
}

/// The same work on 1, 2 and 4 threads gives the same particles in the same order.
void expect_same_on_any_threads(const std::function<ParticleStore()>& work) {
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto alone = bytes_of(work());
  for (const int n : {2, 4}) {
    omp_set_num_threads(n);
    EXPECT_EQ(bytes_of(work()), alone) << n << " threads";
  }
  omp_set_num_threads(threads);
}

TEST(Threads, sorted_order_is_the_same_for_any_number) {
  const Domain domain = make_domain(3, {40, 24, 16});
  const BlockLayout layout(world(), domain, uniform_splitters(domain, 1), all_blocks(domain));
  for (const CellOrder order : {CellOrder::arrival, CellOrder::by_id})
    expect_same_on_any_threads([&] {
      ParticleStore particles = make_crowd(domain, layout.splitters(), 0, 5000);
      SortWorkspace workspace;
      sort_particles(particles, layout, order, workspace);
      return particles;
    });
}

TEST(Threads, migrated_order_is_the_same_for_any_number) {
  const Domain domain = make_domain(3, {40, 24, 16}, FaceCondition::open);
  const BlockLayout layout(world(), domain, uniform_splitters(domain, 1), all_blocks(domain));
  expect_same_on_any_threads([&] {
    ParticleStore particles = make_crowd(domain, layout.splitters(), 0, 5000);
    SortWorkspace workspace;
    sort_particles(particles, layout, CellOrder::arrival, workspace);
    for (std::size_t n = 0; n < 3 * static_cast<std::size_t>(particles.size()); ++n)
      particles.position()[n] += static_cast<ParticleReal>(20.0 * test::hashed(n) - 10.0);
    EXPECT_GT(migrate(particles, layout, layout.splitters()).left_domain, 100);
    return particles;
  });
}

TEST(Threads, blocks_near_particles_are_the_same_for_any_number) {
  const Domain domain = make_domain(3, {80, 48, 32});
  const ParticleStore particles = make_crowd(domain, uniform_splitters(domain, 1), 0, 60);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const std::vector<BlockKey> alone = blocks_near_particles(particles, domain, 3);
  omp_set_num_threads(4);
  EXPECT_EQ(blocks_near_particles(particles, domain, 3), alone);
  omp_set_num_threads(threads);
}

TEST(Threads, memory_of_a_sort_is_kept_from_step_to_step) {
  const Domain domain = make_domain(3, {40, 24, 16});
  const BlockLayout layout(world(), domain, uniform_splitters(domain, 1), all_blocks(domain));
  ParticleStore particles = make_crowd(domain, layout.splitters(), 0, 5000);
  SortWorkspace workspace;
  sort_particles(particles, layout, CellOrder::arrival, workspace);
  const std::int64_t bytes = memory_in_use(MemoryKind::particles);
  for (int step = 0; step < 7; ++step) {  // buffers and attributes change places at every sort
    migrate(particles, layout, layout.splitters());
    sort_particles(particles, layout, CellOrder::by_id, workspace);
    EXPECT_EQ(memory_in_use(MemoryKind::particles), bytes);
  }
}

}  // namespace
}  // namespace freshet
