// SPDX-License-Identifier: Apache-2.0
#include "viscosity/volume_constraint.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"

#include <algorithm>

namespace freshet::viscous {
namespace {

/// A field's values around a block, one padded array for each of its components.
template <class Shape>
struct PaddedFaces {
  PaddedExtents<Shape> extents{1};
  int stride[3] = {1, extents.nx, extents.nx* extents.ny};
  double values[3][BlockStress<Shape>::padded];

  template <class Number>
  PaddedFaces(const FaceField<Number>& field, LocalIndex block) {
    for (int d = 0; d < Shape::dim; ++d) fill_padded(field[d], block, extents, values[d]);
  }
};

/// f(cell of the block, its place in padded arrays), along rows.
template <class Shape, class Function>
[[gnu::always_inline]] inline void for_each_cell(const PaddedExtents<Shape>& extents, Function&& f) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j) {
      const int begin = extents.at(0, j, k);
      const int first = Shape::cell(0, j, k);
#pragma omp simd
      for (int i = 0; i < Shape::nx; ++i) f(first + i, begin + i);
    }
}

}  // namespace

void VolumeConstraint::reset(const StressWeights& weights, const CellField<std::uint8_t>& unknown,
                             const FaceField<float>& open_fraction, double scale) {
  weights_ = &weights;
  const BlockLayout& layout = weights.layout();
  const int cells = layout.cells_per_block();
  for (FaceField<float>* field : {&open_, &weight_}) {
    field->reset(layout, 0.0F);
    field->fill(0.0F);
  }
  inviscid_.reset(layout);
  inviscid_.weight = &weight_;
  stiffness_.reset(layout, 0.0F);
  for (int d = 0; d < open_.dimension(); ++d)
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      const float* fraction = open_fraction[d].block(block);
      float* open = open_[d].block(block);
      float* weight = weight_[d].block(block);
      for (int c = 0; c < cells; ++c) {
        const auto mass = static_cast<float>(weights.mass(d, block, c));
        open[c] = mass > 0.0F ? fraction[c] : 0.0F;
        weight[c] = mass > 0.0F ? open[c] * open[c] / mass : 0.0F;
      }
    });
  layout.halo().gather(open_, 1);
  layout.halo().gather(weight_, 1);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) { set_block<decltype(shape)>(unknown, scale, block); });
  });
  share_unknowns(inviscid_);
}

template <class Shape>
void VolumeConstraint::set_block(const CellField<std::uint8_t>& unknown, double scale, LocalIndex block) {
  float* const stiffness = stiffness_.block(block);
  double* const diagonal = inviscid_.diagonal.block(block);
  std::uint8_t* const is_kept = inviscid_.unknown.block(block);
  UnknownRows& rows = inviscid_.rows[static_cast<std::size_t>(block)];
  std::fill_n(stiffness, Shape::cells, -1.0F);
  std::fill_n(diagonal, Shape::cells, 0.0);
  std::fill_n(is_kept, Shape::cells, std::uint8_t{0});
  rows = {};
  if (weights_->kind(block) == Kind::none) return;
  const PaddedFaces<Shape> weight(weight_, block);
  for_each_cell<Shape>(weight.extents, [&](int cell, int at) {
    double sum = 0.0;
    for (int d = 0; d < Shape::dim; ++d) sum += weight.values[d][at] + weight.values[d][at + weight.stride[d]];
    const bool keeps = sum > 0.0 && unknown.block(block)[cell] != 0;
    is_kept[cell] = keeps ? 1 : 0;
    diagonal[cell] = keeps ? sum : 0.0;
  });
  for (int c = 0; c < Shape::cells; ++c) rows.any |= std::uint64_t{is_kept[c]} << c / block_width;
  rows.cut = rows.any;
  weights_->for_each_cell_stress<Shape>(block, [&](int cell, double stress) {
    if (is_kept[cell] != 0) stiffness[cell] = static_cast<float>(0.5 * scale * stress);
  });
}

template <class Shape>
void VolumeConstraint::add_gradient(const CellField<double>& q, LocalIndex block, double* const* y) const {
  const PaddedExtents<Shape> extents(1);
  const int stride[3] = {1, extents.nx, extents.nx * extents.ny};
  double pressure[BlockStress<Shape>::padded];
  fill_padded(q, block, extents, pressure);
  for (int d = 0; d < Shape::dim; ++d) {
    const float* open = open_[d].block(block);
    double* const target = y[d];
    const int along = stride[d];
    for_each_cell<Shape>(extents, [&](int face, int at) {
      target[face] += static_cast<double>(open[face]) * (pressure[at] - pressure[at - along]);
    });
  }
}

template <class Shape>
void VolumeConstraint::inflow(const FaceField<double>& u, LocalIndex block, double* b) const {
  const PaddedFaces<Shape> velocity(u, block);
  const PaddedFaces<Shape> open(open_, block);
  const float* stiffness = stiffness_.block(block);
  for_each_cell<Shape>(open.extents, [&](int cell, int at) {
    double sum = 0.0;
    for (int d = 0; d < Shape::dim; ++d) {
      const int above = at + open.stride[d];
      sum += open.values[d][at] * velocity.values[d][at] - open.values[d][above] * velocity.values[d][above];
    }
    b[cell] = stiffness[cell] >= 0.0F ? sum : 0.0;
  });
}

void VolumeConstraint::set_held(const FaceField<double>& before, const FaceField<double>& after,
                                const FaceField<float>& open_fraction) {
  const BlockLayout& layout = weights_->layout();
  lost_.reset(layout, 0.0);
  lost_.fill(0.0);
  for (int d = 0; d < lost_.dimension(); ++d)
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      const float* fraction = open_fraction[d].block(block);
      for (int c = 0; c < layout.cells_per_block(); ++c)
        if (weights_->mass(d, block, c) == static_cast<double>(held_by_body))
          lost_[d].block(block)[c] =
              static_cast<double>(fraction[c]) * (before[d].block(block)[c] - after[d].block(block)[c]);
    });
  layout.halo().gather(lost_, 1);
}

template <class Shape>
void VolumeConstraint::lost_inflow(LocalIndex block, double* b) const {
  const PaddedFaces<Shape> lost(lost_, block);
  const float* stiffness = stiffness_.block(block);
  for_each_cell<Shape>(lost.extents, [&](int cell, int at) {
    double sum = 0.0;
    for (int d = 0; d < Shape::dim; ++d) sum += lost.values[d][at] - lost.values[d][at + lost.stride[d]];
    b[cell] = stiffness[cell] >= 0.0F ? sum : 0.0;
  });
}

template void VolumeConstraint::lost_inflow<BlockShape<2>>(LocalIndex, double*) const;
template void VolumeConstraint::lost_inflow<BlockShape<3>>(LocalIndex, double*) const;
template void VolumeConstraint::add_gradient<BlockShape<2>>(const CellField<double>&, LocalIndex, double* const*) const;
template void VolumeConstraint::add_gradient<BlockShape<3>>(const CellField<double>&, LocalIndex, double* const*) const;
template void VolumeConstraint::inflow<BlockShape<2>>(const FaceField<double>&, LocalIndex, double*) const;
template void VolumeConstraint::inflow<BlockShape<3>>(const FaceField<double>&, LocalIndex, double*) const;

}  // namespace freshet::viscous
