// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/free_surface/surface_octants.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/viscosity/viscous_step.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

/// Liquid and solids in and around a block, for the viscous stress.
namespace freshet::viscous {

enum class Solid : std::uint8_t { none, free_slip, no_slip };

/// The solid that covers a cell of the domain, from the bits of SolidFields::is_solid().
Solid solid_of(std::uint8_t bits);
/// The solid in a cell outside the domain, from the conditions at the domain's faces.
Solid beyond(const Domain& domain, const Vec3i& cell);
/// Whether a body of open fractions is near enough to affect an owned block.
bool is_near_bodies(const SolidFields& solids, LocalIndex block);

/// dry: the box around the face holds too little liquid. held: a solid prescribes the velocity.
enum class FaceState : std::uint8_t { dry, unknown, held };

/// The liquid and the solids in a block and around it. Cells and faces are named by their place relative to the block.
///
/// An octant is an eighth of a cell, in 2-D a quarter. Its volume is its liquid part.
template <class Shape>
class BlockScene {
 public:
  enum class Content { dry, full, mixed };
  static constexpr int n_octants = 1 << Shape::dim;

  /// Set the object to an owned block. Unless the result is mixed, the functions below are undefined. \pre ghosts of
  /// labels and distance valid to width 3
  Content look_at(const ViscousLiquid& liquid, const BlockLayout& layout, LocalIndex block);

  Solid solid(const Vec3i& cell) const { return solid_[wide_at(cell)]; }
  bool has_bodies() const { return has_bodies_; }  ///< no-slip bodies of open fractions are near
  bool has_thin_walls() const { return has_thin_walls_; }
  /// Kind of the wall thinner than a cell on a face between two cells that no solid covers. Free-slip bodies of open
  /// fractions do not count: faces that they close are dry.
  Solid thin_wall_on(int d, const Vec3i& cell) const {
    const std::uint8_t bits = has_thin_walls_ ? wall_[d][near_at(cell)] : std::uint8_t{0};
    if (bits == 0) return Solid::none;
    return (bits & (covered | no_slip_wall)) != 0 ? Solid::no_slip : Solid::free_slip;
  }
  /// Signed distance of a face's centre to the nearest no-slip body of open fractions [cells]. \pre has_bodies()
  double distance(int d, const Vec3i& cell) const { return distance_[d][near_at(cell)]; }
  bool is_thin_wall_of_whole_cells(int d, const Vec3i& cell) const {
    return has_thin_walls_ && (wall_[d][near_at(cell)] & thin_wall) != 0;
  }
  FaceState state(int d, const Vec3i& cell) const { return state_[d][near_at(cell)]; }
  bool is_held_by_body(int d, const Vec3i& cell) const {
    return has_bodies_ && solid(cell) == Solid::none && solid(cell - Vec3i::Unit(d)) == Solid::none &&
           !is_thin_wall_of_whole_cells(d, cell);
  }
  /// Whether there is liquid in the cells beside a face, or in those next to them across its axis. Solids farther off
  /// may lie in blocks that do not exist. \pre a face of the block
  bool is_beside_liquid(int d, const Vec3i& cell) const;
  /// Liquid part of the box around a face.
  double face_volume(int d, const Vec3i& cell) const;
  /// face_volume() with the liquid's part in bodies with free slip.
  double whole_volume(int d, const Vec3i& cell) const;
  double open_fraction(int d, const Vec3i& cell) const { return static_cast<double>(open_[d][near_at(cell)]); }
  /// The solid that the liquid moves and that cuts a face of the block, or the box around it; -1: none.
  int moved_at_cut(int d, const Vec3i& cell) const;
  /// Mass of a face with an unknown. \pre a face of the block
  double mass(int d, const Vec3i& cell) const;
  /// Integral of mu over the liquid in a cell, or in the box around its low edge along the axes d and e, divided by the
  /// volume of the box that is not solid. 0 at edges of free-slip solids. [Pa s]
  /// Where viscosities differ across an edge, stress is the same on both sides: mu is then the harmonic mean of the
  /// shear viscosities on the two sides along d, or along e if that is less.
  double cell_viscosity(const Vec3i& cell) const;
  double edge_viscosity(int d, int e, const Vec3i& cell) const { return viscosity_of_quarters(d, e, cell, 0b1111U); }
  /// edge_viscosity() of the half of the box on the low (side 0) or high (side 1) side of the edge along d.
  double half_viscosity(int d, int e, const Vec3i& cell, int side) const {
    return viscosity_of_quarters(d, e, cell, side == 1 ? 0b0101U : 0b1010U);
  }

 private:
  static constexpr TileExtents<Shape> wide_{3};
  static constexpr TileExtents<Shape> for_octants_{2};
  static constexpr TileExtents<Shape> near_{1};
  int wide_at(const Vec3i& cell) const { return wide_.at(cell); }
  int octant_at(const Vec3i& cell) const { return for_octants_.at(cell); }
  int near_at(const Vec3i& cell) const { return near_.at(cell); }
  bool may_hold_octants(const ViscousLiquid& liquid, const BlockLayout& layout, LocalIndex block);
  void find_solids(const ViscousLiquid& liquid, const BlockLayout& layout, LocalIndex block);
  void find_distances(const NearBodies& near, const Domain& domain, const Vec3i& first);
  void find_thin_walls(const SolidFields& solids, const Domain& domain, const Vec3i& first, LocalIndex block);
  /// \param[in] counted  bits of the quarters that count; number: 1 for the low side along d + 2 along e
  double viscosity_of_quarters(int d, int e, const Vec3i& cell, unsigned counted) const;
  void find_states();
  void fill_octants(const Vec3i& cell);
  void cut_octants(const NearBodies& near, const Domain& domain, const Vec3i& first);
  /// Call f(cell) for the block's cells and `pad` layers around them.
  template <class Function>
  static void for_each_near(int pad, Function&& f);
  double octants(const Vec3i& cell, int sides, int axes, const float* of_octants) const;

  /// Liquid volume in a part of a box, and mu times it.
  struct Part {
    double volume = 0.0;
    double stress = 0.0;
    void add(const Part& other) {
      volume += other.volume;
      stress += other.stress;
    }
  };
  /// Harmonic mean of mu of two halves of a box, or mu of the only one with liquid. [Pa s]
  static double harmonic_mean(const Part& low, const Part& high);

  const SolidFields* solids_ = nullptr;
  const BlockLayout* layout_ = nullptr;
  LocalIndex block_ = 0;
  bool has_open_masses_ = false;
  bool is_cut_ = false;  ///< bodies with free slip have cut octants
  bool has_bodies_ = false;
  bool has_thin_walls_ = false;
  bool has_viscosities_ = false;  ///< viscosities may differ between cells
  Tile<Label, Shape, 3> label_;
  Tile<Solid, Shape, 3> solid_;
  SurfaceOctants<Shape> surface_;
  Tile<float, Shape, 2> viscosity_;
  Tile<float, Shape, 2> shear_viscosity_;  ///< set if has_viscosities_
  Tile<std::uint8_t, Shape, 3> raw_solid_;
  FaceTile<float, Shape, 1> open_;
  FaceTile<double, Shape, 1> distance_;
  FaceTile<std::uint8_t, Shape, 1> wall_;  ///< set if has_thin_walls_: WallBits on thin walls that count, else 0
  FaceTile<FaceState, Shape, 1> state_;
  float volume_[for_octants_.size() * n_octants];  ///< liquid parts of octants
  float stress_[for_octants_.size() * n_octants];  ///< mu times the octants' volumes [Pa s]
  float whole_[for_octants_.size() * n_octants];   ///< set if is_cut_: volumes before
};

template <class Shape>
template <class Function>
void BlockScene<Shape>::for_each_near(int pad, Function&& f) {
  const int z = Shape::dim == 3 ? pad : 0;
  for (int k = -z; k < Shape::nz + z; ++k)
    for (int j = -pad; j < Shape::ny + pad; ++j)
      for (int i = -pad; i < Shape::nx + pad; ++i) f(Vec3i(i, j, k));
}

/// Sum over the octants of a cell whose sides along the given axes (bits) are `sides` (bits: 1 the high side).
template <class Shape>
double BlockScene<Shape>::octants(const Vec3i& cell, int sides, int axes, const float* of_octants) const {
  const float* const own = of_octants + octant_at(cell) * n_octants;
  double sum = 0.0;
  for (int o = 0; o < n_octants; ++o)
    if ((o & axes) == sides) sum += own[o];
  return sum;
}

template <class Shape>
bool BlockScene<Shape>::is_beside_liquid(int d, const Vec3i& cell) const {
  Vec3i low = cell - Vec3i::Ones(), high = cell + Vec3i::Ones();
  high[d] = cell[d];
  if (Shape::dim == 2) low.z() = high.z() = 0;
  for (int k = low.z(); k <= high.z(); ++k)
    for (int j = low.y(); j <= high.y(); ++j)
      for (int i = low.x(); i <= high.x(); ++i)
        if (octants(Vec3i(i, j, k), 0, 0, volume_) > 0.0) return true;
  return false;
}

template <class Shape>
double BlockScene<Shape>::face_volume(int d, const Vec3i& cell) const {
  const int axis = 1 << d;
  return (octants(cell, 0, axis, volume_) + octants(cell - Vec3i::Unit(d), axis, axis, volume_)) / n_octants;
}

template <class Shape>
double BlockScene<Shape>::whole_volume(int d, const Vec3i& cell) const {
  const float* const volume = is_cut_ ? whole_ : volume_;
  const int axis = 1 << d;
  return (octants(cell, 0, axis, volume) + octants(cell - Vec3i::Unit(d), axis, axis, volume)) / n_octants;
}

template <class Shape>
int BlockScene<Shape>::moved_at_cut(int d, const Vec3i& cell) const {
  const double open = open_fraction(d, cell);
  if (open <= 0.0) return -1;
  int solid = -1;
  if (open < 1.0) {
    solid = solids_->body_at_face(block_, d, Shape::cell(cell));
  } else if (is_cut_ && face_volume(d, cell) < whole_volume(d, cell)) {
    const Domain& domain = layout_->domain();
    const Vec3 place =
        (layout_->first_cell(block_) + cell).template cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d));
    const NearBodies near(*solids_, block_);
    solid = static_cast<int>(near.nearest(domain.origin() + domain.dx() * place, any_body).body);
  }
  return solid >= 0 && solids_->bodies()[static_cast<std::size_t>(solid)].is_free() ? solid : -1;
}

template <class Shape>
double BlockScene<Shape>::mass(int d, const Vec3i& cell) const {
  constexpr double least_mass = 0.01;  // a face of a liquid cell has no less
  if (has_open_masses_ && moved_at_cut(d, cell) >= 0)
    return std::max(least_mass, open_fraction(d, cell) * whole_volume(d, cell));
  return std::max(least_mass, face_volume(d, cell));
}

template <class Shape>
double BlockScene<Shape>::cell_viscosity(const Vec3i& cell) const {
  return solid(cell) != Solid::none ? 0.0 : octants(cell, 0, 0, stress_) / n_octants;
}

template <class Shape>
double BlockScene<Shape>::viscosity_of_quarters(int d, int e, const Vec3i& cell, unsigned counted) const {
  const int axes = 1 << d | 1 << e;
  Part quarter[4];
  double sum = 0.0;
  int n = 0;
  for (int side = 0; side < 4; ++side) {
    if ((counted >> side & 1U) == 0) continue;
    const Vec3i here = cell - (side & 1) * Vec3i::Unit(d) - (side >> 1) * Vec3i::Unit(e);
    if (solid(here) == Solid::free_slip) return 0.0;
    if (solid(here) == Solid::no_slip) continue;
    const int sides = (side & 1) << d | (side >> 1) << e;
    if (has_viscosities_) {
      quarter[side].volume = octants(here, sides, axes, volume_);
      quarter[side].stress = static_cast<double>(shear_viscosity_[octant_at(here)]) * quarter[side].volume;
    } else {
      sum += octants(here, sides, axes, stress_);
    }
    n += n_octants / 4;
  }
  if (n == 0) return 0.0;
  if (!has_viscosities_) return sum / n;
  Part halves[2][2];  // along d, along e
  for (int side = 0; side < 4; ++side) {
    halves[0][side & 1].add(quarter[side]);
    halves[1][side >> 1].add(quarter[side]);
  }
  const double volume = halves[0][0].volume + halves[0][1].volume;
  return volume / n * std::min(harmonic_mean(halves[0][0], halves[0][1]), harmonic_mean(halves[1][0], halves[1][1]));
}

template <class Shape>
double BlockScene<Shape>::harmonic_mean(const Part& low, const Part& high) {
  if (low.volume == 0.0 && high.volume == 0.0) return 0.0;
  if (low.volume == 0.0) return high.stress / high.volume;
  if (high.volume == 0.0) return low.stress / low.volume;
  if (low.stress == 0.0 || high.stress == 0.0) return 0.0;
  return (low.volume + high.volume) / (low.volume * low.volume / low.stress + high.volume * high.volume / high.stress);
}

}  // namespace freshet::viscous
