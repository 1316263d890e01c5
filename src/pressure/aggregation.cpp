// SPDX-License-Identifier: Apache-2.0
#include "aggregation.hpp"

#include "multigrid_grids.hpp"

#include <vector>

namespace freshet::pressure {
namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call that is not inlined

/// For blocks that are not coarsened along some axis: the aggregate of each cell, both in checkerboard order.
template <class Shape>
struct AggregateMap {
  std::array<std::int16_t, Shape::cells> parent_cell;
  std::array<std::uint8_t, Shape::cells> outer;  ///< bit f: direction f leads out of the aggregate
  std::vector<std::int16_t> aggregates;          ///< each once, ascending
};

template <class Shape>
AggregateMap<Shape> make_map(unsigned kept, unsigned octant) {
  AggregateMap<Shape> map{};
  std::array<bool, Shape::cells> used{};
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      for (int i = 0; i < Shape::nx; ++i) {
        std::array<int, 3> cell{i, j, k};
        unsigned outer = 0;
        for (unsigned d = 0; d < Shape::dim; ++d) {
          if ((kept >> d & 1U) != 0) {
            outer |= 3U << (2 * d);
            continue;
          }
          outer |= 1U << (2 * d + static_cast<unsigned>(cell[d] % 2));
          cell[d] = cell[d] / 2 + ((octant >> d & 1U) != 0 ? block_width / 2 : 0);
        }
        const int from = Checkerboard<Shape>::index(i, j, k);
        const int to = Checkerboard<Shape>::index(cell[0], cell[1], cell[2]);
        map.parent_cell[from] = static_cast<std::int16_t>(to);
        map.outer[from] = static_cast<std::uint8_t>(outer);
        used[to] = true;
      }
  for (int c = 0; c < Shape::cells; ++c)
    if (used[c]) map.aggregates.push_back(static_cast<std::int16_t>(c));
  return map;
}

template <class Shape>
const AggregateMap<Shape>& map_of(const ParentPlace& place) {
  static const std::vector<AggregateMap<Shape>> maps = [] {
    std::vector<AggregateMap<Shape>> all;
    for (unsigned n = 0; n < 64; ++n) all.push_back(make_map<Shape>(n / 8, n % 8));
    return all;
  }();
  return maps[8U * place.kept + place.octant];
}

/// Where the four aggregates of index (J, K) along y and z stand: (0, 2) and (1, 3) along x are neighbours in memory.
template <class Shape>
struct PatchRow {
  PatchRow(const ParentPlace& place, int J, int K) {
    constexpr int width = Checkerboard<Shape>::row;
    const int j = J + ((place.octant & 2U) != 0 ? block_width / 2 : 0);
    const int k = K + ((place.octant & 4U) != 0 ? block_width / 2 : 0);
    const int offset = width * (j + Shape::ny * k) + ((place.octant & 1U) != 0 ? width / 2 : 0);
    const Colour colour = (j + k) % 2 == 0 ? Colour::even : Colour::odd;
    place_02 = start_of<Shape>(colour) + offset;
    place_13 = start_of<Shape>(other(colour)) + offset;
  }
  template <class T>
  void store(const T* values, T* parent) const {
    const T at_02[] = {values[0], values[2]};
    const T at_13[] = {values[1], values[3]};
    std::memcpy(parent + place_02, at_02, sizeof at_02);
    std::memcpy(parent + place_13, at_13, sizeof at_13);
  }
  void store(const FloatHalf& values, float* parent) const {
    alignas(16) float four[4];
    std::memcpy(four, &values, sizeof four);
    store(four, parent);
  }
  void store(const FloatHalf& values, Weight* parent) const {
    alignas(16) Weight eight[8];
    const WeightRow weights = to_weights(join_halves(values, values));
    std::memcpy(eight, &weights, sizeof eight);
    store(eight, parent);
  }
  FloatHalf load(const float* parent) const {
    const FloatHalf values{parent[place_02], parent[place_13], parent[place_02 + 1], parent[place_13 + 1]};
    return values;
  }
  int place_02;
  int place_13;
};

constexpr int patch_width = block_width / 2;
template <class Shape>
constexpr int patch_depth = (Shape::nz + 1) / 2;

/// Call f(J, K, pair) for each row of aggregates; `pair` is the place of the first vector among a colour's, the one of
/// the next k stands a plane later.
template <class Shape, class Function>
[[gnu::always_inline]] inline void for_each_patch_row(Function&& f) {
  for (int K = 0; K < patch_depth<Shape>; ++K)
    for (int J = 0; J < patch_width; ++J) f(J, K, 2 * K * Checkerboard<Shape>::plane + J * Checkerboard<Shape>::pair);
}

/// Sum of the values at k and, in 3-D, at k + 1.
template <class Shape, class T>
FloatRow sum_along_z(const T* values) {
  FloatRow sum = load_floats(values);
  if constexpr (Shape::dim == 3) sum += load_floats(values + Checkerboard<Shape>::plane);
  return sum;
}

inline FloatHalf sum_halves(const FloatRow& pair) {
  return lower_half(pair) + upper_half(pair);
}

template <class Shape>
void restrict_by_map(const ParentPlace& place, const float* fine, int begin, int end, float scale, float* parent) {
  const AggregateMap<Shape>& map = map_of<Shape>(place);
  for (const std::int16_t c : map.aggregates) parent[c] = 0.0F;
  for (int c = begin; c < end; ++c) parent[map.parent_cell[c]] += scale * fine[c];
}

template <class Shape>
void restrict_weights_by_map(const ParentPlace& place, const FaceWeights& fine, float scale,
                             const std::array<Weight*, n_faces>& parent) {
  const AggregateMap<Shape>& map = map_of<Shape>(place);
  for (unsigned f = 0; f < 2 * Shape::dim; ++f) {
    std::array<float, Shape::cells> sum{};
    for (int c = 0; c < Shape::cells; ++c) {
      if ((map.outer[c] >> f & 1U) != 0) sum[map.parent_cell[c]] += scale * to_float(fine[f][c]);
    }
    for (const std::int16_t c : map.aggregates) parent[f][c] = to_weights(FloatRow{} + sum[c])[0];
  }
}

/// The outer faces along x of four aggregates: the even cells of a row to the low side, the odd ones to the high side.
template <class Shape>
FloatHalf sum_along_rows(const Weight* own, const Weight* across) {
  FloatHalf sum = lower_half(load_floats(own)) + upper_half(load_floats(across));
  if constexpr (Shape::dim == 3) {
    constexpr int plane = Checkerboard<Shape>::plane;
    sum += lower_half(load_floats(across + plane)) + upper_half(load_floats(own + plane));
  }
  return sum;
}

}  // namespace

std::span<const std::int16_t> aggregates_of(int dimension, const ParentPlace& place) {
  return with_shape(dimension, [&place](auto shape) -> std::span<const std::int16_t> {
    return map_of<decltype(shape)>(place).aggregates;
  });
}

template <class Shape>
void restrict_even(const ParentPlace& place, const float* fine_even, float scale, float* parent) {
  if (place.kept != 0) {
    restrict_by_map<Shape>(place, fine_even, 0, Checkerboard<Shape>::half, scale, parent);
    return;
  }
  for_each_patch_row<Shape>([&](int J, int K, int pair) {
    PatchRow<Shape>(place, J, K).store(scale * sum_halves(sum_along_z<Shape>(fine_even + pair)), parent);
  });
}

template <class Shape>
void restrict_all(const ParentPlace& place, const float* fine, float scale, float* parent) {
  if (place.kept != 0) {
    restrict_by_map<Shape>(place, fine, 0, Shape::cells, scale, parent);
    return;
  }
  const float* odd = fine + Checkerboard<Shape>::half;
  for_each_patch_row<Shape>([&](int J, int K, int pair) {
    const FloatRow sum = sum_along_z<Shape>(fine + pair) + sum_along_z<Shape>(odd + pair);
    PatchRow<Shape>(place, J, K).store(scale * sum_halves(sum), parent);
  });
}

template <class Shape>
void restrict_weights(const ParentPlace& place, const FaceWeights& fine, float scale,
                      const std::array<Weight*, n_faces>& parent) {
  if (place.kept != 0) {
    restrict_weights_by_map<Shape>(place, fine, scale, parent);
    return;
  }
  constexpr int half = Checkerboard<Shape>::half;
  constexpr int plane = Checkerboard<Shape>::plane;
  for_each_patch_row<Shape>([&](int J, int K, int pair) {
    const PatchRow<Shape> row(place, J, K);
    row.store(scale * sum_along_rows<Shape>(fine[0] + pair, fine[0] + half + pair), parent[0]);
    row.store(scale * sum_along_rows<Shape>(fine[1] + half + pair, fine[1] + pair), parent[1]);
    for (const int f : {2, 3}) {
      const FloatRow sum = sum_along_z<Shape>(fine[f] + pair) + sum_along_z<Shape>(fine[f] + half + pair);
      row.store(scale * (f == 2 ? lower_half(sum) : upper_half(sum)), parent[f]);
    }
    if constexpr (Shape::dim == 3) {
      for (const int f : {4, 5}) {
        const Weight* first = fine[f] + pair + (f == 4 ? 0 : plane);
        row.store(scale * sum_halves(load_floats(first) + load_floats(first + half)), parent[f]);
      }
    }
  });
}

template <class Shape>
void prolong_even(const ParentPlace& place, const float* parent, const float* inverse_even, float* fine_even) {
  if (place.kept != 0) {
    const AggregateMap<Shape>& map = map_of<Shape>(place);
    for (int c = 0; c < Checkerboard<Shape>::half; ++c)
      if (inverse_even[c] != 0.0F) fine_even[c] += parent[map.parent_cell[c]];
    return;
  }
  for_each_patch_row<Shape>([&](int J, int K, int pair) {
    const FloatHalf values = PatchRow<Shape>(place, J, K).load(parent);
    const FloatRow both = join_halves(values, values);
    for (int k = 0; k < (Shape::dim == 3 ? 2 : 1); ++k) {
      const int at = pair + k * Checkerboard<Shape>::plane;
      const FloatRow change = load_floats(inverse_even + at) != 0.0F ? both : FloatRow{};
      store_floats(fine_even + at, load_floats(fine_even + at) + change);
    }
  });
}

#define FRESHET_INSTANTIATE(Shape)                                                     \
  template void restrict_even<Shape>(const ParentPlace&, const float*, float, float*); \
  template void restrict_all<Shape>(const ParentPlace&, const float*, float, float*);  \
  template void restrict_weights<Shape>(const ParentPlace&, const FaceWeights&, float, \
                                        const std::array<Weight*, n_faces>&);          \
  template void prolong_even<Shape>(const ParentPlace&, const float*, const float*, float*);
FRESHET_INSTANTIATE(BlockShape<2>)
FRESHET_INSTANTIATE(BlockShape<3>)
#undef FRESHET_INSTANTIATE

#pragma GCC diagnostic pop

}  // namespace freshet::pressure
