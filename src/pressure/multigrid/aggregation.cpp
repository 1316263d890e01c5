// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/aggregation.hpp"

#include <vector>

namespace freshet::pressure {
namespace {

/// The aggregate of each cell of a block that is not coarsened along some axis, both in checkerboard order.
template <class Shape>
struct AggregateMap {
  std::array<std::int16_t, Shape::cells> parent_cell;
  std::array<std::uint8_t, Shape::cells> outer;  ///< bit f: direction f leads out of the aggregate
  std::vector<std::int16_t> aggregates;          ///< aggregates of the block, each once, ascending

  bool is_outer(int c, int f) const { return (outer[c] >> static_cast<unsigned>(f) & 1U) != 0; }
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

/// Places of the four aggregates of index (J, K) along y and z: 0, 2 and 1, 3 along x are neighbours in memory.
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
  void store(const FloatHalf& values, float* parent) const {
    const float at_02[] = {values[0], values[2]};
    const float at_13[] = {values[1], values[3]};
    std::memcpy(parent + place_02, at_02, sizeof at_02);
    std::memcpy(parent + place_13, at_13, sizeof at_13);
  }
  void store_weights(const FloatHalf& values, int f, Weight* parent) const {
    const WeightRow weights = to_weights(join_halves(values, values));
    const Weight at_02[] = {weights[0], weights[2]};
    const Weight at_13[] = {weights[1], weights[3]};
    std::memcpy(parent + weight_index<Shape>(f, place_02), at_02, sizeof at_02);
    std::memcpy(parent + weight_index<Shape>(f, place_13), at_13, sizeof at_13);
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

/// Call f(J, K, pair) for each row of aggregates; `pair` is the place of the first vector of a colour; the vector at k
/// + 1 lies a plane later.
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

/// The values rounded to weights.
inline FloatRow round_to_weights(const FloatRow& values) {
  return to_floats(to_weights(values));
}

/// The smaller of two values divided by the larger; 0 if both are 0. \pre not negative
inline FloatRow ratio_to_one(const FloatRow& a, const FloatRow& b) {
  const FloatRow larger = a > b ? a : b;
  return (a > b ? b : a) / (larger > 0.0F ? larger : FloatRow{} + 1.0F);
}

/// Call f(constant) for the directions 0 to 2 dim - 1.
template <class Shape, class Function>
[[gnu::always_inline]] inline void for_each_direction(Function&& f) {
  for_each_axis<Shape>([&](auto axis) {
    f(std::integral_constant<int, 2 * axis>{});
    f(std::integral_constant<int, 2 * axis + 1>{});
  });
}

template <class Shape>
void restrict_by_map(const ParentPlace& place, const float* fine, int begin, int end, float scale, float* parent) {
  const AggregateMap<Shape>& map = map_of<Shape>(place);
  for (const std::int16_t c : map.aggregates) parent[c] = 0.0F;
  for (int c = begin; c < end; ++c) parent[map.parent_cell[c]] += scale * fine[c];
}

template <class Shape>
void restrict_weights_by_map(const ParentPlace& place, const Weight* fine, float scale, Weight* parent) {
  const AggregateMap<Shape>& map = map_of<Shape>(place);
  for (int f = 0; f < Checkerboard<Shape>::faces; ++f) {
    std::array<float, Shape::cells> sum{};
    for (int c = 0; c < Shape::cells; ++c) {
      if (map.is_outer(c, f)) sum[map.parent_cell[c]] += scale * to_float(fine[weight_index<Shape>(f, c)]);
    }
    for (const std::int16_t c : map.aggregates) parent[weight_index<Shape>(f, c)] = to_weights(FloatRow{} + sum[c])[0];
  }
}

template <class Shape>
void restrict_inner_weights_by_map(const ParentPlace& place, const Weight* fine, float scale,
                                   const std::array<float*, 3>& parent) {
  const AggregateMap<Shape>& map = map_of<Shape>(place);
  for (int d = 0; d < Shape::dim; ++d) {
    std::array<float, Shape::cells> sum{};
    for (int c = 0; c < Shape::cells; ++c) {
      if (!map.is_outer(c, 2 * d + 1))
        sum[map.parent_cell[c]] += scale * to_float(fine[weight_index<Shape>(2 * d + 1, c)]);
    }
    for (const std::int16_t c : map.aggregates)
      parent[static_cast<std::size_t>(d)][c] = round_to_weights(FloatRow{} + sum[c])[0];
  }
}

/// The weights of a row of aggregates towards direction f: vectors of both colours at k and k + 1.
template <class Shape>
struct WeightPairs {
  WeightPairs(const Weight* block, int f, int J, int K) {
    using Board = Checkerboard<Shape>;
    const Weight* first = block + Board::plane_weights * 2 * K + Board::plane * f + Board::pair * J;
    const Weight* second = first + (Shape::dim == 3 ? Board::plane_weights : 0);
    constexpr int odd = weights_of<Shape>(Colour::odd);
    even_0 = load_floats(first);
    odd_0 = load_floats(first + odd);
    if constexpr (Shape::dim == 3) {
      even_1 = load_floats(second);
      odd_1 = load_floats(second + odd);
    }
  }
  FloatRow even_0;
  FloatRow odd_0;
  FloatRow even_1{};
  FloatRow odd_1{};
};

/// Sums of weights in direction `direction` over the cells on side f of each of four aggregates. The cells of a face
/// are added in the same order on both sides.
template <class Shape>
FloatHalf sum_weights_at(int f, const Weight* fine, int direction, int J, int K) {
  const WeightPairs<Shape> w(fine, direction, J, K);
  switch (f) {
    case 0:  // the even places of each row
      return (lower_half(w.even_0) + upper_half(w.odd_0)) + (lower_half(w.odd_1) + upper_half(w.even_1));
    case 1:
      return (lower_half(w.odd_0) + upper_half(w.even_0)) + (lower_half(w.even_1) + upper_half(w.odd_1));
    case 2:
      return lower_half((w.even_0 + w.odd_0) + (w.even_1 + w.odd_1));
    case 3:
      return upper_half((w.even_0 + w.odd_0) + (w.even_1 + w.odd_1));
    case 4:
      return sum_halves(w.even_0 + w.odd_0);
    default:
      return sum_halves(w.even_1 + w.odd_1);
  }
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
void restrict_weights(const ParentPlace& place, const Weight* fine, float scale, Weight* parent) {
  if (place.kept != 0) {
    restrict_weights_by_map<Shape>(place, fine, scale, parent);
    return;
  }
  for_each_patch_row<Shape>([&](int J, int K, int) {
    const PatchRow<Shape> row(place, J, K);
    for (int f = 0; f < Checkerboard<Shape>::faces; ++f) {
      row.store_weights(scale * sum_weights_at<Shape>(f, fine, f, J, K), f, parent);
    }
  });
}

template <class Shape>
void restrict_inner_weights(const ParentPlace& place, const Weight* fine, float scale,
                            const std::array<float*, 3>& parent) {
  if (place.kept != 0) {
    restrict_inner_weights_by_map<Shape>(place, fine, scale, parent);
    return;
  }
  for_each_patch_row<Shape>([&](int J, int K, int) {
    const PatchRow<Shape> row(place, J, K);
    for (int d = 0; d < Shape::dim; ++d) {
      const FloatHalf sum =
          scale * sum_weights_at<Shape>(2 * d, fine, 2 * d + 1, J, K);  // high faces of the lower cells
      row.store(lower_half(round_to_weights(join_halves(sum, sum))), parent[static_cast<std::size_t>(d)]);
    }
  });
}

template <class Shape>
void put_in_series(const std::array<ColourStar, Shape::dim>& inner, Weight* weight) {
  using Board = Checkerboard<Shape>;
  for (const Colour colour : {Colour::even, Colour::odd}) {
    std::array<ColourStar, Shape::dim> beside = inner;  // cells of the other colour are neighbours
    for (int d = 0; d < Shape::dim; ++d) {
      for (const float** start : {&beside[d].self, &beside[d].low[d], &beside[d].high[d]}) {
        *start += start_of<Shape>(other(colour));
      }
    }
    for_each_direction<Shape>([&](auto direction) {
      constexpr int f = direction;
      constexpr int d = f / 2;
      for (int k = 0; k < Shape::nz; ++k) {
        const bool first_is_even = (k + static_cast<int>(colour)) % 2 == 0;
        for (int m = 0; m < Board::plane; m += Board::pair) {
          Weight* const target = weight + weights_of<Shape>(colour) + Board::plane_weights * k + Board::plane * f + m;
          const FloatRow sum = load_floats(target);
          const FloatRow here = load_floats(inner[d].self + start_of<Shape>(colour) + Board::plane * k + m);
          const FloatRow there = first_is_even ? neighbours_in<Shape, f, true>(beside[d], k, m)
                                               : neighbours_in<Shape, f, false>(beside[d], k, m);
          const FloatRow half_ways = 0.5F * (ratio_to_one(sum, here) + ratio_to_one(sum, there));
          const WeightRow result = to_weights(2.0F * sum / (1.0F + half_ways));
          std::memcpy(target, &result, sizeof result);
        }
      }
    });
  }
}

template <class Shape>
void put_excess_in_series(const std::array<const float*, 3>& inner, const float* sum, float* excess) {
  for (int c = 0; c < Shape::cells; c += Checkerboard<Shape>::pair) {
    FloatRow mean{};
    for (int d = 0; d < Shape::dim; ++d) mean += load_floats(inner[static_cast<std::size_t>(d)] + c);
    mean *= 1.0F / Shape::dim;
    const FloatRow values = load_floats(sum + c);
    store_floats(excess + c, 2.0F * values / (1.0F + 0.5F * ratio_to_one(values, mean)));
  }
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

#define FRESHET_INSTANTIATE(Shape)                                                                                     \
  template void restrict_even<Shape>(const ParentPlace&, const float*, float, float*);                                 \
  template void restrict_all<Shape>(const ParentPlace&, const float*, float, float*);                                  \
  template void restrict_weights<Shape>(const ParentPlace&, const Weight*, float, Weight*);                            \
  template void restrict_inner_weights<Shape>(const ParentPlace&, const Weight*, float, const std::array<float*, 3>&); \
  template void put_in_series<Shape>(const std::array<ColourStar, Shape::dim>&, Weight*);                              \
  template void put_excess_in_series<Shape>(const std::array<const float*, 3>&, const float*, float*);                 \
  template void prolong_even<Shape>(const ParentPlace&, const float*, const float*, float*);
FRESHET_INSTANTIATE(BlockShape<2>)
FRESHET_INSTANTIATE(BlockShape<3>)
#undef FRESHET_INSTANTIATE

}  // namespace freshet::pressure
