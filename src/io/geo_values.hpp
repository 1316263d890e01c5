// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace freshet {

/// Numbers of one point attribute as a JSON .geo lays them out.
///
///   tuples  a list for each point
///   arrays  a list for each component
///   pages   points in pages of equal size, the last one shorter; a page holds one pack of components after the other
///           (x y z x y z ..., then w w ... for packs of 3 and 1), and a pack that is constant in it only once
struct GeoValues {
  enum class Layout { none, tuples, arrays, pages };

  Layout layout = Layout::none;
  std::size_t size = 1;                     ///< components of a point
  std::vector<double> numbers;              ///< in the order of the file
  std::vector<std::size_t> lists;           ///< arrays: how long each is
  std::vector<std::size_t> packs;           ///< pages: components of each; none: all in one
  std::size_t page_size = 0;                ///< [points]
  std::vector<std::vector<bool>> constant;  ///< by pack and page; empty for a pack that varies in every page

  /// Components 0, 1 and 2 of n_points points, one after the other.
  ///
  /// \param[out] points  untouched if there is a flaw
  /// \return why the numbers are not those of so many points; nothing if they are
  std::optional<std::string> unpack(std::size_t n_points, std::vector<Vec3>& points) const;

  /// A page of several points that have all components in common, as no particles of a liquid lie.
  bool has_points_at_one_place(std::size_t n_points) const;

 private:
  std::optional<std::string> unpack_pages(std::size_t n_points, std::vector<Vec3>& points) const;
  std::optional<std::string> flaw_of_pages(std::size_t n_points) const;
  std::size_t n_pages(std::size_t n_points) const { return n_points / page_size + (n_points % page_size > 0 ? 1 : 0); }
  bool is_constant(std::size_t pack, std::size_t page) const;
};

}  // namespace freshet
