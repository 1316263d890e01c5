// SPDX-License-Identifier: Apache-2.0
#include "freshet/gauges/water_column.hpp"

#include <algorithm>
#include <vector>

namespace freshet {
namespace {

constexpr double half = 0.5;

bool is_solid(const ColumnSlice& slice) {
  return slice.capacity <= 0.0;
}

/// Whether the slice holds as much liquid as one inside the liquid does; a solid stands for such a slice.
bool is_filled(const ColumnSlice& slice) {
  return is_solid(slice) || slice.content >= half * slice.capacity;
}

}  // namespace

WaterColumn water_column(std::span<const ColumnSlice> slices) {
  const std::size_t n = slices.size();
  std::vector<double> covered(n, 0.0);  // [m]
  for (std::size_t i = 0; i < n; ++i) {
    if (is_solid(slices[i])) continue;
    const bool below = i == 0 || is_filled(slices[i - 1]);
    const bool above = i + 1 < n && is_filled(slices[i + 1]);
    const bool is_inner = is_filled(slices[i]) && below && above;
    covered[i] = slices[i].length * (is_inner ? 1.0 : std::min(1.0, slices[i].content / slices[i].capacity));
  }
  WaterColumn column;
  std::size_t first = 0;  // slice outside a solid in which the line may begin
  while (first < n && is_solid(slices[first])) ++first;
  for (std::size_t i = first; i < n && !is_solid(slices[i]); ++i) {
    column.connected += covered[i];
    if (!is_filled(slices[i]) && (i + 1 == n || !is_filled(slices[i + 1]))) break;
  }
  double start = 0.0;  // of slice i [m]
  for (std::size_t i = 0; i < n; start += slices[i].length, ++i) {
    column.height += covered[i];
    const bool ends_here = !is_solid(slices[i]) && is_filled(slices[i]);
    if (ends_here) column.top = start + covered[i] + (i + 1 < n ? covered[i + 1] : 0.0);
  }
  if (column.top == 0.0) column.top = column.connected;  // a film thinner than half a slice
  return column;
}

}  // namespace freshet
