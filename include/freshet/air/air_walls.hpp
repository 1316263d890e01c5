// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace freshet {

/// Blocks with the surfaces of solids. However far the liquid is, they exist and count as near it, so that air is
/// parted by the cells and faces of solids there, moves with bodies, and pushes them.
///
/// Blocks inside a solid, farther from its surface, need not exist: no air of such blocks touches other air. A rank
/// finds the blocks of its own part of the Morton curve by dividing cubes of blocks, and asks for distances near
/// surfaces alone. Those of bodies at rest are found once for each part.
class AirWalls {
 public:
  /// \param[in] bodies  they outlive this object; those that move are asked for poses
  /// \param[in] is_on  whether air is followed; else no block is needed
  AirWalls(int rank, const Domain& domain, const std::vector<SolidBody>& bodies, bool is_on)
      : rank_(rank), domain_(domain), bodies_(&bodies), is_on_(is_on) {}

  /// Look at the bodies' surfaces where they are at a time from now on. [s]
  void look_at(double time) { time_ = time; }
  /// Note that a body was put elsewhere, so that blocks may be lacking before the next motion.
  void expect_lacking() { may_lack_ = true; }
  /// Whether blocks may be lacking since expect_lacking(); it is forgotten then.
  bool take_expected() { return std::exchange(may_lack_, false) && is_on_; }

  /// The blocks of this rank that must exist, and some around moving bodies, so that not every step needs new ones.
  /// Parallel: local
  std::vector<BlockKey> blocks(const Splitters& splitters);
  /// Whether one of this rank's blocks with the surface of a moving body does not exist. Parallel: local
  bool lacks_blocks(const BlockLayout& layout);
  /// Add the blocks of walls to those near the liquid. \param[in] solids  at the time of the marks
  /// \param[in,out] near  by owned block: 1 if air is followed by cells. Parallel: local; the same blocks on any ranks
  static void mark(const SolidFields& solids, const BlockLayout& layout, std::vector<std::uint8_t>& near);

 private:
  /// A part of the Morton curve: keys from `begin` to before `end`.
  struct Part {
    BlockKey begin = 0, end = 0;
    bool operator==(const Part&) const = default;
  };
  Part part_of(const Splitters& splitters) const;
  template <class Visit>
  void search(const Shape& shape, double within, const Part& part, Visit&& visit) const;
  template <class Visit>
  void search_cube(const Shape& shape, double within, const Part& part, const Vec3i& first, int level,
                   Visit& visit) const;

  int rank_;
  Domain domain_;
  const std::vector<SolidBody>* bodies_;
  bool is_on_;
  double time_ = 0.0;              ///< time at which surfaces are looked at [s]
  bool may_lack_ = false;          ///< whether a body was put elsewhere since take_expected()
  Part of_resting_;                ///< part of the curve that resting_ belongs to
  std::vector<BlockKey> resting_;  ///< blocks with surfaces of bodies at rest
  std::uint64_t layout_id_ = 0;    ///< id() of the layout that of_layout_ belongs to; 0: none
  Part of_layout_;
};

}  // namespace freshet
