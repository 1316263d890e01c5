// SPDX-License-Identifier: Apache-2.0
// timeout: 600
#include "freshet/fluid/distribution.hpp"
#include "freshet/fluid/inner_cells.hpp"
#include "freshet/fluid/labels.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/particles/sort.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::make_domain;
using test::reproducible;
using test::world;

/// Particles at given places, in cells, of a 16^3 domain with cells of 1 m; a label for every cell can be forced.
class Scene {
 public:
  explicit Scene(const std::vector<Vec3>& places)
      : domain_(make_domain(3, {16, 16, 16})),
        layout_(world(), domain_, test::equal_splitters(world(), test::all_blocks(domain_)),
                test::all_blocks(domain_)) {
    GivenParticles given;
    if (world().is_root()) {
      given.position = places;
      for (std::size_t p = 0; p < places.size(); ++p) given.velocity.emplace_back(static_cast<double>(p), 0, 0);
    }
    place_particles(world(), domain_, given, {}, layout_.splitters(), particles);
    SortWorkspace workspace;
    sort_particles(particles, layout_, CellOrder::by_id, workspace);
    solids.reset(layout_, {});
    labels.reset(layout_, Label::solid);
    label_cells(particles, solids, labels);
    find_inner_cells(labels, inner);
  }
  /// Every cell liquid, and none near a surface.
  void drown() {
    labels.fill(Label::liquid);
    find_inner_cells(labels, inner);
  }
  /// Place in cells and velocity of a particle, on all ranks.
  void look(ParticleId id, Vec3& x, Vec3& u) const {
    double numbers[6] = {};
    for (LocalIndex b = 0; b < layout_.n_owned(); ++b)
      for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p)
        for (int d = 0; d < 3 && particles.id()[p] == id; ++d) {
          numbers[d] = layout_.first_cell(b)[d] + particles.position()[3 * p + d];
          numbers[3 + d] = particles.velocity()[3 * p + d];
        }
    world().sum_in_place(numbers);
    x = Vec3(numbers[0], numbers[1], numbers[2]);
    u = Vec3(numbers[3], numbers[4], numbers[5]);
  }
  GlobalIndex correct(double strength, const FaceField<double>& velocity = {}) {
    DistributionCorrection correction(SamplingOptions(), {true, strength});
    correction.find(particles, labels, inner, velocity);
    return world().sum(static_cast<GlobalIndex>(correction.apply(solids, particles)));
  }
  GlobalIndex n_liquid_by_density(double alpha) {
    ParticleNeighbours neighbours;
    neighbours.gather(particles, layout_);
    LabelField found(layout_, Label::solid);
    return world().sum(label_cells_by_density(particles, neighbours, solids, alpha, 2, found));
  }

  ParticleStore particles;
  SolidFields solids;
  LabelField labels;
  CellField<std::uint8_t> inner;

 private:
  Domain domain_;
  BlockLayout layout_;
};

/// The lattice of a seeding without jitter on a box of cells.
std::vector<Vec3> lattice(const Vec3i& lower, const Vec3i& upper) {
  std::vector<Vec3> places;
  for (int k = 2 * lower.z(); k < 2 * upper.z(); ++k)
    for (int j = 2 * lower.y(); j < 2 * upper.y(); ++j)
      for (int i = 2 * lower.x(); i < 2 * upper.x(); ++i) places.push_back(0.5 * Vec3(i + 0.5, j + 0.5, k + 0.5));
  return places;
}

/// Particles of APIC keep to the grid's velocity, and know its gradient.
TEST(Distribution, of_apic_keeps_a_velocity_linear_in_space) {
  Mat3 gradient;
  gradient << 0.1, -0.4, 0.3, 0.2, -0.3, 0.5, -0.6, 0.7, 0.2;
  std::vector<Vec3> places;  // some of them across a side of their block, which is one of two ranks' as well
  for (int p = 0; p < 60; ++p)
    places.push_back(Vec3(7.9, 6.4, 7.2) + 0.4 * Vec3(std::sin(1.0 * p), std::sin(2.3 * p), std::cos(3.1 * p)));
  Scene scene(places);
  scene.drown();
  add_arrays(scene.particles, ArrayNeed::apic);
  FaceField<double> velocity(scene.labels.layout(), 0.0);
  const auto linear = [&](const Vec3& x) -> Vec3 { return Vec3(1, 2, 3) + gradient * x; };
  test::set_faces(velocity, linear);
  scene.labels.layout().halo().gather(velocity, 2);
  EXPECT_GT(scene.correct(1.0, velocity), 40);
  const BlockLayout& layout = scene.labels.layout();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (ParticleIndex p = scene.particles.block_begin()[b]; p < scene.particles.block_begin()[b + 1]; ++p) {
      if (affine_rows(scene.particles)[9 * p] == 0.0F) continue;  // not moved
      const ParticleReal* x = scene.particles.position() + 3 * p;
      const Vec3 u = linear(layout.first_cell(b).cast<double>() + Vec3(x[0], x[1], x[2]));
      for (int d = 0; d < 3; ++d) {
        EXPECT_NEAR(scene.particles.velocity()[3 * p + d], u[d], 1e-5);  // 32-bit places and velocities of about 10
        for (int e = 0; e < 3; ++e)
          EXPECT_NEAR(affine_rows(scene.particles)[9 * p + 3 * d + e], gradient(d, e), 1e-6);  // likewise, below 1
      }
    }
}

TEST(Kernels, take_squared_distances) {
  EXPECT_DOUBLE_EQ(loose_kernel(0.0, 4.0), 1.0);
  EXPECT_DOUBLE_EQ(loose_kernel(1.0, 4.0), 0.75);
  EXPECT_EQ(loose_kernel(4.0, 4.0), 0.0);
  EXPECT_DOUBLE_EQ(stiff_kernel(1.0, 4.0), 3.0);
  EXPECT_EQ(stiff_kernel(5.0, 4.0), 0.0);
  EXPECT_TRUE(std::isfinite(stiff_kernel(0.0, 1.0)));
}

/// Across the corner where eight blocks meet, r = 0.3 along y: d = s h (1 - r^2/h^2) = 0.2 0.5 0.64 = 0.064 each.
TEST(Distribution, two_particles_part_along_their_line) {
  Scene scene({{8.0, 7.85, 8.0}, {8.0, 8.15, 8.0}, {3.0, 3.0, 3.0}});
  scene.drown();
  EXPECT_EQ(scene.correct(0.2), 2);
  Vec3 x, u;
  scene.look(0, x, u);
  EXPECT_NEAR((x - Vec3(8.0, 7.85 - 0.064, 8.0)).norm(), 0.0, 1e-6);  // 32-bit places
  // of velocities 0 and 1 with weights 1/0.064^2 - 1 and 1/0.364^2 - 1: the nearer counts more
  const double far = 1.0 / (0.364 * 0.364) - 1.0;
  const double near = 1.0 / (0.064 * 0.064) - 1.0;
  EXPECT_NEAR(u[0], far / (near + far), 1e-4);  // places of 32 bits in a kernel that grows by 1/r^2
  scene.look(1, x, u);
  EXPECT_NEAR((x - Vec3(8.0, 8.15 + 0.064, 8.0)).norm(), 0.0, 1e-6);
  scene.look(2, x, u);
  EXPECT_EQ(u[0], 2.0);  // it did not move
}

TEST(Distribution, no_particle_goes_farther_than_a_tenth_of_a_cell) {
  std::vector<Vec3> places;
  for (int n = 0; n < 20; ++n) places.emplace_back(7.9 + 0.01 * n, 8.05, 8.0);
  places.push_back(places.front());  // two at one place part all the same
  Scene scene(places);
  scene.drown();
  EXPECT_EQ(scene.correct(1.0), 21);
  Vec3 first, last, u;
  for (ParticleId id = 0; id < 21; ++id) {
    scene.look(id, first, u);
    EXPECT_LE((first - places[id]).norm(), 0.1 + 1e-6);  // 32-bit places
  }
  scene.look(0, first, u);
  scene.look(20, last, u);
  EXPECT_GT((first - last).norm(), 0.01);
}

TEST(Distribution, lattice_stays_and_so_does_the_surface) {
  Scene scene(lattice({2, 2, 2}, {14, 10, 14}));
  EXPECT_EQ(scene.correct(0.5), 0);
  std::vector<Vec3> places = lattice({2, 2, 2}, {14, 10, 14});
  for (std::size_t p = 0; p < places.size(); ++p)
    for (int d = 0; d < 3; ++d) places[p][d] += 0.3 * (test::hashed(p, static_cast<std::uint64_t>(d)) - 0.5);
  Scene shaken(places);
  EXPECT_GT(shaken.correct(0.5), 1000);
  Vec3 x, u;
  for (ParticleId id = 0; id < places.size(); id += 7) {
    const Vec3i cell = places[id].array().floor().cast<int>();
    const bool at_surface = (cell.array() <= 2).any() || cell.x() >= 13 || cell.y() >= 9 || cell.z() >= 13;
    if (!at_surface) continue;
    shaken.look(id, x, u);
    EXPECT_NEAR((x - places[id]).norm(), 0.0, 1e-6);  // 32-bit places
  }
}

/// A full lattice is liquid up to its last cell, a lone particle is not, and a pair neither.
TEST(DensityLabels, tell_liquid_from_spray) {
  std::vector<Vec3> places = lattice({4, 4, 4}, {12, 9, 12});
  EXPECT_EQ(Scene(places).n_liquid_by_density(0.2), 8 * 5 * 8);
  places.emplace_back(2.5, 13.5, 8.0);
  places.emplace_back(13.5, 13.5, 8.01);
  places.emplace_back(13.5, 13.6, 8.01);
  Scene scene(places);
  EXPECT_EQ(scene.n_liquid_by_density(0.2), 8 * 5 * 8);
  // alone: rho = 1 / rho_0, where rho_0 = 13.5 sums 1 - r^2 over the lattice: alpha 8 has to be below 1 / 13.5
  EXPECT_EQ(scene.n_liquid_by_density(0.001), 8 * 5 * 8 + 2);
}

const std::string dam = case_text({40, 28, 12}, 0.02, reproducible) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.2, 0.4, 1]
[[solid]]
shape = "sphere"
center = [0.4, 0.03, 0.12]
radius = 0.06
[particles.distribution]
enabled = true
[labels]
method = "density"
[balance]
threshold = 1.02
)";

/// Sums that every bit of a particle's place and velocity enters.
struct Outcome {
  ParticleSums sums;
  GlobalIndex spread = 0;
  GlobalIndex liquid_cells = 0;
};
Outcome run(const Communicator& comm, const std::string& text, int n_steps) {
  Simulation simulation(comm, make_case(text));
  Outcome outcome;
  for (int n = 0; n < n_steps; ++n) outcome.spread += simulation.advance(simulation.largest_dt()).spread;
  outcome.sums = simulation.report().sums;
  outcome.liquid_cells = simulation.report().liquid_cells;
  return outcome;
}

TEST(Distribution, dam_by_density_labels_is_the_same_on_any_number_of_ranks) {
  const Communicator alone(MPI_COMM_SELF);
  for (const std::string more : {"", "[density]\ncorrection = \"implicit\"\n", "[transfer]\nmethod = \"apic\"\n"}) {
    const Outcome expected = run(alone, dam + more, 10);
    const Outcome found = run(world(), dam + more, 10);
    EXPECT_GT(expected.spread, 1000);
    EXPECT_EQ(found.spread, expected.spread);
    EXPECT_EQ(found.liquid_cells, expected.liquid_cells);
    EXPECT_EQ(found.sums.kinetic_energy, expected.sums.kinetic_energy);
    EXPECT_EQ(found.sums.potential_energy, expected.sums.potential_energy);
  }
}

/// A drop of one particle is air to the pressure, and falls as a stone does.
TEST(DensityLabels, spray_falls_freely) {
  const std::string text = case_text({16, 32, 16}, 0.1) + R"(
[particles]
jitter = 0
[labels]
method = "density"
[[liquid]]
shape = "box"
lower = [0.8, 2.4, 0.8]
upper = [0.85, 2.45, 0.85]
)";
  Simulation simulation(world(), make_case(text));
  EXPECT_EQ(simulation.report().liquid_cells, 0);
  const double height = simulation.report().sums.center_of_mass[1];
  for (int n = 0; n < 20; ++n) simulation.advance(0.01);
  // steps add g dt to the speed first: the fall is g t (t + dt) / 2
  EXPECT_NEAR(simulation.report().sums.center_of_mass[1], height - 0.5 * 9.81 * 0.2 * 0.21, 1e-5);  // 32-bit numbers
}

}  // namespace
}  // namespace freshet
