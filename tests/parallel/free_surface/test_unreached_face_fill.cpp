// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/unreached_face_fill.hpp"
#include "freshet/grid/halo.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using test::make_domain;
using test::PlacedParticles;

/// Liquid fills the cells below y = 8. The velocity along each axis is linear in the cell, and no particle reaches the
/// faces of every third cell, where it is 0.
TEST(UnreachedFaceFill, faces_of_liquid_that_no_particle_reaches_get_the_mean_around_them) {
  for (const int dimension : {2, 3}) {
    const int deep = dimension == 3 ? 16 : 1;
    PlacedParticles scene(make_domain(dimension, {24, 16, deep}), test::full_cells({0, 0, 0}, {24, 8, deep}));
    FaceField<double> velocity(scene.layout, 0.0), weight(scene.layout, 0.0);
    velocity.fill(0.0);
    weight.fill(0.0);
    const Vec3i n = scene.domain.block_cells();
    const auto for_each = [&](auto&& f) {
      for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
        for (int c = 0; c < scene.layout.cells_per_block(); ++c)
          f(Vec3i(scene.layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]))), b, c);
    };
    const auto linear = [](int axis, const Vec3i& cell) { return 1.0 + axis + 0.25 * cell.x() - 0.5 * cell.y(); };
    const auto is_empty = [](const Vec3i& cell) { return cell.x() % 3 == 1 && cell.y() % 3 == 1 && cell.z() % 3 == 0; };
    for_each([&](const Vec3i& cell, LocalIndex b, int c) {
      for (int d = 0; d < dimension; ++d) {
        if (is_empty(cell)) continue;
        weight[d].block(b)[c] = 1.0;
        velocity[d].block(b)[c] = linear(d, cell);
      }
    });
    scene.layout.halo().gather(scene.labels, 1);
    scene.layout.halo().gather(velocity, 1);
    UnreachedFaceFill fill;
    LabelPlanes planes;
    planes.find(scene.labels);
    fill(planes, weight, velocity);
    for_each([&](const Vec3i& cell, LocalIndex b, int c) {
      for (int d = 0; d < dimension; ++d) {
        // the cells around an empty one lie evenly about it
        const bool at_edge = cell.x() == 0 || cell.x() == 23 || cell.y() == 0 || cell.z() == 0 || cell.z() == deep - 1;
        if (is_empty(cell) && at_edge && dimension == 3) continue;
        const bool is_wall = cell[d] == 0;
        const bool is_filled = !is_empty(cell) || (!is_wall && cell.y() < 8);
        EXPECT_NEAR(velocity[d].block(b)[c], is_filled ? linear(d, cell) : 0.0, 1e-12) << cell.transpose() << " " << d;
      }
    });
  }
}

}  // namespace
}  // namespace freshet
