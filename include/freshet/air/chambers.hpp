// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/air_regions.hpp"
#include "freshet/parallel/gather_all.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// The chambers of a domain: cells that are not solid, joined across faces that are not closed. An open side of the
/// domain belongs to a chamber also where it is under water. Only other blocks or solids that move change them.
class Chambers {
 public:
  explicit Chambers(const Domain& domain) : regions_(domain, Atmosphere::open_sides, Vec3::Zero()) {}

  /// Tell that `near` of the next find() may be another one. Parallel: local, the same on all ranks
  void forget() { layout_id_ = 0; }
  /// Find the chambers, unless they are known. \param[in] near  as for AirRegions::find(). Parallel: collective; OpenMP
  void find(const LabelField& labels, const SolidFields& solids, std::span<const std::uint8_t> near);
  std::size_t count() const { return regions_.regions().size(); }
  /// Whether a chamber reaches an open side.
  bool is_open(std::size_t chamber) const { return regions_.regions()[chamber].is_open; }
  /// The chambers of regions of air, the same on all ranks; valid until the next call. Parallel: collective
  std::span<const std::int32_t> of_regions(const std::vector<AirRegions::Region>& air);

 private:
  struct Found {
    std::int32_t region, chamber;
  };
  std::uint64_t layout_id_ = 0;  ///< id() of the layout that the chambers belong to; 0: they are not known
  AirRegions regions_;
  LabelField fluid_;  ///< air in all cells that are not solid
  std::vector<Found> found_;
  RepeatedGather gather_;
  std::vector<std::int32_t> of_regions_;
};

}  // namespace freshet
