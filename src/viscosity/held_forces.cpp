// SPDX-License-Identifier: Apache-2.0
#include "viscosity/held_forces.hpp"

#include "freshet/core/parallel_for.hpp"
#include "viscosity/block_scene.hpp"
#include "viscosity/box_stress.hpp"

#include <array>

namespace freshet::viscous {
namespace {

/// The forces of one block's cells and their low edges, and of edges at high faces of the domain.
template <class Shape>
class ForcesInBlock {
 public:
  ForcesInBlock(const BlockScene<Shape>& scene, const SolidFields& solids, const ViscousChange& change,
                LocalIndex block, std::vector<HeldForce>& forces)
      : scene_(scene),
        solids_(solids),
        change_(change),
        block_(block),
        domain_(change.after.layout().domain()),
        first_(change.after.layout().first_cell(block)),
        neighbours_(change.after.layout().neighbours(block)),
        forces_(forces),
        velocity_(change.after, block) {
    if (change.pressure != nullptr) pressure_.fill(*change.pressure, block);
  }

  void find() {
    const auto end = [this](int axis, int n) {
      const int beyond = domain_.cells()[axis] - first_[axis];
      return !domain_.periodic(axis) && beyond <= n ? beyond + 1 : n;
    };
    const Vec3i n(end(0, Shape::nx), end(1, Shape::ny), Shape::dim == 3 ? end(2, Shape::nz) : 1);
    for (int k = 0; k < n.z(); ++k)
      for (int j = 0; j < n.y(); ++j)
        for (int i = 0; i < n.x(); ++i) {
          const Vec3i cell(i, j, k);
          if (is_of_other_block(cell)) continue;
          if (domain_.contains_cell(first_ + cell))
            for (int d = 0; d < Shape::dim; ++d) add_cell(d, cell);
          for (int e = 1; e < Shape::dim; ++e)
            for (int d = 0; d < e; ++d) add_edge(d, e, cell);
          if (scene_.has_bodies() && i < Shape::nx && j < Shape::ny && k < Shape::nz)
            for (int d = 0; d < Shape::dim; ++d) add_open_face(d, cell);
          if (scene_.has_thin_walls() && i < Shape::nx && j < Shape::ny && k < Shape::nz) add_drags(cell);
        }
  }

 private:
  /// Whether a cell beyond the block lies in another block that exists; blocks beyond the domain store faces of walls.
  bool is_of_other_block(const Vec3i& cell) const {
    const int x = cell.x() >= Shape::nx ? 1 : 0, y = cell.y() >= Shape::ny ? 1 : 0, z = cell.z() >= Shape::nz ? 1 : 0;
    return x + y + z > 0 && neighbours_[direction_index(x, y, z)] != change_.after.layout().background();
  }
  double velocity(int d, const Vec3i& face) const { return velocity_[d][velocity_.extents.at(face)]; }

  /// Add the forces of a velocity difference: opposite ones on its low and its high face.
  void add_pair(int d, const Vec3i& low, const Vec3i& high, const Vec3& at, double stress) {
    if (stress == 0.0) return;
    const double force = domain_.dx() * stress;  // [N]
    for (const auto& [face, along] : {std::pair(low, force), std::pair(high, -force)})
      if (scene_.state(d, face) == FaceState::held)
        forces_.push_back({d, first_ + face, domain_.origin() + domain_.dx() * at, along});
  }

  void add_cell(int d, const Vec3i& cell) {
    const Vec3i above = cell + Vec3i::Unit(d);
    const double stress = cell_stress(scene_, d, cell) * (velocity(d, above) - velocity(d, cell));
    add_pair(d, cell, above, (first_ + cell).template cast<double>() + Vec3::Constant(0.5), stress);
  }

  void add_edge(int d, int e, const Vec3i& cell) {
    const EdgeStress stress = edge_stress(scene_, d, e, cell);
    const Vec3i below_d = cell - Vec3i::Unit(d);
    const Vec3i below_e = cell - Vec3i::Unit(e);
    const double of_d = velocity(d, cell) - velocity(d, below_e);
    const double of_e = velocity(e, cell) - velocity(e, below_d);
    const Vec3 at = (first_ + cell).template cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d) - Vec3::Unit(e));
    add_pair(d, below_e, cell, at, stress.low * of_d + stress.cross * of_e);
    add_pair(e, below_d, cell, at, stress.high * of_e + stress.cross * of_d);
  }

  /// Add the forces of a cell's faces on the thin walls along them.
  void add_drags(const Vec3i& cell) {
    for_each_wall_drag(scene_, domain_, first_, cell, [&](int e, int d, int side, double coefficient, const Vec3& at) {
      const double difference = velocity(e, cell) - solids_.velocity_at(at)[e];
      const Vec3i beyond = first_ + cell + (2 * side - 1) * Vec3i::Unit(d);
      forces_.push_back({e, beyond, at, domain_.dx() * coefficient * difference});
    });
  }

  /// Add the forces at a partly open face that a body holds.
  void add_open_face(int d, const Vec3i& cell) {
    if (scene_.state(d, cell) != FaceState::held || !scene_.is_held_by_body(d, cell)) return;
    const int c = Shape::cell(cell);
    const auto open = static_cast<double>(change_.open_fraction[d].block(block_)[c]);
    if (open == 0.0) return;
    const Vec3i below = cell - Vec3i::Unit(d);
    double change = scene_.face_volume(d, cell) * (change_.before[d].block(block_)[c] - velocity(d, cell));
    if (change_.pressure != nullptr) change += pressure_(below) - pressure_(cell);
    if (change == 0.0) return;
    const double dx = domain_.dx();
    const Vec3 at = (first_ + cell).template cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d));
    const double force = open * change * dx * dx * dx / change_.dt_over_density;
    forces_.push_back({d, first_ + cell, domain_.origin() + dx * at, force, false});
  }

  const BlockScene<Shape>& scene_;
  const SolidFields& solids_;
  const ViscousChange& change_;
  const LocalIndex block_;
  const Domain& domain_;
  const Vec3i first_;
  const LocalIndex* const neighbours_;
  std::vector<HeldForce>& forces_;
  const FaceTile<double, Shape, 1> velocity_;
  Tile<double, Shape, 1> pressure_;
};

}  // namespace

void find_held_forces(const ViscousLiquid& liquid, const ViscousChange& change, std::vector<HeldForce>& forces) {
  const BlockLayout& layout = change.after.layout();
  forces.clear();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      static thread_local BlockScene<Shape> scene;
      static thread_local std::vector<HeldForce> found;
      found.clear();
      if (scene.look_at(liquid, layout, block) != BlockScene<Shape>::Content::mixed) return;
      ForcesInBlock<Shape>(scene, liquid.solids, change, block, found).find();
#pragma omp critical(freshet_held_forces)
      forces.insert(forces.end(), found.begin(), found.end());
    });
  });
}

}  // namespace freshet::viscous
