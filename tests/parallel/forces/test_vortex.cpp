// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/vortex.hpp"
#include "freshet/grid/halo.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

using test::make_domain;
using test::world;

/// Change of velocity by confinement with eps dt = 1 / dx, so that it is N x omega in cells, on a layout that may be
/// any rank's share.
struct Confined {
  FaceField<double> u;
  FaceField<double> change;
  LabelField labels;

  template <class Velocity, class IsLiquid>
  Confined(const BlockLayout& layout, Velocity velocity, IsLiquid is_liquid)
      : u(layout), change(layout), labels(layout, Label::solid) {
    test::set_faces(u, velocity);
    const Vec3i n = layout.domain().block_cells();
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const Vec3i cell = layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
        labels.block(b)[c] = is_liquid(cell) ? Label::liquid : Label::air;
      }
    layout.halo().gather(u, confinement_reach);
    layout.halo().gather(labels, confinement_reach);
    change.fill(0.0);
    confine_vorticity(labels, u, 1.0, 1.0 / layout.domain().dx(), change);
  }
};

bool everywhere(const Vec3i&) {
  return true;
}

/// Largest |change|, on all ranks.
double largest(const Confined& confined) {
  double value = 0.0;
  const BlockLayout& layout = confined.u.layout();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int d = 0; d < confined.change.dimension(); ++d)
      for (int c = 0; c < layout.cells_per_block(); ++c)
        value = std::max(value, std::abs(confined.change[d].block(b)[c]));
  return world().max(value);
}

/// Shear u = y^2 / 2: omega = (0, 0, -y) in cells, N = (0, 1, 0) above y = 0, N x omega = (-y, 0, 0).
TEST(Confinement, of_a_quadratic_shear_is_exact) {
  for (const int dimension : {2, 3}) {
    const Domain domain = make_domain(dimension, {24, 24, dimension == 3 ? 16 : 1});
    const std::vector<BlockKey> keys = test::all_blocks(domain);
    const BlockLayout layout(world(), domain, test::equal_splitters(world(), keys), keys);
    const Confined confined(
        layout, [](const Vec3& x) { return Vec3(0.5 * x.y() * x.y(), 0.0, 0.0); }, everywhere);
    GlobalIndex n_changed = 0;
    const double dx = domain.dx();
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const Vec3i cell = layout.first_cell(b) + Vec3i(c % 8, c / 8 % 8, c / 64);
        bool inside = cell.x() >= 3 && cell.x() < 22;  // a face has two cells along x
        for (int axis = 1; axis < dimension; ++axis)
          inside = inside && cell[axis] >= 2 && cell[axis] < domain.cells()[axis] - 2;
        const double expected = inside ? -(cell.y() + 0.5) / dx : 0.0;
        // sums of squares of halves below 300 are exact; roots and divisions round once each
        EXPECT_NEAR(confined.change[0].block(b)[c], expected, 1e-13 * std::abs(expected));
        for (int d = 1; d < dimension; ++d) EXPECT_EQ(confined.change[d].block(b)[c], 0.0);
        n_changed += inside ? 1 : 0;
      }
    EXPECT_GT(world().sum(n_changed), 200);
  }
}

TEST(Confinement, does_not_see_a_uniform_motion) {
  const Domain domain = make_domain(3, {16, 16, 24}, FaceCondition::periodic);
  const std::vector<BlockKey> keys = test::all_blocks(domain);
  const BlockLayout layout(world(), domain, test::equal_splitters(world(), keys), keys);
  const auto whirl = [](const Vec3& x) -> Vec3 {
    return Vec3(std::round(64.0 * std::sin(x.y())), std::round(64.0 * std::cos(x.x() * x.z())), 0.0) / 64.0;
  };
  const Confined still(layout, whirl, everywhere);
  const Confined moving(
      layout, [&](const Vec3& x) { return Vec3(whirl(x) + Vec3(4.0, -8.0, 2.0)); }, everywhere);
  EXPECT_GT(largest(still), 0.1);
  for (int d = 0; d < 3; ++d)  // multiples of 1/64 lose nothing to a constant
    EXPECT_TRUE(
        std::equal(still.change[d].block(0), still.change[d].block(layout.n_owned()), moving.change[d].block(0)));
  const Confined uniform(
      layout, [](const Vec3&) { return Vec3(0.3, -0.7, 0.9); }, everywhere);
  EXPECT_EQ(largest(uniform), 0.0);
}

TEST(Confinement, stays_below_its_bound_and_gives_the_same_bits_on_any_number_of_ranks) {
  const Communicator self(MPI_COMM_SELF);
  const auto is_liquid = [](const Vec3i& cell) { return cell.cwiseAbs().sum() % 11 != 0 && cell.y() < 14; };
  for (const FaceCondition condition : {FaceCondition::free_slip, FaceCondition::periodic})
    for (const int dimension : {2, 3}) {
      const Domain domain = make_domain(dimension, {24, 16, dimension == 3 ? 24 : 1}, condition);
      const std::vector<BlockKey> keys = test::random_blocks(domain, 0.9, 5);
      const BlockLayout layout(world(), domain, test::equal_splitters(world(), keys), keys);
      const Confined shared(layout, test::random_velocity, is_liquid);
      // the bound is an acceleration for the speed of a particle, here sqrt(3) as each component is below 1
      const double bound = VorticityConfinement(1.0).largest_acceleration(0.0, std::sqrt(3.0)) / domain.dx();
      EXPECT_LT(largest(shared), bound);
      EXPECT_GT(largest(shared), 0.05 * bound);
      const BlockLayout alone(self, domain, Splitters{}, keys);
      const Confined again(alone, test::random_velocity, is_liquid);
      EXPECT_EQ(test::field_hash(shared.change), test::field_hash(again.change)) << dimension << "-D";
    }
}

}  // namespace
}  // namespace freshet
