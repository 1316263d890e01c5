// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/outer_faces.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

/// Sets of cells or faces of a block as bits: a word is a plane of 8x8 cells, whose bit i + 8 j stands for cell (i, j).
namespace freshet {

static_assert(block_width == 8 && std::endian::native == std::endian::little);

constexpr std::uint64_t low_column = 0x0101010101010101;   ///< cells with i = 0
constexpr std::uint64_t high_column = 0x8080808080808080;  ///< cells with i = 7

/// The plane of bit number `bit` of each of 64 bytes.
inline std::uint64_t plane_of(const std::uint8_t* bytes, int bit) {
  std::uint64_t plane = 0;
  for (int j = 0; j < block_width; ++j) {
    std::uint64_t row = 0;
    std::memcpy(&row, bytes + block_width * j, sizeof row);
    // the product moves the lowest bit of byte i to bit 56 + i
    plane |= (row >> bit & low_column) * 0x0102040810204080 >> 56 << block_width * j;
  }
  return plane;
}

/// Entry b holds eight bytes: byte n is 1 if bit n of b is set, else 0.
constexpr std::array<std::uint64_t, 256> bytes_of_bits = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::size_t bits = 0; bits < table.size(); ++bits)
    for (int i = 0; i < 8; ++i) table[bits] |= std::uint64_t{bits >> i & 1U} << 8 * i;
  return table;
}();

/// The cells of a plane with their neighbours along x and y, corners included.
/// \param[in] around  the same plane of the nine blocks around; index (dx + 1) + 3 (dy + 1)
inline std::uint64_t grow(const std::uint64_t (&around)[9]) {
  std::uint64_t rows[3];
  for (int n = 0; n < 3; ++n) {
    const std::uint64_t* plane = around + 3 * n;
    rows[n] = plane[1] | (plane[1] & ~high_column) << 1 | (plane[1] & ~low_column) >> 1 |
              (plane[0] & high_column) >> 7 | (plane[2] & low_column) << 7;
  }
  return rows[1] | rows[1] << 8 | rows[1] >> 8 | rows[0] >> 56 | rows[2] << 56;
}

/// The cells of a block and of the blocks around it that have a property, as planes of bits: from the one below the
/// block's first plane to the one above its last.
template <class Shape>
class PlaneTile {
 public:
  static constexpr int z = Shape::dim == 3 ? 1 : 0;

  /// \param[in] planes  nz words for each slot, as in CellPlanes \param[in] around  the 27 slots around the block
  PlaneTile(const std::uint64_t* planes, const LocalIndex* around) {
    for (int k = -z; k < Shape::nz + z; ++k) {
      const int side = k < 0 ? -1 : k >= Shape::nz ? 1 : 0;
      for (int n = 0; n < 9; ++n)
        plane_[k + 1][n] = planes[Shape::nz * around[n + 9 * (side + 1)] + k - Shape::nz * side];
    }
  }
  std::uint64_t own(int k) const { return plane_[k + 1][4]; }
  /// Plane k, -1 .. nz, of the nine blocks that share it, by number (dx + 1) + 3 (dy + 1).
  const std::uint64_t (&nine(int k) const)[9] { return plane_[k + 1]; }
  /// The cells of the block within a cell of the set, corners included, by plane.
  std::array<std::uint64_t, Shape::nz> grown() const {
    std::uint64_t wide[Shape::nz + 2] = {};
    for (int k = -z; k < Shape::nz + z; ++k) wide[k + 1] = grow(plane_[k + 1]);
    std::array<std::uint64_t, Shape::nz> result;
    for (int k = 0; k < Shape::nz; ++k) result[static_cast<std::size_t>(k)] = wide[k] | wide[k + 1] | wide[k + 2];
    return result;
  }

 private:
  std::uint64_t plane_[Shape::nz + 2][9];  ///< index k + 1 holds plane k
};

/// The cells of a plane k within `width` cells of the neighbour block in direction `offset`.
template <class Shape>
std::uint64_t rim_plane(const Vec3i& offset, int width, int k) {
  const int z = Shape::dim == 3 ? offset.z() : 0;
  if ((z < 0 && k >= width) || (z > 0 && k < Shape::nz - width)) return 0;
  const std::uint64_t columns = (1ULL << width) - 1;
  std::uint64_t plane = ~0ULL;
  if (offset.x() < 0) plane &= low_column * columns;
  if (offset.x() > 0) plane &= low_column * (columns << (8 - width));
  if (width < 8 && offset.y() < 0) plane &= (1ULL << 8 * width) - 1;
  if (width < 8 && offset.y() > 0) plane &= ~0ULL << 8 * (8 - width);
  return plane;
}

/// The faces of a block, normal to one axis, that are inner_faces() of the domain.
class InnerFaces {
 public:
  /// \param[in] axis  axis that the faces are normal to
  template <class Shape>
  InnerFaces(Shape /*shape*/, const Domain& domain, const Vec3i& first_cell, int axis) {
    const CellBox box = inner_faces(domain, axis);
    std::uint64_t along[3];  // one bit for each of the block's faces along each axis
    for (int d = 0; d < 3; ++d) {
      const bool is_cut = d < Shape::dim && !domain.periodic(d);
      const int begin = is_cut ? std::clamp(box.lower[d] - first_cell[d], 0, Shape::n(d)) : 0;
      const int end = is_cut ? std::clamp(box.upper[d] - first_cell[d], begin, Shape::n(d)) : Shape::n(d);
      along[d] = ((1ULL << end) - 1) & ~((1ULL << begin) - 1);
    }
    planes_ = along[2];
    for (int j = 0; j < block_width; ++j)
      if ((along[1] >> j & 1U) != 0) plane_ |= along[0] << block_width * j;
  }
  /// The faces in plane k, bit i + 8 j for face (i, j).
  std::uint64_t plane(int k) const { return (planes_ >> k & 1U) != 0 ? plane_ : 0; }

 private:
  std::uint64_t plane_ = 0;
  std::uint64_t planes_ = 0;  ///< bit k is set if plane k has such faces
};

}  // namespace freshet
