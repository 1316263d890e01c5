// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/padded.hpp"
#include "freshet/viscosity/viscous_step.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace freshet::viscous {

/// Which coefficients a block has; kernels do not read those that the kind implies.
///
/// uniform: one viscosity in a block full of liquid, all W are 1. plain: one coefficient for each cell and edge.
/// walled: some differences reach a no-slip surface, and each velocity component has coefficients of its own.
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
/// Arrays of cells and edges have one layer around the block (PaddedExtents of 1); the edge of a pair of axes is the
/// low one of its cell. Component 0 of an edge is of the lower axis, 1 of the higher axis, 2 of their product.
template <class Shape>
struct BlockStress {
  static constexpr int padded = 10 * 10 * (Shape::dim == 3 ? 10 : 1);
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

/// What a thin wall without slip along a face does to the velocity on it: a stress in proportion to their difference.
struct WallDrag {
  std::int8_t axis;
  std::int16_t face;     ///< number in its block; it has an unknown
  float coefficient;     ///< mu W [Pa s]
  double wall_velocity;  ///< [m/s]
};

/// What a stored mass that is not positive says of a face.
constexpr float held_by_body = -1.0F;    ///< a body of open fractions without slip holds it
constexpr float held_otherwise = -2.0F;  ///< another solid holds it, or the domain's wall

/// Finds the coefficients of all owned blocks, and keeps them.
class StressWeights {
 public:
  /// Parallel: collective (ghosts of labels and distance); OpenMP
  void rebuild(const ViscousLiquid& liquid);
  /// The same, with no unknown in blocks that `is_wanted` does not name.
  void rebuild(const ViscousLiquid& liquid, const std::function<bool(LocalIndex)>& is_wanted);
  /// The coefficients on faces, cells and edges twice as wide, as means over the boxes around them.
  ///
  /// A face is held if a face that lies on it is, and an edge with such a face around it takes the mean over the edges
  /// that lie on it. All other faces of cells and edges with stress have an unknown.
  /// \param[in] factor  width of a coarse cell in cells of `finest`
  /// Parallel: collective; OpenMP
  void coarsen(const StressWeights& fine, const CoarseLink& link, const BlockLayout& layout, const Domain& finest,
               int factor);

  const BlockLayout& layout() const { return *layout_; }
  Kind kind(LocalIndex block) const { return kind_[static_cast<std::size_t>(block)]; }
  /// Owned blocks with an unknown, ascending.
  const std::vector<LocalIndex>& active() const { return active_; }
  double uniform_viscosity() const { return viscosity_; }  ///< of blocks of that kind [Pa s]
  template <class Shape>
  BlockStress<Shape> block(LocalIndex block) const {
    return {values_[static_cast<std::size_t>(block)].data()};
  }
  /// The rows of a block that hold an unknown of a component; bit r is row r.
  std::uint64_t rows(int axis, LocalIndex block) const {
    return rows_[static_cast<std::size_t>(block)][static_cast<std::size_t>(axis)];
  }
  /// Mass of a face; 0 without an unknown, held_by_body or held_otherwise where a solid holds it.
  double mass(int axis, LocalIndex block, int face) const;
  /// The thin walls along faces of a block; coarse levels leave them out.
  std::span<const WallDrag> drags(LocalIndex block) const {
    return drags_.empty() ? std::span<const WallDrag>() : drags_[static_cast<std::size_t>(block)];
  }
  GlobalIndex n_unknowns() const { return n_unknowns_; }  ///< on this rank

 private:
  using Values = TrackedVector<float, MemoryKind::pressure>;
  template <class Shape>
  Kind build(const ViscousLiquid& liquid, LocalIndex block, Values& values, std::vector<WallDrag>& drags) const;
  template <class Shape>
  Kind build_coarse(const FaceField<float>& mass, const FaceField<float>& held, const CellField<float>& cell,
                    const std::array<CellField<float>, 3>& edge, const std::array<CellField<float>, 3>& edge_centre,
                    const Domain& finest, int factor, LocalIndex block, Values& values) const;
  void find_active();

  const BlockLayout* layout_ = nullptr;
  double viscosity_ = 0.0;
  std::vector<Kind> kind_;
  std::vector<std::array<std::uint64_t, 3>> rows_;  ///< of each block and component
  std::vector<LocalIndex> active_;
  std::vector<Values> values_;                ///< by owned block
  std::vector<std::vector<WallDrag>> drags_;  ///< likewise; empty on coarse levels
  GlobalIndex n_unknowns_ = 0;
};

}  // namespace freshet::viscous
