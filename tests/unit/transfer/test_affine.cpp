// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "freshet/transfer/deposit.hpp"
#include "freshet/transfer/interpolate.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

/// Affine PIC between particles and grid, away from the domain's walls.
namespace freshet {
namespace {

using test::make_domain;
using test::random_velocity;
using test::world;

constexpr double real_epsilon = std::numeric_limits<ParticleReal>::epsilon();

/// Particles of `all` at least two cells from every wall.
ParticleStore interior_of(const BlockLayout& layout, const ParticleStore& all) {
  const Domain& domain = layout.domain();
  ParticleStore kept;
  kept.resize(all.size());
  kept.block_begin().assign(1, 0);
  ParticleIndex n = 0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    for (ParticleIndex p = all.block_begin()[b]; p < all.block_begin()[b + 1]; ++p) {
      const Vec3 x = test::place_of(layout, all, p);
      bool interior = true;
      for (int axis = 0; axis < domain.dimension(); ++axis)
        interior = interior && x[axis] > 2.0 && x[axis] < domain.cells()[axis] - 2.0;
      if (!interior) continue;
      std::copy_n(all.position() + 3 * p, 3, kept.position() + 3 * n);
      std::copy_n(all.velocity() + 3 * p, 3, kept.velocity() + 3 * n);
      ++n;
    }
    kept.block_begin().push_back(n);
  }
  kept.resize(n);
  add_arrays(kept, ArrayNeed::apic);
  return kept;
}

struct Bench {
  Domain domain;
  BlockLayout layout;
  FaceField<double> u;
  FaceField<double> m;
  ParticleStore particles;

  explicit Bench(int dimension)
      : domain(make_domain(dimension, {24, 16, dimension == 3 ? 16 : 1})),
        layout(world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain)),
        u(layout),
        m(layout),
        particles(interior_of(layout, test::scatter_particles(layout, test::Scatter{1.0}, random_velocity))) {}

  void deposit(DepositKernel kernel) {
    Deposit deposit;
    deposit(particles, layout, u, m, kernel);
  }
};

/// sum m x_b u_a of everything, by component a and axis b [cells m/s]; and sum m u_a in column 3.
using Moments = Eigen::Matrix<double, 3, 4>;

Moments moments_of_faces(const Bench& bench) {
  Moments sum = Moments::Zero();
  const Vec3i width = bench.domain.block_cells();
  for (LocalIndex b = 0; b < bench.layout.n_owned(); ++b)
    for (int c = 0; c < bench.layout.cells_per_block(); ++c)
      for (int d = 0; d < bench.domain.dimension(); ++d) {
        Vec3 x = (bench.layout.first_cell(b) + Vec3i(c % width[0], c / width[0] % width[1], c / (width[0] * width[1])))
                     .cast<double>() +
                 Vec3::Constant(0.5);
        x[d] -= 0.5;
        const double momentum = bench.m[d].block(b)[c] * bench.u[d].block(b)[c];
        sum.row(d) += momentum * Eigen::RowVector4d(x[0], x[1], x[2], 1.0);
      }
  return sum;
}

/// What a particle with velocity u and row c is worth on its faces: x_b u_a + c_ab t_b (1 - t_b), t_b its place between
/// the faces of component a along b.
Moments moments_of_particles(const Bench& bench) {
  Moments sum = Moments::Zero();
  const double dx = bench.domain.dx();
  const ParticleReal* rows = affine_rows(bench.particles);
  for (ParticleIndex p = 0; p < bench.particles.size(); ++p) {
    const Vec3 x = test::place_of(bench.layout, bench.particles, p);
    for (int a = 0; a < bench.domain.dimension(); ++a) {
      const double u = bench.particles.velocity()[3 * p + a];
      sum(a, 3) += u;
      for (int axis = 0; axis < bench.domain.dimension(); ++axis) {
        const double from_sample = x[axis] + (axis == a ? 0.0 : 0.5);
        const double t = from_sample - std::floor(from_sample);
        sum(a, axis) += x[axis] * u + dx * rows[9 * p + 3 * a + axis] * t * (1.0 - t);
      }
    }
  }
  return sum;
}

/// Largest difference of momentum, and of angular momentum sum m (x_b u_a - x_a u_b).
double difference(const Moments& one, const Moments& other, int dimension) {
  const Moments change = one - other;
  double largest = change.col(3).cwiseAbs().maxCoeff();
  for (int a = 0; a < dimension; ++a)
    for (int b = 0; b < a; ++b) largest = std::max(largest, std::abs(change(a, b) - change(b, a)));
  return largest;
}

TEST(Affine, transfer_conserves_momentum_and_angular_momentum_to_round_off) {
  for (const int dimension : {2, 3}) {
    Bench bench(dimension);
    bench.deposit(DepositKernel::affine);  // for the masses
    test::set_faces(bench.u, random_velocity);
    const Moments of_grid = moments_of_faces(bench);
    blend_affine(bench.u, bench.particles);
    const Moments of_particles = moments_of_particles(bench);
    bench.deposit(DepositKernel::affine);
    const Moments of_grid_again = moments_of_faces(bench);
    // Velocities below 1 and rows below 2/dx are rounded to half an epsilon, each arm is below 24 cells: at most
    // (24 + 3 * 2 / 4) epsilon / 2 * 2 a particle; what doubles lose is 1e9 times less
    const double bound = 26.0 * real_epsilon * static_cast<double>(bench.particles.size());
    EXPECT_LT(difference(of_grid, of_particles, dimension), bound);
    EXPECT_LT(difference(of_particles, of_grid_again, dimension), bound);
    EXPECT_LT(difference(of_grid, of_grid_again, dimension), bound);

    bench.deposit(DepositKernel::trilinear);  // PIC forgets how the velocity changes around a particle
    EXPECT_GT(difference(of_grid, moments_of_faces(bench), dimension), 20.0 * bound);
  }
}

TEST(Affine, a_linear_velocity_comes_back_from_any_particles) {
  const auto linear = [](const Vec3& x) {
    return Vec3(0.5 * x.x() - 0.25 * x.y() + 1.0, 0.125 * x.z() + x.y() - 3.0, 0.75 * x.x() + 0.5 * x.y() - x.z());
  };
  for (const int dimension : {2, 3}) {
    Bench bench(dimension);
    test::set_faces(bench.u, linear);
    blend_affine(bench.u, bench.particles);
    const double dx = bench.domain.dx();
    const ParticleReal* rows = affine_rows(bench.particles);
    for (ParticleIndex p = 0; p < bench.particles.size(); ++p) {  // the gradient, to the rounding of a particle's real
      EXPECT_NEAR(dx * rows[9 * p], 0.5, 30.0 * real_epsilon);
      EXPECT_NEAR(dx * rows[9 * p + 1], -0.25, 30.0 * real_epsilon);
      EXPECT_NEAR(dx * rows[9 * p + 4], 1.0, 30.0 * real_epsilon);
      EXPECT_EQ(rows[9 * p + 2], 0.0);
      EXPECT_NEAR(dx * rows[9 * p + 8], dimension == 3 ? -1.0 : 0.0, 30.0 * real_epsilon);
    }
    bench.deposit(DepositKernel::affine);
    int n_checked = 0;
    for (LocalIndex b = 0; b < bench.layout.n_owned(); ++b)
      for (int c = 0; c < bench.layout.cells_per_block(); ++c)
        for (int d = 0; d < dimension; ++d) {
          if (bench.m[d].block(b)[c] == 0.0) continue;
          Vec3 x = (bench.layout.first_cell(b) + Vec3i(c % 8, c / 8 % 8, c / 64)).cast<double>() + Vec3::Constant(0.5);
          if (dimension == 2) x.z() = 0.5;
          x[d] -= 0.5;
          // a mean of particles' velocities below 40, each rounded to half an epsilon, and of three small slopes
          ASSERT_NEAR(bench.u[d].block(b)[c], linear(x)[d], 40.0 * real_epsilon);
          ++n_checked;
        }
    EXPECT_GT(n_checked, 300);
  }
}

TEST(Affine, deposit_of_particles_without_slopes_is_that_of_pic) {
  for (const int dimension : {2, 3}) {
    Bench bench(dimension);
    bench.deposit(DepositKernel::affine);
    FaceField<double> u(bench.layout), m(bench.layout);
    copy_owned(bench.u, u);
    copy_owned(bench.m, m);
    bench.deposit(DepositKernel::trilinear);
    for (LocalIndex b = 0; b < bench.layout.n_owned(); ++b)
      for (int d = 0; d < dimension; ++d)
        for (int c = 0; c < bench.layout.cells_per_block(); ++c) {
          // at most 48 particles reach a face; their terms below 1 are multiplied in another order and as particle
          // reals
          const double bound = 45.0 * real_epsilon;
          ASSERT_NEAR(m[d].block(b)[c], bench.m[d].block(b)[c], bound);
          ASSERT_NEAR(m[d].block(b)[c] * u[d].block(b)[c], bench.m[d].block(b)[c] * bench.u[d].block(b)[c],
                      3.0 * bound);
        }
  }
}

TEST(VortexKernel, of_one_particle_by_hand) {
  const Domain domain = make_domain(3, {8, 8, 8});
  const BlockLayout layout(world(), domain, Splitters{}, test::all_blocks(domain));
  FaceField<double> u(layout), m(layout);
  ParticleStore particles;
  particles.resize(1);
  const float x[3] = {3.25F, 2.5F, 4.5F};
  const float velocity[3] = {2.0F, -1.0F, 0.5F};
  std::copy_n(x, 3, particles.position());
  std::copy_n(velocity, 3, particles.velocity());
  particles.block_begin() = {0, 1};
  Deposit deposit;
  deposit(particles, layout, u, m, DepositKernel::vortex);
  const auto cell = [](int i, int j, int k) { return BlockShape<3>::cell(i, j, k); };
  // h = 1.4: W1 = 1.96 / r - 1, W2 = 1 - 0.7 r. The low face of its cell is 1/4 away, the high one 3/4
  EXPECT_DOUBLE_EQ(m[0].block(0)[cell(3, 2, 4)], 1.96 * 16.0 - 1.0);
  EXPECT_DOUBLE_EQ(u[0].block(0)[cell(3, 2, 4)], 2.0 * (1.0 - 0.7 / 16.0) / 30.36);
  EXPECT_DOUBLE_EQ(m[0].block(0)[cell(4, 2, 4)], 1.96 * 16.0 / 9.0 - 1.0);
  EXPECT_DOUBLE_EQ(u[0].block(0)[cell(4, 2, 4)], 2.0 * (1.0 - 0.7 * 9.0 / 16.0) / (1.96 * 16.0 / 9.0 - 1.0));
  EXPECT_EQ(m[0].block(0)[cell(3, 3, 4)], 0.0);  // farther than a cell
  // of component y: 1/4 along x and 1/2 along y, r = 5/16
  EXPECT_DOUBLE_EQ(m[1].block(0)[cell(3, 3, 4)], 1.96 * 16.0 / 5.0 - 1.0);
  // of component z: 3/4 along x and 1/2 along z, r = 13/16
  EXPECT_DOUBLE_EQ(u[2].block(0)[cell(2, 2, 4)], 0.5 * (1.0 - 0.7 * 13.0 / 16.0) / (1.96 * 16.0 / 13.0 - 1.0));
}

}  // namespace
}  // namespace freshet
