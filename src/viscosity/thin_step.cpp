// SPDX-License-Identifier: Apache-2.0
#include "viscosity/thin_step.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "viscosity/held_forces.hpp"
#include "viscosity/thin_stress.hpp"

#include <array>

namespace freshet::viscous {
namespace {

/// Whether there is a thin wall on any rank. Collective if there are bodies
bool any_thin_wall(const SolidFields& solids, const BlockLayout& layout) {
  if (solids.bodies().empty()) return false;
  bool any = false;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) any = any || solids.is_near_thin_wall(b);
  return layout.comm().any(any);
}

}  // namespace

void ThinStep::operator()(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& before,
                          FaceField<double>& velocity, std::vector<HeldForce>* forces, MovedBodies* moved) {
  const BlockLayout& layout = liquid.labels.layout();
  const double dx = layout.domain().dx();
  const double scale = dt_over_density / (dx * dx);
  layout.halo().gather_together(1, before, liquid.labels);
  const bool has_others =
      liquid.viscosity_of_cells != nullptr || liquid.solids.any_fractions() || any_thin_wall(liquid.solids, layout);
  const bool has_weights = has_others || forces != nullptr || moved != nullptr;
  ViscousLiquid at_faces_of_cells = liquid;
  at_faces_of_cells.surface = SurfacePlace();
  if (has_weights) find_weights(at_faces_of_cells, scale, before);
  if (moved != nullptr) bodies_.find(at_faces_of_cells, scale, velocity, before, u_, *moved);
  add_thin_stress(liquid, scale * liquid.viscosity, before, velocity);
  if (has_others) add_stress(before, velocity);
  if (moved != nullptr) bodies_.finish_explicitly(before, velocity);
  if (forces == nullptr) return;
  if (moved != nullptr) {
    bodies_.move_held(u_);
    layout.halo().gather(u_, 1);
  }
  find_held_forces(at_faces_of_cells, {before, u_, nullptr, liquid.solids.open_fraction(), dt_over_density}, *forces);
}

void ThinStep::find_weights(const ViscousLiquid& liquid, double scale, const FaceField<double>& before) {
  weights_.rebuild(liquid, [&](LocalIndex block) { return !is_simple(liquid, block); });
  strain_.reset(weights_, scale);
  u_.reset(before.layout(), 0.0);
  set_faces(liquid, before);
  before.layout().halo().gather(u_, 1);
}

/// u_ = u^n on owned faces that no solid holds, and the solid's velocity on others. Bodies of open fractions hold faces
/// in blocks with weights only; faces without an unknown are dry or held there.
void ThinStep::set_faces(const ViscousLiquid& liquid, const FaceField<double>& before) {
  const BlockLayout& layout = weights_.layout();
  const SolidFields& solids = liquid.solids;
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
    const bool has_weights = !is_simple(liquid, block);
    for (int d = 0; d < before.dimension(); ++d) {
      const double* u = before[d].block(block);
      const float* u_s = solids.velocity()[d].block(block);
      const std::uint8_t* wall = solids.wall()[d].block(block);
      double* to = u_[d].block(block);
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const bool may_leave = is_wall_face(wall[c]) && (wall[c] & may_separate) != 0;
        const bool is_held =
            has_weights ? !(weights_.mass(d, block, c) > 0.0 || may_leave) : (wall[c] & one_solid) != 0 && !may_leave;
        to[c] = is_held ? static_cast<double>(u_s[c]) : u[c];
      }
    }
  });
}

/// velocity += dt div (2 mu D(u_)) / rho in the blocks that have weights, and += u_s - u^n on faces that bodies hold.
void ThinStep::add_stress(const FaceField<double>& before, FaceField<double>& velocity) const {
  with_shape(velocity.dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(weights_.layout().n_owned(), [&](LocalIndex block) {
      std::array<double, 3 * Shape::cells> stress{};
      double* const of_axis[3] = {stress.data(), stress.data() + Shape::cells,
                                  stress.data() + (Shape::dim - 1) * Shape::cells};
      if (weights_.kind(block) != Kind::none) strain_.apply_in_block<Shape>(u_, block, true, of_axis);
      for (int d = 0; d < Shape::dim; ++d)
        for (int c = 0; c < Shape::cells; ++c) {
          const double mass = weights_.mass(d, block, c);
          double& u = velocity[d].block(block)[c];
          if (mass > 0.0) u -= of_axis[d][c] / mass;
          if (mass == static_cast<double>(held_by_body)) u += u_[d].block(block)[c] - before[d].block(block)[c];
        }
    });
  });
}

}  // namespace freshet::viscous
