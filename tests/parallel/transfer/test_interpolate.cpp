// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/halo.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "freshet/transfer/deposit.hpp"
#include "freshet/transfer/interpolate.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using test::make_domain;
using test::random_velocity;
using test::world;

std::uint64_t blended_hash(const BlockLayout& layout) {
  FaceField<double> u_new(layout);
  FaceField<double> u_old(layout);
  test::set_faces(u_new, random_velocity);
  test::set_faces(u_old, [](const Vec3& x) { return random_velocity(-x); });
  layout.halo().gather(u_new, 1);
  layout.halo().gather(u_old, 1);
  ParticleStore particles = test::scatter_particles(layout, test::Scatter{}, random_velocity);
  blend_velocity(u_new, u_old, 0.95, particles);
  return test::particle_hash(layout, particles);
}

TEST(Blend, gives_the_same_bits_on_any_number_of_ranks) {
  const Communicator self(MPI_COMM_SELF);
  for (const FaceCondition condition : {FaceCondition::no_slip, FaceCondition::open, FaceCondition::periodic})
    for (const int dimension : {2, 3}) {
      const Domain domain = make_domain(dimension, {24, 16, dimension == 3 ? 32 : 1}, condition);
      const std::vector<BlockKey> keys = test::random_blocks(domain, 0.8, 5);
      const BlockLayout serial(self, domain, Splitters{}, keys);
      const std::uint64_t expected = blended_hash(serial);
      for (const Splitters& splitters :
           {test::equal_splitters(world(), keys), uniform_splitters(domain, world().size())})
        EXPECT_EQ(blended_hash(BlockLayout(world(), domain, splitters, keys)), expected) << dimension << "-D";
    }
}

/// Grid to particles to grid by APIC, then blended by tag; everything in one number.
std::uint64_t affine_hash(const BlockLayout& layout) {
  FaceField<double> u(layout);
  FaceField<double> m(layout);
  test::set_faces(u, random_velocity);
  layout.halo().gather(u, 1);
  ParticleStore particles = test::scatter_particles(layout, test::Scatter{}, random_velocity);
  add_arrays(particles, ArrayNeed::apic);
  for (ParticleIndex p = 0; p < particles.size(); ++p)
    particles.tag()[p] = particles.position()[3 * p] > ParticleReal{4} ? 1 : 0;
  blend_affine(u, particles);
  Deposit deposit;
  deposit(particles, layout, u, m, DepositKernel::affine);
  const std::uint64_t affine =
      test::particle_hash(layout, particles) + 3 * test::field_hash(u) + 5 * test::field_hash(m);
  deposit(particles, layout, u, m, DepositKernel::vortex);
  const std::uint64_t vortex = 7 * test::field_hash(u) + 11 * test::field_hash(m);
  layout.halo().gather(u, 1);
  FlipFractions fractions(0.95);
  fractions.set(1, 0.2);
  blend_velocity(u, u, fractions, particles);
  return affine + vortex + 13 * test::particle_hash(layout, particles);
}

TEST(Affine, transfers_give_the_same_bits_on_any_number_of_ranks) {
  const Communicator self(MPI_COMM_SELF);
  for (const FaceCondition condition : {FaceCondition::no_slip, FaceCondition::periodic})
    for (const int dimension : {2, 3}) {
      const Domain domain = make_domain(dimension, {24, 16, dimension == 3 ? 32 : 1}, condition);
      const std::vector<BlockKey> keys = test::random_blocks(domain, 0.8, 5);
      const BlockLayout serial(self, domain, Splitters{}, keys);
      const std::uint64_t expected = affine_hash(serial);
      for (const Splitters& splitters :
           {test::equal_splitters(world(), keys), uniform_splitters(domain, world().size())})
        EXPECT_EQ(affine_hash(BlockLayout(world(), domain, splitters, keys)), expected) << dimension << "-D";
    }
}

}  // namespace
}  // namespace freshet
