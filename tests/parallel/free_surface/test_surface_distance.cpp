// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/surface_distance.hpp"
#include "freshet/grid/halo.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

namespace freshet {
namespace {

using test::BoxShape;
using test::full_cells;
using test::make_domain;
using test::PlacedParticles;
using test::world;

/// phi and labels of placed particles.
struct FoundSurface {
  PlacedParticles scene;
  CellField<float> phi;
  LabelField labels;

  FoundSurface(const Domain& domain, const std::vector<Vec3>& places, const PlacedParticles::Options& options = {})
      : scene(domain, places, options) {
    labels.reset(scene.layout, Label::solid);
    labels.fill(Label::solid);
    SurfaceDistance find(domain.dimension() == 3 ? 8 : 4);
    scene.layout.halo().gather(scene.labels, SurfaceDistance::near_within);
    find(scene.particles, scene.solids, scene.labels, phi);
    LabelPlanes planes;
    label_cells_by_distance(phi, scene.solids, scene.labels, labels, planes);
  }
  /// f(cell, phi, label) for the cells of this rank that lie in the domain.
  template <class Function>
  void for_each(Function&& f) const {
    const Vec3i n = scene.domain.block_cells();
    for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
      for (int c = 0; c < scene.layout.cells_per_block(); ++c) {
        const Vec3i cell = scene.layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
        if (scene.domain.contains_cell(cell)) f(cell, phi.block(b)[c], labels.block(b)[c]);
      }
  }
};

/// Particles in the cells below a height, each at any place of its part of a cell.
std::vector<Vec3> scattered_below(const Vec3i& cells, double height) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> anywhere(-0.25, 0.25);
  std::vector<Vec3> places;
  for (Vec3 x : full_cells({0, 0, 0}, cells)) {
    for (int d = 0; d < (cells.z() > 1 ? 3 : 2); ++d) x[d] += anywhere(random);
    if (x.y() < height) places.push_back(x);
  }
  return places;
}

/// Liquid fills half spaces of many heights. The surface is where phi changes its sign in a column of cells.
void check_level(int dimension, double spread) {
  const Vec3i cells(32, 16, dimension == 3 ? 32 : 1);
  double sum = 0.0, squares = 0.0, n = 0.0;
  for (const double height : {7.06, 7.19, 7.31, 7.44, 7.56, 7.69, 7.81, 7.94}) {
    const FoundSurface surface(make_domain(dimension, cells), scattered_below(cells, height));
    const LocalIndex background = surface.scene.layout.background();
    const Vec3i width = surface.scene.domain.block_cells();
    surface.for_each([&](const Vec3i& cell, float phi, Label) {
      if (phi >= 0.0F || cell.y() + 1 >= cells.y()) return;
      const Vec3i above = cell + Vec3i::UnitY();
      const LocalIndex b = surface.scene.layout.find_owned(morton_key(Vec3i(above.cwiseQuotient(width))));
      if (b == background) return;
      const Vec3i at = above - above.cwiseQuotient(width).cwiseProduct(width);
      const float other = surface.phi.block(b)[at.x() + 8 * (at.y() + 8 * at.z())];
      if (other < 0.0F) return;
      const double error = cell.y() + 0.5 + phi / (phi - other) - height;
      sum += error;
      squares += error * error;
      n += 1.0;
    });
  }
  sum = world().sum(sum);
  squares = world().sum(squares);
  n = world().sum(n);
  EXPECT_LE(std::abs(sum / n), 0.05);
  EXPECT_LE(std::sqrt(squares / n), spread);
}

TEST(SurfaceDistance, finds_the_level_of_scattered_particles_within_a_twentieth_of_a_cell_on_average) {
  check_level(2, 0.15);
  check_level(3, 0.1);
}

TEST(SurfaceDistance, walls_and_bodies_do_not_change_the_level_beside_them) {
  for (const int dimension : {2, 3}) {
    const Vec3i cells(24, 16, dimension == 3 ? 16 : 1);
    PlacedParticles::Options options;
    SolidBody body;
    body.shape = std::make_shared<BoxShape>(Vec3(16, -9, -9), Vec3(40, 30, 30));
    options.bodies = {body};
    std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 7, cells.z()});
    const FoundSurface surface(make_domain(dimension, cells), places, options);
    surface.for_each([&](const Vec3i& cell, float phi, Label label) {
      if (cell.x() >= 16) return;
      const double height = cell.y() + 0.5 - 7.0;
      if (std::abs(height) < 1.0) {
        EXPECT_NEAR(phi, height, 0.1) << cell.transpose();
      }
      EXPECT_EQ(label, height < 0.0 ? Label::liquid : Label::air) << cell.transpose();
    });
  }
}

/// A body leaves a gap of less than half a cell to a wall, so that the centres of the cells in it lie in the body.
/// Their neighbours along its normal lie beyond the wall, where nothing is.
TEST(SurfaceDistance, liquid_between_a_body_and_a_wall_is_liquid) {
  for (const int dimension : {2, 3}) {
    const Vec3i cells(13, 16, dimension == 3 ? 13 : 1);  // cells beyond the walls belong to blocks
    PlacedParticles::Options options;
    SolidBody body;
    body.shape = std::make_shared<BoxShape>(Vec3(6, 4, -9), Vec3(12.6, 9, 30));
    body.surface = Surface::fractions;
    options.bodies = {body};
    std::vector<Vec3> places = full_cells({0, 0, 0}, {13, 12, cells.z()});
    std::erase_if(places, [&](const Vec3& x) {
      const bool is_emptied = x.x() > 12.0 && x.y() < 6.0;  // so that the distance is found around
      return is_emptied || body.shape->signed_distance(x) <= 0.0;
    });
    const FoundSurface surface(make_domain(dimension, cells), places, options);
    surface.for_each([&](const Vec3i& cell, float, Label label) {
      if (cell.x() < 12 || cell.y() < 7 || cell.y() >= 9) return;
      EXPECT_EQ(label, Label::liquid) << cell.transpose();
    });
  }
}

TEST(SurfaceDistance, a_hole_of_one_cell_is_liquid_and_a_lone_particle_is_not) {
  for (const int dimension : {2, 3}) {
    const Vec3i cells(16, 16, dimension == 3 ? 16 : 1);
    const Vec3i hole(8, 4, dimension == 3 ? 7 : 0);
    const Vec3i drop(5, 12, dimension == 3 ? 7 : 0);
    const Vec3i cluster(11, 12, dimension == 3 ? 10 : 0);
    const Vec3i one(1, 1, 1);
    std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 8, cells.z()});
    std::erase_if(places, [&](const Vec3& x) { return x.cast<int>() == hole; });
    places.push_back(drop.cast<double>() + Vec3(0.4, 0.6, 0.5));
    for (const Vec3& x : full_cells(cluster, cluster + one)) places.push_back(x);
    const FoundSurface surface(make_domain(dimension, cells), places);
    surface.for_each([&](const Vec3i& cell, float, Label label) {
      const bool liquid = cell.y() < 8 || cell == cluster;
      EXPECT_EQ(label, liquid ? Label::liquid : Label::air) << cell.transpose();
    });
  }
}

/// Around a hole of more than a cell, nearly all particles may lie on one side of its middle.
TEST(SurfaceDistance, a_cell_that_only_liquid_encloses_is_liquid) {
  for (const int dimension : {2, 3}) {
    const Vec3i cells(16, 16, dimension == 3 ? 16 : 1);
    std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 8, cells.z()});
    std::erase_if(places, [&](const Vec3& x) {
      const bool along_z = dimension == 2 || (x.z() > 6.5 && x.z() < 8.5);
      return x.x() > 7.5 && x.x() < 9.5 && x.y() > 6.0 && x.y() < 7.5 && along_z;
    });
    const FoundSurface surface(make_domain(dimension, cells), places);
    surface.for_each([&](const Vec3i& cell, float, Label label) {
      EXPECT_EQ(label, cell.y() < 8 ? Label::liquid : Label::air) << cell.transpose();
    });
  }
}

/// Particles in one place outweigh all others around it.
TEST(SurfaceDistance, a_heap_of_particles_makes_no_air_around_it) {
  for (const int dimension : {2, 3}) {
    const Vec3i cells(16, 16, dimension == 3 ? 16 : 1);
    const double z = dimension == 3 ? 7.4 : 0.5;
    std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 8, cells.z()});
    places.insert(places.end(), 300, Vec3(8.3, 7.1, z));
    places.insert(places.end(), 300, Vec3(2.2, 0.01, z));
    const FoundSurface surface(make_domain(dimension, cells), places);
    surface.for_each([&](const Vec3i& cell, float, Label label) {
      if (cell.y() != 8) {
        EXPECT_EQ(label, cell.y() < 8 ? Label::liquid : Label::air) << cell.transpose();
      }
    });
  }
}

TEST(SurfaceDistance, a_cell_full_of_particles_that_lie_on_the_floor_is_liquid) {
  for (const int dimension : {2, 3}) {
    const Vec3i cells(16, 16, dimension == 3 ? 16 : 1);
    std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 1, cells.z()});
    for (Vec3& x : places) x.y() = 0.001;
    const FoundSurface surface(make_domain(dimension, cells), places);
    surface.for_each([&](const Vec3i& cell, float, Label label) {
      EXPECT_EQ(label, cell.y() == 0 ? Label::liquid : Label::air) << cell.transpose();
    });
  }
}

TEST(SurfaceDistance, spray_moves_by_itself_and_particles_just_above_the_surface_with_the_liquid) {
  std::vector<Vec3> places = full_cells({0, 0, 0}, {16, 8, 16});
  places.push_back(Vec3(4.5, 8.2, 4.5));
  places.push_back(Vec3(4.5, 13.2, 4.5));
  FoundSurface surface(make_domain(3, {16, 16, 16}), places);
  surface.labels.swap(surface.scene.labels);  // cells whose velocity is known
  surface.for_each([&](const Vec3i& cell, float, Label known) {
    EXPECT_EQ(known == Label::liquid, cell.y() < 8 || cell == Vec3i(4, 13, 4)) << cell.transpose();
  });
}

}  // namespace
}  // namespace freshet
