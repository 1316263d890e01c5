// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/extrapolate.hpp"

#include "freshet/grid/halo.hpp"
#include "freshet/grid/rows.hpp"

#include <algorithm>
#include <cstring>

namespace freshet {
namespace {

/// Known faces of a block by its labels; true if every face is known.
template <class Shape>
bool mark_known(const LabelField& labels, LocalIndex b, std::uint8_t* known) {
  constexpr std::uint8_t all = (1U << Shape::dim) - 1U;
  const BlockRows<Shape, Label> rows(labels, b);
  bool complete = true;
  for (int r = 0; r < Shape::rows; ++r) {
    const Label* here = labels.block(b) + r * Shape::nx;
    std::uint8_t* bits = known + r * Shape::nx;
    for (int i = 0; i < Shape::nx; ++i) bits[i] = here[i] == Label::liquid ? all : 0;
    for (int d = 0; d < Shape::dim; ++d) {
      Label lower[Shape::nx];
      rows.lower_row(d, r % Shape::ny, r / Shape::ny, lower);
      for (int i = 0; i < Shape::nx; ++i)
        if (lower[i] == Label::liquid) bits[i] = static_cast<std::uint8_t>(bits[i] | 1U << d);
    }
    for (int i = 0; i < Shape::nx; ++i) complete = complete && bits[i] == all;
  }
  return complete;
}

/// One row of cells with its row neighbours in y and z, and the cells before and after it.
template <class Shape, class T>
struct RowNeighbourhood {
  const T* here;
  const T* around[4];  ///< below and above along y, then z
  T before, after;
  RowNeighbourhood(const BlockRows<Shape, T>& rows, int j, int k)
      : here(rows.row(j, k)),
        around{rows.row(j - 1, k), rows.row(j + 1, k), here, here},
        before(rows.before(j, k)),
        after(rows.after(j, k)) {
    if constexpr (Shape::dim == 3) {
      around[2] = rows.row(j, k - 1);
      around[3] = rows.row(j, k + 1);
    }
  }
};

bool any_set(const std::uint8_t* row) {
  std::uint64_t word = 0;
  std::memcpy(&word, row, sizeof word);
  return word != 0;
}

template <class Shape>
bool all_known(const std::uint8_t* row) {
  constexpr std::uint8_t all = (1U << Shape::dim) - 1U;
  return std::all_of(row, row + Shape::nx, [](std::uint8_t bits) { return bits == all; });
}

/// Fill the unknown faces of one row of component d; returns bits that became known in `next`.
template <class Shape>
void extrapolate_row(const RowNeighbourhood<Shape, std::uint8_t>& known, const RowNeighbourhood<Shape, double>& u,
                     std::uint8_t bit, double* u_row, std::uint8_t* next) {
  constexpr int n_around = Shape::dim == 3 ? 4 : 2;
  for (int i = 0; i < Shape::nx; ++i) {
    if ((known.here[i] & bit) != 0) continue;
    double sum = 0.0;
    int count = 0;
    const auto add = [&](std::uint8_t bits, const double& value) {
      if ((bits & bit) == 0) return;
      sum += value;
      ++count;
    };
    add(i > 0 ? known.here[i - 1] : known.before, i > 0 ? u.here[i - 1] : u.before);
    add(i + 1 < Shape::nx ? known.here[i + 1] : known.after, i + 1 < Shape::nx ? u.here[i + 1] : u.after);
    for (int n = 0; n < n_around; ++n) add(known.around[n][i], u.around[n][i]);
    if (count == 0) continue;
    u_row[i] = sum / count;
    next[i] = static_cast<std::uint8_t>(next[i] | bit);
  }
}

template <class Shape>
void extrapolate_block(const CellField<std::uint8_t>& known, FaceField<double>& velocity, LocalIndex b,
                       std::uint8_t* next) {
  const BlockRows<Shape, std::uint8_t> known_rows(known, b);
  for (int r = 0; r < Shape::rows; ++r) {
    const int j = r % Shape::ny;
    const int k = r / Shape::ny;
    const RowNeighbourhood<Shape, std::uint8_t> bits(known_rows, j, k);
    std::uint8_t* next_row = next + r * Shape::nx;
    std::copy_n(bits.here, Shape::nx, next_row);
    bool some_known = any_set(bits.here) || bits.before != 0 || bits.after != 0;
    for (const std::uint8_t* row : bits.around) some_known = some_known || any_set(row);
    if (!some_known || all_known<Shape>(bits.here)) continue;
    for (int d = 0; d < Shape::dim; ++d) {
      const BlockRows<Shape, double> u_rows(velocity[d], b);
      extrapolate_row<Shape>(bits, RowNeighbourhood<Shape, double>(u_rows, j, k), static_cast<std::uint8_t>(1U << d),
                             velocity[d].block(b) + r * Shape::nx, next_row);
    }
  }
}

/// Faces that no layer reached hold 0.
template <class Shape>
void clear_unknown(const std::uint8_t* known, LocalIndex b, FaceField<double>& velocity) {
  for (int d = 0; d < Shape::dim; ++d) {
    double* u = velocity[d].block(b);
    for (int c = 0; c < Shape::cells; ++c)
      if ((known[c] & (1U << d)) == 0) u[c] = 0.0;
  }
}

}  // namespace

void Extrapolation::operator()(const LabelField& labels, int layers, FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const Halo& halo = layout.halo();
  known_.reset(layout, 0);
  next_.reset(layout, 0);
  complete_.resize(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const LocalIndex n_owned = layout.n_owned();
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b) complete_[b] = mark_known<Shape>(labels, b, known_.block(b)) ? 1 : 0;

    for (int layer = 0; layer < layers; ++layer) {
      halo.gather(known_, 1);
      halo.gather(velocity, 1);
#pragma omp parallel for schedule(dynamic, 4)
      for (LocalIndex b = 0; b < n_owned; ++b)
        if (complete_[b] == 0) extrapolate_block<Shape>(known_, velocity, b, next_.block(b));
#pragma omp parallel for schedule(static)
      for (LocalIndex b = 0; b < n_owned; ++b)
        if (complete_[b] == 0) std::copy_n(next_.block(b), Shape::cells, known_.block(b));
    }
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b)
      if (complete_[b] == 0) clear_unknown<Shape>(known_.block(b), b, velocity);
  });
}

}  // namespace freshet
