// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/halo.hpp"
#include "freshet/pressure/poisson.hpp"
#include "freshet/pressure/preconditioners.hpp"
#include "freshet/pressure/solver.hpp"
#include "support/random_blocks.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

/// Liquids in boxes for the tests of the pressure module: said by a function of the cell, alike on every rank count.
namespace freshet::test {

using CellLabel = std::function<Label(const Vec3i& cell)>;

/// What a cell is, also beyond the domain and where no block exists.
class Scene {
 public:
  /// \param[in] label     asked for cells of the domain only
  /// \param[in] n_before  blocks that are counted before the scene's
  Scene(const Communicator& comm, const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters,
        const CellLabel& label, GlobalIndex n_before = 0)
      : layout(comm, domain, splitters, OwnedBlocks{owned_blocks(comm, splitters, keys).keys, n_before}),
        labels(layout),
        open_fraction(layout, 0.0F) {
    const auto what = [&](const Vec3i& cell) {
      const Vec3i wrapped = domain.wrap_cell(cell);
      if (domain.contains_cell(wrapped)) return label(wrapped);
      return domain.outside_is_solid(wrapped) ? Label::solid : Label::air;
    };
    for (LocalIndex block = 0; block < layout.n_blocks(); ++block)
      for_each_cell(block, [&](const Vec3i& cell, int c) {
        labels.block(block)[c] = what(cell);
        for (int d = 0; d < domain.dimension(); ++d) {
          const bool closed = what(cell) == Label::solid || what(cell - Vec3i::Unit(d)) == Label::solid;
          open_fraction[d].block(block)[c] = closed ? 0.0F : 1.0F;
        }
      });
    build_coefficients(labels, open_fraction, coefficients);
  }

  /// f(cell, number in the block) for the cells of a block; cell is in domain coordinates.
  template <class Function>
  void for_each_cell(LocalIndex block, Function&& f) const {
    const Vec3i n = layout.domain().block_cells();
    const Vec3i first = layout.first_cell(block);
    int c = 0;
    for (int k = 0; k < n.z(); ++k)
      for (int j = 0; j < n.y(); ++j)
        for (int i = 0; i < n.x(); ++i) f(Vec3i(first + Vec3i(i, j, k)), c++);
  }
  /// f(cell, block, number in the block) for every owned unknown.
  template <class Function>
  void for_each_unknown(Function&& f) const {
    for (LocalIndex block = 0; block < layout.n_owned(); ++block)
      for_each_cell(block, [&](const Vec3i& cell, int c) {
        if (coefficients.unknown.block(block)[c] != 0) f(cell, block, c);
      });
  }
  /// A field of value(cell) where there is an unknown, 0 elsewhere; ghosts valid to width 1.
  CellField<double> field(const std::function<double(const Vec3i& cell)>& value) const {
    CellField<double> result(layout, 0.0);
    result.fill(0.0);
    for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) { result.block(block)[c] = value(cell); });
    layout.halo().gather(result, 1);
    return result;
  }
  /// Largest |a - b| over all ranks' unknowns.
  double difference(const CellField<double>& a, const CellField<double>& b) const {
    double worst = 0.0;
    for_each_unknown([&](const Vec3i&, LocalIndex block, int c) {
      worst = std::max(worst, std::abs(a.block(block)[c] - b.block(block)[c]));
    });
    return layout.comm().max(worst);
  }

  BlockLayout layout;
  LabelField labels;
  FaceField<float> open_fraction;
  PoissonCoefficients coefficients;
};

/// A field's value at a place that lies in a block or at most one cell outside.
template <class Field>
auto value_at(const BlockLayout& layout, const Field& field, LocalIndex block, Vec3i place) {
  const Vec3i n = layout.domain().block_cells();
  Vec3i offset = Vec3i::Zero();
  for (int d = 0; d < 3; ++d) {
    offset[d] = place[d] < 0 ? -1 : place[d] >= n[d] ? 1 : 0;
    place[d] -= offset[d] * n[d];
  }
  const LocalIndex slot = layout.neighbours(block)[direction_index(offset.x(), offset.y(), offset.z())];
  return field.block(slot)[place.x() + n.x() * (place.y() + n.y() * place.z())];
}

/// The weight between an unknown and the neighbour in direction `sign` along axis d; 0 if that is none.
inline double weight_towards(const Scene& scene, LocalIndex block, const Vec3i& cell, int d, int sign) {
  const Vec3i place = cell - scene.layout.first_cell(block);
  const Vec3i next = place + sign * Vec3i::Unit(d);
  if (value_at(scene.layout, scene.coefficients.unknown, block, next) == 0) return 0.0;
  return value_at(scene.layout, (*scene.coefficients.weight)[d], block, sign > 0 ? next : place);
}

/// A x by the definition of PoissonCoefficients, cell by cell.
inline CellField<double> multiply(const Scene& scene, const CellField<double>& x) {
  const BlockLayout& layout = scene.layout;
  CellField<double> result(layout, 0.0);
  result.fill(0.0);
  scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
    const Vec3i place = cell - layout.first_cell(block);
    double sum = scene.coefficients.diagonal.block(block)[c] * x.block(block)[c];
    for (int d = 0; d < layout.domain().dimension(); ++d)
      for (const int sign : {-1, 1}) {
        const double weight = weight_towards(scene, block, cell, d, sign);
        if (weight != 0.0) sum -= weight * value_at(layout, x, block, place + sign * Vec3i::Unit(d));
      }
    result.block(block)[c] = sum;
  });
  layout.halo().gather(result, 1);
  return result;
}

/// A number in [-1, 1) of a cell.
inline double noise(const Vec3i& cell, std::uint64_t seed) {
  const auto bits = [](int v) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(v)); };
  return 2.0 * hashed(bits(cell.x()) | bits(cell.y()) << 32U, bits(cell.z()), seed) - 1.0;
}

/// Drops and ligaments above a rough pool, with solid lumps in between.
inline CellLabel splash(const Vec3i& cells, std::uint64_t seed) {
  return [cells, seed](const Vec3i& cell) {
    const Vec3i coarse(cell.x() / 5, cell.y() / 4, cell.z() / 6);
    if (noise(coarse, seed + 7) > 0.92) return Label::solid;
    const double height = (cell.y() + 0.5) / cells.y();
    const double wet = 0.5 * noise(coarse, seed) + 0.35 * noise(cell, seed + 1) + 0.9 - 1.7 * height;
    return wet > 0.0 ? Label::liquid : Label::air;
  };
}

inline PressureOptions solver_parameters(std::string_view preconditioner, double tolerance) {
  PressureOptions parameters;
  parameters.preconditioner = preconditioner_named(preconditioner);
  parameters.tolerance = tolerance;
  return parameters;
}

/// The names of all preconditioners.
inline std::vector<std::string_view> all_preconditioners() {
  std::vector<std::string_view> names;
  for (const PreconditionerRow& row : preconditioners()) names.push_back(row.name);
  return names;
}

}  // namespace freshet::test
