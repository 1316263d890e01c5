// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/viscosity/viscous_step.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace freshet::viscous {

/// Kind of a block's coefficients; kernels do not read those that the kind implies.
///
/// uniform: one viscosity in a block full of liquid, all W are 1. plain: one coefficient for each cell and edge.
/// walled: some differences reach a no-slip surface, and each velocity component has its own coefficients.
enum class Kind : std::uint8_t { none, uniform, plain, walled };

/// Number of the pair of axes d and e.
constexpr int pair_of(int d, int e) {
  return d + e - 1;
}
constexpr int n_pairs(int dimension) {
  return dimension == 3 ? 3 : 1;
}

/// The coefficients of one block: mass on faces, mu W on cells and edges.
///
/// Arrays of cells and edges have one layer around the block (TileExtents of 1); the edge of a pair of axes is the
/// low one of its cell. Component 0 of an edge belongs to the lower axis, 1 to the higher axis, 2 to their product.
template <class Shape>
struct BlockStress {
  static constexpr int padded = TileExtents<Shape>(1).size();
  static constexpr int masses = Shape::dim * Shape::cells;
  static constexpr std::size_t size(Kind kind) {
    if (kind == Kind::plain) return masses + (1 + n_pairs(Shape::dim)) * padded;
    if (kind == Kind::walled) return masses + (Shape::dim + 3 * n_pairs(Shape::dim)) * padded;
    return 0;
  }
  const float* values;

  const float* mass(int d) const { return values + d * Shape::cells; }
  template <Kind kind>
  const float* cell(int d) const {
    return values + masses + (kind == Kind::walled ? d : 0) * padded;
  }
  template <Kind kind>
  const float* edge(int pair, int component) const {
    if constexpr (kind == Kind::plain) return values + masses + (1 + pair) * padded;
    return values + masses + (Shape::dim + 3 * pair + component) * padded;
  }
};

class CoarseLink;

/// Drag of a no-slip thin wall along a face: a stress proportional to the difference of their velocities.
struct WallDrag {
  std::int8_t axis;
  std::int16_t face;     ///< number of the face in its block; it has an unknown
  float coefficient;     ///< mu W [Pa s]
  double wall_velocity;  ///< [m/s]
};

/// Stored masses of faces without an unknown, below 0 if a solid holds the face.
constexpr float held_by_body = -1.0F;    ///< a body of open fractions without slip holds it
constexpr float held_otherwise = -2.0F;  ///< another solid holds it, or the domain's wall

/// Finds and keeps the coefficients of all owned blocks.
class StressWeights {
 public:
  using Values = TrackedVector<float, MemoryKind::pressure>;  ///< numbers of one block; see BlockStress

  /// Parallel: collective (ghosts of labels and distance); OpenMP
  void rebuild(const ViscousLiquid& liquid);
  /// rebuild() without unknowns in blocks for which `is_wanted` is false.
  void rebuild(const ViscousLiquid& liquid, const std::function<bool(LocalIndex)>& is_wanted);
  /// Set the coefficients of faces, cells and edges twice as wide, as means over the boxes around them.
  ///
  /// A coarse face is held if a fine face on it is; an edge beside such a face takes the mean over the fine edges on
  /// it. All other faces of cells and edges with stress have an unknown.
  /// \param[in] factor  width of a coarse cell in cells of `finest`
  /// Parallel: collective; OpenMP
  void coarsen(const StressWeights& fine, const CoarseLink& link, const BlockLayout& layout, const Domain& finest,
               int factor);

  const BlockLayout& layout() const { return *layout_; }
  Kind kind(LocalIndex block) const { return kind_[static_cast<std::size_t>(block)]; }
  /// Owned blocks with an unknown, ascending.
  const std::vector<LocalIndex>& active() const { return active_; }
  double uniform_viscosity() const { return viscosity_; }  ///< viscosity of uniform blocks [Pa s]
  template <class Shape>
  BlockStress<Shape> block(LocalIndex block) const {
    return {values_[static_cast<std::size_t>(block)].data()};
  }
  /// Rows of a block that hold an unknown of a component; bit r stands for row r.
  std::uint64_t rows(int axis, LocalIndex block) const {
    return rows_[static_cast<std::size_t>(block)][static_cast<std::size_t>(axis)];
  }
  /// Mass of a face; 0 without an unknown, held_by_body or held_otherwise where a solid holds it.
  double mass(int axis, LocalIndex block, int face) const;
  /// Drags of the thin walls along faces of a block; none on coarse levels.
  std::span<const WallDrag> drags(LocalIndex block) const {
    return drags_.empty() ? std::span<const WallDrag>() : drags_[static_cast<std::size_t>(block)];
  }
  GlobalIndex n_unknowns() const { return n_unknowns_; }  ///< number on this rank

 private:
  template <class Shape>
  Kind build(const ViscousLiquid& liquid, LocalIndex block, Values& values, std::vector<WallDrag>& drags) const;
  void find_active();

  const BlockLayout* layout_ = nullptr;
  double viscosity_ = 0.0;
  std::vector<Kind> kind_;
  std::vector<std::array<std::uint64_t, 3>> rows_;  ///< rows with unknowns, by block and component
  std::vector<LocalIndex> active_;
  std::vector<Values> values_;                ///< by owned block
  std::vector<std::vector<WallDrag>> drags_;  ///< by owned block; empty on coarse levels
  GlobalIndex n_unknowns_ = 0;
};

}  // namespace freshet::viscous
