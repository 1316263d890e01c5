// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/seeding.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

using test::hashed;
using test::world;

constexpr double dx = 0.25;
const Vec3 origin(-1.0, 2.0, 0.5);

Domain make_domain(int dimension, const Vec3i& cells, FaceCondition condition = FaceCondition::free_slip) {
  DomainOptions parameters;
  parameters.dimension = dimension;
  parameters.cells = cells;
  parameters.cell_size = dx;
  parameters.origin = origin;
  for (int axis = 0; axis < dimension; ++axis) parameters.boundary[axis] = {condition, condition};
  return Domain(parameters);
}

std::shared_ptr<const Shape> ball(const Vec3& center, double radius) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::sphere;
  parameters.center = center;
  parameters.radius = radius;
  return make_shape(parameters);
}

/// Particle m of a list: anywhere in a box somewhat larger than the domain.
Vec3 given_position(const Domain& domain, std::uint64_t m) {
  Vec3 x;
  for (int axis = 0; axis < 3; ++axis)
    x[axis] = origin[axis] + dx * domain.cells()[axis] * (1.2 * hashed(m, 3, static_cast<std::uint64_t>(axis)) - 0.1);
  return x;
}

/// This rank's part of a list of n: rank r has particles r, r + size, ...; ranks 1 and up of more than two have none
/// where `few` is set.
GivenParticles part_of_list(const Domain& domain, std::uint64_t n, bool few = false) {
  GivenParticles given;
  for (std::uint64_t m = 0; m < n; ++m) {
    const int rank = few ? 0 : static_cast<int>(m % static_cast<std::uint64_t>(world().size()));
    if (rank != world().rank()) continue;
    given.position.push_back(given_position(domain, m));
    given.velocity.emplace_back(static_cast<double>(m), 0.5, -1.0);
    given.ids.push_back(1000 + m);
    given.tags.push_back(static_cast<std::uint8_t>(m % 5));
  }
  return given;
}

Vec3 world_position(const ParticleStore& particles, std::size_t p, const Domain& domain) {
  const BlockKey key = particles.home_keys()[static_cast<std::size_t>(particles.home()[p])];
  const ParticleReal* x = particles.position() + 3 * p;
  return origin + dx * (morton_block(key).cwiseProduct(domain.block_cells()).cast<double>() + Vec3(x[0], x[1], x[2]));
}

TEST(Placement, particles_inside_are_placed_and_the_others_are_counted) {
  const Domain domain = make_domain(3, {40, 20, 17});
  const auto solid = ball(origin + Vec3(4.0, 2.0, 2.0), 1.3);
  constexpr std::uint64_t n = 2000;
  PlacementReport expected;
  for (std::uint64_t m = 0; m < n; ++m) {
    const Vec3 cells = (given_position(domain, m) - origin) / dx;
    if ((cells.array() < 0.0).any() || (cells.array() >= domain.cells().cast<double>().array()).any()) {
      ++expected.outside_domain;
    } else if (solid->signed_distance(given_position(domain, m)) <= 0.0) {
      ++expected.inside_solid;
    } else {
      ++expected.placed;
    }
  }
  for (const bool few : {false, true}) {
    const Splitters splitters = uniform_splitters(domain, world().size());
    ParticleStore particles;
    const PlacementReport report =
        place_particles(world(), domain, part_of_list(domain, n, few), {solid}, splitters, particles);
    EXPECT_EQ(report.placed, expected.placed);
    EXPECT_EQ(report.outside_domain, expected.outside_domain);
    EXPECT_EQ(report.inside_solid, expected.inside_solid);
    EXPECT_EQ(world().sum(GlobalIndex{particles.size()}), expected.placed);
    for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
      const std::uint64_t m = particles.id()[p] - 1000;
      const Vec3 offset = world_position(particles, p, domain) - given_position(domain, m);
      EXPECT_LT(offset.cwiseAbs().maxCoeff(), 1e-6 * dx);  // positions are floats below 8 cells: steps of 5e-7 cells
      EXPECT_EQ(particles.velocity()[3 * p], static_cast<ParticleReal>(m));
      EXPECT_EQ(particles.tag()[p], m % 5);
      const BlockKey key = particles.home_keys()[static_cast<std::size_t>(particles.home()[p])];
      EXPECT_EQ(splitters.owner(key), world().rank());
    }
  }
}

TEST(Placement, ids_follow_rank_and_place_in_the_list_where_none_are_given) {
  const Domain domain = make_domain(3, {16, 16, 16});
  GivenParticles given;
  const int n_here = 2 + world().rank();
  for (int m = 0; m < n_here; ++m) {
    given.position.push_back(origin + Vec3::Constant(0.1 + 0.01 * m));
    given.velocity.emplace_back(world().rank(), m, 0.0);
  }
  ParticleStore particles;
  const Splitters splitters = uniform_splitters(domain, world().size());
  place_particles(world(), domain, given, {}, splitters, particles);
  for (int again = 0; again < 2; ++again) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
      const auto rank = static_cast<GlobalIndex>(particles.velocity()[3 * p]);
      const auto m = static_cast<GlobalIndex>(particles.velocity()[3 * p + 1]);
      const GlobalIndex before = 2 * rank + rank * (rank - 1) / 2;
      const GlobalIndex n_all = 2 * world().size() + world().size() * (world().size() - 1) / 2;
      const bool second = particles.id()[p] >= static_cast<ParticleId>(n_all);
      EXPECT_EQ(particles.id()[p], static_cast<ParticleId>(before + m + (second ? n_all : 0)));
    }
    if (again == 0) place_particles(world(), domain, given, {}, splitters, particles);  // beside those that are there
  }
  const GlobalIndex n_given = world().sum(GlobalIndex{n_here});
  EXPECT_EQ(world().sum(GlobalIndex{particles.size()}), 2 * n_given);
}

TEST(Placement, periodic_axes_have_no_outside) {
  const Domain domain = make_domain(3, {16, 8, 8}, FaceCondition::periodic);
  GivenParticles given;
  given.position = {origin + dx * Vec3(-1.0, 9.0, 20.5), origin + dx * Vec3(-1e-18, 0.0, 0.0)};
  given.velocity.resize(2, Vec3::Zero());
  if (!world().is_root()) given = {};
  ParticleStore particles;
  const auto report = place_particles(world(), domain, given, {}, uniform_splitters(domain, world().size()), particles);
  EXPECT_EQ(report.placed, 2);
  for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
    const Vec3 expected = particles.id()[p] == 0 ? Vec3(15.0, 1.0, 4.5) : Vec3(0.0, 0.0, 0.0);
    EXPECT_LT(((world_position(particles, p, domain) - origin) / dx - expected).norm(), 1e-6);
  }
}

TEST(Placement, positions_just_below_the_end_stay_in_the_domain) {
  const Domain domain = make_domain(3, {12, 12, 12});
  GivenParticles given;
  given.position = {origin + dx * Vec3::Constant(12.0 - 1e-12), origin + dx * Vec3::Constant(8.0 - 1e-12)};
  given.velocity.resize(2, Vec3::Zero());
  if (!world().is_root()) given = {};
  ParticleStore particles;
  const auto report = place_particles(world(), domain, given, {}, uniform_splitters(domain, world().size()), particles);
  EXPECT_EQ(report.placed, 2);
  for (std::size_t n = 0; n < 3 * static_cast<std::size_t>(particles.size()); ++n)
    EXPECT_LT(particles.position()[n], particles.id()[n / 3] == 0 ? 4 : 8);
}

TEST(Placement, in_two_dimensions_z_is_the_middle_plane) {
  const Domain domain = make_domain(2, {16, 16, 1});
  GivenParticles given;
  given.position = {origin + Vec3(1.0, 1.0, 77.0), origin + Vec3(2.0, 2.0, -5.0)};
  given.velocity.resize(2, Vec3::Zero());
  if (!world().is_root()) given = {};
  ParticleStore particles;
  const auto solid = ball(origin + Vec3(2.0, 2.0, 0.5 * dx), 0.1);
  const auto report =
      place_particles(world(), domain, given, {solid}, uniform_splitters(domain, world().size()), particles);
  EXPECT_EQ(report.placed, 1);
  EXPECT_EQ(report.inside_solid, 1);
  for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p)
    EXPECT_EQ(particles.position()[3 * p + 2], ParticleReal{0.5});
}

}  // namespace
}  // namespace freshet
