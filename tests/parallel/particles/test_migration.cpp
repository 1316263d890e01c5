// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/floating_point.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"
#include "support/particle_crowd.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace freshet {
namespace {

using test::all_blocks;
using test::hashed;
using test::make_crowd;
using test::make_domain;
using test::Ticks;
using test::ticks_per_cell;
using test::world;

struct Case {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
};

const Case cases[] = {{3, {40, 32, 24}, FaceCondition::open},    {3, {37, 20, 9}, FaceCondition::open},
                      {3, {40, 16, 8}, FaceCondition::periodic}, {3, {8, 8, 8}, FaceCondition::periodic},
                      {2, {64, 40, 1}, FaceCondition::periodic}, {2, {61, 43, 1}, FaceCondition::open}};

template <class Check>
void for_each_case(Check check) {
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << c.dimension << "-D " << c.cells.transpose());
    check(make_domain(c.dimension, c.cells, c.condition));
  }
}

/// Displacement of a particle in one round: mostly within 7 cells, now and then anywhere in the domain, or none.
Ticks displacement(const Domain& domain, ParticleId id, int round) {
  const auto step = static_cast<std::uint64_t>(round);
  const double kind = hashed(id, step, 7);
  Ticks d{};
  if (kind < 0.2) return d;
  for (int axis = 0; axis < domain.dimension(); ++axis) {
    const double reach = kind > 0.97 ? 1.2 * domain.cells()[axis] : 7.0;
    d[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(
        (2.0 * hashed(id, step, static_cast<std::uint64_t>(axis)) - 1.0) * reach * ticks_per_cell);
  }
  return d;
}

/// Every particle of a crowd as it should be, followed on every rank alone.
class Reference {
 public:
  Reference(const Domain& domain, ParticleId n) : domain_(domain) {
    for (ParticleId id = 0; id < n; ++id) places_.emplace_back(test::random_place(domain, id));
  }
  void move(int round) {
    for (ParticleId id = 0; id < places_.size(); ++id) {
      if (!places_[id]) continue;
      const Ticks d = displacement(domain_, id, round);
      for (int axis = 0; axis < domain_.dimension() && places_[id]; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const std::int64_t n = domain_.cells()[axis] * ticks_per_cell;
        std::int64_t x = (*places_[id])[a] + d[a];
        if (domain_.periodic(axis)) x = (x % n + n) % n;
        (*places_[id])[a] = x;
        if (x < 0 || x >= n) places_[id].reset();
      }
    }
  }
  GlobalIndex n_inside() const {
    return std::count_if(places_.begin(), places_.end(), [](const auto& place) { return place.has_value(); });
  }
  const std::optional<Ticks>& place(ParticleId id) const { return places_[id]; }
  std::size_t n_ids() const { return places_.size(); }

 private:
  const Domain& domain_;
  std::vector<std::optional<Ticks>> places_;
};

void move(ParticleStore& particles, const Domain& domain, int round) {
  for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
    const Ticks d = displacement(domain, particles.id()[p], round);
    for (std::size_t axis = 0; axis < 3; ++axis)
      particles.position()[3 * p + axis] += static_cast<ParticleReal>(d[axis]) / ticks_per_cell;
  }
}

/// Each particle is where it should be, at home with its owner, with all that belongs to it; none lost, none twice.
void expect_as_in(const Reference& reference, ParticleStore& particles, const Splitters& splitters) {
  std::vector<GlobalIndex> seen(reference.n_ids(), 0);
  int misplaced = 0, strangers = 0, mixed_up = 0, out_of_block = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
    const ParticleId id = particles.id()[p];
    ASSERT_LT(id, seen.size());
    ++seen[id];
    const BlockKey key = particles.home_keys().at(static_cast<std::size_t>(particles.home()[p]));
    strangers += splitters.owner(key) != world().rank();
    misplaced += reference.place(id) != test::place_of(particles, p, key);
    mixed_up += !test::has_its_marks(particles, p);
    for (std::size_t axis = 0; axis < 3; ++axis)
      out_of_block += !(particles.position()[3 * p + axis] >= 0 && particles.position()[3 * p + axis] < 8);
  }
  EXPECT_EQ(misplaced, 0);
  EXPECT_EQ(strangers, 0);
  EXPECT_EQ(mixed_up, 0);
  EXPECT_EQ(out_of_block, 0);
  world().sum_in_place(seen);
  for (ParticleId id = 0; id < seen.size(); ++id) ASSERT_EQ(seen[id], reference.place(id) ? 1 : 0) << "id " << id;
}

/// Stretches of equal numbers of particles, by the blocks of the sorted state. Collective.
Splitters balance_particles(const ParticleStore& particles, const BlockLayout& layout) {
  std::vector<double> costs;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    costs.push_back(static_cast<double>(particles.block_begin()[b + 1] - particles.block_begin()[b]));
  return balanced_splitters(world(), layout.owned_keys(), costs);
}

/// Blocks that particles touch become the layout, and the particles are sorted into it.
std::unique_ptr<BlockLayout> sort_into_blocks(ParticleStore& particles, const Domain& domain,
                                              const Splitters& splitters, SortWorkspace& workspace) {
  auto layout = std::make_unique<BlockLayout>(world(), domain, splitters, blocks_near_particles(particles, domain, 1));
  sort_particles(particles, *layout, CellOrder::arrival, workspace);
  return layout;
}

TEST(Migration, a_hundred_rounds_of_walks_and_long_jumps_keep_every_particle_once) {
  for_each_case([](const Domain& domain) {
    constexpr ParticleId n = 700;
    const int n_rounds = domain.periodic(0) ? 100 : 12;  // an open domain is empty before long
    Reference reference(domain, n);
    Splitters splitters = uniform_splitters(domain, world().size());
    ParticleStore particles = make_crowd(domain, splitters, world().rank(), n);
    SortWorkspace workspace;
    auto layout = sort_into_blocks(particles, domain, splitters, workspace);
    for (int round = 0; round < n_rounds; ++round) {
      const GlobalIndex before = reference.n_inside();
      if (round % 7 == 3) splitters = balance_particles(particles, *layout);
      move(particles, domain, round);
      reference.move(round);
      const MigrationReport report = migrate(particles, *layout, splitters);
      EXPECT_EQ(report.total, reference.n_inside());
      EXPECT_EQ(report.left_domain, before - reference.n_inside());
      EXPECT_TRUE(world().size() > 1 || report.moved_rank == 0);
      expect_as_in(reference, particles, splitters);
      if (::testing::Test::HasFatalFailure()) return;
      layout = sort_into_blocks(particles, domain, splitters, workspace);
    }
  });
}

TEST(Migration, home_keys_start_with_the_layouts_owned_blocks) {
  for_each_case([](const Domain& domain) {
    const Splitters splitters = uniform_splitters(domain, world().size());
    ParticleStore particles = make_crowd(domain, splitters, world().rank(), 300);
    SortWorkspace workspace;
    const auto layout = sort_into_blocks(particles, domain, splitters, workspace);
    move(particles, domain, 0);
    migrate(particles, *layout, splitters);
    const std::vector<BlockKey>& keys = particles.home_keys();
    ASSERT_GE(keys.size(), static_cast<std::size_t>(layout->n_owned()));
    for (LocalIndex b = 0; b < layout->n_owned(); ++b) EXPECT_EQ(keys[static_cast<std::size_t>(b)], layout->key(b));
    for (std::size_t h = static_cast<std::size_t>(layout->n_owned()); h < keys.size(); ++h) {
      EXPECT_EQ(splitters.owner(keys[h]), world().rank());
      EXPECT_EQ(layout->find_owned(keys[h]), layout->background());
    }
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  });
}

TEST(Migration, new_splitters_move_whole_blocks_though_no_particle_moved) {
  for_each_case([](const Domain& domain) {
    constexpr ParticleId n = 900;
    const Reference reference(domain, n);
    const Splitters uniform = uniform_splitters(domain, world().size());
    ParticleStore particles = make_crowd(domain, uniform, world().rank(), n);
    SortWorkspace workspace;
    auto layout = sort_into_blocks(particles, domain, uniform, workspace);
    std::vector<Splitters> stages{balance_particles(particles, *layout)};
    stages.emplace_back(std::vector<BlockKey>(static_cast<std::size_t>(world().size()), 0));  // all to the last rank
    stages.push_back(stages.front());
    std::vector<BlockKey> to_first(static_cast<std::size_t>(world().size()), BlockKey{1} << 63);
    to_first[0] = 0;
    stages.emplace_back(to_first);  // all to rank 0
    stages.push_back(uniform);
    for (const Splitters& splitters : stages) {
      const MigrationReport report = migrate(particles, *layout, splitters);
      EXPECT_EQ(report.left_domain, 0);
      EXPECT_EQ(report.total, static_cast<GlobalIndex>(n));
      expect_as_in(reference, particles, splitters);
      layout = sort_into_blocks(particles, domain, splitters, workspace);
    }
  });
}

TEST(Migration, particles_that_stay_cost_no_message_and_keep_their_order) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const Splitters splitters = uniform_splitters(domain, world().size());
  ParticleStore particles = make_crowd(domain, splitters, world().rank(), 500);
  SortWorkspace workspace;
  const auto layout = sort_into_blocks(particles, domain, splitters, workspace);
  const std::vector<ParticleId> ids(particles.id(), particles.id() + particles.size());
  const MigrationReport report = migrate(particles, *layout, splitters);
  EXPECT_EQ(report.moved_rank, 0);
  EXPECT_EQ(report.left_domain, 0);
  EXPECT_EQ(report.total, 500);
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), particles.id(), particles.id() + particles.size()));
}

TEST(Migration, positions_that_are_no_numbers_are_lost_and_named_by_the_rank_that_had_them) {
  const WithoutTraps suspended;
  const Domain domain = make_domain(3, {40, 32, 24});
  const Splitters splitters = uniform_splitters(domain, world().size());
  ParticleStore particles = make_crowd(domain, splitters, world().rank(), 500);
  SortWorkspace workspace;
  const auto layout = sort_into_blocks(particles, domain, splitters, workspace);
  std::vector<ParticleId> spoilt;
  const auto spoil = [&](ParticleIndex p, int axis, ParticleReal value) {
    if (p >= particles.size()) return;
    particles.position()[3 * p + axis] = value;
    spoilt.push_back(particles.id()[p]);
  };
  spoil(3, 0, std::numeric_limits<ParticleReal>::quiet_NaN());
  spoil(5, 1, std::numeric_limits<ParticleReal>::infinity());
  spoil(8, 2, ParticleReal{-3e30F});
  const MigrationReport report = migrate(particles, *layout, splitters);
  EXPECT_EQ(report.lost_here, spoilt);
  EXPECT_EQ(report.lost, world().sum(static_cast<GlobalIndex>(spoilt.size())));
  EXPECT_GT(report.lost, 0);
  EXPECT_EQ(report.left_domain, 0);
  EXPECT_EQ(report.total, 500 - report.lost);
}

TEST(Migration, works_where_nobody_has_a_particle) {
  const Domain domain = make_domain(3, {16, 16, 16});
  const Splitters splitters = uniform_splitters(domain, world().size());
  ParticleStore particles = make_crowd(domain, splitters, world().rank(), 0);
  SortWorkspace workspace;
  const auto layout = sort_into_blocks(particles, domain, splitters, workspace);
  EXPECT_EQ(layout->n_global(), 0);
  EXPECT_EQ(migrate(particles, *layout, splitters).total, 0);
}

}  // namespace
}  // namespace freshet
