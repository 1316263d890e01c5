// SPDX-License-Identifier: Apache-2.0
#include "viscosity/thin_stress.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/kernels/outside_cells.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "viscosity/block_scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace freshet::viscous {
namespace {

/// Contents of a cell.
enum CellContent : std::uint8_t { holds_air, holds_liquid, holds_free_slip, holds_no_slip };

CellContent content_of(Solid solid) {
  return solid == Solid::no_slip ? holds_no_slip : solid == Solid::free_slip ? holds_free_slip : holds_air;
}

/// Coefficients of an edge as edge_stress() gives them for mu = 1.
struct EdgeFactors {
  float low = 0.0F, high = 0.0F, cross = 0.0F;
};

/// Coefficients of an edge along d and e from the contents of its cell and those below along d, e and both.
EdgeFactors factors_of(const std::array<int, 4>& cells) {
  int n_liquid = 0, n_open = 4;
  for (const int content : cells) {
    if (content == holds_free_slip) return {};
    n_liquid += content == holds_liquid ? 1 : 0;
    n_open -= content == holds_no_slip ? 1 : 0;
  }
  bool any_unknown = false;
  std::array<int, 4> n_solid{};  // solid cells beside the low and high face across d, and across e
  constexpr int sides[4][2] = {{2, 3}, {0, 1}, {1, 3}, {0, 2}};
  for (std::size_t face = 0; face < 4; ++face) {
    int n_wet = 0;
    for (const int cell : sides[face]) {
      n_solid[face] += cells[static_cast<std::size_t>(cell)] == holds_no_slip ? 1 : 0;
      n_wet += cells[static_cast<std::size_t>(cell)] == holds_liquid ? 1 : 0;
    }
    if (n_solid[face] == 0 && n_wet == 0) return {};
    any_unknown = any_unknown || n_solid[face] == 0;
  }
  if (!any_unknown) return {};
  const auto stretch = [](int low, int high) { return (low > 0) != (high > 0) && low + high == 2 ? 2.0 : 1.0; };
  const double along_d = stretch(n_solid[0], n_solid[1]);
  const double along_e = stretch(n_solid[2], n_solid[3]);
  const bool d_is_held = n_solid[0] > 0 && n_solid[1] > 0;
  const bool e_is_held = n_solid[2] > 0 && n_solid[3] > 0;
  const double cross = d_is_held ? along_d : e_is_held ? along_e : std::sqrt(along_d * along_e);
  const double weight = static_cast<double>(n_liquid) / n_open;
  return {static_cast<float>(weight * along_d), static_cast<float>(weight * along_e),
          static_cast<float>(weight * cross)};
}

/// Table of factors_of() by the contents a + 4 b + 16 c + 64 d of the four cells.
std::array<EdgeFactors, 256> make_edge_factors() {
  std::array<EdgeFactors, 256> result;
  for (int n = 0; n < 256; ++n)
    result[static_cast<std::size_t>(n)] = factors_of({n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6});
  return result;
}

/// Contents of cells beyond the domain, by their side along each axis: 0 below, 1 within, 2 above.
class Beyond {
 public:
  explicit Beyond(const Domain& domain) {
    for (int side = 0; side < 27; ++side) {
      const Vec3i sides(side % 3, side / 3 % 3, side / 9);
      Vec3i cell = Vec3i::Zero();
      for (int d = 0; d < domain.dimension(); ++d) cell[d] = sides[d] == 0 ? -1 : sides[d] == 2 ? domain.cells()[d] : 0;
      of_side_[static_cast<std::size_t>(side)] = content_of(beyond(domain, cell));
    }
  }
  CellContent operator()(int x, int y, int z) const { return of_side_[static_cast<std::size_t>(x + 3 * y + 9 * z)]; }

 private:
  std::array<CellContent, 27> of_side_{};
};

/// Arrays of add_thin_stress() for one block with a layer of cells around it.
template <class Shape>
class ThinBlock {
 public:
  static constexpr TileExtents<Shape> extents{1};
  static constexpr int size = extents.size(), first = extents.first(), end = extents.end();

  /// Read the cells. Returns whether there is liquid in or beside the block.
  bool look_at(const ViscousLiquid& liquid, const BlockLayout& layout, const Beyond& beyond, LocalIndex block);
  void read(const SolidFields& solids, const FaceField<double>& u, LocalIndex block);
  void find_forces(const std::array<EdgeFactors, 256>& factors);
  void write(float stiffness, int d, double* to) const;

 private:
  void look_outside(const BlockLayout& layout, const Beyond& beyond, LocalIndex block);
  void find_edge_stresses(const std::array<EdgeFactors, 256>& factors, int d, int e);

  bool any_solid_ = false;
  std::uint8_t content_[size];
  float liquid_[size];    ///< 1 in cells of liquid, 0 in others
  float u_[3][size];      ///< velocity, with the solids' on held faces [m/s]
  float force_[3][size];  ///< force on the block's faces / (mu dx) [m/s]
  float low_[size];       ///< force of the present stress on faces across the lower axis
  float high_[size];
};

template <class Shape>
bool ThinBlock<Shape>::look_at(const ViscousLiquid& liquid, const BlockLayout& layout, const Beyond& beyond,
                               LocalIndex block) {
  const Tile<Label, Shape, 1> label(liquid.labels, block);
  const Tile<std::uint8_t, Shape, 1> solid(liquid.solids.is_solid(), block);
  static_assert(holds_air == 0 && holds_liquid == 1 && holds_no_slip == holds_free_slip + 1 && no_slip_solid == 2);
  for (int n = 0; n < size; ++n) {  // without branches, so that the compiler takes many cells at a time
    const std::uint8_t liquid_or_air = label[n] == Label::liquid ? 1 : 0;
    const auto kind = static_cast<std::uint8_t>(holds_free_slip + (solid[n] >> 1 & 1));
    content_[n] = solid[n] != 0 ? kind : liquid_or_air;
  }
  look_outside(layout, beyond, block);
  std::uint8_t any_solid = 0, any_liquid = 0;
  for (int n = 0; n < size; ++n) {
    any_liquid |= content_[n] == holds_liquid ? 1 : 0;
    any_solid |= content_[n] & 2U;
  }
  for (int n = 0; n < size; ++n) liquid_[n] = content_[n] == holds_liquid ? 1.0F : 0.0F;
  any_solid_ = any_solid != 0;
  return any_liquid != 0;
}

/// Set cells beyond the domain from the conditions at its faces, and cells without a block to air.
template <class Shape>
void ThinBlock<Shape>::look_outside(const BlockLayout& layout, const Beyond& beyond, LocalIndex block) {
  const Domain& domain = layout.domain();
  const Vec3i begin = layout.first_cell(block);
  const auto place = [&](int d, int i) {  // 0 below the domain, 1 inside, 2 above
    const int cell = begin[d] + i;
    return domain.periodic(d) || d >= Shape::dim ? 1 : cell < 0 ? 0 : cell >= domain.cells()[d] ? 2 : 1;
  };
  for_each_outside_cell<Shape>(
      layout, block, 1,
      [&](const Vec3i& cell) {
        content_[extents.at(cell)] = beyond(place(0, cell.x()), place(1, cell.y()), place(2, cell.z()));
      },
      [&](const Vec3i& cell) { content_[extents.at(cell)] = holds_air; });
}

template <class Shape>
void ThinBlock<Shape>::read(const SolidFields& solids, const FaceField<double>& u, LocalIndex block) {
  for (int d = 0; d < Shape::dim; ++d) {
    fill_tile(u[d], block, extents, u_[d]);
    if (!any_solid_) continue;
    const Tile<float, Shape, 1> of_solid(solids.velocity()[d], block);
    const Tile<std::uint8_t, Shape, 1> wall(solids.wall()[d], block);
    for (int n = 0; n < size; ++n) {
      const bool may_leave = is_wall_face(wall[n]) && (wall[n] & may_separate) != 0;
      u_[d][n] = (wall[n] & one_solid) != 0 && !may_leave ? of_solid[n] : u_[d][n];
    }
  }
}

template <class Shape>
void ThinBlock<Shape>::find_forces(const std::array<EdgeFactors, 256>& factors) {
  for (int d = 0; d < Shape::dim; ++d) {
    const int along = extents.stride(d);
    for (int n = 0; n < end; ++n) low_[n] = 2.0F * liquid_[n] * (u_[d][n + along] - u_[d][n]);
    for (int n = first; n < end; ++n) force_[d][n] = low_[n] - low_[n - along];
  }
  for (int e = 1; e < Shape::dim; ++e)
    for (int d = 0; d < e; ++d) {
      find_edge_stresses(factors, d, e);
      for (int n = first; n < end; ++n) force_[d][n] += low_[n + extents.stride(e)] - low_[n];
      for (int n = first; n < end; ++n) force_[e][n] += high_[n + extents.stride(d)] - high_[n];
    }
}

template <class Shape>
void ThinBlock<Shape>::find_edge_stresses(const std::array<EdgeFactors, 256>& factors, int d, int e) {
  const int along = extents.stride(d), across = extents.stride(e);
  if (any_solid_) {
    for (int n = first; n < size; ++n) {
      const auto cells = static_cast<std::size_t>(content_[n] | content_[n - along] << 2 | content_[n - across] << 4 |
                                                  content_[n - along - across] << 6);
      const EdgeFactors& of = factors[cells];
      const float of_d = u_[d][n] - u_[d][n - across];
      const float of_e = u_[e][n] - u_[e][n - along];
      low_[n] = of.low * of_d + of.cross * of_e;
      high_[n] = of.high * of_e + of.cross * of_d;
    }
    return;
  }
  for (int n = first; n < size; ++n) {  // result of factors_of() without solids
    const float here = liquid_[n], below_d = liquid_[n - along], below_e = liquid_[n - across],
                below = liquid_[n - along - across];
    const float all_wet =
        std::max(here, below_d) * std::max(below_e, below) * std::max(here, below_e) * std::max(below_d, below);
    const float weight = 0.25F * (here + below_d + below_e + below) * all_wet;
    low_[n] = high_[n] = weight * ((u_[d][n] - u_[d][n - across]) + (u_[e][n] - u_[e][n - along]));
  }
}

/// to += stiffness force / W on faces of component d, with W the mean of `liquid_` in the two cells of a face.
template <class Shape>
void ThinBlock<Shape>::write(float stiffness, int d, double* to) const {
  const int along = extents.stride(d);
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j) {
      const int row = extents.at(0, j, k);
      for (int i = 0; i < Shape::nx; ++i) {
        const int n = row + i;
        const float both = liquid_[n] + liquid_[n - along];  // 2, or 1 at the surface
        const bool is_held = ((content_[n] | content_[n - along]) & 2U) != 0;
        const float inverse = both == 0.0F || is_held ? 0.0F : 3.0F - both;
        to[Shape::cell(i, j, k)] += static_cast<double>(stiffness * inverse * force_[d][n]);
      }
    }
}

/// Whether one of the cells around a face of component d holds liquid: those beside it, and those next to them across
/// d. Cells beyond a layer around the block do not count.
template <class Shape>
bool is_beside_liquid(const Tile<Label, Shape, 1>& label, int d, const Vec3i& cell) {
  Vec3i low = cell - Vec3i::Ones(), high = cell + Vec3i::Ones();
  high[d] = cell[d];
  for (int e = 0; e < 3; ++e) {
    low[e] = e < Shape::dim ? std::max(low[e], -1) : 0;
    high[e] = e < Shape::dim ? std::min(high[e], block_width) : 0;
  }
  for (int k = low.z(); k <= high.z(); ++k)
    for (int j = low.y(); j <= high.y(); ++j)
      for (int i = low.x(); i <= high.x(); ++i)
        if (label(i, j, k) == Label::liquid) return true;
  return false;
}

/// Whether a wall thinner than a cell stands between faces of an owned block and their stress: it lies on a face beside
/// liquid. Walls farther off may lie in blocks that do not exist, and must not choose how a block is computed.
template <class Shape>
bool has_thin_wall(const ViscousLiquid& liquid, LocalIndex block) {
  const Tile<Label, Shape, 1> label(liquid.labels, block);
  for (int d = 0; d < Shape::dim; ++d) {
    const Tile<std::uint8_t, Shape, 1> wall(liquid.solids.wall()[d], block);
    for (int n = 0; n < wall.size; ++n)
      if ((wall[n] & thin_wall) != 0 && is_beside_liquid(label, d, wall.extents.place(n))) return true;
  }
  return false;
}

}  // namespace

bool is_simple(const ViscousLiquid& liquid, LocalIndex block) {
  if (liquid.viscosity_of_cells != nullptr || is_near_bodies(liquid.solids, block)) return false;
  if (!liquid.solids.is_near_thin_wall(block)) return true;
  return with_shape(liquid.labels.layout().domain().dimension(),
                    [&](auto shape) { return !has_thin_wall<decltype(shape)>(liquid, block); });
}

void add_thin_stress(const ViscousLiquid& liquid, double stiffness, const FaceField<double>& u, FaceField<double>& to) {
  static const std::array<EdgeFactors, 256> factors = make_edge_factors();
  const BlockLayout& layout = u.layout();
  const Beyond beyond(layout.domain());
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      static thread_local ThinBlock<Shape> thin;
      if (!is_simple(liquid, block) || !thin.look_at(liquid, layout, beyond, block)) return;
      thin.read(liquid.solids, u, block);
      thin.find_forces(factors);
      for (int d = 0; d < Shape::dim; ++d) thin.write(static_cast<float>(stiffness), d, to[d].block(block));
    });
  });
}

}  // namespace freshet::viscous
