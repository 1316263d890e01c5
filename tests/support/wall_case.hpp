// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/halo.hpp"
#include "freshet/pressure/projection.hpp"
#include "freshet/solids/solids.hpp"
#include "support/pressure_scene.hpp"
#include "support/random_blocks.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

/// Liquid against walls, for the tests of Projection: said by functions of the cell, alike on every rank count.
namespace freshet::test {

/// A closed box all of whose walls are of one kind, and the velocities on its faces.
struct WallBox {
  int dimension = 3;
  Vec3i cells{16, 16, 16};
  double cell_size = 1.0;
  WallCondition condition = WallCondition::separating;
  std::array<std::array<WallChoice, 2>, 3> face{};
  bool stores_walls = false;
  std::vector<SolidBody> bodies;
  CellLabel liquid;                                             ///< asked for cells that are not solid
  std::function<double(int axis, const Vec3i& cell)> velocity;  ///< u* on the low face of a cell [m/s]
  std::function<double(const Vec3& center)> distance = {};   ///< to the surface, below 0 in liquid [cells]; empty: none
  std::function<double(const Vec3& center)> curvature = {};  ///< of the surface, with a tension of 1; empty: no tension

  Domain domain() const {
    DomainOptions parameters;
    parameters.dimension = dimension;
    parameters.cells = cells;
    parameters.cell_size = cell_size;
    parameters.stores_walls = stores_walls;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t side = 0; side < 2; ++side) parameters.wall[axis][side] = choose(face[axis][side], condition);
    return Domain(parameters);
  }
};

/// The fields of a WallBox before and after a projection.
class WallCase {
 public:
  WallCase(const Communicator& comm, const WallBox& box)
      : domain_(box.domain()),
        layout(comm, domain_, equal_splitters(comm, all_blocks(domain_)), all_blocks(domain_)),
        labels(layout, Label::solid),
        velocity(layout, 0.0),
        pressure(layout, 0.0) {
    solids.reset(layout, box.bodies);
    if (box.distance) distance_.reset(layout, 0.0F);
    if (box.curvature) curvature_.reset(layout, 0.0F);
    has_distance_ = static_cast<bool>(box.distance);
    has_curvature_ = static_cast<bool>(box.curvature);
    pressure.fill(0.0);
    for (LocalIndex b = 0; b < layout.n_blocks(); ++b)
      for_each_cell(b, [&](const Vec3i& cell, int c) {
        const bool solid = solids.is_solid().block(b)[c] != 0;
        if (box.distance) distance_.block(b)[c] = static_cast<float>(box.distance(cell.cast<double>().array() + 0.5));
        if (box.curvature)
          curvature_.block(b)[c] = static_cast<float>(box.curvature(cell.cast<double>().array() + 0.5));
        const Label liquid_or_air = !box.distance                  ? box.liquid(cell)
                                    : distance_.block(b)[c] < 0.0F ? Label::liquid
                                                                   : Label::air;
        labels.block(b)[c] = solid ? Label::solid : liquid_or_air;
        for (int d = 0; d < domain_.dimension(); ++d) velocity[d].block(b)[c] = box.velocity(d, cell);
      });
    before = velocity;
  }

  ProjectionReport project(const PressureOptions& parameters) {
    Projection projection(layout.comm(), parameters);
    report = projection(labels, solids, velocity, pressure, nullptr,
                        has_distance_ ? SurfacePlace(distance_) : SurfacePlace(),
                        {has_curvature_ ? &curvature_ : nullptr, 1.0});
    layout.halo().gather(velocity, 1);
    return report;
  }

  /// f(cell, number in the block)
  template <class Function>
  void for_each_cell(LocalIndex block, Function&& f) const {
    const Vec3i n = domain_.block_cells();
    const Vec3i first = layout.first_cell(block);
    for (int c = 0; c < layout.cells_per_block(); ++c)
      f(Vec3i(first + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]))), c);
  }
  /// f(cell, block, c) for the owned liquid cells.
  template <class Function>
  void for_each_liquid(Function&& f) const {
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for_each_cell(b, [&](const Vec3i& cell, int c) {
        if (labels.block(b)[c] == Label::liquid) f(cell, b, c);
      });
  }
  /// Block and number of the cell one step from (block, c) along an axis.
  std::pair<LocalIndex, int> beside(LocalIndex block, int c, int axis, int step) const {
    const Vec3i n = domain_.block_cells();
    Vec3i place(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
    place[axis] += step;
    Vec3i offset = Vec3i::Zero();
    offset[axis] = place[axis] < 0 ? -1 : place[axis] >= n[axis] ? 1 : 0;
    place -= offset.cwiseProduct(n);
    const LocalIndex slot = layout.neighbours(block)[direction_index(offset.x(), offset.y(), offset.z())];
    return {slot, place.x() + n.x() * (place.y() + n.y() * place.z())};
  }
  /// f(axis, block of the face, face, normal into the liquid, block of the cell, cell, may separate) for every wall
  /// face of owned liquid, where the face is stored.
  template <class Function>
  void for_each_wall_face(Function&& f) const {
    for_each_liquid([&](const Vec3i&, LocalIndex b, int c) {
      for (int axis = 0; axis < domain_.dimension(); ++axis) {
        const auto [low_block, low] = beside(b, c, axis, -1);
        const auto [high_block, high] = beside(b, c, axis, 1);
        const bool low_solid = labels.block(low_block)[low] == Label::solid;
        const bool high_solid = labels.block(high_block)[high] == Label::solid;
        const auto separable = [&](LocalIndex slot, int face) {
          return (solids.wall()[axis].block(slot)[face] & may_separate) != 0;
        };
        if (low_solid) f(axis, b, c, 1, b, c, separable(b, c));
        if (high_solid && high_block != layout.background())
          f(axis, high_block, high, -1, b, c, separable(high_block, high));
      }
    });
  }
  /// Largest |u_f - expected(axis, cell)| over the faces of liquid cells that are stored. Collective.
  template <class Expected>
  double velocity_error(Expected&& expected) const {
    double worst = 0.0;
    for_each_liquid([&](const Vec3i& cell, LocalIndex b, int c) {
      for (int axis = 0; axis < domain_.dimension(); ++axis) {
        worst = std::max(worst, std::abs(velocity[axis].block(b)[c] - expected(axis, cell)));
        const auto [slot, high] = beside(b, c, axis, 1);
        if (slot == layout.background()) continue;
        worst = std::max(worst,
                         std::abs(velocity[axis].block(slot)[high] - expected(axis, Vec3i(cell + Vec3i::Unit(axis)))));
      }
    });
    return layout.comm().max(worst);
  }
  /// Largest |p~ - expected(cell)| of the liquid. Collective.
  template <class Expected>
  double pressure_error(Expected&& expected) const {
    double worst = 0.0;
    for_each_liquid([&](const Vec3i& cell, LocalIndex b, int c) {
      worst = std::max(worst, std::abs(pressure.block(b)[c] - expected(cell)));
    });
    return layout.comm().max(worst);
  }
  /// Largest net outflow of a liquid cell, from its faces' velocities. [m/s] Collective.
  double largest_outflow() const {
    double worst = 0.0;
    for_each_liquid([&](const Vec3i&, LocalIndex b, int c) {
      double sum = 0.0;
      for (int axis = 0; axis < domain_.dimension(); ++axis) {
        const auto [slot, high] = beside(b, c, axis, 1);
        sum += (slot == layout.background() ? 0.0 : velocity[axis].block(slot)[high]) - velocity[axis].block(b)[c];
      }
      worst = std::max(worst, std::abs(sum));
    });
    return layout.comm().max(worst);
  }
  /// Largest |min(p_s, u.n)| of the walls that liquid may leave, from fields alone: p_s = u.n - u*.n + p~. Collective.
  double complementarity() const {
    double worst = 0.0;
    for_each_wall_face([&](int axis, LocalIndex slot, int face, int normal, LocalIndex b, int c, bool separable) {
      if (!separable) return;
      const double u = normal * velocity[axis].block(slot)[face];
      const double p_s = u - normal * before[axis].block(slot)[face] + pressure.block(b)[c];
      worst = std::max(worst, std::abs(std::min(p_s, u)));
    });
    return layout.comm().max(worst);
  }
  /// Largest difference of two cases' velocities on owned faces next to liquid. Collective.
  double velocity_difference(const WallCase& other) const {
    double worst = 0.0;
    for_each_liquid([&](const Vec3i&, LocalIndex b, int c) {
      for (int axis = 0; axis < domain_.dimension(); ++axis) {
        const auto [slot, high] = beside(b, c, axis, 1);
        worst = std::max(worst, std::abs(velocity[axis].block(b)[c] - other.velocity[axis].block(b)[c]));
        if (slot == layout.background()) continue;
        worst = std::max(worst, std::abs(velocity[axis].block(slot)[high] - other.velocity[axis].block(slot)[high]));
      }
    });
    return layout.comm().max(worst);
  }

 private:
  Domain domain_;
  CellField<float> distance_;
  CellField<float> curvature_;
  bool has_distance_ = false;
  bool has_curvature_ = false;

 public:
  BlockLayout layout;
  SolidFields solids;
  LabelField labels;
  FaceField<double> velocity;
  FaceField<double> before;  ///< u*
  CellField<double> pressure;
  ProjectionReport report;
};

}  // namespace freshet::test
