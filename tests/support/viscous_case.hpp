// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/viscosity/viscous_step.hpp"
#include "support/random_blocks.hpp"
#include "viscosity/outer_faces.hpp"

#include <functional>
#include <memory>
#include <ostream>
#include <tuple>
#include <vector>

/// Viscous liquid in a box, for the tests of ViscousStep: said by functions of place, alike on every rank count.
namespace freshet::test {

constexpr auto no_slip = FaceCondition::no_slip;
constexpr auto free_slip = FaceCondition::free_slip;
constexpr auto periodic = FaceCondition::periodic;

/// Rough velocities up to 1/2, alike on every rank count. [m/s]
inline double random_velocity(int d, const Vec3& x) {
  return hashed(static_cast<std::uint64_t>(1e4 * x.x()) + 1000003 * static_cast<std::uint64_t>(1e4 * x.y()),
                static_cast<std::uint64_t>(1e4 * x.z()), static_cast<std::uint64_t>(d)) -
         0.5;
}

struct ViscousBox {
  int dimension = 2;
  Vec3i cells{16, 16, 1};
  double cell_size = 1.0;
  std::array<std::array<FaceCondition, 2>, 3> boundary{
      {{periodic, periodic}, {periodic, periodic}, {periodic, periodic}}};
  std::vector<SolidBody> bodies = {};
  std::function<double(const Vec3& x)> distance = {};  ///< to the surface, below 0 in liquid [m]; empty: all is liquid
  bool sharp = true;                                   ///< whether the distance itself is given, or only the cells
  double dt = 1.0;                                     ///< [s]
  bool sparse = false;                                 ///< only blocks with a cell within 4 cells of the liquid exist

  std::vector<BlockKey> blocks(const Domain& domain) const {
    std::vector<BlockKey> keys = test::all_blocks(domain);
    const Vec3i n = domain.block_cells();
    std::erase_if(keys, [&](BlockKey key) {
      bool is_near = !sparse;
      for (int c = 0; c < n.prod() && !is_near; ++c) {
        const Vec3i cell = morton_block(key).cwiseProduct(n) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
        is_near = distance(cell_size * (cell.cast<double>() + Vec3::Constant(0.5))) < 4.0 * cell_size;
      }
      return !is_near;
    });
    return keys;
  }
};

/// Fields of a ViscousBox. Places are in m; the domain's low corner is at 0.
class ViscousCase {
 public:
  ViscousCase(const Communicator& comm, const ViscousBox& box, const ViscosityOptions& options = {1e-11, 100000})
      : box_(box),
        domain_(make(box)),
        layout(comm, domain_, equal_splitters(comm, box.blocks(domain_)), box.blocks(domain_)),
        labels(layout, Label::solid),
        velocity(layout, 0.0),
        phi(layout, 0.0F),
        step(comm, options) {
    solids.reset(layout, box.bodies);
    solids.set_velocity(box.dt);
    velocity.fill(0.0);
    labels.fill(Label::solid);
    for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
      const Vec3 centre = corner + 0.5 * domain_.dx() * Vec3::Ones();
      const double d = box.distance ? box.distance(centre) / domain_.dx() : -1.0;
      phi.block(b)[c] = static_cast<float>(std::clamp(d, -1.5, 1.5));
      labels.block(b)[c] = solids.is_solid().block(b)[c] != 0 ? Label::solid : d < 0.0 ? Label::liquid : Label::air;
    });
    layout.halo().gather(labels, 1);
  }

  /// u_f = f(axis, place of the face's centre) on owned faces.
  template <class Function>
  void set_velocity(Function&& f) {
    for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) { velocity[d].block(b)[c] = f(d, x); });
  }
  /// u* as a step sees it: without a surface the velocity; with one, continued to faces of no liquid cell. Collective
  FaceField<double> start_of_step(double viscosity) {
    FaceField<double> result = velocity;
    if (!has_surface()) return result;
    viscous::StressWeights weights;
    weights.rebuild(liquid(viscosity));
    viscous::continue_linearly(weights, labels, velocity, result);
    return result;
  }
  /// The liquid as a step sees it. Collective
  ViscousLiquid liquid(double viscosity) {
    if (of_cells != nullptr)
      for_each_cell([&](LocalIndex b, int c, const Vec3&) {
        viscosity = std::max(viscosity, static_cast<double>(of_cells->stretch.block(b)[c]));
      });
    viscosity = layout.comm().max(viscosity);
    return {labels, solids, has_surface() ? SurfacePlace(phi) : SurfacePlace(), viscosity, of_cells};
  }
  ViscosityReport advance(double viscosity, double density = 1.0, const ViscousPressure* coupled = nullptr) {
    return step(liquid(viscosity), box_.dt / density, velocity, coupled);
  }
  /// f(axis, block, face, place of its centre) for all owned faces in the domain.
  template <class Function>
  void for_each_face(Function&& f) const {
    for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
      for (int d = 0; d < domain_.dimension(); ++d)
        f(d, b, c, Vec3(corner + 0.5 * domain_.dx() * (Vec3::Ones() - Vec3::Unit(d))));
    });
  }
  /// f(block, cell, its low corner)
  template <class Function>
  void for_each_cell(Function&& f) const {
    const Vec3i n = domain_.block_cells();
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const Vec3i cell = layout.first_cell(b) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
        if (domain_.contains_cell(cell)) f(b, c, Vec3(domain_.dx() * cell.cast<double>()));
      }
  }
  bool is_unknown(int d, LocalIndex b, int c) const { return step.mass(d, b, c) > 0.0; }
  /// Largest and root mean square |u_f - expected(axis, place)| over the faces with an unknown. Collective
  struct Error {
    double largest = 0.0;
    double rms = 0.0;
  };
  template <class Expected>
  Error error(Expected&& expected) const {
    Error error;
    double n = 0.0;
    for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
      if (!is_unknown(d, b, c)) return;
      const double difference = std::abs(velocity[d].block(b)[c] - expected(d, x));
      error.largest = std::max(error.largest, difference);
      error.rms += difference * difference;
      n += 1.0;
    });
    error.largest = layout.comm().max(error.largest);
    const double sums[] = {layout.comm().sum(error.rms), layout.comm().sum(n)};
    error.rms = std::sqrt(sums[0] / sums[1]);
    return error;
  }

 private:
  bool has_surface() const { return box_.distance && box_.sharp; }
  static Domain make(const ViscousBox& box) {
    DomainOptions options;
    options.dimension = box.dimension;
    options.cells = box.cells;
    options.cell_size = box.cell_size;
    options.boundary = box.boundary;
    return Domain(options);
  }
  ViscousBox box_;
  Domain domain_;

 public:
  BlockLayout layout;
  SolidFields solids;
  LabelField labels;
  FaceField<double> velocity;
  CellField<float> phi;
  const CellViscosities* of_cells = nullptr;
  ViscousStep step;
};

/// A wall across x, of a body that covers no centre of a cell, between liquid at low and at high x.
struct DividingWall {
  double low, high;  ///< its surfaces [cells]
  Slip slip;
  Surface surface;
  double speed;  ///< along y; then the liquid is at rest, else that at low x flows along y [m/s]
};
inline std::ostream& operator<<(std::ostream& stream, const DividingWall& wall) {
  return stream << (wall.surface == Surface::voxels ? "voxels" : "fractions") << " from " << wall.low << " to "
                << wall.high << (wall.slip == Slip::no_slip ? ", no slip, " : ", free slip, ") << wall.speed << " m/s";
}
inline std::vector<DividingWall> dividing_walls() {
  std::vector<DividingWall> walls;
  for (const auto& [surface, low, high] : {std::tuple{Surface::voxels, 7.875, 8.125},
                                           {Surface::fractions, 7.875, 8.0625},
                                           {Surface::fractions, 7.6875, 7.875}})
    for (const Slip slip : {Slip::free_slip, Slip::no_slip})
      for (const double speed : {0.0, 0.25}) walls.push_back({low, high, slip, surface, speed});
  return walls;
}

/// Liquid on both sides of a dividing wall. If it is thick, the wall fills two cells more at high x; one of whole cells
/// begins on the face that the thin one closes.
inline ViscousBox divided_box(int dimension, const DividingWall& wall, bool is_thick) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {16, 8, dimension == 3 ? 8 : 1};
  box.boundary[0] = {free_slip, free_slip};
  ShapeParameters shape;
  shape.lower = {wall.low, -9.0, -9.0};
  shape.upper = {is_thick ? wall.high + 2.0 : wall.high, 17.0, 17.0};
  const auto motion = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(0.0, wall.speed, 0.0), Vec3::Zero());
  box.bodies.push_back({make_shape(shape), wall.slip, WallCondition::sticky, wall.surface,
                        wall.speed != 0.0 ? motion : std::shared_ptr<const RigidMotion>()});
  return box;
}

/// What the liquid beside a dividing wall has before a step. [m/s]
inline double velocity_beside(const DividingWall& wall, int d, const Vec3& x) {
  return d == 1 && wall.speed == 0.0 && x.x() < wall.low ? 1.0 + 0.125 * x.x() : 0.0;
}

/// By how much the velocity at low x differs between a thin and a thick dividing wall, and, if the wall is at rest,
/// that at high x from rest. [m/s] Collective
inline double difference_beside(const DividingWall& wall, const ViscousCase& thin, const ViscousCase& thick) {
  double largest = 0.0;
  thin.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    const double u = thin.velocity[d].block(b)[c];
    if (x.x() < wall.low) largest = std::max(largest, std::abs(u - thick.velocity[d].block(b)[c]));
    if (x.x() > wall.high && wall.speed == 0.0) largest = std::max(largest, std::abs(u));
  });
  return thin.layout.comm().max(largest);
}

}  // namespace freshet::test
