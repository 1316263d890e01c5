// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/extrapolate.hpp"

#include "distance.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/rows.hpp"

#include <omp.h>

#include <algorithm>

namespace freshet {
namespace {

/// Find the known faces of a block from its labels. \return whether every face is known
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

constexpr int row_with_ends = block_width + 2;

/// A row of cells and the rows around it, each with the cell before and after it.
template <class Shape, class T>
struct RowNeighbourhood {
  static constexpr int n_rows = Shape::dim == 3 ? 9 : 3;
  T rows[n_rows][row_with_ends];

  RowNeighbourhood(const BlockRows<Shape, T>& field, int j, int k) {
    for (int n = 0; n < n_rows; ++n) {
      const int j_n = j + n % 3 - 1;
      const int k_n = Shape::dim == 3 ? k + n / 3 - 1 : k;
      rows[n][0] = field.before(j_n, k_n);
      std::copy_n(field.row(j_n, k_n), Shape::nx, &rows[n][1]);
      rows[n][row_with_ends - 1] = field.after(j_n, k_n);
    }
  }
};

template <class Shape>
bool any_known(const RowNeighbourhood<Shape, std::uint8_t>& known) {
  std::uint8_t any = 0;
  for (const auto& row : known.rows)
    for (const std::uint8_t bits : row) any = static_cast<std::uint8_t>(any | bits);
  return any != 0;
}

template <class Shape>
bool all_known(const std::uint8_t* row) {
  constexpr std::uint8_t all = (1U << Shape::dim) - 1U;
  return std::all_of(row, row + Shape::nx, [](std::uint8_t bits) { return bits == all; });
}

/// Call found(i, mean) for each unknown face of a row of component d that has known neighbours.
template <class Shape, class Found>
void extrapolate_row(const RowNeighbourhood<Shape, std::uint8_t>& known, const RowNeighbourhood<Shape, double>& u,
                     std::uint8_t bit, const std::uint8_t* here, Found found) {
  double sum[Shape::nx] = {};
  double count[Shape::nx] = {};
  for (int n = 0; n < known.n_rows; ++n)
    for (int shift = 0; shift < 3; ++shift)
      for (int i = 0; i < Shape::nx; ++i) {
        const bool is_known = (known.rows[n][i + shift] & bit) != 0;
        sum[i] += is_known ? u.rows[n][i + shift] : 0.0;
        count[i] += is_known ? 1.0 : 0.0;
      }
  for (int i = 0; i < Shape::nx; ++i) {
    if ((here[i] & bit) == 0 && count[i] > 0.0) found(i, sum[i] / count[i]);
  }
}

/// Set faces that no layer has reached to 0.
template <class Shape>
void clear_unknown(const std::uint8_t* known, LocalIndex b, FaceField<double>& velocity) {
  for (int d = 0; d < Shape::dim; ++d) {
    double* u = velocity[d].block(b);
    for (int c = 0; c < Shape::cells; ++c)
      if ((known[c] & (1U << d)) == 0) u[c] = 0.0;
  }
}

}  // namespace

template <class Shape>
void Extrapolation::extrapolate_block(FaceField<double>& velocity, LocalIndex b, Updates& updates) {
  const BlockRows<Shape, std::uint8_t> known_rows(known_, b);
  for (int r = 0; r < Shape::rows; ++r) {
    const int j = r % Shape::ny;
    const int k = r / Shape::ny;
    const std::uint8_t* here = known_.block(b) + r * Shape::nx;
    std::uint8_t* next_row = next_.block(b) + r * Shape::nx;
    std::copy_n(here, Shape::nx, next_row);
    if (all_known<Shape>(here)) continue;
    const RowNeighbourhood<Shape, std::uint8_t> bits(known_rows, j, k);
    if (!any_known(bits)) continue;
    for (int d = 0; d < Shape::dim; ++d) {
      const RowNeighbourhood<Shape, double> u(BlockRows<Shape, double>(velocity[d], b), j, k);
      const auto bit = static_cast<std::uint8_t>(1U << d);
      double* u_row = velocity[d].block(b) + r * Shape::nx;
      extrapolate_row<Shape>(bits, u, bit, here, [&](int i, double mean) {
        updates.push_back({u_row + i, mean});
        next_row[i] = static_cast<std::uint8_t>(next_row[i] | bit);
      });
    }
  }
}

template <class Shape>
void Extrapolation::extrapolate_layers(int layers, FaceField<double>& velocity) {
  const LocalIndex n_owned = velocity.layout().n_owned();
  const Halo& halo = velocity.layout().halo();
  next_.reset(velocity.layout(), 0);
  for (int layer = 0; layer < layers; ++layer) {
    halo.gather(known_, 1);
    halo.gather(velocity, 1);
    update_faces(
        n_owned, [&](LocalIndex b, Updates& updates) { extrapolate_block<Shape>(velocity, b, updates); },
        [&](LocalIndex b) { std::copy_n(next_.block(b), Shape::cells, known_.block(b)); });
  }
}

template <class Shape>
void Extrapolation::extrapolate_by_distance(const LabelField& labels, const SolidFields& solids, int layers,
                                            FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  distance_.reset(layout, unknown_distance);
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b) {
    for (int d = 0; d < Shape::dim; ++d)
      start_distance<Shape>(labels, d, b, unknown_distance, distance_[d].block(b), velocity[d].block(b));
    for (const CoveredFace& face : solids.covered_faces(b)) {
      distance_[face.axis].block(b)[face.face] = unknown_distance;
      velocity[face.axis].block(b)[face.face] = 0.0;
    }
  }
  const double farthest = static_cast<double>(Shape::dim) *
                          layers;  // [cells] an upwind distance is at most the sum of those along the axes
  const int most_rounds =
      4 * Shape::dim * (layers + 1);  // four times what convergence needs; with a NaN it never converges
  bool changes = layers > 0;
  for (int round = 0; changes && round < most_rounds; ++round) {
    layout.halo().gather(distance_, 1);
    layout.halo().gather(velocity, 1);
    changes = layout.comm().any(update_faces(
        n_owned,
        [&](LocalIndex b, Updates& updates) {
          for (int d = 0; d < Shape::dim; ++d)
            follow_distance<Shape>(distance_[d], velocity[d], d, known_.block(b), b, farthest,
                                   [&](double* face, double value) {
                                     updates.push_back({face, value});
                                   });
        },
        [](LocalIndex) {}));
  }
}

/// Visit incomplete blocks, then write the values they found, then finish them. \return whether any value was found
template <class Visit, class Finish>
bool Extrapolation::update_faces(LocalIndex n_owned, Visit visit, Finish finish) {
  updates_.resize(static_cast<std::size_t>(omp_get_max_threads()));
  bool any = false;
#pragma omp parallel reduction(|| : any)
  {
    Updates& updates = updates_[static_cast<std::size_t>(omp_get_thread_num())];
    updates.clear();
#pragma omp for schedule(dynamic, 4)
    for (LocalIndex b = 0; b < n_owned; ++b)
      if (complete_[b] == 0) visit(b, updates);
    for (const Update& update : updates) *update.face = update.value;
    any = !updates.empty();
#pragma omp for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b)
      if (complete_[b] == 0) finish(b);
  }
  return any;
}

void Extrapolation::operator()(const LabelField& labels, const SolidFields& solids, int layers,
                               FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  known_.reset(layout, 0);
  complete_.resize(static_cast<std::size_t>(layout.n_owned()));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const LocalIndex n_owned = layout.n_owned();
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b) {
      const bool all = mark_known<Shape>(labels, b, known_.block(b));
      for (const CoveredFace& face : solids.covered_faces(b))
        known_.block(b)[face.face] &= static_cast<std::uint8_t>(~(1U << face.axis));
      complete_[b] = all && solids.covered_faces(b).empty() ? 1 : 0;
    }

    if (method_ == ExtrapolationMethod::distance) {
      extrapolate_by_distance<Shape>(labels, solids, layers, velocity);  // clears what it starts from
      return;
    }
    extrapolate_layers<Shape>(layers, velocity);
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b)
      if (complete_[b] == 0) clear_unknown<Shape>(known_.block(b), b, velocity);
  });
}

}  // namespace freshet
