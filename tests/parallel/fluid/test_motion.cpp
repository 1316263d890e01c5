// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/motion.hpp"
#include "freshet/grid/halo.hpp"
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

std::uint64_t moved_hash(const BlockLayout& layout, int reach, MotionScheme scheme) {
  FaceField<double> velocity(layout, 0.0);
  test::set_faces(velocity, random_velocity);
  layout.halo().gather(velocity, reach);
  SolidFields solids;
  solids.reset(layout, {});
  ParticleStore particles = test::scatter_particles(layout, test::Scatter{}, random_velocity);
  move_particles(velocity, solids, reach - 1.0, reach, scheme, particles);
  return test::particle_hash(layout, particles);
}

TEST(Motion, gives_the_same_bits_on_any_number_of_ranks) {
  const Communicator self(MPI_COMM_SELF);
  for (const FaceCondition condition : {FaceCondition::no_slip, FaceCondition::open, FaceCondition::periodic})
    for (const int dimension : {2, 3}) {
      const Domain domain = make_domain(dimension, {24, 16, dimension == 3 ? 32 : 1}, condition);
      const std::vector<BlockKey> keys = test::random_blocks(domain, 0.8, 5);
      const BlockLayout serial(self, domain, Splitters{}, keys);
      const BlockLayout layout(world(), domain, test::equal_splitters(world(), keys), keys);
      for (const int reach : {2, 7})
        for (const MotionScheme scheme : {MotionScheme::rk1, MotionScheme::rk3, MotionScheme::rk4})
          EXPECT_EQ(moved_hash(layout, reach, scheme), moved_hash(serial, reach, scheme)) << dimension << "-D";
    }
}

}  // namespace
}  // namespace freshet
