// SPDX-License-Identifier: Apache-2.0
#include "freshet/gauges/water_column.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr double half = 0.5;

bool is_solid(const ColumnSlice& slice) {
  return slice.capacity <= 0.0;
}

/// Whether a slice holds at least half of its capacity; a solid counts as such a slice.
bool is_filled(const ColumnSlice& slice) {
  return is_solid(slice) || slice.content >= half * slice.capacity;
}

/// Append a part of a line; if it is open, in pieces of a step and a last one of half a step to one and a half.
void append(double begin, double end, bool is_open, double step, std::vector<LinePiece>& pieces) {
  constexpr double least = 1e-6;  // least length over a step: less is round-off
  if (end - begin < least * step) return;
  const int n = is_open ? std::max(1, static_cast<int>(std::lround((end - begin) / step))) : 1;
  for (int i = 0; i < n; ++i) {
    const double from = begin + i * step;
    pieces.push_back({from, i + 1 < n ? step : end - from, is_open});
  }
}

/// Whether a sample lies outside of solids, or beside another sample on a surface along which the line runs.
bool is_outside(std::span<const double> distances, std::size_t i, double rounding) {
  const auto is_on_surface = [&](std::size_t n) { return std::abs(distances[n]) <= rounding; };
  if (distances[i] >= 0.0) return true;
  return is_on_surface(i) && ((i > 0 && is_on_surface(i - 1)) || (i + 1 < distances.size() && is_on_surface(i + 1)));
}

}  // namespace

std::vector<LinePiece> cut_line(double length, std::span<const double> distances, double step) {
  FRESHET_EXPECT(distances.size() >= 2);
  const auto is_open = [&](std::size_t i) { return is_outside(distances, i, 0.01 * step); };
  const double spacing = length / static_cast<double>(distances.size() - 1);
  std::vector<LinePiece> pieces;
  double begin = 0.0;
  for (std::size_t i = 1; i < distances.size(); ++i) {
    if (is_open(i) == is_open(i - 1)) continue;
    const double crossing = std::clamp(distances[i - 1] / (distances[i - 1] - distances[i]), 0.0, 1.0);
    const double end = (static_cast<double>(i - 1) + crossing) * spacing;
    append(begin, end, is_open(i - 1), step, pieces);
    begin = end;
  }
  append(begin, length, is_open(distances.size() - 1), step, pieces);
  return pieces;
}

WaterColumn water_column(std::span<const ColumnSlice> slices) {
  const std::size_t n = slices.size();
  std::vector<double> covered(n, 0.0);  // covered length of each slice [m]
  for (std::size_t i = 0; i < n; ++i) {
    if (is_solid(slices[i])) continue;
    const bool below = i == 0 || is_filled(slices[i - 1]);
    const bool above = i + 1 < n && is_filled(slices[i + 1]);
    const bool is_inner = is_filled(slices[i]) && below && above;
    covered[i] = slices[i].length * (is_inner ? 1.0 : std::min(1.0, slices[i].content / slices[i].capacity));
  }
  WaterColumn column;
  std::size_t first = 0;  // first slice outside of solids, in which the line may begin
  while (first < n && is_solid(slices[first])) ++first;
  for (std::size_t i = first; i < n && !is_solid(slices[i]); ++i) {
    column.connected += covered[i];
    if (!is_filled(slices[i]) && (i + 1 == n || !is_filled(slices[i + 1]))) break;
  }
  double start = 0.0;  // distance of slice i from the line's start [m]
  for (std::size_t i = 0; i < n; start += slices[i].length, ++i) {
    column.height += covered[i];
    const bool ends_here = !is_solid(slices[i]) && is_filled(slices[i]);
    if (ends_here) column.top = start + covered[i] + (i + 1 < n ? covered[i + 1] : 0.0);
  }
  if (column.top == 0.0) column.top = column.connected;  // a film thinner than half a slice
  return column;
}

}  // namespace freshet
