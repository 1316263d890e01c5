// SPDX-License-Identifier: Apache-2.0
#include "pressure/preconditioners/petsc_preconditioner.hpp"

#include "freshet/grid/halo.hpp"

#include <algorithm>
#include <array>

namespace freshet::pressure {
namespace {

/// Relative increase of singular diagonals: keeps the last pivot above round-off and hardly changes iterations.
constexpr double singular_shift = 1e-8;

/// The entries of one matrix row, ascending by column.
struct SortedRow {
  std::array<PetscInt, 7> columns;
  std::array<double, 7> values;
  int size = 0;

  void insert(PetscInt column, double value) {
    int place = size++;
    for (; place > 0 && columns[place - 1] > column; --place) {
      columns[place] = columns[place - 1];
      values[place] = values[place - 1];
    }
    columns[place] = column;
    values[place] = value;
  }
};

}  // namespace

void PetscPreconditioner::number_unknowns(const PoissonCoefficients& coefficients) {
  const BlockLayout& layout = unknowns_->layout();
  const int cells = layout.cells_per_block();
  auto next = static_cast<PetscInt>(layout.comm().exclusive_sum(static_cast<GlobalIndex>(unknowns_->count())));
  numbers_.reset(layout, -1);
  numbers_.fill(-1);
  cells_.clear();
  for (const LocalIndex block : unknowns_->active_blocks())
    for (int c = 0; c < cells; ++c) {
      if (coefficients.unknown.block(block)[c] == 0) continue;
      numbers_.block(block)[c] = next++;
      cells_.push_back(static_cast<std::size_t>(block) * static_cast<std::size_t>(cells) + static_cast<std::size_t>(c));
    }
  layout.halo().gather(numbers_, 1);
}

template <class Shape>
void PetscPreconditioner::append_rows(const PoissonCoefficients& coefficients, LocalIndex block) {
  const StarSlots beside = star_slots(numbers_.layout(), block);
  const double* diagonal = coefficients.diagonal.block(block);
  for (int c = 0; c < Shape::cells; ++c) {
    const PetscInt self = numbers_.block(block)[c];
    if (self < 0) continue;
    SortedRow entries;
    entries.insert(self, diagonal[c] * (1.0 + shift_[row_begin_.size() - 1]));
    const auto couple = [&](LocalIndex slot, int cell, double weight) {
      const PetscInt column = numbers_.block(slot)[cell];
      if (column >= 0 && weight != 0.0) entries.insert(column, -weight);
    };
    for_each_axis<Shape>([&](auto axis) {
      constexpr int stride = Shape::stride(axis);
      constexpr int to_last_layer = (Shape::n(axis) - 1) * stride;
      const int place = c / stride % Shape::n(axis);
      const CellField<float>& weight = (*coefficients.weight)[axis];
      const LocalIndex below = place > 0 ? block : beside.low[axis];
      const LocalIndex above = place < Shape::n(axis) - 1 ? block : beside.high[axis];
      const int cell_below = place > 0 ? c - stride : c + to_last_layer;
      const int cell_above = place < Shape::n(axis) - 1 ? c + stride : c - to_last_layer;
      couple(below, cell_below, weight.block(block)[c]);
      couple(above, cell_above, weight.block(above)[cell_above]);
    });
    columns_.insert(columns_.end(), entries.columns.begin(), entries.columns.begin() + entries.size);
    values_.insert(values_.end(), entries.values.begin(), entries.values.begin() + entries.size);
    row_begin_.push_back(static_cast<PetscInt>(columns_.size()));
  }
}

void PetscPreconditioner::reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns,
                                const SealedBodies& sealed) {
  unknowns_ = &unknowns;
  number_unknowns(coefficients);
  const PetscInt n = unknowns.count();
  shift_.assign(cells_.size(), 0.0);
  const auto n_cells = static_cast<std::size_t>(unknowns.layout().cells_per_block());
  for (const SealedBodies::Part& part : sealed.parts()) {
    const std::size_t begin = static_cast<std::size_t>(part.cells.block) * n_cells;
    auto place = std::lower_bound(cells_.begin(), cells_.end(), begin);
    for (; place != cells_.end() && *place < begin + n_cells; ++place)
      if (part.cells.contains(static_cast<int>(*place - begin))) shift_[place - cells_.begin()] = singular_shift;
  }
  row_begin_.assign(1, 0);
  columns_.clear();
  values_.clear();
  with_shape(unknowns.layout().domain().dimension(), [&](auto shape) {
    for (const LocalIndex block : unknowns.active_blocks()) append_rows<decltype(shape)>(coefficients, block);
  });
  FRESHET_PETSC(MatCreate(unknowns.layout().comm().raw(), matrix_.receive()));
  Mat matrix = matrix_.get();
  FRESHET_PETSC(MatSetSizes(matrix, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  FRESHET_PETSC(MatSetType(matrix, MATAIJ));
  // One call is for sequential matrices, one for parallel ones; PETSc ignores the other.
  FRESHET_PETSC(MatSeqAIJSetPreallocationCSR(matrix, row_begin_.data(), columns_.data(), values_.data()));
  FRESHET_PETSC(MatMPIAIJSetPreallocationCSR(matrix, row_begin_.data(), columns_.data(), values_.data()));
  FRESHET_PETSC(MatSetOption(matrix, MAT_SPD, PETSC_TRUE));
  FRESHET_PETSC(MatCreateVecs(matrix, r_.receive(), z_.receive()));
}

void PetscPreconditioner::set_up(PC pc) {
  FRESHET_PETSC(PCSetOperators(pc, matrix_.get(), matrix_.get()));
  FRESHET_PETSC(PCSetUp(pc));
}

void PetscPreconditioner::apply(PC pc, const double* r, double* z) {
  {
    const VecArray to(r_.get());
    for (std::size_t n = 0; n < cells_.size(); ++n) to.data()[n] = r[cells_[n]];
  }
  FRESHET_PETSC(PCApply(pc, r_.get(), z_.get()));
  const VecArray from(z_.get());
  unknowns_->copy(z, z);  // set z = 0 without an unknown
  for (std::size_t n = 0; n < cells_.size(); ++n) z[cells_[n]] = from.data()[n];
}

}  // namespace freshet::pressure
