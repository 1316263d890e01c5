// SPDX-License-Identifier: Apache-2.0
// timeout: 600
// nightly: 1 2 4 8
#include "freshet/driver/step_numbers.hpp"
#include "support/alone.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"
#include "support/nightly.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <variant>
#include <vector>

/// With run.reproducible the state has the same bits on any number of ranks and threads: a run on all ranks is compared
/// with the same run on one rank and one thread.
namespace freshet {
namespace {

using test::at_voxels;
using test::case_text;
using test::computed_alone;
using test::make_case;
using test::reproducible;
using test::world;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {  // a step of SplitMix64
  hash = (hash ^ value) + 0x9e3779b97f4a7c15U;
  hash = (hash ^ hash >> 30U) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ hash >> 27U) * 0x94d049bb133111ebU;
  return hash ^ hash >> 31U;
}

std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// What a step left behind, as numbers that any difference of a bit changes.
struct Fingerprint {
  std::uint64_t particles = 0;  ///< id, block, position, velocity of each
  std::uint64_t pressure = 0;   ///< of the cells that hold particles
  std::uint64_t sums = 0;       ///< energies, momentum, centre of mass
  std::uint64_t dt = 0;
  GlobalIndex count = 0;
  GlobalIndex liquid_cells = 0;
  GlobalIndex sealed_bodies = 0;
  GlobalIndex separated_faces = 0;
  GlobalIndex left_domain = 0;
  GlobalIndex iterations = 0;
  std::array<double, 96> row{};  ///< of steps.csv, without what depends on the number of ranks
  bool operator==(const Fingerprint&) const = default;
};

/// The numbers of steps.csv; 0 in columns that depend on the number of ranks.
std::array<double, 96> row_of(const StepReport& report) {
  const std::vector<std::string> of_ranks = {"moved_rank", "allocated_blocks", "imbalance", "memory", "seconds"};
  std::array<double, 96> row{};
  std::size_t n = 0;
  for (const StepNumber& number : step_numbers()) {
    double& value = row.at(n++);
    if (std::ranges::find(of_ranks, number.name) == of_ranks.end())
      value = std::visit([&](auto get) { return static_cast<double>(get(report)); }, number.value);
  }
  return row;
}

/// Sums of hashes do not depend on the order of blocks and particles. Collective.
Fingerprint fingerprint(const Simulation& simulation, const StepReport& report) {
  const BlockLayout& layout = simulation.layout();
  const ParticleStore& particles = simulation.particles();
  const Vec3i n = layout.domain().block_cells();
  std::uint64_t of_particles = 0;
  std::uint64_t of_pressure = 0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      const ParticleReal* x = particles.position() + 3 * p;
      const ParticleReal* u = particles.velocity() + 3 * p;
      std::uint64_t hash = mix(particles.id()[p], layout.key(b));
      for (int d = 0; d < 3; ++d) hash = mix(mix(hash, bits_of(x[d])), bits_of(u[d]));
      of_particles += hash;
      const int k = n.z() > 1 ? static_cast<int>(x[2]) : 0;
      const int cell = static_cast<int>(x[0]) + n.x() * (static_cast<int>(x[1]) + n.y() * k);
      const double pressure = simulation.pressure().block(b)[cell];
      of_pressure += mix(mix(layout.key(b), static_cast<std::uint64_t>(cell)), bits_of(pressure));
    }
  std::vector<GlobalIndex> totals{static_cast<GlobalIndex>(of_particles), static_cast<GlobalIndex>(of_pressure)};
  layout.comm().sum_in_place(std::span<GlobalIndex>(totals));
  const ParticleSums& sums = report.sums;
  std::uint64_t of_sums = mix(bits_of(sums.kinetic_energy), bits_of(sums.potential_energy));
  for (int d = 0; d < 3; ++d) of_sums = mix(mix(of_sums, bits_of(sums.momentum[d])), bits_of(sums.center_of_mass[d]));
  return {static_cast<std::uint64_t>(totals[0]),
          static_cast<std::uint64_t>(totals[1]),
          of_sums,
          bits_of(report.dt),
          report.particles,
          report.liquid_cells,
          report.projection.solve.sealed_bodies,
          report.projection.separated_faces,
          report.left_domain,
          report.projection.solve.iterations,
          row_of(report)};
}

using Steps = std::vector<Fingerprint>;

bool some(const Steps& steps, GlobalIndex Fingerprint::*count) {
  return std::ranges::any_of(steps, [&](const Fingerprint& step) { return step.*count > 0; });
}

/// `moved_rank`: whether a particle went to another rank. Collective over comm.
Steps run(const Communicator& comm, const Parameters& parameters, int n_threads, int n_steps, bool& moved_rank) {
  const int threads_before = omp_get_max_threads();
  omp_set_num_threads(n_threads);
  Steps steps;
  Simulation simulation(comm, parameters);
  moved_rank = false;
  for (int n = 0; n < n_steps; ++n) {
    const StepReport report = simulation.advance(simulation.largest_dt());
    steps.push_back(fingerprint(simulation, report));
    moved_rank = moved_rank || report.moved_rank > 0;
  }
  omp_set_num_threads(threads_before);
  return steps;
}

/// Names the first step and the first quantity that differ.
void expect_same(const Steps& run, const Steps& reference) {
  ASSERT_EQ(run.size(), reference.size());
  for (std::size_t n = 0; n < run.size(); ++n) {
    SCOPED_TRACE("step " + std::to_string(n + 1));
    const Fingerprint& a = run[n];
    const Fingerprint& b = reference[n];
    EXPECT_EQ(a.dt, b.dt);
    for (std::size_t m = 0; m < step_numbers().size(); ++m) EXPECT_EQ(a.row[m], b.row[m]) << step_numbers()[m].name;
    EXPECT_EQ(a.liquid_cells, b.liquid_cells);
    EXPECT_EQ(a.sealed_bodies, b.sealed_bodies);
    EXPECT_EQ(a.separated_faces, b.separated_faces);
    EXPECT_EQ(a.left_domain, b.left_domain);
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_EQ(a.pressure, b.pressure);
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.particles, b.particles);
    EXPECT_EQ(a.sums, b.sums);
    if (!(a == b)) return;
  }
}

/// A dam that breaks against a ball, an open side, and a chamber full of liquid, which no air touches.
const std::string dam = case_text({44, 28, 20}, 0.02, reproducible) + R"(
[domain.boundary]
z_high = "open"
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.22, 0.38, 0.4]
velocity = [1.0, 0, 0.3]
[[liquid]]
shape = "box"
lower = [0.70, 0, 0]
upper = [0.88, 0.56, 0.22]
[[solid]]
shape = "sphere"
center = [0.40, 0.06, 0.16]
radius = 0.07
wall = "separating"
[[solid]]
shape = "box"
lower = [0.64, -1, -1]
upper = [0.70, 2, 0.3]
[[solid]]
shape = "box"
lower = [0.64, -1, 0.22]
upper = [2, 2, 0.3]
[time]
cfl = 2
[balance]
threshold = 1.02
)";

const std::string flat_dam = case_text({96, 88}, 0.01, reproducible) + R"(
[domain.boundary]
x_high = "open"
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [0.4, 0.7]
velocity = [2.5, 0]
[[liquid]]
shape = "box"
lower = [0.52, 0.62]
upper = [0.84, 0.8]
[[solid]]
shape = "sphere"
center = [0.6, 0.1]
radius = 0.08
wall = "separating"
[[solid]]
shape = "box"
lower = [0.44, 0.54]
upper = [0.92, 0.62]
[[solid]]
shape = "box"
lower = [0.44, 0.54]
upper = [0.52, 2]
[[solid]]
shape = "box"
lower = [0.84, 0.54]
upper = [0.92, 2]
[[solid]]
shape = "box"
lower = [0.44, 0.8]
upper = [0.92, 2]
[time]
cfl = 2
[balance]
threshold = 1.02
)";

/// Liquid may leave the floor and the ball, but not the chamber's walls, so that it stays sealed.
const std::string sealed_chamber = "[pressure.walls]\ncondition = \"sticky\"\ny_low = \"separating\"\n";
/// Liquid may leave every wall: the chamber is sealed in the first solve of each step only.
const std::string separating_walls = "[pressure.walls]\ncondition = \"separating\"\n";

/// One rank alone runs the case; then all ranks with two threads each, or at night with one thread each, and with two
/// or three. Returns what happened alone.
Steps expect_same_on_any_ranks_and_threads(const std::string& text, int n_steps) {
  const Parameters parameters = make_case(text);
  bool moved_rank = false;
  const Steps reference =
      computed_alone([&](const Communicator& alone) { return run(alone, parameters, 1, n_steps, moved_rank); });
  const std::vector<int> all_threads{1, world().size() % 2 == 0 ? 2 : 3}, by_day{2};
  for (const int n_threads : test::nightly() ? all_threads : by_day) {
    SCOPED_TRACE(std::to_string(n_threads) + " threads a rank");
    expect_same(run(world(), parameters, n_threads, n_steps, moved_rank), reference);
    EXPECT_EQ(moved_rank, world().size() > 1);
  }
  return reference;
}

bool some_sealed(const Steps& steps) {
  return some(steps, &Fingerprint::sealed_bodies);
}
bool some_separated(const Steps& steps) {
  return some(steps, &Fingerprint::separated_faces);
}
bool some_left(const Steps& steps) {
  return some(steps, &Fingerprint::left_domain);
}

TEST(Reproducible, dam_beside_a_sealed_chamber_has_the_same_bits_on_any_ranks_and_threads) {
  const Steps alone = expect_same_on_any_ranks_and_threads(dam + at_voxels + sealed_chamber, 25);
  EXPECT_TRUE(some_sealed(alone) && some_separated(alone) && some_left(alone));
}

TEST(Reproducible, dam_between_separating_walls_has_the_same_bits_on_any_ranks_and_threads) {
  const Steps alone = expect_same_on_any_ranks_and_threads(dam + at_voxels + separating_walls, 25);
  EXPECT_TRUE(some_separated(alone) && some_left(alone));
}

TEST(Reproducible, flat_dam_beside_a_sealed_chamber_has_the_same_bits_on_any_ranks_and_threads) {
  const Steps alone = expect_same_on_any_ranks_and_threads(flat_dam + at_voxels + sealed_chamber, 40);
  EXPECT_TRUE(some_sealed(alone) && some_separated(alone) && some_left(alone));
}

TEST(Reproducible, flat_dam_between_separating_walls_has_the_same_bits_on_any_ranks_and_threads) {
  const Steps alone = expect_same_on_any_ranks_and_threads(flat_dam + at_voxels + separating_walls, 40);
  EXPECT_TRUE(some_separated(alone) && some_left(alone));
}

TEST(Reproducible, affine_dam_with_confined_vortices_and_extrapolation_by_distance_has_the_same_bits) {
  const std::string features =
      "[transfer]\nmethod = \"apic\"\n[vortex]\nboost = 3.0\n[extrapolation]\nmethod = \"distance\"\n";
  EXPECT_TRUE(some_left(expect_same_on_any_ranks_and_threads(dam + at_voxels + sealed_chamber + features, 12)));
}

TEST(Reproducible, flat_dam_with_confined_vortices_has_the_same_bits_on_any_ranks_and_threads) {
  expect_same_on_any_ranks_and_threads(flat_dam + at_voxels + sealed_chamber + "[vortex]\nboost = 2.0\n", 12);
}

TEST(Reproducible, flat_dam_with_liquids_of_two_shares_and_vortex_weights_has_the_same_bits) {
  const std::string features =
      "[vortex]\nboost = 0.1\nmethod = \"weights\"\n[[liquid]]\nshape = \"sphere\"\ncenter = [0.2, 0.78]\nradius = "
      "0.06\n"
      "tag = 9\nviscosity_coefficient = 0.4\n";
  expect_same_on_any_ranks_and_threads(flat_dam + at_voxels + sealed_chamber + features, 20);
}

TEST(Reproducible, density_corrections_have_the_same_bits_on_any_ranks_and_threads) {
  const std::string correction = "[density]\ncorrection = \"implicit\"\n";
  EXPECT_TRUE(some_separated(expect_same_on_any_ranks_and_threads(dam + at_voxels + sealed_chamber + correction, 15)));
  EXPECT_TRUE(
      some_separated(expect_same_on_any_ranks_and_threads(flat_dam + at_voxels + separating_walls + correction, 30)));
}

/// A level set with all that may be switched on beside it.
const std::string at_level_set =
    "[labels]\nsurface = \"level_set\"\n[density]\ncorrection = \"implicit\"\n" + separating_walls;
/// A paddle that cuts cells, another one of voxels, a source into the air, and a sink on the floor.
const std::string machines = R"(
[[solid]]
shape = "box"
lower = [0.42, 0.02]
upper = [0.47, 0.3]
velocity = [-0.8, 0.1]
surface = "fractions"
[[solid]]
shape = "sphere"
center = [0.15, 0.8]
radius = 0.05
velocity = [0, -1.5]
[[source]]
shape = "box"
lower = [0.88, 0.2]
upper = [0.94, 0.3]
velocity = [-1.5, 0]
[[sink]]
shape = "box"
lower = [0, 0]
upper = [0.1, 0.05]
)";

TEST(Reproducible, machines_at_a_level_set_have_the_same_bits_on_any_ranks_and_threads) {
  const Steps alone = expect_same_on_any_ranks_and_threads(flat_dam + at_level_set + machines, 15);
  EXPECT_TRUE(some_separated(alone));
  const auto falls = [](const Fingerprint& step, const Fingerprint& next) { return next.count < step.count; };
  const auto rises = [](const Fingerprint& step, const Fingerprint& next) { return next.count > step.count; };
  EXPECT_NE(std::ranges::adjacent_find(alone, falls), alone.end()) << "the sink takes particles";
  EXPECT_NE(std::ranges::adjacent_find(alone, rises), alone.end()) << "the source brings particles";
}

TEST(Reproducible, dam_at_a_level_set_has_the_same_bits_on_any_ranks_and_threads) {
  const std::string both = dam + "[labels]\nsurface = \"level_set\"\n[density]\ncorrection = \"implicit\"\n";
  const Steps alone = expect_same_on_any_ranks_and_threads(both + sealed_chamber, 10);
  EXPECT_TRUE(some_sealed(alone) && some_separated(alone) && some_left(alone));
}

TEST(Reproducible, wind_has_the_same_bits_on_any_ranks_and_threads) {
  const std::string wind = "[fluid.wind]\nvelocity = [20.0, 0.0, 5.0]\n";
  expect_same_on_any_ranks_and_threads(dam + "[labels]\nsurface = \"level_set\"\n" + wind, 10);
  expect_same_on_any_ranks_and_threads(
      dam + "[labels]\nsurface = \"level_set\"\n[transfer]\nmethod = \"apic\"\n" + wind, 10);
}

/// Most ranks have no liquid, and at first no rank has any.
TEST(Reproducible, source_into_an_empty_tank_at_a_level_set_has_the_same_bits_on_any_ranks) {
  const Parameters parameters = make_case(case_text({96, 88}, 0.01, reproducible) + at_level_set + machines);
  bool moved_rank = false;
  const Steps alone =
      computed_alone([&](const Communicator& self) { return run(self, parameters, 1, 12, moved_rank); });
  EXPECT_EQ(alone.front().liquid_cells, 0);
  EXPECT_GT(alone.back().liquid_cells, 0);
  expect_same(run(world(), parameters, 1, 12, moved_rank), alone);
}

/// Viscosity dt / (density dx^2) is about 100: multigrid has five levels. With 0.1 it has one, the liquid's own blocks,
/// which are the same on any ranks. Blocks fall dry, and balancing drops them.
TEST(Reproducible, stiff_liquid_has_the_same_bits_on_any_ranks_and_threads) {
  const std::string viscous = flat_dam + "[fluid]\nviscosity = 2000\n";
  EXPECT_TRUE(some_sealed(expect_same_on_any_ranks_and_threads(viscous + sealed_chamber, 12)));
  const std::string honey = case_text({32, 48}, 0.05, reproducible) + R"(
[fluid]
viscosity = 1e4
[time]
cfl = 0.5
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [1.6, 0.72]
[[liquid]]
shape = "sphere"
center = [0.615, 1.4]
radius = 0.277
velocity = [-0.83, -0.47]
)";
  expect_same_on_any_ranks_and_threads(honey + separating_walls, 24);
}

/// Steps that took a viscous solve.
std::ptrdiff_t n_viscous_solves(const Steps& steps) {
  const auto& numbers = step_numbers();
  const auto column = std::ranges::find(numbers, "viscous_iterations", [](const StepNumber& n) { return n.name; });
  return std::ranges::count_if(steps, [at = static_cast<std::size_t>(column - numbers.begin())](
                                          const Fingerprint& step) { return step.row.at(at) > 0.0; });
}

/// Whether a number of steps.csv is above 0 in some step.
bool some_above_zero(const Steps& steps, const char* name) {
  const auto& numbers = step_numbers();
  const auto column =
      std::ranges::find(numbers, std::string(name), [](const StepNumber& n) { return std::string(n.name); });
  return std::ranges::any_of(steps, [at = static_cast<std::size_t>(column - numbers.begin())](const Fingerprint& step) {
    return step.row.at(at) > 0.0;
  });
}

bool some_taken(const Steps& steps) {  // energy, by turbulence
  return some_above_zero(steps, "turbulent_loss");
}
bool some_bubbles(const Steps& steps) {
  return some_above_zero(steps, "bubbles");
}

/// Water takes no viscous solve, neither with machines of open fractions nor beside a liquid that is ten times as
/// viscous. With 0.02 Pa s viscosity dt / (density dx^2) is 1.6e-3 at first, and falls below 1e-3 with dt.
TEST(Reproducible, thin_liquid_has_the_same_bits_on_any_ranks_and_threads) {
  const std::string rough = "[domain.boundary]\nx_low = \"no_slip\"\ny_low = \"no_slip\"\nx_high = \"open\"\n";
  const std::string flat =
      flat_dam.substr(0, flat_dam.find("[domain.boundary]")) + rough + flat_dam.substr(flat_dam.find("[[liquid]]"));
  const std::string water = flat + at_level_set + machines + "[fluid]\nviscosity = 0.001\n";
  const std::string oil =
      "[[liquid]]\nshape = \"sphere\"\ncenter = [0.2, 0.78]\nradius = 0.06\ntag = 9\nviscosity = 0.01\n";
  for (const std::string& text : {water, water + oil})
    EXPECT_EQ(n_viscous_solves(expect_same_on_any_ranks_and_threads(text, 12)), 0);
  const Steps both = expect_same_on_any_ranks_and_threads(flat + at_voxels + "[fluid]\nviscosity = 0.028\n", 16);
  EXPECT_GT(n_viscous_solves(both), 0);
  EXPECT_LT(n_viscous_solves(both), 16);
}

/// A text with one of its parts replaced.
std::string with_part(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

TEST(Reproducible, turbulence_at_rough_walls_has_the_same_bits_on_any_ranks_and_threads) {
  const auto rough = [](const std::string& text) {
    const std::string sides = "[domain.boundary]\n";
    return with_part(
        with_part(text, sides, "roughness = 1e-3\n" + sides + "y_low = \"wall_law\"\nx_low = \"wall_law\"\n"),
        "wall = \"separating\"\n", "slip = \"wall_law\"\nmanning = 0.012\n");
  };
  for (const char* model : {"mixing_length", "wale"}) {
    const std::string turbulence = std::string("[turbulence]\nmodel = \"") + model + "\"\n";
    EXPECT_TRUE(some_taken(
        expect_same_on_any_ranks_and_threads(rough(flat_dam) + "[fluid]\nviscosity = 0.001\n" + turbulence, 12)));
  }
  expect_same_on_any_ranks_and_threads(rough(dam) + at_level_set + "[turbulence]\nmodel = \"smagorinsky\"\n", 6);
}

/// The dam holds a bubble; a ball that moves comes to it, and a sink takes from it. Walls may be left by the liquid.
TEST(Reproducible, trapped_air_has_the_same_bits_on_any_ranks_and_threads) {
  const std::string dam_with_bubble =
      with_part(flat_dam, "shape = \"box\"\nlower = [0, 0]\nupper = [0.4, 0.7]\n",
                "shape = \"difference\"\nparts = [{ shape = \"box\", lower = [0, 0], upper = [0.4, 0.7] }, "
                "{ shape = \"sphere\", center = [0.2, 0.3], radius = 0.08 }]\n");
  for (const std::string model : {"compressible", "incompressible"}) {
    const Steps alone = expect_same_on_any_ranks_and_threads(
        dam_with_bubble + at_level_set + machines + "[air]\nbubbles = \"" + model + "\"\npressure = 5000.0\n", 12);
    EXPECT_TRUE(some_separated(alone));
    EXPECT_TRUE(some_bubbles(alone));
  }
}

TEST(Reproducible, surface_tension_has_the_same_bits_on_any_ranks_and_threads) {
  const std::string wet =
      flat_dam + "[fluid]\nsurface_tension = 0.5\ncontact_angle = 60\n[labels]\nsurface = \"level_set\"\n";
  EXPECT_TRUE(some_sealed(expect_same_on_any_ranks_and_threads(wet + sealed_chamber, 12)));
  EXPECT_TRUE(some_separated(expect_same_on_any_ranks_and_threads(wet + separating_walls, 12)));
}

/// Preconditioners that work on one cell or one block at a time. Those that work inside a rank (mic0, icc) or in PETSc
/// (hypre, gamg) cannot do this.
TEST(Reproducible, local_preconditioners_have_the_same_bits_on_any_ranks_and_threads) {
  for (const std::string preconditioner : {"block_mic0", "jacobi", "none"}) {
    SCOPED_TRACE(preconditioner);
    const std::string chosen = "[pressure]\npreconditioner = \"" + preconditioner + "\"\n";
    EXPECT_TRUE(some_sealed(expect_same_on_any_ranks_and_threads(flat_dam + at_voxels + chosen + sealed_chamber, 10)));
  }
}

}  // namespace
}  // namespace freshet
