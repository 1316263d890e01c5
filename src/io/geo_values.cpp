// SPDX-License-Identifier: Apache-2.0
#include "geo_values.hpp"

#include "freshet/core/contracts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet {

bool GeoValues::is_constant(std::size_t pack, std::size_t page) const {
  return pack < constant.size() && !constant[pack].empty() && constant[pack][page];
}

std::optional<std::string> GeoValues::unpack(std::size_t n_points, std::vector<Vec3>& points) const {
  FRESHET_EXPECT(size >= 3);
  if (layout == Layout::none) return "no tuples, arrays or rawpagedata";
  if (layout == Layout::pages) return unpack_pages(n_points, points);
  if (numbers.size() % size != 0 || numbers.size() / size != n_points)
    return fmt::format("{} numbers for {} points of {} components", numbers.size(), n_points, size);
  if (layout == Layout::arrays &&
      (lists.size() != size || std::count(lists.begin(), lists.end(), n_points) != static_cast<std::ptrdiff_t>(size)))
    return fmt::format("arrays of different lengths for {} points", n_points);
  points.resize(n_points);
  for (std::size_t p = 0; p < n_points; ++p)
    for (std::size_t d = 0; d < 3; ++d)
      points[p][static_cast<int>(d)] = numbers[layout == Layout::tuples ? p * size + d : d * n_points + p];
  return std::nullopt;
}

/// What does not fit together before a page is looked at.
std::optional<std::string> GeoValues::flaw_of_pages(std::size_t n_points) const {
  if (page_size == 0) return "no pagesize";
  std::size_t components = 0;
  for (const std::size_t pack : packs) {
    if (pack == 0 || pack > size - components) return fmt::format("a packing that is none of {} components", size);
    components += pack;
  }
  if (!packs.empty() && components != size) return fmt::format("a packing that is none of {} components", size);
  if (constant.size() > std::max<std::size_t>(packs.size(), 1)) return "constantpageflags of more packs than there are";
  for (const std::vector<bool>& flags : constant)
    if (!flags.empty() && flags.size() != n_pages(n_points))
      return fmt::format("constantpageflags of {} pages where there are {}", flags.size(), n_pages(n_points));
  return std::nullopt;
}

std::optional<std::string> GeoValues::unpack_pages(std::size_t n_points, std::vector<Vec3>& points) const {
  if (const auto flaw = flaw_of_pages(n_points)) return flaw;
  const std::vector<std::size_t> pack_sizes = packs.empty() ? std::vector<std::size_t>{size} : packs;
  std::vector<Vec3> found;
  std::size_t at = 0;  // in numbers
  for (std::size_t first = 0, page = 0; first < n_points; first += page_size, ++page) {
    const std::size_t count = std::min(page_size, n_points - first);
    std::size_t wanted = 0;
    for (std::size_t pack = 0; pack < pack_sizes.size(); ++pack)
      wanted += pack_sizes[pack] * (is_constant(pack, page) ? 1 : count);
    if (numbers.size() - at < wanted) return fmt::format("the pages end at point {} of {}", first, n_points);
    found.resize(first + count);
    for (std::size_t pack = 0, component = 0; pack < pack_sizes.size(); component += pack_sizes[pack++]) {
      const std::size_t width = pack_sizes[pack];
      const std::size_t copies = is_constant(pack, page) ? 1 : count;
      for (std::size_t d = component; d < std::min<std::size_t>(component + width, 3); ++d)
        for (std::size_t p = 0; p < count; ++p)
          found[first + p][static_cast<int>(d)] = numbers[at + (copies == 1 ? 0 : p * width) + d - component];
      at += copies * width;
    }
  }
  if (at != numbers.size()) return fmt::format("{} numbers too many in the pages", numbers.size() - at);
  points = std::move(found);
  return std::nullopt;
}

bool GeoValues::has_points_at_one_place(std::size_t n_points) const {
  if (layout != Layout::pages || page_size < 2 || flaw_of_pages(n_points)) return false;
  const std::size_t n_packs = std::max<std::size_t>(packs.size(), 1);
  if (constant.size() < n_packs) return false;
  for (const std::vector<bool>& flags : constant)
    if (flags.empty()) return false;
  for (std::size_t page = 0; page < constant.front().size(); ++page) {
    if (n_points - page * page_size < 2) continue;
    std::size_t pack = 0;
    while (pack < n_packs && constant[pack][page]) ++pack;
    if (pack == n_packs) return true;
  }
  return false;
}

}  // namespace freshet
