// SPDX-License-Identifier: Apache-2.0
#include "viscosity/block_scene.hpp"

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/outside_cells.hpp"

#include <cmath>

namespace freshet::viscous {
namespace {

constexpr double least_volume = 0.05;  ///< least liquid volume around an unknown that is on no liquid cell
constexpr float near_bodies = 3.0F;    ///< bodies farther from a block have no effect [cells]

/// Chooses the bodies of open fractions that hold liquid, or those along which it slides. The stress of a wall law is a
/// force of its own.
auto that_hold(bool hold) {
  return [hold](const SolidBody& body) { return has_fractions(body) && model_of(body.slip).is_held == hold; };
}

/// Signed distance of a point to the nearest body of open fractions that holds liquid, or does not. [m]; infinite
/// without one.
double distance_to_bodies(const NearBodies& near, bool that_holds, const Vec3& x) {
  return near.nearest(x, that_hold(that_holds)).distance;
}

bool has_body(const SolidFields& solids, bool that_holds) {
  return std::ranges::any_of(solids.bodies(), that_hold(that_holds));
}

}  // namespace

Solid solid_of(std::uint8_t bits) {
  if ((bits & no_slip_solid) != 0) return Solid::no_slip;
  return bits != 0 ? Solid::free_slip : Solid::none;
}

Solid beyond(const Domain& domain, const Vec3i& cell) {
  if (!domain.outside_is_solid(cell)) return Solid::none;
  bool is_rough = false;
  for (int d = 0; d < domain.dimension(); ++d) {
    if (cell[d] < 0) is_rough = is_rough || model_of(domain.condition(d, 0)).is_held;
    if (cell[d] >= domain.cells()[d]) is_rough = is_rough || model_of(domain.condition(d, 1)).is_held;
  }
  return is_rough ? Solid::no_slip : Solid::free_slip;
}

bool is_near_bodies(const SolidFields& solids, LocalIndex block) {
  return solids.any_fractions() && solids.nearest(block) < near_bodies;
}

template <class Shape>
auto BlockScene<Shape>::look_at(const ViscousLiquid& liquid, const BlockLayout& layout, LocalIndex block) -> Content {
  label_.fill(liquid.labels, block);
  const SolidFields& solids = liquid.solids;
  solids_ = &solids;
  layout_ = &layout;
  block_ = block;
  has_open_masses_ = liquid.has_open_masses;
  surface_.fill(liquid.surface, label_, block);
  bool any_liquid = false;
  for_each_near(1, [&](const Vec3i& cell) { any_liquid = any_liquid || label_[wide_at(cell)] == Label::liquid; });
  if (!any_liquid && !may_hold_octants(liquid, layout, block)) return Content::dry;
  const bool is_near = is_near_bodies(solids, block);
  const bool is_full = liquid.viscosity_of_cells == nullptr && !is_near && !solids.is_near_thin_wall(block) &&
                       std::all_of(label_.begin(), label_.end(), [](Label label) { return label == Label::liquid; }) &&
                       surface_.all_full();
  if (is_full) return Content::full;
  const Vec3i first = layout.first_cell(block);
  find_solids(liquid, layout, block);
  has_bodies_ = is_near && has_body(solids, true);
  const NearBodies near(solids, block);
  if (has_bodies_) find_distances(near, layout.domain(), first);
  find_thin_walls(solids, layout.domain(), first, block);
  open_.fill(solids.open_fraction(), block);
  has_viscosities_ = liquid.viscosity_of_cells != nullptr;
  if (has_viscosities_) {
    viscosity_.fill(liquid.viscosity_of_cells->stretch, block);
    shear_viscosity_.fill(liquid.viscosity_of_cells->shear, block);
  } else {
    std::fill(viscosity_.begin(), viscosity_.end(), static_cast<float>(liquid.viscosity));
  }
  for_each_near(2, [&](const Vec3i& cell) { fill_octants(cell); });
  is_cut_ = is_near && has_body(solids, false);
  if (is_cut_) {
    std::copy_n(volume_, for_octants_.size() * n_octants, whole_);
    cut_octants(near, layout.domain(), first);
  }
  find_states();
  return Content::mixed;
}

/// Whether octants of cells of air may hold liquid in the block or around it: those of other blocks do, too, wherever
/// liquid cells are.
template <class Shape>
bool BlockScene<Shape>::may_hold_octants(const ViscousLiquid& liquid, const BlockLayout& layout, LocalIndex block) {
  if (!surface_.reach_into_air()) return false;
  const auto any_near_surface = [&](auto counts) {
    bool any = false;
    for_each_near(2, [&](const Vec3i& cell) { any = any || (surface_.part_at(cell) > 0.0F && counts(cell)); });
    return any;
  };
  if (!any_near_surface([](const Vec3i&) { return true; })) return false;
  find_solids(liquid, layout, block);  // puts air where no block is
  return any_near_surface([this](const Vec3i& cell) { return solid(cell) == Solid::none; });
}

template <class Shape>
void BlockScene<Shape>::find_solids(const ViscousLiquid& liquid, const BlockLayout& layout, LocalIndex block) {
  const Domain& domain = layout.domain();
  const Vec3i first = layout.first_cell(block);
  raw_solid_.fill(liquid.solids.is_solid(), block);
  for (int n = 0; n < raw_solid_.size; ++n) solid_[n] = solid_of(raw_solid_[n]);
  for_each_outside_cell<Shape>(
      layout, block, wide_.pad,
      [&](const Vec3i& cell) {
        solid_[wide_at(cell)] = beyond(domain, first + cell);
        // air beyond open sides, with or without a block there
        if (solid(cell) == Solid::none) surface_.set_air(cell);
      },
      [&](const Vec3i& cell) {
        solid_[wide_at(cell)] = Solid::none;  // air, as there is no block
        surface_.set_air(cell);
      });
}

template <class Shape>
void BlockScene<Shape>::find_distances(const NearBodies& near, const Domain& domain, const Vec3i& first) {
  for (int d = 0; d < Shape::dim; ++d)
    for_each_near(1, [&](const Vec3i& cell) {
      const Vec3 place = (first + cell).template cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d));
      distance_[d][near_at(cell)] = distance_to_bodies(near, true, domain.origin() + domain.dx() * place) / domain.dx();
    });
}

/// Find thin walls. A face that a no-slip body of open fractions closes is one if no other body is nearer.
template <class Shape>
void BlockScene<Shape>::find_thin_walls(const SolidFields& solids, const Domain& domain, const Vec3i& first,
                                        LocalIndex block) {
  const NearBodies near(solids, block);
  has_thin_walls_ = solids.is_near_thin_wall(block);
  if (!has_thin_walls_) return;
  for (int d = 0; d < Shape::dim; ++d) {
    fill_tile(solids.wall()[d], block, near_, wall_[d]);
    for_each_near(1, [&](const Vec3i& cell) {
      std::uint8_t& wall = wall_[d][near_at(cell)];
      const bool is_between = solid(cell) == Solid::none && solid(cell - Vec3i::Unit(d)) == Solid::none;
      bool counts = is_between && (wall & thin_wall) != 0;
      if (is_between && (wall & covered) != 0 && has_bodies_) {
        const Vec3 place = (first + cell).template cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d));
        const Vec3 x = domain.origin() + domain.dx() * place;
        counts = distance(d, cell) * domain.dx() <= distance_to_bodies(near, false, x);
      }
      if (!counts) wall = 0;
    });
  }
}

template <class Shape>
void BlockScene<Shape>::find_states() {
  for (int d = 0; d < Shape::dim; ++d)
    for_each_near(1, [&](const Vec3i& cell) {
      const Vec3i below = cell - Vec3i::Unit(d);
      const bool touches_solid = solid(cell) != Solid::none || solid(below) != Solid::none;
      const bool touches_liquid = label_[wide_at(cell)] == Label::liquid || label_[wide_at(below)] == Label::liquid;
      FaceState& state = state_[d][near_at(cell)];
      if (touches_solid || (has_bodies_ && distance(d, cell) <= 0.0) || thin_wall_on(d, cell) != Solid::none) {
        state = FaceState::held;
      } else {
        const bool is_wet = touches_liquid || face_volume(d, cell) > least_volume;
        state = is_wet && open_[d][near_at(cell)] > 0.0F ? FaceState::unknown : FaceState::dry;
      }
    });
}

/// Set the volumes of a cell's octants.
template <class Shape>
void BlockScene<Shape>::fill_octants(const Vec3i& cell) {
  float* const volume = volume_ + octant_at(cell) * n_octants;
  float* const stress = stress_ + octant_at(cell) * n_octants;
  if (solid(cell) != Solid::none) {
    std::fill_n(volume, n_octants, 0.0F);
  } else {
    surface_.find_parts(
        cell, [this](const Vec3i& other) { return solid(other) == Solid::none; }, volume);
  }
  const auto viscosity = viscosity_[octant_at(cell)];
  for (int o = 0; o < n_octants; ++o) stress[o] = viscosity * volume[o];
}

/// Remove the parts of octants that lie in free-slip bodies.
template <class Shape>
void BlockScene<Shape>::cut_octants(const NearBodies& near, const Domain& domain, const Vec3i& first) {
  const double dx = domain.dx();
  for_each_near(2, [&](const Vec3i& cell) {
    for (int o = 0; o < n_octants; ++o) {
      const std::size_t n = static_cast<std::size_t>(octant_at(cell) * n_octants + o);
      if (volume_[n] == 0.0F) continue;
      Vec3 place = (first + cell).template cast<double>();
      for (int d = 0; d < 3; ++d) place[d] += d < Shape::dim ? 0.25 + 0.5 * (o >> d & 1) : 0.5;
      const Vec3 x = domain.origin() + dx * place;
      const float open =
          part_of_octant(static_cast<float>(-near.nearest_within(dx, x, that_hold(false)).distance / dx));
      volume_[n] *= open;
      stress_[n] *= open;
    }
  });
}

template class BlockScene<BlockShape<2>>;
template class BlockScene<BlockShape<3>>;

}  // namespace freshet::viscous
