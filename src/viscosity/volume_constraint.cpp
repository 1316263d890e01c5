// SPDX-License-Identifier: Apache-2.0
#include "viscosity/volume_constraint.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"

#include <algorithm>

namespace freshet::viscous {
namespace {

/// Call f(cell of the block, its index in tiles), along rows.
template <class Shape, class Function>
[[gnu::always_inline]] inline void for_each_cell(const TileExtents<Shape>& extents, Function&& f) {
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
                             const FaceField<float>& open_fraction, const StrainOperator& strain) {
  weights_ = &weights;
  const BlockLayout& layout = weights.layout();
  for (FaceField<float>* field : {&open_, &weight_, &compliance_}) {
    field->reset(layout, 0.0F);
    field->fill(0.0F);
  }
  inviscid_.reset(layout);
  inviscid_.weight = &weight_;
  stiffness_.reset(layout, 0.0F);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const std::vector<LocalIndex>& active = weights.active();
    parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
      set_faces<Shape>(open_fraction, strain, active[static_cast<std::size_t>(n)]);
    });
    for (FaceField<float>* field : {&open_, &weight_, &compliance_}) layout.halo().gather(*field, 1);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) { set_cells<Shape>(unknown, block); });
  });
  share_unknowns(inviscid_);
}

template <class Shape>
void VolumeConstraint::set_faces(const FaceField<float>& open_fraction, const StrainOperator& strain,
                                 LocalIndex block) {
  double diagonal[BlockStress<Shape>::masses];  // W + dt K / (rho dx^2)
  strain.diagonal(block, diagonal);
  for (int d = 0; d < Shape::dim; ++d)
    for (int c = 0; c < Shape::cells; ++c) {
      const double mass = weights_->mass(d, block, c);
      if (!(mass > 0.0)) continue;
      const float open = open_fraction[d].block(block)[c];
      const double stress = diagonal[d * Shape::cells + c] - mass;
      open_[d].block(block)[c] = open;
      weight_[d].block(block)[c] = open * open / static_cast<float>(mass);
      if (stress > 1e-6 * mass)  // beyond round-off
        compliance_[d].block(block)[c] = open * open / static_cast<float>(stress);
    }
}

template <class Shape>
void VolumeConstraint::set_cells(const CellField<std::uint8_t>& unknown, LocalIndex block) {
  float* const stiffness = stiffness_.block(block);
  double* const diagonal = inviscid_.diagonal.block(block);
  const std::uint8_t* const is_unknown = unknown.block(block);
  std::uint8_t* const is_kept = inviscid_.unknown.block(block);
  UnknownRows& rows = inviscid_.rows[static_cast<std::size_t>(block)];
  std::fill_n(stiffness, Shape::cells, -1.0F);
  std::fill_n(diagonal, Shape::cells, 0.0);
  std::fill_n(is_kept, Shape::cells, std::uint8_t{0});
  rows = {};
  if (weights_->kind(block) == Kind::none) return;
  const FaceTile<double, Shape, 1> weight(weight_, block);
  const FaceTile<double, Shape, 1> compliance(compliance_, block);
  constexpr double inside = Shape::dim == 3 ? 6.0 / 8.0 : 4.0 / 6.0;  // faces of a cell / (K_ff / mu)
  for_each_cell<Shape>(weight.extents, [&](int cell, int at) {
    double of_mass = 0.0, of_stress = 0.0;
    for (int d = 0; d < Shape::dim; ++d) {
      const int above = at + weight.extents.stride(d);
      of_mass += weight[d][at] + weight[d][above];
      of_stress += compliance[d][at] + compliance[d][above];
    }
    // without branches, so that the loop is vectorised
    const bool keeps = static_cast<int>(of_mass > 0.0) & static_cast<int>(is_unknown[cell] != 0);
    const double divisor = of_stress > 0.0 ? of_stress : 1.0;
    const double of_both = of_stress > 0.0 ? inside / divisor : 0.0;
    is_kept[cell] = keeps ? 1 : 0;
    diagonal[cell] = keeps ? of_mass : 0.0;
    stiffness[cell] = keeps ? static_cast<float>(of_both) : -1.0F;
  });
  for (int c = 0; c < Shape::cells; ++c) rows.any |= std::uint64_t{is_kept[c]} << c / block_width;
  rows.cut = rows.any;
}

template <class Shape>
void VolumeConstraint::add_gradient(const CellField<double>& q, LocalIndex block, double* const* y) const {
  const Tile<double, Shape, 1> pressure(q, block);
  for (int d = 0; d < Shape::dim; ++d) {
    const float* open = open_[d].block(block);
    double* const target = y[d];
    const int along = pressure.extents.stride(d);
    for_each_cell<Shape>(pressure.extents, [&](int face, int at) {
      target[face] += static_cast<double>(open[face]) * (pressure[at] - pressure[at - along]);
    });
  }
}

template <class Shape>
void VolumeConstraint::inflow(const FaceField<double>& u, LocalIndex block, double* b) const {
  const FaceTile<double, Shape, 1> velocity(u, block);
  const FaceTile<double, Shape, 1> open(open_, block);
  const float* stiffness = stiffness_.block(block);
  for_each_cell<Shape>(open.extents, [&](int cell, int at) {
    double sum = 0.0;
    for (int d = 0; d < Shape::dim; ++d) {
      const int above = at + open.extents.stride(d);
      sum += open[d][at] * velocity[d][at] - open[d][above] * velocity[d][above];
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
  const FaceTile<double, Shape, 1> lost(lost_, block);
  const float* stiffness = stiffness_.block(block);
  for_each_cell<Shape>(lost.extents, [&](int cell, int at) {
    double sum = 0.0;
    for (int d = 0; d < Shape::dim; ++d) sum += lost[d][at] - lost[d][at + lost.extents.stride(d)];
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
