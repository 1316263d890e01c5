// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/domain_faces.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

namespace freshet {
namespace {

using test::make_domain;

/// A padded component set from the sample's place in the domain, garbage where the place lies outside it.
template <class Shape>
std::vector<double> sampled(const Domain& domain, const Vec3i& first_cell, int component,
                            const TileExtents<Shape>& extents, const std::function<double(const Vec3i&)>& value) {
  std::vector<double> padded(static_cast<std::size_t>(extents.size()), 1e30);
  const int pad_z = Shape::dim == 3 ? extents.pad : 0;
  for (int k = -pad_z; k < Shape::nz + pad_z; ++k)
    for (int j = -extents.pad; j < Shape::ny + extents.pad; ++j)
      for (int i = -extents.pad; i < Shape::nx + extents.pad; ++i) {
        const Vec3i index = first_cell + Vec3i(i, j, k);
        bool inside = true;
        for (int axis = 0; axis < Shape::dim; ++axis)
          inside =
              inside && index[axis] >= 0 && index[axis] < domain.cells()[axis] + (axis == component && index[axis] > 0);
        if (inside) padded[static_cast<std::size_t>(extents.at(i, j, k))] = value(index);
      }
  return padded;
}

template <class Shape>
double at(const std::vector<double>& padded, const TileExtents<Shape>& extents, int i, int j, int k = 0) {
  return padded[static_cast<std::size_t>(extents.at(i, j, k))];
}

double by_index(const Vec3i& index) {
  return 1.0 + index.x() + 100.0 * index.y() + 10000.0 * index.z();
}

TEST(DomainFaces, of_a_free_slip_box_in_2d_by_hand) {
  using Shape = BlockShape<2>;
  const Domain domain = make_domain(2, {8, 8, 1});
  const TileExtents<Shape> extents(2);
  std::vector<double> u = sampled(domain, {0, 0, 0}, 0, extents, by_index);
  apply_domain_faces(domain, {0, 0, 0}, 0, extents, u.data());
  EXPECT_EQ(at(u, extents, 0, 3), 0.0);  // the wall
  EXPECT_EQ(at(u, extents, -1, 3), -302.0);
  EXPECT_EQ(at(u, extents, -2, 3), -303.0);
  EXPECT_EQ(at(u, extents, 8, 3), 0.0);
  EXPECT_EQ(at(u, extents, 9, 3), -308.0);
  EXPECT_EQ(at(u, extents, 4, -1), 5.0);  // along y the component is tangential
  EXPECT_EQ(at(u, extents, 4, -2), 105.0);
  EXPECT_EQ(at(u, extents, 4, 8), 705.0);
  EXPECT_EQ(at(u, extents, 4, 9), 605.0);
  EXPECT_EQ(at(u, extents, -2, -2), -103.0);  // a corner has both
  EXPECT_EQ(at(u, extents, 5, 5), 506.0);
}

TEST(DomainFaces, of_a_no_slip_wall_turn_a_velocity_round_that_falls_to_0_there) {
  using Shape = BlockShape<2>;
  const Domain domain = make_domain(2, {8, 8, 1}, FaceCondition::no_slip);
  const TileExtents<Shape> extents(2);
  const auto parabola = [](const Vec3i& n) { return (n.x() + 0.5) * (7.5 - n.x()) + 100.0 * n.y(); };
  const auto falls = [](const Vec3i& n) { return (n.x() < 4 ? n.x() + 0.5 : 7.5 - n.x()) * n.y(); };
  std::vector<double> v = sampled<Shape>(domain, {0, 0, 0}, 1, extents, falls);
  apply_domain_faces(domain, {0, 0, 0}, 1, extents, v.data());
  EXPECT_EQ(at(v, extents, -1, 3), -1.5);
  EXPECT_EQ(at(v, extents, -2, 3), -4.5);
  EXPECT_EQ(at(v, extents, 9, 3), -4.5);
  v = sampled<Shape>(domain, {0, 0, 0}, 1, extents, parabola);
  apply_domain_faces(domain, {0, 0, 0}, 1, extents, v.data());
  EXPECT_EQ(at(v, extents, 3, -1), -parabola({3, 1, 0}));
  EXPECT_EQ(at(v, extents, 3, 0), 0.0);
}

/// Where the grid's own profile tells the velocity at the wall: 0 if it falls linearly to it, that of the first sample
/// if it does not fall, never beyond these two.
TEST(DomainFaces, of_a_no_slip_wall_continue_the_profile_of_the_liquid) {
  using Shape = BlockShape<2>;
  DomainOptions options;
  options.dimension = 2;
  options.cells = {8, 13, 1};
  for (int axis = 0; axis < 2; ++axis) options.boundary[axis] = {FaceCondition::no_slip, FaceCondition::no_slip};
  const Domain domain(options);
  const TileExtents<Shape> extents(2);
  const auto ghosts = [&](const std::function<double(int)>& profile, double& below, double& above) {
    const auto value = [&](const Vec3i& index) { return profile(index.y()); };
    std::vector<double> u = sampled<Shape>(domain, {0, 0, 0}, 0, extents, value);
    apply_domain_faces(domain, {0, 0, 0}, 0, extents, u.data());
    below = at(u, extents, 3, -2);
    u = sampled<Shape>(domain, {0, 8, 0}, 0, extents, value);
    apply_domain_faces(domain, {0, 8, 0}, 0, extents, u.data());
    above = at(u, extents, 3, 6);  // cell 14 of 13: the second beyond the wall
  };
  double below = 0.0;
  double above = 0.0;
  ghosts([](int j) { return -4.0 * (j + 0.5); }, below, above);  // linear, 0 at the low wall
  EXPECT_EQ(below, 6.0);
  EXPECT_EQ(above, -50.0);  // it grows towards the high wall, whose velocity is that of the nearest sample
  ghosts([](int j) { return 3.0 + j; }, below, above);
  EXPECT_EQ(below, 2.0 * 2.5 - 4.0);
  EXPECT_EQ(above, 15.0);  // and not 2 * 15 - 14: paths of particles beyond the wall are bounded by what is inside
  ghosts([](int j) { return j % 2 == 0 ? 1.0 : 9.0; }, below, above);  // beyond 0 by linear extrapolation
  EXPECT_EQ(below, -9.0);
  ghosts([](int j) { return j % 2 == 0 ? 1.0 : -9.0; }, below, above);
  EXPECT_EQ(below, 9.0);  // and not 2 * 1 + 9
}

/// The domain of an axis of no slip beside another one, whose profiles are extrapolated. \param[in] cells  of a block
Domain sticky_domain(const Vec3i& cells) {
  DomainOptions options;
  options.dimension = 3;
  options.cells = cells;
  for (auto& sides : options.boundary) sides = {FaceCondition::no_slip, FaceCondition::no_slip};
  return Domain(options);
}

/// Garbage outside the domain must not count either, in one cell between two walls least of all.
TEST(DomainFaces, of_no_slip_walls_that_meet_in_an_edge_do_not_depend_on_the_order_of_axes) {
  using Shape = BlockShape<3>;
  const TileExtents<Shape> extents(2);
  const auto noise = [](const Vec3i& n) {
    return test::hashed(static_cast<std::size_t>(n.x() + 16 * n.y() + 256 * n.z()));
  };
  for (const Vec3i& cells : {Vec3i(6, 5, 7), Vec3i(3, 1, 2), Vec3i(1, 1, 4)})
    for (const auto& [component, one, other] : {std::array{0, 1, 2}, std::array{1, 0, 2}, std::array{2, 0, 1}}) {
      const auto exchanged = [a = one, b = other](Vec3i n) {
        std::swap(n[a], n[b]);
        return n;
      };
      const auto reversed = [&cells, a = one, b = other](Vec3i n) {
        n[a] = cells[a] - 1 - n[a];
        n[b] = cells[b] - 1 - n[b];
        return n;
      };
      const auto continued = [c = component, &extents](const Vec3i& size,
                                                       const std::function<double(const Vec3i&)>& value) {
        std::vector<double> u = sampled(sticky_domain(size), {0, 0, 0}, c, extents, value);
        apply_domain_faces(sticky_domain(size), {0, 0, 0}, c, extents, u.data());
        return u;
      };
      const std::vector<double> u = continued(cells, noise);
      const std::vector<double> of_exchanged =
          continued(exchanged(cells), [&](const Vec3i& n) { return noise(exchanged(n)); });
      const std::vector<double> of_reversed = continued(cells, [&](const Vec3i& n) { return noise(reversed(n)); });
      for (int k = -2; k < cells.z() + 2; ++k)
        for (int j = -2; j < cells.y() + 2; ++j)
          for (int i = -2; i < cells.x() + 2; ++i) {
            const Vec3i n(i, j, k), to = exchanged(n), back = reversed(n);
            const double here = at(u, extents, i, j, k);
            EXPECT_EQ(at(of_exchanged, extents, to.x(), to.y(), to.z()), here) << component << ": " << n.transpose();
            EXPECT_EQ(at(of_reversed, extents, back.x(), back.y(), back.z()), here)
                << component << ": " << n.transpose();
          }
    }
}

TEST(DomainFaces, that_are_open_carry_the_last_value_on) {
  using Shape = BlockShape<3>;
  const Domain domain = make_domain(3, {13, 8, 8}, FaceCondition::open);
  const TileExtents<Shape> extents(3);
  const Vec3i first(8, 0, 0);
  std::vector<double> u = sampled(domain, first, 0, extents, by_index);
  apply_domain_faces(domain, first, 0, extents, u.data());
  EXPECT_EQ(at(u, extents, 5, 2, 1), 10214.0);  // face 13 lies on the domain's end
  EXPECT_EQ(at(u, extents, 6, 2, 1), 10214.0);
  EXPECT_EQ(at(u, extents, 10, 2, 1), 10214.0);
  EXPECT_EQ(at(u, extents, -3, 2, 1), 10206.0);
  EXPECT_EQ(at(u, extents, 0, -3, 1), 10009.0);
  EXPECT_EQ(at(u, extents, 0, 10, -1), 709.0);
  std::vector<double> v = sampled(domain, first, 1, extents, by_index);
  apply_domain_faces(domain, first, 1, extents, v.data());
  EXPECT_EQ(at(v, extents, 4, 2, 1), 10213.0);  // cell 12 is the last one
  EXPECT_EQ(at(v, extents, 5, 2, 1), 10213.0);
  EXPECT_EQ(at(v, extents, 4, 8, 1), 10813.0);
  EXPECT_EQ(at(v, extents, 4, 10, 1), 10813.0);
}

TEST(DomainFaces, that_are_periodic_change_nothing) {
  using Shape = BlockShape<3>;
  const Domain domain = make_domain(3, {8, 8, 8}, FaceCondition::periodic);
  const TileExtents<Shape> extents(4);
  std::vector<double> u(static_cast<std::size_t>(extents.size()));
  for (std::size_t n = 0; n < u.size(); ++n) u[n] = test::hashed(n);
  const std::vector<double> before = u;
  apply_domain_faces(domain, {0, 0, 0}, 2, extents, u.data());
  EXPECT_EQ(u, before);
}

/// A wave that fits between walls with free slip is its own continuation beyond them.
template <class Shape>
void expect_waves_go_on(const Vec3i& cells) {
  const Domain domain = make_domain(Shape::dim, cells, FaceCondition::free_slip);
  for (int component = 0; component < Shape::dim; ++component) {
    const auto wave = [&](const Vec3i& index) {
      double value = 1.0;
      for (int axis = 0; axis < Shape::dim; ++axis) {
        const bool normal = axis == component;
        const double phase = std::numbers::pi * (index[axis] + (normal ? 0.0 : 0.5)) / cells[axis];
        value *= normal ? std::sin(phase) : std::cos(phase);
      }
      return value;
    };
    for (int pad = 1; pad <= block_width; ++pad)
      for (const BlockKey key : test::all_blocks(domain)) {
        const Vec3i first = morton_block(key).cwiseProduct(domain.block_cells());
        const TileExtents<Shape> extents(pad);
        std::vector<double> padded = sampled<Shape>(domain, first, component, extents, wave);
        apply_domain_faces(domain, first, component, extents, padded.data());
        const Vec3i end = (cells - first).cwiseMin(domain.block_cells()) + Vec3i::Constant(pad);
        const int pad_z = Shape::dim == 3 ? pad : 0;
        for (int k = -pad_z; k < (Shape::dim == 3 ? end.z() : 1); ++k)
          for (int j = -pad; j < end.y(); ++j)
            for (int i = -pad; i < end.x(); ++i)  // sines of phases below 60 in double
              ASSERT_NEAR(at(padded, extents, i, j, k), wave(first + Vec3i(i, j, k)), 1e-13)
                  << "component " << component << " pad " << pad << " at " << i << ' ' << j << ' ' << k;
      }
  }
}

TEST(DomainFaces, continue_waves_that_meet_the_walls_conditions) {
  expect_waves_go_on<BlockShape<2>>({16, 21, 1});
  expect_waves_go_on<BlockShape<2>>({3, 9, 1});  // thinner than the pad; a block of one layer
  expect_waves_go_on<BlockShape<3>>({11, 8, 17});
  expect_waves_go_on<BlockShape<3>>({1, 2, 20});
}

}  // namespace
}  // namespace freshet
