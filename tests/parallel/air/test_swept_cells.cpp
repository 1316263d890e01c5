// SPDX-License-Identifier: Apache-2.0
// nightly: 8
#include "freshet/air/bubble_overlaps.hpp"
#include "freshet/air/swept_cells.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace freshet {
namespace {

using test::make_domain;
using test::world;

constexpr double no_air = BubbleOverlaps::no_air;
constexpr double turn = 0.4;         ///< of the plate about z [rad]
const Vec3 middle(12.0, 12.0, 0.0);  ///< a point of the plate [m]

Vec3 normal_at(double angle) {
  return {-std::sin(angle), std::cos(angle), 0.0};
}

/// A motion without turning [m/s], and about the middle of the plate [rad/s].
struct Motion {
  double speed, turning;
};

/// A plate without end, turned about z.
std::shared_ptr<const Shape> plate(double thickness) {
  ShapeParameters parameters;
  parameters.lower = Vec3(-100.0, -0.5 * thickness, -100.0);
  parameters.upper = Vec3(100.0, 0.5 * thickness, 100.0);
  Pose pose;
  pose.rotation = Eigen::AngleAxisd(turn, Vec3::UnitZ()).toRotationMatrix();
  pose.translation = middle;
  return std::make_shared<PosedShape>(make_shape(parameters), pose);
}

class SweptCells : public testing::TestWithParam<int> {
 protected:
  const int dimension = GetParam();
  const Domain domain = make_domain(dimension, dimension == 2 ? Vec3i(24, 24, 1) : Vec3i(24, 24, 8));
  const std::vector<BlockKey> keys = test::all_blocks(domain);
  const BlockLayout layout{world(), domain, test::equal_splitters(world(), keys), keys};
};

/// Cells of bubble 3 forget it where the centre is on the other side of the plate after the step, and count as beside
/// it where the plate holds the centre at either end of the step; those of the atmosphere forget it in both cases.
TEST_P(SweptCells, are_those_whose_centres_a_plate_passes) {
  for (const Surface surface : {Surface::voxels, Surface::fractions})
    for (const double thickness : {0.03, 0.5, 1.2})
      for (const Motion motion : {Motion{-0.6, 0.0}, Motion{0.3, 0.0}, Motion{9.0, 0.0}, Motion{0.2, -0.1}})
        for (const double mark : {6.0, BubbleOverlaps::atmosphere}) {
          std::vector<SolidBody> bodies(1);
          bodies[0].shape = plate(thickness);
          bodies[0].surface = surface;
          bodies[0].motion =
              std::make_shared<RigidMotion>(middle, Vec3(0.0, motion.speed, 0.0), Vec3(0.0, 0.0, motion.turning));
          SolidFields solids;
          solids.reset(layout, bodies);
          CellField<double> marks;
          marks.reset(layout, no_air);
          marks.fill(mark);
          mark_swept_cells(solids, 1.0, marks);
          const double covers = mark == 6.0 ? 7.0 : no_air;
          const double half = 0.5 * thickness;
          GlobalIndex changed = 0;
          for (LocalIndex b = 0; b < layout.n_owned(); ++b)
            for (int c = 0; c < layout.cells_per_block(); ++c) {
              const Vec3i n = domain.block_cells();
              const Vec3i cell = layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
              if (!domain.contains_cell(cell)) continue;
              const Vec3 x = domain.origin() + cell.cast<double>() + Vec3::Constant(0.5);
              const double start = normal_at(turn).dot(x - middle);
              const double end = normal_at(turn + motion.turning).dot(x - middle - Vec3(0.0, motion.speed, 0.0));
              const bool is_covered = std::abs(start) <= half || std::abs(end) <= half;
              const double expected = is_covered ? covers : start * end < 0.0 ? no_air : mark;
              EXPECT_EQ(marks.block(b)[c], expected)
                  << cell.transpose() << ", " << thickness << " m, " << motion.speed << " m/s";
              changed += expected != mark ? 1 : 0;
            }
          EXPECT_GT(world().sum(changed), 0);
        }
}

/// Nothing is swept by a body at rest, nor by one that has not moved in the step.
TEST_P(SweptCells, are_none_where_nothing_moves) {
  for (const bool has_motion : {false, true}) {
    std::vector<SolidBody> bodies(1);
    bodies[0].shape = plate(0.5);
    if (has_motion) {
      std::vector<MotionSample> samples(2);
      samples[1].time = 1.0;
      samples[1].translation = Vec3(0.0, 5.0, 0.0);
      bodies[0].motion = std::make_shared<RigidMotion>(Vec3::Zero(), samples, MotionInterpolation::linear);
    }
    SolidFields solids;
    solids.reset(layout, bodies, 2.0);
    CellField<double> marks;
    marks.reset(layout, no_air);
    marks.fill(6.0);
    mark_swept_cells(solids, 1.0, marks);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) EXPECT_EQ(marks.block(b)[c], 6.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, SweptCells, testing::Values(2, 3));

}  // namespace
}  // namespace freshet
