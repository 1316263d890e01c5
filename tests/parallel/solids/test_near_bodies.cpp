// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4 8
#include "freshet/geometry/sampled_shape.hpp"
#include "freshet/solids/balls_around.hpp"
#include "freshet/solids/body_paths.hpp"
#include "freshet/solids/keep_outside.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/periodic_copies.hpp"
#include "freshet/solids/wall_sides.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace freshet {
namespace {

using test::all_blocks;
using test::equal_splitters;
using test::hashed;
using test::make_domain;
using test::world;

constexpr double dx = 0.5;  // [m]

/// Numbers that depend on a seed alone, the same on every rank.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : seed_(seed) {}
  double between(double low, double high) { return low + (high - low) * hashed(seed_, count_++); }
  Vec3 in(const Vec3& lower, const Vec3& upper) {
    return {between(lower.x(), upper.x()), between(lower.y(), upper.y()), between(lower.z(), upper.z())};
  }
  Vec3 in_cube(double half) { return in(Vec3::Constant(-half), Vec3::Constant(half)); }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

Domain make_tank(int dimension, FaceCondition along_x) {
  DomainOptions options;
  options.dimension = dimension;
  options.cells = {40, 24, dimension == 3 ? 24 : 1};
  options.cell_size = dx;
  options.boundary[0] = {along_x, along_x};
  return Domain(options);
}

ShapeParameters ball(const Vec3& center, double radius) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::sphere;
  parameters.center = center;
  parameters.radius = radius;
  return parameters;
}

ShapeParameters box(const Vec3& center, const Vec3& half) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::box;
  parameters.lower = center - half;
  parameters.upper = center + half;
  return parameters;
}

/// A ball, a turned box, a wedge of two boxes, a hollow box, or a ball that is sampled.
std::shared_ptr<const Shape> random_shape(Numbers& numbers, const Domain& domain, int kind) {
  const Box tank = domain.box();
  Vec3 center = numbers.in(tank.lower, tank.upper);
  if (domain.dimension() == 2) center.z() = 0.5 * dx;
  const double size = numbers.between(0.6, 2.5) * dx;
  const Vec3 half(size, numbers.between(0.3, 1.0) * size, domain.dimension() == 2 ? 10.0 : size);
  ShapeParameters combined;
  switch (kind) {
    case 0:
      return make_shape(ball(center, size));
    case 1: {
      ShapeParameters turned = box(center, half);
      turned.transform.axis = Vec3::UnitZ();
      turned.transform.angle = numbers.between(0.0, 90.0);
      turned.transform.center = center;
      return make_shape(turned);
    }
    case 2:
      combined.kind = ShapeKind::intersection_of;
      combined.parts = {box(center, half), box(center + Vec3(0.7 * size, 0.4 * size, 0.0), half)};
      return make_shape(combined);
    case 3:
      combined.kind = ShapeKind::difference_of;
      combined.parts = {box(center, 4.0 * half), box(center, 3.5 * half)};
      return make_shape(combined);
    default:
      return std::make_shared<SampledShape>(make_shape(ball(center, size)),
                                            SampleLattice{{0.0, 0.0, 0.5 * dx}, dx, domain.dimension()});
  }
}

std::vector<SolidBody> random_bodies(Numbers& numbers, const Domain& domain, int count) {
  std::vector<SolidBody> bodies;
  for (int n = 0; n < count; ++n) {
    SolidBody body;
    body.shape = random_shape(numbers, domain, static_cast<int>(numbers.between(0.0, 5.0)));
    body.surface = numbers.between(0.0, 1.0) < 0.5 ? Surface::fractions : Surface::voxels;
    if (numbers.between(0.0, 1.0) < 0.6) {
      const Box bounds = body.shape->bounds();
      Vec3 velocity = numbers.in_cube(2.0 * dx), angular = numbers.in_cube(0.5);
      if (domain.dimension() == 2) velocity.z() = angular.x() = angular.y() = 0.0;
      body.motion = std::make_shared<RigidMotion>(0.5 * (bounds.lower + bounds.upper), velocity, angular);
    }
    bodies.push_back(body);
  }
  return with_periodic_copies(domain, bodies, 1.0);
}

bool moves(const SolidBody& body) {
  return body.motion != nullptr;
}

struct Case {
  int dimension;
  FaceCondition along_x;
};

class NearBodiesOf : public testing::TestWithParam<Case> {};

/// Compare answers at a place of a block's with those of all bodies.
void compare_at(const NearBodies& near, const Vec3& x, double limit) {
  const auto same = [&](auto wanted) {
    const Nearest expected = nearest_body(near.bodies(), near.shapes(), x, wanted);
    const Nearest found = near.nearest(x, wanted);
    ASSERT_EQ(found.distance, expected.distance);
    ASSERT_TRUE(found.body == expected.body || !std::isfinite(expected.distance));
    const Nearest within = near.nearest_within(limit, x, wanted);
    ASSERT_EQ(within.distance, std::min(limit, expected.distance));
    ASSERT_TRUE(within.body == expected.body || expected.distance >= limit);
  };
  same(any_body);
  same(has_fractions);
  same(moves);
  ASSERT_EQ(near.is_in_any(x), nearest_body(near.bodies(), near.shapes(), x, any_body).distance <= 0.0);
  std::vector<std::size_t> called, needed;
  near.for_each_within(limit, x, [&](std::size_t n) { called.push_back(n); });
  for (std::size_t n = 0; n < near.shapes().size(); ++n)
    if (near.shapes()[n]->signed_distance(x) < limit) needed.push_back(n);
  ASSERT_TRUE(std::ranges::is_sorted(called));
  ASSERT_TRUE(std::ranges::includes(called, needed));
  called.clear();
  near.for_each_reaching(limit, x, [&](std::size_t n) {
    called.push_back(n);
    ASSERT_LE(near.shapes()[n]->signed_distance(x) - near.shapes()[n]->slack(), limit);
  });
  ASSERT_TRUE(std::ranges::is_sorted(called));
  ASSERT_TRUE(std::ranges::includes(called, needed));
}

TEST_P(NearBodiesOf, a_block_answer_as_a_search_through_all_bodies_does) {
  const Domain domain = make_tank(GetParam().dimension, GetParam().along_x);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Numbers numbers(seed);
    solids.reset(layout, random_bodies(numbers, domain, seed == 0 ? 1 : 30));
    for (const double time : {0.0, 0.4}) {
      solids.move_to(time);
      for (LocalIndex b = 0; b < layout.n_blocks(); ++b) {
        const NearBodies near(solids, b);
        const Vec3 first = layout.first_cell(b).cast<double>(), end = first + domain.block_cells().cast<double>();
        for (int n = 0; n < 40; ++n) {
          const double beyond = n < 30 ? 2.0 : 40.0;  // [cells]
          Vec3 x = dx * numbers.in(first - Vec3::Constant(beyond), end + Vec3::Constant(beyond));
          if (domain.dimension() == 2) x.z() = 0.5 * dx;
          ASSERT_NO_FATAL_FAILURE(compare_at(near, x, dx * numbers.between(0.0, 12.0)))
              << "seed " << seed << ", block " << b << ", place " << x.transpose();
        }
      }
    }
  }
}

TEST_P(NearBodiesOf, a_path_hold_every_body_that_a_particle_meets) {
  const Domain domain = make_tank(GetParam().dimension, GetParam().along_x);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  NearPathMemory memory;
  std::int64_t met = 0, tests = 0, all_tests = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Numbers numbers(100 + seed);
    solids.reset(layout, random_bodies(numbers, domain, 30));
    const double dt = seed % 3 == 0 ? 0.0 : numbers.between(0.1, 1.0);
    const BodyPaths paths(solids, domain, solids.time(), dt);
    const int reach = 1 + static_cast<int>(seed % 4);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      const NearPaths near = paths.near(solids, layout, b, reach, memory);
      const Vec3 first = layout.first_cell(b).cast<double>(), end = first + domain.block_cells().cast<double>();
      for (int n = 0; n < 60; ++n) {
        const double beyond = n < 55 ? reach : 3.0 * reach;  // the last ones leave the region
        const Box tank = domain.box();
        Vec3 from = dx * numbers.in(first - Vec3::Constant(beyond), end + Vec3::Constant(beyond));
        from = from.cwiseMax(tank.lower).cwiseMin(tank.upper);
        Vec3 to = (from + numbers.in_cube(reach * dx)).cwiseMax(tank.lower).cwiseMin(tank.upper);
        if (domain.dimension() == 2) from.z() = to.z() = 0.5 * dx;
        std::vector<const BodyPath*> asked;
        near.for_each(from, to, [&](const BodyPath& path) { asked.push_back(&path); });
        tests += static_cast<std::int64_t>(asked.size());
        for (const BodyPath& path : paths.paths()) {
          ++all_tests;
          const bool meets = first_contact(*path.shape, {path.from.to_body(from), path.to.to_body(to)}, dx) < 1.0 ||
                             first_contact(*path.shape, {path.to.to_body(from), path.to.to_body(to)}, dx) < 1.0 ||
                             path.at_end->signed_distance(from) < 0.0 || path.at_end->signed_distance(to) < 0.0;
          met += meets ? 1 : 0;
          ASSERT_TRUE(!meets || std::ranges::find(asked, &path) != asked.end())
              << "seed " << seed << ", block " << b << ", body " << &path - paths.paths().data() << ", from "
              << from.transpose() << " to " << to.transpose();
        }
      }
    }
  }
  met = world().sum(met);
  EXPECT_GT(met, 1000);
  EXPECT_LT(world().sum(tests), world().sum(all_tests) / 2) << met << " meet a body";
}

TEST_P(NearBodiesOf, a_body_that_is_nearest_around_a_place_is_so_everywhere_there) {
  const Domain domain = make_tank(GetParam().dimension, GetParam().along_x);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  std::int64_t found = 0, asked = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Numbers numbers(200 + seed);
    solids.reset(layout, random_bodies(numbers, domain, 30));
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      const NearBodies near(solids, b);
      const Vec3 first = layout.first_cell(b).cast<double>(), end = first + domain.block_cells().cast<double>();
      for (int n = 0; n < 40; ++n) {
        Vec3 x = dx * numbers.in(first - Vec3::Constant(1.0), end + Vec3::Constant(1.0));
        const double within = dx * numbers.between(0.0, 1.5);
        const auto body = near.nearest_around(x, within, has_fractions);
        ++asked;
        if (!body) continue;
        ++found;
        for (int m = 0; m < 20; ++m) {
          Vec3 way = numbers.in_cube(1.0);
          if (domain.dimension() == 2) way.z() = 0.0;
          const Vec3 y = x + within * numbers.between(0.0, 1.0) / way.norm() * way;
          ASSERT_EQ(nearest_body(near.bodies(), near.shapes(), y, has_fractions).body, *body)
              << "seed " << seed << ", block " << b << ", " << within << " m around " << x.transpose();
        }
      }
    }
  }
  EXPECT_GT(world().sum(found), world().sum(asked) / 16);
}

TEST_P(NearBodiesOf, no_particle_passes_a_body_unseen) {
  const Domain domain = make_tank(GetParam().dimension, GetParam().along_x);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  std::int64_t met = 0, tests = 0, all_tests = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Numbers numbers(300 + seed);
    solids.reset(layout, random_bodies(numbers, domain, 30));
    const double before_paths = seed % 2 == 0 ? 0.0 : numbers.between(0.1, 0.3);  // since the fields of the grid
    const BodyPaths paths(solids, domain, solids.time() + before_paths,
                          seed % 3 == 0 ? 0.0 : numbers.between(0.1, 0.5));
    const int reach = 1 + static_cast<int>(seed % 4);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      const KeepOutside keep_outside(layout, reach, solids, paths, b);
      if (!keep_outside.bodies_near()) continue;
      const Vec3 first = layout.first_cell(b).cast<double>(), cells = domain.block_cells().cast<double>();
      for (int n = 0; n < 60; ++n) {
        const Vec3 at = numbers.in(Vec3::Constant(1e-3), cells - Vec3::Constant(1e-3)), step = numbers.in_cube(reach);
        ParticleReal before[3], after[3];
        for (int d = 0; d < 3; ++d) {
          const double low = 1e-3 - first[d], high = domain.cells()[d] - first[d] - 1e-3;
          before[d] = static_cast<ParticleReal>(d < domain.dimension() ? at[d] : 0.5);
          const double to = d < domain.dimension() ? std::clamp(at[d] + step[d], low, high) : 0.5;
          after[d] = static_cast<ParticleReal>(to);
        }
        const auto place = [&](const ParticleReal* x) -> Vec3 { return dx * (first + Vec3(x[0], x[1], x[2])); };
        const Vec3 from = place(before), to = place(after);
        const KeptOutside kept = keep_outside(before, after, nullptr, 1);
        tests += kept.tests;
        bool meets = false;
        for (const BodyPath& path : paths.paths())
          meets = meets || first_contact(*path.shape, {path.from.to_body(from), path.to.to_body(to)}, dx) < 1.0 ||
                  path.at_end->signed_distance(to) < 0.0;
        all_tests += static_cast<std::int64_t>(paths.paths().size());
        met += meets ? 1 : 0;
        ASSERT_TRUE(!meets || kept.moved == 1)
            << "seed " << seed << ", block " << b << ", from " << from.transpose() << " to " << to.transpose();
      }
    }
  }
  met = world().sum(met);
  EXPECT_GT(met, 500);
  EXPECT_LT(world().sum(tests), world().sum(all_tests) / 4) << met << " meet a body";
}

/// A shape that does not say that it is a ball.
class Nameless final : public Shape {
 public:
  explicit Nameless(std::shared_ptr<const Shape> shape) : shape_(std::move(shape)) {}
  double signed_distance(const Vec3& x) const override { return shape_->signed_distance(x); }
  double slack() const override { return shape_->slack(); }
  Box bounds() const override { return shape_->bounds(); }

 private:
  std::shared_ptr<const Shape> shape_;
};

/// Balls, thin-walled boxes and wedges that rest, some with a motion. \param[in] others  part of those that are no
/// balls \param[in] nameless  whether no shape says that it is a ball
std::vector<SolidBody> resting_bodies(Numbers& numbers, const Domain& domain, int count, double others, bool nameless) {
  std::vector<SolidBody> bodies;
  for (int n = 0; n < count; ++n) {
    const double kind = numbers.between(0.0, 1.0);
    SolidBody body;
    body.shape = random_shape(numbers, domain, kind >= others ? 0 : kind < 0.5 * others ? 2 : 3);
    if (nameless) body.shape = std::make_shared<Nameless>(body.shape);
    body.surface = Surface::fractions;
    if (numbers.between(0.0, 1.0) < 0.5)
      body.motion = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3::Zero(), Vec3::Zero());
    bodies.push_back(body);
  }
  return with_periodic_copies(domain, bodies, 1.0);
}

template <class Block>
void compare_sides(const SolidFields& solids, const SolidFields& others, LocalIndex b, Numbers& numbers) {
  const WallSides<Block> sides(solids, solids.is_solid().layout(), b);
  const WallSides<Block> expected(others, solids.is_solid().layout(), b);
  ASSERT_EQ(sides.has_walls(), expected.has_walls());
  for (int c = 0; sides.has_walls() && c < Block::cells; ++c) {
    const Vec3i cell = Block::place(c);
    if (!sides.is_walled(cell)) continue;
    for (int n = 0; n < 4; ++n) {
      const Vec3 x = cell.template cast<double>() + numbers.in(Vec3::Zero(), Vec3::Ones());
      ASSERT_EQ(sides.cells_beside(cell, x), expected.cells_beside(cell, x)) << "at " << x.transpose();
    }
  }
}

/// Compare what the grid has of the same bodies in two forms.
void compare_fields(const SolidFields& solids, const SolidFields& others, LocalIndex b) {
  const BlockLayout& layout = solids.is_solid().layout();
  for (int c = 0; c < layout.cells_per_block(); ++c) {
    ASSERT_EQ(solids.is_solid().block(b)[c], others.is_solid().block(b)[c]) << c;
    for (int d = 0; d < layout.domain().dimension(); ++d) {
      ASSERT_EQ(solids.open_fraction()[d].block(b)[c], others.open_fraction()[d].block(b)[c]) << c << " along " << d;
      ASSERT_EQ(solids.wall()[d].block(b)[c], others.wall()[d].block(b)[c]) << c << " along " << d;
    }
  }
  ASSERT_EQ(solids.walled_cells(b).size(), others.walled_cells(b).size());
  for (std::size_t n = 0; n < solids.walled_cells(b).size(); ++n)
    ASSERT_EQ(solids.walled_cells(b)[n].seen, others.walled_cells(b)[n].seen);
  ASSERT_EQ(solids.body_flows(b).size(), others.body_flows(b).size());
  for (std::size_t n = 0; n < solids.body_flows(b).size(); ++n)
    ASSERT_EQ(solids.body_flows(b)[n].covered, others.body_flows(b)[n].covered);
  ASSERT_EQ(solids.cut_cells(b).size(), others.cut_cells(b).size());
  ASSERT_EQ(solids.covered_faces(b).size(), others.covered_faces(b).size());
}

TEST_P(NearBodiesOf, balls_beside_thin_walls_are_on_the_grid_what_other_shapes_are) {
  const Domain domain = make_tank(GetParam().dimension, GetParam().along_x);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids, others;
  std::int64_t walled = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const int count = seed % 2 == 0 ? 30 : 90;
    Numbers numbers(400 + seed), same_numbers(400 + seed);
    solids.reset(layout, resting_bodies(numbers, domain, count, 0.4, false));
    others.reset(layout, resting_bodies(same_numbers, domain, count, 0.4, true));
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      ASSERT_NO_FATAL_FAILURE(compare_fields(solids, others, b)) << "seed " << seed << ", block " << b;
      walled += static_cast<std::int64_t>(solids.walled_cells(b).size());
      with_shape(domain.dimension(), [&](auto shape) { compare_sides<decltype(shape)>(solids, others, b, numbers); });
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(world().sum(walled), 500);
}

TEST_P(NearBodiesOf, what_stands_between_places_among_balls_is_what_a_search_finds) {
  const Domain domain = make_tank(GetParam().dimension, GetParam().along_x);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  std::int64_t asked = 0, free = 0, blocked = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Numbers numbers(500 + seed);
    solids.reset(layout, resting_bodies(numbers, domain, 60, seed % 2 == 0 ? 0.1 : 0.0, false));
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      const NearBodies near(solids, b);
      const Vec3 first = layout.first_cell(b).cast<double>(), cells = domain.block_cells().cast<double>();
      const auto distance = [&](const Vec3& x) {
        const Vec3 place = domain.origin() + dx * (first + x);
        return nearest_body(near.bodies(), near.shapes(), place, any_body).distance / dx;
      };
      for (int n = 0; n < 40; ++n) {
        const Vec3 x = numbers.in(Vec3::Zero(), cells);
        Vec3 middle = x.array().floor() + 0.5, from = x, way = numbers.in_cube(1.5).array().round();
        if (domain.dimension() == 2) {
          middle.z() = from.z() = 0.5;
          way.z() = 0.0;
        }
        const Vec3 to = middle + way;
        BallsAround balls;
        balls.find(near, domain, first, middle);
        const double there = distance(from);
        const auto outside = balls.is_outside(from);
        if (outside != BallsAround::Answer::unknown) {
          ASSERT_EQ(outside == BallsAround::Answer::yes, there > 0.0) << "seed " << seed << " " << from.transpose();
        }
        if (there <= 0.0 || there > 2.0) continue;
        const double length = (to - from).norm();
        const bool is_free = free_way(distance, {from, there}, {to, distance(to)}, length, shortest_way) == length;
        const auto answer = balls.is_free(from, to);
        ++asked;
        if (answer == BallsAround::Answer::unknown) continue;
        ASSERT_EQ(answer == BallsAround::Answer::yes, is_free)
            << "seed " << seed << ", block " << b << ", from " << from.transpose() << " to " << to.transpose();
        ++(is_free ? free : blocked);
      }
    }
  }
  EXPECT_GT(world().sum(free + blocked), world().sum(asked) / 4);
  EXPECT_GT(world().sum(blocked), world().sum(asked) / 100);
}

INSTANTIATE_TEST_SUITE_P(Tanks, NearBodiesOf,
                         testing::Values(Case{2, FaceCondition::free_slip}, Case{3, FaceCondition::free_slip},
                                         Case{2, FaceCondition::periodic}, Case{3, FaceCondition::periodic}),
                         [](const auto& info) {
                           return std::to_string(info.param.dimension) + "d" +
                                  (info.param.along_x == FaceCondition::periodic ? "_periodic" : "");
                         });

/// A ball that counts how often it is asked for a distance.
class CountingBall final : public Shape {
 public:
  CountingBall(const Vec3& center, double radius) : ball_(make_ball(center, radius)) {}
  double signed_distance(const Vec3& x) const override {
    count.fetch_add(1, std::memory_order_relaxed);
    return ball_->signed_distance(x);
  }
  Box bounds() const override { return ball_->bounds(); }

  static inline std::atomic<std::int64_t> count{0};

 private:
  std::shared_ptr<const Shape> ball_;
};

/// Distances that a cell of the domain asks for while n^3 balls move by a step. Collective
double distances_of_cell(int n, Surface surface) {
  const Domain domain = make_domain(3, {40, 40, 40}, FaceCondition::free_slip, dx);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  std::vector<SolidBody> bodies;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        SolidBody body;
        const Vec3 center = dx * 40.0 / n * (Vec3(i, j, k) + Vec3::Constant(0.5));
        body.shape = std::make_shared<CountingBall>(center, 1.7 * dx);
        body.surface = surface;
        body.motion = std::make_shared<RigidMotion>(center, Vec3(0.3 * dx, 0.1 * dx, 0.0), Vec3::Zero());
        bodies.push_back(body);
      }
  SolidFields solids;
  solids.reset(layout, bodies);
  CountingBall::count = 0;
  solids.move_to(1.0);
  solids.set_velocity(1.0);
  const auto asked = static_cast<double>(world().sum(CountingBall::count.load()));
  return asked / static_cast<double>(world().sum(std::int64_t{layout.n_blocks()} * layout.cells_per_block()));
}

TEST(NearBodies, a_cell_among_many_bodies_asks_few_of_them) {
  EXPECT_GT(distances_of_cell(1, Surface::voxels), 0.0);
  EXPECT_LT(distances_of_cell(5, Surface::voxels), 11.0) << "of 125 balls";
  EXPECT_LT(distances_of_cell(5, Surface::fractions), 14.0) << "of 125 balls";
}

}  // namespace
}  // namespace freshet
