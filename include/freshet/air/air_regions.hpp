// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/atmosphere_sides.hpp"
#include "freshet/air/far_blocks.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/parallel/gather_all.hpp"
#include "freshet/solids/solids.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// Finds the connected regions of air: cells of air near the liquid that share a face which is not closed, and the far
/// blocks that such cells touch.
///
/// A rank joins the cells of each of its blocks by a flood fill over bits, then the blocks; what is connected across
/// ranks is joined from a list of contacts that all ranks get. Its length grows with the number of regions of single
/// ranks, and nothing is allocated once the longest list has been made. Regions are numbered by their first cells in
/// the order of block keys: the numbers depend neither on the number of ranks nor on which blocks without liquid exist.
class AirRegions {
 public:
  struct Region {
    BlockKey block = 0;  ///< block of the region's first cell
    int cell = 0;
    bool is_open = false;       ///< whether it belongs to the atmosphere
    GlobalIndex cells = 0;      ///< number of cells in blocks near the liquid
    GlobalIndex far_cells = 0;  ///< number of cells in far blocks
  };

  /// \param[in] gravity  [m/s^2] \param[in] vents  cells whose air belongs to the atmosphere
  AirRegions(const Domain& domain, Atmosphere atmosphere, const Vec3& gravity, Vents vents = {});

  static constexpr std::int32_t no_air = -1;
  static constexpr std::int32_t far = -2;

  /// Find the regions. \param[in] labels  ghosts valid to width 1; so are those of the solids' open fractions
  /// \param[in] near  by owned block, 1 if liquid may lie in it or beside it: the same blocks on any ranks
  /// \return whether `near` differs from that of the last call, on any rank
  /// Parallel: collective, mostly one reduction, one exchange and one call of RepeatedGather; OpenMP
  bool find(const LabelField& labels, const SolidFields& solids, std::span<const std::uint8_t> near);
  /// The regions, the same on all ranks.
  const std::vector<Region>& regions() const { return regions_; }
  /// The region of each cell, owned and ghosts to width 1; no_air in cells that are not air, `far` in far blocks.
  const CellField<std::int32_t>& number() const { return number_; }
  /// The region that a far block belongs to, by its coordinates in blocks; no_air if to none. Parallel: local
  std::int32_t of_far_block(const Vec3i& block) const;

 private:
  /// Connected cells of air of one block; bits as in BlockBits.
  struct Piece {
    LocalIndex block;
    std::array<std::uint64_t, 8> bits;
  };
  /// A region of one rank, as all ranks get to know it.
  struct Local {
    BlockKey block;
    std::int32_t cell;
    std::int32_t is_open;
    GlobalIndex cells;
  };
  /// A region of this rank, and one of another rank or of far blocks that it touches.
  struct Contact {
    std::int32_t own;
    std::int32_t rank;   ///< `far` for a region of far blocks
    std::int32_t other;  ///< number of the region among those of its rank, or of far blocks
    auto operator<=>(const Contact&) const = default;
  };
  /// What a block adds to the lists of its rank, found by any thread.
  struct OfBlock {
    std::vector<Piece> pieces;
    std::vector<std::array<std::size_t, 2>> joints;  ///< pieces of this block and of the rank's blocks below that touch
    std::vector<Contact> contacts;
  };
  std::size_t first_piece(LocalIndex block) const { return first_piece_[static_cast<std::size_t>(block)]; }
  template <class Shape>
  void find_pieces(const FaceField<float>& open_fraction, std::span<const std::uint8_t> near);
  template <class Shape>
  void join_blocks(const FaceField<float>& open_fraction);
  template <class Shape>
  void write_numbers(std::span<const std::uint8_t> near);
  template <class Shape>
  void find_contacts(const FaceField<float>& open_fraction);
  template <class Shape>
  void find_contacts_of_block(const FaceField<float>& open_fraction, LocalIndex block);
  template <class Shape>
  bool is_far(LocalIndex block, int axis, int side) const;
  template <class Shape>
  void measure_local();
  template <class Shape>
  bool is_at_atmosphere(const Piece& piece) const;
  void gather_ranks();
  void join_ranks();
  void renumber();
  void write_regions();
  std::size_t root(std::size_t piece);
  void unite(std::size_t a, std::size_t b);

  AtmosphereSides sides_;
  /// Whether the largest region belongs to the atmosphere if no other does: with Atmosphere::above and no gravity.
  bool has_largest_open_;
  FarBlocks far_blocks_;
  LabelPlanes planes_;
  const BlockLayout* layout_ = nullptr;
  std::vector<OfBlock> of_block_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> first_piece_;  ///< first piece of each owned block, and the number of all pieces
  std::vector<std::size_t> parent_;       ///< parent of each piece; later of each region of a rank and of far blocks
  std::vector<std::int32_t> local_;       ///< number of each piece's region among those of this rank
  std::vector<Local> locals_;             ///< regions of this rank, then of all ranks
  std::vector<std::size_t> first_local_;  ///< number of each rank's first region among those of all ranks
  std::vector<Contact> contacts_;         ///< contacts of this rank's regions
  std::vector<std::byte> message_;
  RepeatedGather gather_;
  std::vector<std::int32_t> of_root_, order_, place_;
  /// Joined region of each region of a rank, then of far blocks; no_air if it touches no cell near the liquid.
  std::vector<std::int32_t> region_of_local_;
  std::vector<Region> regions_, sorted_;
  CellField<std::int32_t> number_;
};

}  // namespace freshet
