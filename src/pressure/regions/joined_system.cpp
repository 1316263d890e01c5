// SPDX-License-Identifier: Apache-2.0
#include "pressure/regions/joined_system.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/free_surface/surface_condition.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/cell_beside.hpp"
#include "freshet/grid/kernels/label_planes.hpp"

#include <algorithm>

namespace freshet::pressure {
namespace {

constexpr double joint = 100.0;  ///< weight of an open face between two cells of air

}  // namespace

/// The weights of a block's faces, which are low faces of its cells.
template <class Shape>
void JoinedSystem::find_weights(const PoissonCoefficients& coefficients, const CellField<std::int32_t>& number,
                                bool is_near_air, LocalIndex block) {
  const BlockLayout& layout = number.layout();
  const std::uint8_t* unknown = coefficients.unknown.block(block);
  const std::int32_t* bubble = number.block(block);
  for (int axis = 0; axis < Shape::dim; ++axis) {
    const float* open = (*coefficients.weight)[axis].block(block);
    float* weight = weight_[axis].block(block);
    std::copy_n(open, Shape::cells, weight);
    if (!is_near_air) continue;
    for (int c = 0; c < Shape::cells; ++c) {
      const CellBeside low = cell_beside<Shape>(layout, block, c, axis, -1);
      if (low.slot == layout.background()) continue;
      const bool here = bubble[c] >= 0, there = number.block(low.slot)[low.cell] >= 0;
      if (here && there) {
        weight[c] *= static_cast<float>(joint);
      } else if (here && coefficients.unknown.block(low.slot)[low.cell] != 0) {
        weight[c] = static_cast<float>(air_face(coefficients.surface, open[c], low.slot, low.cell, block, c).coupling);
      } else if (there && unknown[c] != 0) {
        weight[c] = static_cast<float>(air_face(coefficients.surface, open[c], block, c, low.slot, low.cell).coupling);
      }
    }
  }
}

/// The diagonal and the rows of a block. \pre ghosts of weights and unknowns are valid
template <class Shape>
void JoinedSystem::find_diagonal(const PoissonCoefficients& coefficients, const CellField<std::int32_t>& number,
                                 std::span<const double> ground, bool has_air, LocalIndex block) {
  const BlockLayout& layout = number.layout();
  const std::int32_t* bubble = number.block(block);
  double* diagonal = system_.diagonal.block(block);
  UnknownRows& rows = system_.rows[static_cast<std::size_t>(block)];
  rows = coefficients.rows[static_cast<std::size_t>(block)];
  std::copy_n(coefficients.diagonal.block(block), Shape::cells, diagonal);
  if (!has_air) return;
  for (int c = 0; c < Shape::cells; ++c) {
    if (bubble[c] < 0) continue;
    rows.any |= std::uint64_t{1} << c / Shape::nx;
    rows.cut |= std::uint64_t{1} << c / Shape::nx;
    double to_unknowns = 0.0, to_liquid = 0.0;
    for (int axis = 0; axis < Shape::dim; ++axis)
      for (const int side : {-1, 1}) {
        const CellBeside other = cell_beside<Shape>(layout, block, c, axis, side);
        if (other.slot == layout.background() || system_.unknown.block(other.slot)[other.cell] == 0) continue;
        const double weight = weight_[axis].block(other.face_slot)[other.face];
        to_unknowns += weight;
        if (number.block(other.slot)[other.cell] < 0) to_liquid += weight;
      }
    diagonal[c] = to_unknowns + ground[static_cast<std::size_t>(bubble[c])] * to_liquid;
  }
}

void JoinedSystem::build(PoissonCoefficients& coefficients, const CellField<std::int32_t>& number,
                         const std::vector<std::uint8_t>& has_air, std::span<const double> ground) {
  const BlockLayout& layout = number.layout();
  system_.reset(layout);
  weight_.reset(layout, 0.0F);
  system_.weight = &weight_;
  system_.surface = coefficients.surface;
  system_.rows.resize(coefficients.rows.size());
  const int cells = layout.cells_per_block();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      std::transform(coefficients.unknown.block(block), coefficients.unknown.block(block) + cells, number.block(block),
                     system_.unknown.block(block), [](std::uint8_t unknown, std::int32_t bubble) {
                       return static_cast<std::uint8_t>(unknown != 0 || bubble >= 0);
                     });
      find_weights<Shape>(coefficients, number, any_around(layout, has_air, block), block);
    });
    layout.halo().gather(weight_, 1);
    share_unknowns(system_);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      find_diagonal<Shape>(coefficients, number, ground, has_air[static_cast<std::size_t>(block)] != 0, block);
    });
  });
  coefficients.joined = &system_;
}

}  // namespace freshet::pressure
