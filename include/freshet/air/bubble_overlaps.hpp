// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/parallel/gather_all.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// What regions of air share with the bubbles and the atmosphere of the step before, and which part of each of those
/// bubbles each region gets.
///
/// What joins the atmosphere is lost to it by numbers of cells. The rest of a bubble goes to regions by their volumes,
/// each of which is divided among its ancestors by numbers of cells. Cells beside a bubble count as its own if no
/// region has cells inside it. Closed regions too small for a bubble get no part.
class BubbleOverlaps {
 public:
  static constexpr std::int32_t none = -1;
  /// What a region may be.
  enum class Kind : std::uint8_t { atmosphere, bubble, small };
  // Marks of a cell after a step: 2 i in bubble i, 2 i + 1 in liquid beside it, or one of these.
  static constexpr double no_air = -3.0;
  static constexpr double atmosphere = -2.0;

  struct Overlap {
    std::int32_t region;  ///< none: the atmosphere
    std::int32_t before;  ///< none: the atmosphere
    std::int64_t weight;  ///< number of cells inside the bubble
    std::int64_t beside;  ///< number of cells beside it
    double part = 0.0;    ///< part of the bubble that the region gets; of the region that was atmosphere
  };
  /// \param[in] region  region of each owned cell, below 0 if there is none
  /// \param[in] near  by owned block: 0 if it holds no cells of regions
  /// \param[in] kind  by region \param[in] volume  by region; those of bubbles are read [m^3]
  /// \param[in] before  marks of cells after the last step \param[in] n_before  number of bubbles then
  /// Parallel: collective, one call of RepeatedGather; OpenMP
  void find(const CellField<std::int32_t>& region, std::span<const std::uint8_t> near, std::span<const Kind> kind,
            std::span<const double> volume, const CellField<double>& before, std::size_t n_before);
  void clear() { all_.clear(); }
  /// The overlaps of a region, by bubble of the step before, the atmosphere first; the same on all ranks. Local
  std::span<const Overlap> of_region(std::int32_t region) const;
  /// All overlaps, by region, the atmosphere first; the same on all ranks.
  std::span<const Overlap> all() const { return all_; }

 private:
  static void merge(std::vector<Overlap>& list);
  void keep_closest(std::size_t n_before, std::span<const Kind> kind);
  void find_shares(std::span<const Kind> kind, std::span<const double> volume, std::size_t n_before);

  std::vector<std::vector<Overlap>> of_block_;
  std::vector<Overlap> here_, all_;  ///< overlaps of this rank, and of all ranks; sorted
  RepeatedGather gather_;
  std::vector<std::uint8_t> has_inside_;                     ///< by bubble of the step before
  std::vector<double> of_region_;                            ///< weights by region
  std::vector<double> of_before_, lost_, volume_of_before_;  ///< weights and volume [m^3] by bubble
};

}  // namespace freshet
