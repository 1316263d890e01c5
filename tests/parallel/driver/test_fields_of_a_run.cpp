// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
#include "freshet/io/output_fields.hpp"
#include "freshet/io/snapshot.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

/// Output fields that are computed from the surface, the solids and the particles of a run.
namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::world;

/// check(centre, value) with each owned cell of an output field; the centre in cells. Collective
template <class Check>
void for_each_value(Simulation& run, const char* name, Check&& check) {
  run.refresh_for_output();
  SnapshotState state;
  state.layout = &run.layout();
  state.particles = &run.particles();
  state.velocity = &run.velocity();
  state.labels = &run.labels();
  state.surface = &run.surface();
  state.solids_on_grid = &run.solids();
  state.particles_per_cell = run.particles_per_cell();
  const BlockFunction values_of = find_output_field(name)->get(state, 0);
  const Vec3i n = run.domain().block_cells();
  std::vector<double> values(static_cast<std::size_t>(run.layout().cells_per_block()));
  for (LocalIndex b = 0; b < run.layout().n_owned(); ++b) {
    values_of(b, values.data());
    for (int c = 0; c < run.layout().cells_per_block(); ++c) {
      const Vec3i cell = run.layout().first_cell(b) + Vec3i(c % n.x(), c / n.x() % n.y(), c / (n.x() * n.y()));
      if ((cell.array() >= run.domain().cells().array()).any()) continue;
      check(cell.cast<double>() + Vec3(0.5, 0.5, 0.5), values[static_cast<std::size_t>(c)]);
    }
  }
}

constexpr double dx = 0.1;

Parameters pool(const std::string& lines = "") {
  return make_case(case_text({16, 24}, dx) + R"(
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [1.6, 1.24]
)" + lines);
}

TEST(FieldsOfARun, distance_is_that_of_a_level_surface) {
  Simulation run(world(), pool());
  for_each_value(run, "distance", [](const Vec3& x, double value) {
    const double expected = dx * (x.y() - 12.4);
    if (std::abs(expected) < 0.7 * dx) {
      EXPECT_NEAR(value, expected, 0.1 * dx) << x.transpose();
    } else if (expected < 0.0) {
      EXPECT_LT(value, -0.3 * dx) << x.transpose();  // deeper, the particles hardly tell
    }
  });
}

TEST(FieldsOfARun, distance_of_voxels_is_a_cell_in_the_liquid) {
  Simulation run(world(), pool("[labels]\nsurface = \"voxels\"\n"));
  for_each_value(run, "distance", [](const Vec3& x, double value) {
    if (std::abs(x.y() - 12.5) < 0.1) return;  // chance fills cells that are not half full
    EXPECT_EQ(value, x.y() < 12.5 ? -dx : 0.0) << x.transpose();
  });
}

TEST(FieldsOfARun, curvature_of_a_drop_is_one_over_its_radius) {
  Simulation run(world(), make_case(case_text({32, 32}, dx) + R"(
[fluid]
gravity = [0, 0]
surface_tension = 0.07
[[liquid]]
shape = "sphere"
center = [1.6, 1.6]
radius = 0.8
)"));
  double sum = 0.0;
  GlobalIndex count = 0;
  for_each_value(run, "curvature", [&](const Vec3& x, double value) {
    const double distance = (x - Vec3(16.0, 16.0, 0.5)).norm() - 8.0;
    if (std::abs(distance) > 2.5) {
      EXPECT_EQ(value, 0.0) << x.transpose();
    }
    if (std::abs(distance) > 0.5) return;
    sum += value;
    ++count;
  });
  EXPECT_NEAR(world().sum(sum) / static_cast<double>(world().sum(count)), 1.0 / 0.8, 0.1 / 0.8);
}

TEST(FieldsOfARun, density_error_is_what_particles_are_too_many) {
  Simulation run(world(), pool());
  const double per_cell = run.particles_per_cell();
  double sum = 0.0;
  GlobalIndex count = 0;
  for_each_value(run, "density_error", [&](const Vec3& x, double value) {
    EXPECT_LE(std::abs(value), 0.5);
    if (x.y() > 13.0) {
      EXPECT_EQ(value, 0.0) << x.transpose();
    }
    if (x.y() > 10.0) return;
    sum += value;
    ++count;
  });
  // a tenth of a particle a cell: they are seeded evenly
  EXPECT_LT(std::abs(world().sum(sum)) / static_cast<double>(world().sum(count)), 0.1 / per_cell);
}

TEST(FieldsOfARun, open_fraction_is_the_part_of_a_cell_outside_a_body) {
  Simulation run(world(), pool("[[solid]]\nshape = \"box\"\nsurface = \"fractions\"\nlower = [0.425, 0]\n"
                               "upper = [0.8, 0.6]\n"));
  for_each_value(run, "open_fraction", [](const Vec3& x, double value) {
    if (x.y() > 5.0) return;
    EXPECT_NEAR(value,
                x.x() > 4.0 && x.x() < 5.0   ? 0.25
                : x.x() > 5.0 && x.x() < 8.0 ? 0.0
                                             : 1.0,
                1e-6)
        << x.transpose();
  });
}

TEST(FieldsOfARun, rank_is_the_owner) {
  Simulation run(world(), pool());
  for_each_value(run, "rank", [](const Vec3&, double value) { EXPECT_EQ(value, world().rank()); });
}

}  // namespace
}  // namespace freshet
