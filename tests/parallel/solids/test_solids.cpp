// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/memory.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/solids/walls.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace freshet {
namespace {

using test::all_blocks;
using test::equal_splitters;
using test::make_domain;
using test::world;

ShapeParameters box(const Vec3& lower, const Vec3& upper) {
  ShapeParameters shape;
  shape.kind = ShapeKind::box;
  shape.lower = lower;
  shape.upper = upper;
  return shape;
}

/// Call check(cell, block, index in block) for every cell of this rank's blocks inside the domain, ghosts included.
template <class Check>
void for_each_cell(const BlockLayout& layout, Check check) {
  const Vec3i n = layout.domain().block_cells();
  for (LocalIndex b = 0; b < layout.n_blocks(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      const Vec3i cell = layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
      check(cell, b, c);
    }
}

TEST(Solids, a_tank_of_3x3x3_cells_is_closed_all_round_and_open_inside) {
  const Domain domain = make_domain(3, {3, 3, 3});
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  solids.reset(layout, {});
  double open_faces = 0.0;
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    const bool inside = domain.contains_cell(cell);
    EXPECT_EQ(solids.is_solid().block(b)[c] == 0, inside);
    for (int d = 0; d < 3; ++d) {
      const bool open = inside && domain.contains_cell(cell - Vec3i::Unit(d));
      EXPECT_EQ(solids.open_fraction()[d].block(b)[c], open ? 1.0F : 0.0F);
      if (b < layout.n_owned()) open_faces += open ? 1.0 : 0.0;
    }
  });
  EXPECT_EQ(world().sum(open_faces), 3 * 2 * 9);
}

TEST(Solids, open_faces_and_periodic_axes_stay_open) {
  DomainOptions parameters;
  parameters.cells = {16, 12, 8};
  parameters.boundary[0] = {FaceCondition::periodic, FaceCondition::periodic};
  parameters.boundary[1] = {FaceCondition::free_slip, FaceCondition::open};
  const Domain domain(parameters);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  solids.reset(layout, {});
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    if (cell.z() >= 8 || cell.x() >= 16) return;
    EXPECT_EQ(solids.open_fraction()[0].block(b)[c], cell.y() >= 0 ? 1.0F : 0.0F);
    EXPECT_EQ(solids.open_fraction()[1].block(b)[c], cell.y() == 0 ? 0.0F : 1.0F);  // also beyond the open face
    EXPECT_EQ(solids.open_fraction()[2].block(b)[c], cell.z() == 0 ? 0.0F : 1.0F);
  });
}

TEST(Solids, a_body_closes_the_faces_of_the_cells_whose_centres_it_holds) {
  const Domain domain = make_domain(3, {24, 16, 16}, FaceCondition::free_slip, 0.5);
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  solids.reset(layout, {{make_shape(box({3.6, 2.0, 2.0}, {5.0, 4.0, 4.6})), Slip::no_slip}});
  const auto in_body = [](const Vec3i& cell) {  // centres between the box's faces: 7 <= i < 10, 4 <= j < 8, 4 <= k < 9
    return (cell.array() >= Eigen::Array3i(7, 4, 4)).all() && (cell.array() < Eigen::Array3i(10, 8, 9)).all();
  };
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    EXPECT_EQ(solids.is_solid().block(b)[c], in_body(cell) ? no_slip_solid : 0);
    for (int d = 0; d < 3; ++d) {
      const bool closed = in_body(cell) || in_body(cell - Vec3i::Unit(d)) || cell[d] == 0;
      EXPECT_EQ(solids.open_fraction()[d].block(b)[c], closed ? 0.0F : 1.0F);
    }
  });
}

ShapeParameters half_space(const Vec3& point, const Vec3& normal) {
  ShapeParameters shape;
  shape.kind = ShapeKind::half_space;
  shape.point = point;
  shape.normal = normal;
  return shape;
}

TEST(Solids, a_plane_leaves_open_what_lies_above_it) {
  const Domain domain = make_domain(3, {16, 16, 16});
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  SolidBody body{make_shape(half_space({0.0, 4.3, 0.0}, {0, 1, 0}))};
  body.surface = Surface::fractions;
  solids.reset(layout, {body});
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    if (!domain.contains_cell(cell)) return;
    EXPECT_EQ(solids.is_solid().block(b)[c], cell.y() < 4 ? free_slip_solid : 0);
    const double open = cell.y() < 4 ? 0.0 : cell.y() == 4 ? 0.7 : 1.0;
    if ((cell.array() == 0).any()) return;                           // walls
    EXPECT_NEAR(solids.open_fraction()[0].block(b)[c], open, 1e-6);  // single precision
    EXPECT_EQ(solids.wall()[0].block(b)[c], open == 0.0 ? covered : 0);
    EXPECT_EQ(solids.open_fraction()[1].block(b)[c], cell.y() <= 4 ? 0.0F : 1.0F);
    EXPECT_NEAR(solids.open_fraction()[2].block(b)[c], open, 1e-6);
  });
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    EXPECT_TRUE(solids.cut_cells(b).empty());  // the centres at 4.5 lie outside
    for (const CoveredFace& face : solids.covered_faces(b)) EXPECT_NEAR(face.normal[1], 1.0, 1e-6);
  }
}

/// The distance to a thin wall about a ball, or in 2-D about a disc. [cells]
class Bubble : public Shape {
 public:
  Bubble(int dimension, const Vec3& center, double radius, double thickness)
      : dimension_(dimension), center_(center), radius_(radius), half_(0.5 * thickness) {}
  double signed_distance(const Vec3& x) const override {
    Vec3 to = x - center_;
    if (dimension_ == 2) to.z() = 0.0;
    return std::abs(to.norm() - radius_) - half_;
  }
  Box bounds() const override { return {center_ - Vec3::Constant(radius_), center_ + Vec3::Constant(radius_)}; }

 private:
  int dimension_;
  Vec3 center_;
  double radius_, half_;
};

/// A box without what is inside it, turned about an axis aslant.
std::shared_ptr<const Shape> hollow_box(int dimension, double half_width, double thickness, double angle) {
  ShapeParameters hollow;
  hollow.kind = ShapeKind::difference_of;
  const double deep = dimension == 2 ? 20.0 : half_width;
  for (const double grown : {0.0, -thickness}) {
    const Vec3 half(half_width + grown, half_width + grown, deep + (dimension == 2 ? 0.0 : grown));
    hollow.parts.push_back(box(Vec3(12.1, 11.8, 12.2) - half, Vec3(12.1, 11.8, 12.2) + half));
  }
  hollow.transform.axis = dimension == 2 ? Vec3(0.0, 0.0, 1.0) : Vec3(1.0, 2.0, 3.0);
  hollow.transform.angle = angle;
  hollow.transform.center = Vec3(12.1, 11.8, 12.2);
  return make_shape(hollow);
}

/// Whether liquid gets from one cell to another through open faces between cells that are not solid.
bool are_joined(const BlockLayout& layout, const SolidFields& solids, const Vec3i& from, const Vec3i& to) {
  const Domain& domain = layout.domain();
  const Vec3i n = domain.cells();
  const auto index = [&](const Vec3i& cell) {
    return static_cast<std::size_t>(cell.x() + n.x() * (cell.y() + n.y() * cell.z()));
  };
  std::vector<double> open(4 * static_cast<std::size_t>(n.prod()), 0.0);
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    if (b >= layout.n_owned() || !domain.contains_cell(cell)) return;
    for (int d = 0; d < domain.dimension(); ++d)
      open[4 * index(cell) + static_cast<std::size_t>(d)] = solids.open_fraction()[d].block(b)[c];
    open[4 * index(cell) + 3] = solids.is_solid().block(b)[c] == 0 ? 1.0 : 0.0;
  });
  world().sum_in_place(std::span<double>(open));
  std::vector<bool> reached(open.size() / 4, false);
  std::vector<Vec3i> front{from};
  while (!front.empty()) {
    const Vec3i cell = front.back();
    front.pop_back();
    if (reached[index(cell)] || open[4 * index(cell) + 3] == 0.0) continue;
    reached[index(cell)] = true;
    for (int d = 0; d < domain.dimension(); ++d)
      for (const int side : {-1, 1}) {
        const Vec3i next = cell + side * Vec3i::Unit(d);
        if (!domain.contains_cell(next)) continue;
        if (open[4 * index(side < 0 ? cell : next) + static_cast<std::size_t>(d)] > 0.0) front.push_back(next);
      }
  }
  return reached[index(to)];
}

TEST(Solids, walls_thinner_than_a_cell_let_nothing_through_wherever_they_lie) {
  for (const int dimension : {2, 3}) {
    const Domain domain = make_domain(dimension, {24, 24, dimension == 3 ? 24 : 1});
    const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
    const Vec3i inside(12, 12, dimension == 3 ? 12 : 0), outside(1, 1, 0);
    for (const Surface surface : {Surface::voxels, Surface::fractions})
      for (const double thickness : {1.0, 0.5, 0.25, 0.125, 0.0625}) {
        const auto check = [&](std::shared_ptr<const Shape> shape, double where) {
          SolidBody body{std::move(shape)};
          body.surface = surface;
          SolidFields solids;
          solids.reset(layout, {body});
          EXPECT_FALSE(are_joined(layout, solids, inside, outside))
              << dimension << "-D, thickness " << thickness << ", at " << where;
        };
        for (const double angle : {0.0, 3.0, 20.0, 45.0, 71.0})
          check(hollow_box(dimension, 7.3, thickness, angle), angle);
        for (const double radius : {5.0, 6.3, 7.125})
          check(std::make_shared<Bubble>(dimension, Vec3(12.3, 12.1, 12.0), radius, thickness), radius);
      }
  }
}

TEST(Solids, a_thin_plate_closes_one_layer_of_faces_and_leaves_its_own_part_of_those_across_it) {
  const Domain domain = make_domain(3, {16, 16, 16});
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  for (const Surface surface : {Surface::voxels, Surface::fractions})
    for (const double low : {5.875, 6.125, 6.3, 6.625}) {  // 6.3: the centres of cells lie in it
      SolidBody body{make_shape(box({-9.0, low, -9.0}, {30.0, low + 0.25, 30.0}))};
      body.surface = surface;
      SolidFields solids;
      solids.reset(layout, {body});
      const double middle = low + 0.125;
      for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
        if (!domain.contains_cell(cell) || (cell.array() == 0).any()) return;
        const bool holds_center = surface == Surface::voxels && low < cell.y() + 0.5 && cell.y() + 0.5 < low + 0.25;
        EXPECT_EQ(solids.is_solid().block(b)[c] != 0, holds_center);
        const bool closed = solids.open_fraction()[1].block(b)[c] == 0.0F;
        const bool between_centers = low < cell.y() + 0.5 && low + 0.25 > cell.y() - 0.5;
        EXPECT_EQ(closed, surface == Surface::voxels ? between_centers : std::abs(middle - cell.y()) <= 0.5)
            << low << ", face at " << cell.y();
        if (surface == Surface::voxels) return;
        // across the plate: the larger of the two parts that it leaves of the face
        const double below = std::clamp(low - cell.y(), 0.0, 1.0), above = std::clamp(cell.y() + 0.75 - low, 0.0, 1.0);
        for (const int d : {0, 2})
          EXPECT_NEAR(solids.open_fraction()[d].block(b)[c], std::max(below, above), 0.01) << low << ' ' << cell.y();
      });
    }
}

TEST(Solids, bodies_moved_step_by_step_leave_what_bodies_put_there_at_once_do) {
  for (const int dimension : {2, 3})
    for (const Surface surface : {Surface::voxels, Surface::fractions}) {
      const Domain domain = make_domain(dimension, {40, 24, dimension == 3 ? 24 : 1});
      const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
      SolidBody moving{make_shape(box({3.2, 3.1, -2.0}, {9.7, 8.8, 9.3})), Slip::no_slip};
      moving.surface = surface;
      moving.motion = std::make_shared<RigidMotion>(Vec3(6, 6, 0.5), Vec3(9.0, 3.5, 0.0), Vec3(0.0, 0.0, 0.8));
      const SolidBody resting{make_shape(half_space({0.0, 2.3, 0.0}, {-0.2, 1, 0})), Slip::free_slip,
                              WallCondition::sticky, Surface::fractions};
      SolidFields moved;
      moved.reset(layout, {moving, resting});
      for (const double time : {0.3, 0.9, 1.7}) {
        moved.move_to(time);
        moved.set_velocity(0.1);
      }
      SolidFields placed;
      placed.reset(layout, {moving, resting}, 1.7);
      placed.set_velocity(0.1);
      const Twist twist = moving.motion->twist(1.7, 0.1);
      int n_moving_faces = 0;
      for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
        ASSERT_EQ(moved.is_solid().block(b)[c], placed.is_solid().block(b)[c]) << cell.transpose();
        for (int d = 0; d < dimension; ++d) {
          ASSERT_EQ(moved.open_fraction()[d].block(b)[c], placed.open_fraction()[d].block(b)[c]);
          ASSERT_EQ(moved.wall()[d].block(b)[c], placed.wall()[d].block(b)[c]);
          const float u = moved.velocity()[d].block(b)[c];
          ASSERT_EQ(u, placed.velocity()[d].block(b)[c]);
          if (u == 0.0F) continue;
          ++n_moving_faces;
          const Vec3 x = cell.cast<double>() + Vec3::Constant(0.5) - 0.5 * Vec3::Unit(d);
          ASSERT_NEAR(u, twist.at(x)[d], 1e-5);  // single precision of 9 m/s and more
        }
      });
      EXPECT_GT(world().sum(GlobalIndex{n_moving_faces}), 0);
      for (LocalIndex b = 0; b < layout.n_owned(); ++b)
        ASSERT_EQ(moved.covered_faces(b).size(), placed.covered_faces(b).size());
    }
}

/// What a body that moves carries into cell c of a block, over the area of a face. [m/s]
double carried_in(const SolidFields& solids, LocalIndex b, int c, const Vec3i& cell) {
  const BlockLayout& layout = solids.open_fraction().layout();
  const Vec3i width = layout.domain().block_cells();
  const auto through = [&](int d, const Vec3i& face) {
    const Vec3i block = face.cwiseQuotient(width), n = face - block.cwiseProduct(width);
    const LocalIndex there = layout.find(morton_key(block));
    const auto number = n.x() + width.x() * (n.y() + width.y() * n.z());
    const double open = static_cast<double>(solids.open_fraction()[d].block(there)[number]);
    return (1.0 - open) * static_cast<double>(solids.velocity()[d].block(there)[number]);
  };
  double inflow = 0.0;
  for (int d = 0; d < layout.domain().dimension(); ++d) inflow += through(d, cell) - through(d, cell + Vec3i::Unit(d));
  for (const BodyFlow& flow : solids.body_flows(b))
    if (flow.cell == c) inflow -= static_cast<double>(flow.outflow);
  return inflow;
}

TEST(Solids, a_body_that_moves_in_its_own_surface_carries_nothing_into_cells_it_cuts) {
  for (const int dimension : {2, 3})
    for (const double angle : {0.1, 0.47, 0.8, 2.2, 4.0})
      for (const bool turns : {false, true}) {
        if (turns && dimension == 2) continue;  // no axis lies along the normal
        const Domain domain = make_domain(dimension, {20, 16, dimension == 3 ? 12 : 1});
        const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
        const Vec3 normal = Vec3(std::cos(angle), std::sin(angle), dimension == 3 ? 0.3 : 0.0).normalized();
        const Vec3 middle(9.3, 7.6, dimension == 3 ? 6.2 : 0.5);
        SolidBody body{make_shape(half_space(middle, normal))};
        body.surface = Surface::fractions;
        const Vec3 along = 3.0 * normal.cross(Vec3::UnitZ()).normalized();
        body.motion = turns ? std::make_shared<RigidMotion>(middle, Vec3(Vec3::Zero()), normal)
                            : std::make_shared<RigidMotion>(middle, along, Vec3(Vec3::Zero()));
        SolidFields solids;
        solids.reset(layout, {body});
        solids.set_velocity(1e-9);
        int n_cut = 0;
        for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
          if (b >= layout.n_owned() || !domain.contains_cell(cell) || solids.is_solid().block(b)[c] != 0) return;
          ASSERT_NEAR(carried_in(solids, b, c, cell), 0.0, 1e-5) << cell.transpose() << ", angle " << angle;
          n_cut += std::abs(normal.dot(cell.cast<double>() + Vec3::Constant(0.5) - middle)) < 0.5 ? 1 : 0;
        });
        EXPECT_GT(world().sum(GlobalIndex{n_cut}), 0);
      }
}

/// Bodies thinner than a cell, with edges: what they carry out of a cell comes into the one beside it.
TEST(Solids, a_body_that_turns_carries_as_much_into_cells_as_out_of_them) {
  for (const int dimension : {2, 3})
    for (const double thickness : {0.2, 0.6, 2.5}) {
      const Domain domain = make_domain(dimension, {24, 24, dimension == 3 ? 24 : 1});
      const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
      const Vec3 middle(11.7, 12.4, dimension == 3 ? 11.6 : 0.5), half(7.0, 0.5 * thickness, 5.0);
      SolidBody plate{make_shape(box(middle - half, middle + half))};
      plate.surface = Surface::fractions;
      plate.motion = std::make_shared<RigidMotion>(middle, Vec3(Vec3::Zero()), Vec3(0.0, 0.0, 1.0));
      SolidFields solids;
      solids.reset(layout, {plate});
      for (const double time : {0.2, 0.7, 1.9}) {
        solids.move_to(time);
        solids.set_velocity(1e-9);
        double sum = 0.0, size = 0.0;
        for (LocalIndex b = 0; b < layout.n_owned(); ++b)
          for (const BodyFlow& flow : solids.body_flows(b)) {
            sum += static_cast<double>(flow.outflow);
            size += std::abs(static_cast<double>(flow.outflow));
          }
        EXPECT_LT(std::abs(world().sum(sum)), 1e-9 * (1.0 + world().sum(size))) << thickness << ", at " << time;
        const double total = world().sum(size);
        if (thickness > 2.0) {
          EXPECT_GT(total, 0.1);
        }
      }
    }
}

/// A box whose sides lie beside planes of faces, a hair or a fiftieth of a cell inside the next cells: slivers of these
/// cells are open and not behind a thin wall.
TEST(Solids, a_side_may_lie_as_near_to_a_plane_of_faces_as_it_likes) {
  for (const int dimension : {2, 3}) {
    const Domain domain = make_domain(dimension, {24, 24, dimension == 3 ? 24 : 1});
    const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
    const auto fields_of = [&](double shift) {
      SolidBody body{make_shape(box({10.0 + shift, 9.28, 8.37}, {14.0 + shift, 13.28, 12.37}))};
      body.surface = Surface::fractions;
      body.motion = std::make_shared<RigidMotion>(Vec3(12.0, 11.0, 10.0), Vec3(0.0, -1.0, 0.0), Vec3(Vec3::Zero()));
      auto solids = std::make_unique<SolidFields>();
      solids->reset(layout, {body});
      return solids;
    };
    const auto expected = fields_of(0.019);
    for (const double shift : {1e-9, 1e-6, 1e-4, 1e-3, 1e-2}) {
      const auto solids = fields_of(shift);
      double largest = 0.0;
      for (LocalIndex b = 0; b < layout.n_owned(); ++b)
        for (int d = 0; d < dimension; ++d)
          for (int c = 0; c < layout.cells_per_block(); ++c)
            largest = std::max(largest, std::abs(static_cast<double>(solids->open_fraction()[d].block(b)[c]) -
                                                 static_cast<double>(expected->open_fraction()[d].block(b)[c])));
      EXPECT_LT(largest, 0.08) << dimension << ", " << shift;  // 1 if the faces of slivers are closed
    }
  }
}

TEST(Solids, what_is_known_of_bodies_near_cells_and_faces_counts_as_memory) {
  const Domain domain = make_domain(3, {16, 16, 16});
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  solids.reset(layout, {});
  solids.writable_velocity();
  const std::int64_t without = memory_in_use(MemoryKind::fields);
  SolidBody body;
  body.shape = make_ball(8.0 * domain.dx() * Vec3::Ones(), 4.0 * domain.dx());
  body.motion = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3::UnitX(), Vec3::Zero());
  solids.reset(layout, {body});
  const std::int64_t of_cell = sizeof(double) + 3 * sizeof(std::int16_t);  // a distance, and the bodies of three faces
  std::int64_t known = 0;
  for (LocalIndex b = 0; b < layout.n_blocks(); ++b)
    if (!solids.center_distances(b).empty()) known += layout.cells_per_block() * of_cell;
  EXPECT_GT(world().sum(known), 0);
  EXPECT_GE(memory_in_use(MemoryKind::fields) - without, known);
}

TEST(Solids, velocities_of_walls_at_rest_take_no_memory_until_a_source_writes_one) {
  const Domain domain = make_domain(3, {48, 48, 48});
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  const auto sum = [&](const SolidFields& solids) {
    double sum = 0.0;
    for (int d = 0; d < 3; ++d)
      for_each_cell(layout, [&](const Vec3i&, LocalIndex b, int c) { sum += solids.velocity()[d].block(b)[c]; });
    return sum;
  };
  SolidFields solids;
  solids.reset(layout, {});
  EXPECT_EQ(sum(solids), 0.0);
  const std::int64_t at_rest = memory_in_use(MemoryKind::fields);
  FaceField<float>& velocity = solids.writable_velocity();
  const std::int64_t bytes = std::int64_t{3} * 4 * layout.n_slots() * layout.cells_per_block();
  EXPECT_GE(memory_in_use(MemoryKind::fields) - at_rest, bytes - 3 * 4 * 512);
  EXPECT_EQ(sum(solids), 0.0);
  if (layout.n_owned() > 0) {
    velocity[1].block(0)[7] = 2.5F;
    EXPECT_EQ(sum(solids), 2.5);
  }
  solids.reset(layout, {});
  EXPECT_EQ(sum(solids), 0.0);
  EXPECT_EQ(memory_in_use(MemoryKind::fields), at_rest);
}

TEST(Walls, closed_faces_take_the_solids_velocity_and_no_slip_interiors_are_mirrored) {
  const Domain domain = make_domain(2, {16, 16, 1});
  const BlockLayout layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain));
  SolidFields solids;
  solids.reset(layout, {{make_shape(box({4, 4, -1}, {8, 8, 2})), Slip::no_slip}});
  FaceField<double> velocity(layout);
  velocity.fill(3.0);
  enforce_walls(solids, velocity);
  mirror_no_slip(solids, velocity);
  const auto in_body = [](const Vec3i& cell) { return cell.x() >= 4 && cell.x() < 8 && cell.y() >= 4 && cell.y() < 8; };
  for_each_cell(layout, [&](const Vec3i& cell, LocalIndex b, int c) {
    if (b >= layout.n_owned()) return;
    for (int d = 0; d < 2; ++d) {
      const Vec3i lower = cell - Vec3i::Unit(d);
      double expected = 3.0;
      if (cell[d] == 0 || in_body(cell) != in_body(lower)) expected = 0.0;
      if (in_body(cell) && in_body(lower)) expected = -3.0;
      EXPECT_EQ(velocity[d].block(b)[c], expected) << cell.transpose() << " axis " << d;
    }
  });
}

}  // namespace
}  // namespace freshet
