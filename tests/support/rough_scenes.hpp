// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/mpi_test.hpp"
#include "support/pressure_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

/// Rough liquids in many kinds of boxes, for tests of what works on arrays of unknowns. Such
/// an array is what a field of the layout holds.
namespace freshet::test {

struct RoughBox {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
  double fraction;  ///< of the blocks that exist
};

inline const RoughBox rough_boxes[] = {
    {3, {40, 32, 24}, FaceCondition::free_slip, 1.0}, {3, {40, 32, 24}, FaceCondition::free_slip, 0.6},
    {3, {16, 24, 8}, FaceCondition::periodic, 1.0},  // two blocks and one block wide
    {3, {8, 8, 8}, FaceCondition::periodic, 1.0},     {3, {33, 17, 9}, FaceCondition::open, 1.0},
    {2, {64, 40, 1}, FaceCondition::free_slip, 0.8},  {2, {8, 48, 1}, FaceCondition::periodic, 1.0},
    {3, {40, 32, 24}, FaceCondition::free_slip, 0.05}};  // fewer blocks than ranks

enum class FaceWeights { voxels, cut };

/// f(scene) for every box and kind of weights, with liquids that have full blocks, blocks with holes and empty ones.
template <class Function>
void for_each_rough_scene(Function&& f) {
  for (const RoughBox& c : rough_boxes) {
    SCOPED_TRACE(testing::Message() << c.dimension << "-D " << c.cells.transpose() << " " << c.fraction);
    const Domain domain = make_domain(c.dimension, c.cells, c.condition);
    const std::vector<BlockKey> keys = random_blocks(domain, c.fraction, 17);
    const CellLabel splashing = splash(c.cells, 3);
    const auto label = [&](const Vec3i& cell) { return cell.y() < c.cells.y() / 3 ? Label::liquid : splashing(cell); };
    for (const FaceWeights weights : {FaceWeights::voxels, FaceWeights::cut}) {
      Scene scene(world(), domain, keys, equal_splitters(world(), keys), label);
      if (weights == FaceWeights::cut) {
        for (int d = 0; d < c.dimension; ++d)
          for (LocalIndex block = 0; block < scene.layout.n_blocks(); ++block)
            scene.for_each_cell(block, [&](const Vec3i& cell, int i) {
              const double fraction = std::max(0.0, noise(cell, 40 + static_cast<std::uint64_t>(d)));
              if (cell.x() % 3 != 0) scene.open_fraction[d].block(block)[i] *= static_cast<float>(fraction);
            });
        build_coefficients(scene.labels, scene.open_fraction, scene.coefficients);
      }
      f(scene);
    }
  }
}

/// Sum over all ranks' unknowns of a_i b_i.
inline double dot(const Scene& scene, const CellField<double>& a, const CellField<double>& b) {
  double sum = 0.0;
  scene.for_each_unknown([&](const Vec3i&, LocalIndex block, int c) { sum += a.block(block)[c] * b.block(block)[c]; });
  return world().sum(sum);
}

/// An array of unknowns that are all 0, as a field.
inline CellField<double> zeros(const Scene& scene) {
  CellField<double> field(scene.layout, 0.0);
  field.fill(0.0);
  return field;
}

inline CellField<double> noise_field(const Scene& scene, std::uint64_t seed) {
  return scene.field([seed](const Vec3i& cell) { return noise(cell, seed); });
}

}  // namespace freshet::test
