// SPDX-License-Identifier: Apache-2.0
#include "pressure/operator/assembler.hpp"

#include "freshet/grid/halo.hpp"

#include <algorithm>
#include <array>

namespace freshet::pressure {
namespace {

/// Large enough that the last pivot of a factor is well above round-off; too small to change the iterations.
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

PetscInt Assembler::number_unknowns(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  const BlockLayout& layout = unknowns.layout();
  const int cells = layout.cells_per_block();
  const auto first = static_cast<PetscInt>(layout.comm().exclusive_sum(static_cast<GlobalIndex>(unknowns.count())));
  numbers_.reset(layout, -1);
#pragma omp parallel for schedule(static)
  for (LocalIndex block = 0; block < layout.n_owned(); ++block) {
    const std::uint8_t* unknown = coefficients.unknown.block(block);
    PetscInt next = first + unknowns.first(block);
    for (int c = 0; c < cells; ++c) numbers_.block(block)[c] = unknown[c] != 0 ? next++ : -1;
  }
  layout.halo().gather(numbers_, 1);
  return first;
}

template <class Shape>
void Assembler::append_rows(const PoissonCoefficients& coefficients, LocalIndex block) {
  const FaceNeighbours beside = face_neighbours(numbers_.layout(), block);
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
      const CellField<double>& weight = coefficients.weight[axis];
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

MatHandle Assembler::assemble(const PoissonCoefficients& coefficients, const Unknowns& unknowns,
                              const SealedBodies& sealed) {
  number_unknowns(coefficients, unknowns);
  shift_.assign(static_cast<std::size_t>(unknowns.count()), 0.0);
  for (const SealedBodies::Span& span : sealed.spans()) {
    std::fill(&shift_[0] + span.begin, &shift_[0] + span.end, singular_shift);
  }
  row_begin_.assign(1, 0);
  columns_.clear();
  values_.clear();
  with_shape(unknowns.layout().domain().dimension(), [&](auto shape) {
    for (const LocalIndex block : unknowns.active_blocks()) append_rows<decltype(shape)>(coefficients, block);
  });
  MatHandle matrix;
  const PetscInt n = unknowns.count();
  FRESHET_PETSC(MatCreate(unknowns.layout().comm().raw(), matrix.receive()));
  FRESHET_PETSC(MatSetSizes(matrix.get(), n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  FRESHET_PETSC(MatSetType(matrix.get(), MATAIJ));
  // PETSc ignores the call that does not fit: one is for sequential matrices, one for parallel ones.
  FRESHET_PETSC(MatSeqAIJSetPreallocationCSR(matrix.get(), row_begin_.data(), columns_.data(), values_.data()));
  FRESHET_PETSC(MatMPIAIJSetPreallocationCSR(matrix.get(), row_begin_.data(), columns_.data(), values_.data()));
  FRESHET_PETSC(MatSetOption(matrix.get(), MAT_SPD, PETSC_TRUE));
  return matrix;
}

}  // namespace freshet::pressure
