// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <map>
#include <set>
#include <span>

namespace freshet {
namespace {

using test::world;

constexpr double dx = 0.5;
const Vec3 origin(-3.0, 1.0, 0.25);

struct CaseParameters {
  DomainOptions domain;
  SeedingOptions seeding;
};

CaseParameters make_parameters(int dimension, const Vec3i& cells, int per_axis = 2) {
  CaseParameters parameters;
  parameters.domain.dimension = dimension;
  parameters.domain.cells = cells;
  parameters.domain.cell_size = dx;
  parameters.domain.origin = origin;
  parameters.seeding.sampling.per_axis = per_axis;
  parameters.seeding.seed = 11;
  return parameters;
}

Vec3 corner(const Vec3i& cell) {
  return origin + dx * cell.cast<double>();
}

std::shared_ptr<const Shape> box(const Vec3i& lower_cell, const Vec3i& upper_cell) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::box;
  parameters.lower = corner(lower_cell);
  parameters.upper = corner(upper_cell);
  return make_shape(parameters);
}

std::shared_ptr<const Shape> ball(const Vec3& center, double radius) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::sphere;
  parameters.center = center;
  parameters.radius = radius;
  return make_shape(parameters);
}

std::shared_ptr<const Shape> below(double height) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::half_space;
  parameters.point = {0.0, height, 0.0};
  parameters.normal = Vec3::UnitY();
  return make_shape(parameters);
}

struct Seeded {
  Splitters splitters;
  ParticleStore particles;
  SeedingReport report;
};

Seeded seed(const CaseParameters& parameters, const std::vector<LiquidBody>& liquids,
            const std::vector<std::shared_ptr<const Shape>>& solids = {}, const Communicator& comm = world()) {
  Seeded seeded;
  const Domain domain(parameters.domain);
  seeded.report = seed_particles(comm, domain, parameters.seeding, liquids, solids, seeded.splitters, seeded.particles);
  EXPECT_EQ(comm.sum(GlobalIndex{seeded.particles.size()}), seeded.report.seeded);
  return seeded;
}

BlockKey key_of(const ParticleStore& particles, std::size_t p) {
  return particles.home_keys()[static_cast<std::size_t>(particles.home()[p])];
}

Vec3 world_position(const ParticleStore& particles, std::size_t p, int dimension) {
  const Vec3i first_cell = morton_block(key_of(particles, p)).cwiseProduct(Vec3i(8, 8, dimension == 3 ? 8 : 1));
  const ParticleReal* x = particles.position() + 3 * p;
  return corner(first_cell) + dx * Vec3(x[0], x[1], x[2]);
}

/// A number that tells id, block and the bits of the position of a particle.
std::uint64_t fingerprint(const ParticleStore& particles, std::size_t p) {
  std::uint64_t h = particles.id()[p] * 0x9e3779b97f4a7c15u + key_of(particles, p);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto cells = static_cast<double>(particles.position()[3 * p + axis]);
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u + std::bit_cast<std::uint64_t>(cells);
  }
  return h ^ h >> 31;
}

/// Fingerprints by id; 0 for particles that are not here.
std::vector<GlobalIndex> fingerprints(const Seeded& seeded) {
  std::vector<GlobalIndex> by_id(static_cast<std::size_t>(seeded.report.seeded), 0);
  for (std::size_t p = 0; p < static_cast<std::size_t>(seeded.particles.size()); ++p)
    by_id.at(seeded.particles.id()[p]) += static_cast<GlobalIndex>(fingerprint(seeded.particles, p) >> 8);
  return by_id;
}

TEST(Seeding, blocks_are_counted_before_any_particle_is_made) {
  const CaseParameters parameters = make_parameters(3, {40, 32, 24});
  const Domain domain(parameters.domain);
  ParticleStore particles;
  Splitters splitters;
  GlobalIndex n_blocks = 0;
  const auto count = [&](GlobalIndex n) {
    EXPECT_EQ(particles.size(), 0);
    n_blocks = n;
  };
  seed_particles(world(), domain, parameters.seeding, {{box({5, 3, 7}, {21, 17, 9})}}, {}, splitters, particles, count);
  EXPECT_GT(n_blocks, 0);
  EXPECT_EQ(n_blocks, world().sum(static_cast<GlobalIndex>(particles.home_keys().size())));
  const auto refuse = [](GlobalIndex) { throw RunError("too many"); };
  EXPECT_THROW(seed_particles(world(), domain, parameters.seeding, {{box({5, 3, 7}, {21, 17, 9})}}, {}, splitters,
                              particles, refuse),
               RunError);
}

/// Seed without deep blocks, compare with the seeding of all, and return the number of deep blocks.
GlobalIndex check_deep_blocks(const CaseParameters& parameters, const std::vector<LiquidBody>& liquids) {
  const Seeded all = seed(parameters, liquids);
  Seeded seeded;
  std::vector<BlockKey> deep;
  const Domain domain(parameters.domain);
  seeded.report =
      seed_particles(world(), domain, parameters.seeding, liquids, {}, seeded.splitters, seeded.particles, {}, &deep);
  EXPECT_EQ(seeded.report.seeded + seeded.report.left_out, all.report.seeded);
  for (const BlockKey key : deep) EXPECT_EQ(seeded.splitters.owner(key), world().rank());
  std::vector<GlobalIndex> expected(static_cast<std::size_t>(all.report.seeded), 0), found = expected;
  for (std::size_t p = 0; p < static_cast<std::size_t>(all.particles.size()); ++p)
    expected[all.particles.id()[p]] = static_cast<GlobalIndex>(fingerprint(all.particles, p) >> 8);
  for (std::size_t p = 0; p < static_cast<std::size_t>(seeded.particles.size()); ++p)
    found[seeded.particles.id()[p]] = static_cast<GlobalIndex>(fingerprint(seeded.particles, p) >> 8);
  world().sum_in_place(std::span<GlobalIndex>(expected));
  world().sum_in_place(std::span<GlobalIndex>(found));
  GlobalIndex missing = 0;
  for (std::size_t id = 0; id < expected.size(); ++id) {
    missing += found[id] == 0 ? 1 : 0;
    EXPECT_TRUE(found[id] == 0 || found[id] == expected[id]) << id;
  }
  EXPECT_EQ(missing, seeded.report.left_out);
  return world().sum(static_cast<GlobalIndex>(deep.size()));
}

TEST(Seeding, full_blocks_among_full_blocks_can_be_left_out) {
  const std::vector<LiquidBody> pool = {{below(corner({0, 30, 0}).y())}};  // full up to the third block
  CaseParameters parameters = make_parameters(3, {40, 40, 40});
  EXPECT_EQ(check_deep_blocks(parameters, pool), 5 * 2 * 5);  // walls are no surface
  parameters.domain.boundary[0][1] = FaceCondition::open;
  EXPECT_EQ(check_deep_blocks(parameters, pool), 4 * 2 * 5);
  const std::vector<LiquidBody> flat = {{below(corner({0, 30, 0}).y())}};
  EXPECT_EQ(check_deep_blocks(make_parameters(2, {40, 40, 1}), flat), 5 * 2);
  std::vector<LiquidBody> two = {{box({0, 0, 0}, {20, 40, 40})}, {box({20, 0, 0}, {40, 40, 40})}};
  EXPECT_EQ(check_deep_blocks(make_parameters(3, {40, 40, 40}), two), 5 * 5 * 5);
  two.back().velocity = {1.0, 0.0, 0.0};
  EXPECT_EQ(check_deep_blocks(make_parameters(3, {40, 40, 40}), two), 0);  // the grid would not know both velocities
}

TEST(Seeding, a_box_of_whole_cells_gets_n_to_the_dimension_particles_a_cell) {
  for (const int per_axis : {1, 2, 3}) {
    const CaseParameters solid = make_parameters(3, {40, 32, 24}, per_axis);
    EXPECT_EQ(seed(solid, {{box({5, 3, 7}, {21, 17, 9})}}).report.seeded, 16 * 14 * 2 * per_axis * per_axis * per_axis);
    const CaseParameters flat = make_parameters(2, {40, 32, 1}, per_axis);
    EXPECT_EQ(seed(flat, {{box({5, 3, 0}, {21, 17, 1})}}).report.seeded, 16 * 14 * per_axis * per_axis);
  }
}

TEST(Seeding, every_sub_cell_gets_one_particle) {
  const CaseParameters parameters = make_parameters(3, {24, 16, 16}, 3);
  const Seeded seeded = seed(parameters, {{box({2, 2, 2}, {18, 14, 14})}});
  std::map<std::array<int, 4>, int> particles_in;
  for (std::size_t p = 0; p < static_cast<std::size_t>(seeded.particles.size()); ++p) {
    const ParticleReal* x = seeded.particles.position() + 3 * p;
    ++particles_in[{seeded.particles.home()[p], static_cast<int>(3 * x[0]), static_cast<int>(3 * x[1]),
                    static_cast<int>(3 * x[2])}];
  }
  EXPECT_EQ(particles_in.size(), static_cast<std::size_t>(seeded.particles.size()));
}

TEST(Seeding, without_jitter_particles_stand_in_the_middle_of_sub_cells) {
  CaseParameters parameters = make_parameters(2, {24, 16, 1});
  parameters.seeding.sampling.jitter = 0.0;
  const Seeded seeded = seed(parameters, {{box({2, 2, 0}, {18, 14, 1})}});
  for (std::size_t p = 0; p < static_cast<std::size_t>(seeded.particles.size()); ++p) {
    const ParticleReal* x = seeded.particles.position() + 3 * p;
    for (int axis = 0; axis < 2; ++axis) {
      const double in_cell = x[axis] - std::floor(x[axis]);
      EXPECT_TRUE(in_cell == 0.25 || in_cell == 0.75) << in_cell;
    }
    EXPECT_EQ(x[2], ParticleReal{0.5});
  }
}

TEST(Seeding, jitter_fills_the_sub_cells_evenly) {
  const CaseParameters parameters = make_parameters(3, {32, 32, 32}, 1);
  const Seeded seeded = seed(parameters, {{below(1e9)}});
  ASSERT_EQ(seeded.report.seeded, 32768);
  std::array<double, 12> sums{};  // mean and mean square on each axis, then of the products of two axes
  for (std::size_t p = 0; p < static_cast<std::size_t>(seeded.particles.size()); ++p) {
    Vec3 u;
    for (int axis = 0; axis < 3; ++axis) {
      const double x = seeded.particles.position()[3 * p + static_cast<std::size_t>(axis)];
      u[axis] = x - std::floor(x) - 0.5;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sums[axis] += u[static_cast<int>(axis)] / 32768;
      sums[3 + axis] += u[static_cast<int>(axis)] * u[static_cast<int>(axis)] / 32768;
      sums[6 + axis] += u[static_cast<int>(axis)] * u[static_cast<int>((axis + 1) % 3)] / 32768;
    }
  }
  world().sum_in_place(sums);
  // Deviations of n = 32768 uniform numbers: sqrt(1/12/n) = 1.6e-3, sqrt(1/180/n) = 4.1e-4, 1/12/sqrt(n) = 4.6e-4.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(sums[axis], 0.0, 4 * 1.6e-3);
    EXPECT_NEAR(sums[3 + axis], 1.0 / 12.0, 4 * 4.1e-4);
    EXPECT_NEAR(sums[6 + axis], 0.0, 4 * 4.6e-4);
  }
}

struct Scene {
  CaseParameters parameters;
  std::vector<LiquidBody> liquids;
  std::vector<std::shared_ptr<const Shape>> solids;
};

std::vector<Scene> scenes() {
  const Vec3 middle = corner({20, 15, 11});
  return {
      {make_parameters(3, {40, 32, 24}), {{ball(middle, 4.3), {1.0, 2.0, 3.0}, 5}, {below(2.7)}}, {ball(middle, 2.1)}},
      {make_parameters(3, {37, 21, 13}, 3), {{below(1e9)}}, {below(2.0), box({3, 3, 3}, {9, 20, 9})}},
      {make_parameters(2, {100, 60, 1}), {{ball(corner({50, 30, 0}), 9.0)}, {below(4.0)}}, {ball(middle, 3.0)}},
      {make_parameters(3, {16, 16, 16}), {{ball(corner({4, 4, 4}), 0.6)}}, {}}};
}

TEST(Seeding, the_same_particles_appear_on_any_number_of_ranks) {
  const Communicator alone(MPI_COMM_SELF);
  for (const Scene& scene : scenes()) {
    const Seeded together = seed(scene.parameters, scene.liquids, scene.solids);
    const Seeded by_one = seed(scene.parameters, scene.liquids, scene.solids, alone);
    EXPECT_GT(by_one.report.seeded, 0);
    EXPECT_EQ(together.report.seeded, by_one.report.seeded);
    EXPECT_EQ(together.report.dropped_in_solid, by_one.report.dropped_in_solid);
    std::vector<GlobalIndex> of_all = fingerprints(together);
    world().sum_in_place(of_all);
    EXPECT_EQ(of_all, fingerprints(by_one));
  }
}

TEST(Seeding, particles_lie_in_liquids_and_outside_solids_with_velocity_and_tag_of_the_first_liquid) {
  for (const Scene& scene : scenes()) {
    const Seeded seeded = seed(scene.parameters, scene.liquids, scene.solids);
    for (std::size_t p = 0; p < static_cast<std::size_t>(seeded.particles.size()); ++p) {
      const Vec3 x = world_position(seeded.particles, p, scene.parameters.domain.dimension);
      for (const auto& solid : scene.solids) ASSERT_GT(solid->signed_distance(x), 0.0);
      const auto liquid = std::find_if(scene.liquids.begin(), scene.liquids.end(),
                                       [&](const LiquidBody& body) { return body.shape->signed_distance(x) < 0.0; });
      ASSERT_NE(liquid, scene.liquids.end());
      ASSERT_EQ(seeded.particles.tag()[p], liquid->tag);
      for (std::size_t axis = 0; axis < 3; ++axis)
        ASSERT_EQ(seeded.particles.velocity()[3 * p + axis], liquid->velocity[static_cast<int>(axis)]);
    }
  }
}

/// Block and position of every particle.
std::set<std::array<double, 4>> places(const ParticleStore& particles) {
  std::set<std::array<double, 4>> all;
  for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
    const ParticleReal* x = particles.position() + 3 * p;
    all.insert({static_cast<double>(key_of(particles, p)), x[0], x[1], x[2]});
  }
  return all;
}

TEST(Seeding, a_liquid_gets_the_sample_points_of_the_full_domain_that_lie_in_it_and_in_no_solid) {
  const Communicator alone(MPI_COMM_SELF);
  const CaseParameters parameters = make_parameters(3, {24, 24, 24});
  const Seeded full = seed(parameters, {{below(1e9)}}, {}, alone);
  ShapeParameters slope;
  slope.kind = ShapeKind::half_space;
  slope.point = corner({8, 8, 8}) + Vec3::Constant(0.3 * dx);
  slope.normal = {1.0, 1.0, 1.0};  // cuts off corners of blocks
  const auto tilted = make_shape(slope);
  const std::shared_ptr<const Shape> shapes[] = {tilted, ball(corner({8, 8, 8}), 0.4), ball(corner({15, 16, 9}), 2.7),
                                                 box({7, 7, 7}, {17, 9, 8})};
  for (const auto& liquid : shapes)
    for (const auto& solid : shapes) {
      const Seeded seeded = seed(parameters, {{liquid}}, {solid}, alone);
      std::set<std::array<double, 4>> expected = places(full.particles);
      GlobalIndex in_solid = 0;
      for (std::size_t p = 0; p < static_cast<std::size_t>(full.particles.size()); ++p) {
        const Vec3 x = world_position(full.particles, p, 3);
        const bool is_wet = liquid->signed_distance(x) < 0.0;
        const bool is_solid = solid->signed_distance(x) <= 0.0;
        in_solid += is_wet && is_solid;
        const ParticleReal* q = full.particles.position() + 3 * p;
        if (!is_wet || is_solid) expected.erase({static_cast<double>(key_of(full.particles, p)), q[0], q[1], q[2]});
      }
      EXPECT_EQ(places(seeded.particles), expected);
      EXPECT_EQ(seeded.report.dropped_in_solid, in_solid);
    }
}

TEST(Seeding, samples_in_solids_are_dropped_and_counted) {
  const CaseParameters parameters = make_parameters(3, {40, 32, 24});
  const Seeded seeded = seed(parameters, {{box({4, 4, 4}, {20, 20, 20})}}, {box({10, 10, 10}, {30, 30, 12})});
  EXPECT_EQ(seeded.report.dropped_in_solid, 10 * 10 * 2 * 8);
  EXPECT_EQ(seeded.report.seeded, (16 * 16 * 16 - 10 * 10 * 2) * 8);
}

TEST(Seeding, nothing_is_seeded_outside_the_domain) {
  const CaseParameters parameters = make_parameters(3, {19, 11, 10});
  const Domain domain(parameters.domain);
  const Seeded seeded = seed(parameters, {{below(1e9)}});
  EXPECT_EQ(seeded.report.seeded, 19 * 11 * 10 * 8);
  for (std::size_t p = 0; p < static_cast<std::size_t>(seeded.particles.size()); ++p) {
    const Vec3 cell = (world_position(seeded.particles, p, 3) - origin) / dx;
    ASSERT_TRUE(domain.contains_cell(cell.array().floor().cast<int>().matrix()));
  }
}

TEST(Seeding, ids_ascend_by_block_then_cell_then_sub_cell) {
  const Seeded seeded = seed(make_parameters(3, {40, 32, 24}), {{ball(corner({20, 15, 11}), 4.3)}});
  const ParticleStore& particles = seeded.particles;
  const GlobalIndex first = world().exclusive_sum(GlobalIndex{particles.size()});
  const auto place = [&](std::size_t p) {
    const ParticleReal* x = particles.position() + 3 * p;
    const auto sub = [&](int axis) { return static_cast<int>(2 * x[axis]) % 2; };
    return std::array<std::uint64_t, 3>{
        key_of(particles, p),
        static_cast<std::uint64_t>(static_cast<int>(x[0]) + 8 * (static_cast<int>(x[1]) + 8 * static_cast<int>(x[2]))),
        static_cast<std::uint64_t>(sub(0) + 2 * (sub(1) + 2 * sub(2)))};
  };
  for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
    ASSERT_EQ(particles.id()[p], static_cast<ParticleId>(first) + p);
    ASSERT_TRUE(p == 0 || place(p - 1) < place(p));
  }
}

TEST(Seeding, splitters_own_the_particles_and_share_them_out) {
  const Seeded seeded = seed(make_parameters(3, {64, 64, 64}), {{below(5.0)}});  // 8 cells deep: 64 blocks
  for (const BlockKey key : seeded.particles.home_keys()) EXPECT_EQ(seeded.splitters.owner(key), world().rank());
  const auto mean = static_cast<double>(seeded.report.seeded) / world().size();
  EXPECT_LE(static_cast<double>(seeded.particles.size()), mean + 4096.0);  // a block more than its share
  EXPECT_GE(static_cast<double>(seeded.particles.size()), mean - 4096.0);
}

TEST(Seeding, another_seed_places_the_particles_otherwise) {
  CaseParameters parameters = make_parameters(3, {16, 16, 16});
  const Communicator alone(MPI_COMM_SELF);
  const std::vector<LiquidBody> liquid{{box({0, 0, 0}, {8, 8, 8})}};
  const auto before = fingerprints(seed(parameters, liquid, {}, alone));
  EXPECT_EQ(fingerprints(seed(parameters, liquid, {}, alone)), before);
  parameters.seeding.seed = 12;
  EXPECT_NE(fingerprints(seed(parameters, liquid, {}, alone)), before);
}

TEST(Seeding, no_liquid_gives_no_particles_and_valid_splitters) {
  const CaseParameters parameters = make_parameters(3, {24, 24, 24});
  for (const std::vector<LiquidBody>& liquids :
       {std::vector<LiquidBody>{}, {{box({-20, 0, 0}, {-10, 8, 8})}}, {{below(-1e300)}}}) {
    const Seeded seeded = seed(parameters, liquids);
    EXPECT_EQ(seeded.report.seeded, 0);
    EXPECT_EQ(seeded.splitters, uniform_splitters(Domain(parameters.domain), world().size()));
  }
}

TEST(Seeding, of_more_blocks_than_the_ranks_can_look_through_is_an_input_error_at_once) {
  const CaseParameters parameters = make_parameters(3, Vec3i::Constant(1 << 20));
  EXPECT_THROW(seed(parameters, {{below(1e9)}}), InputError);
}

TEST(Seeding, leads_on_to_a_layout_a_sort_and_migration) {
  for (const Scene& scene : scenes()) {
    Seeded seeded = seed(scene.parameters, scene.liquids, scene.solids);
    const Domain domain(scene.parameters.domain);
    const BlockLayout layout(world(), domain, seeded.splitters, blocks_near_particles(seeded.particles, domain, 2));
    SortWorkspace workspace;
    sort_particles(seeded.particles, layout, CellOrder::by_id, workspace);
    const MigrationReport report = migrate(seeded.particles, layout, seeded.splitters);
    EXPECT_EQ(report.total, seeded.report.seeded);
    EXPECT_EQ(report.moved_rank, 0);
  }
}

}  // namespace
}  // namespace freshet
