// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/transfer/lanes.hpp"

namespace freshet {

/// Keeps the particles of one block out of walls and solids after they have moved.
///
/// Positions are relative to the block [cells], in 2-D with z left alone.
class KeepOutside {
 public:
  /// \param[in] reach  no particle of the block is farther than this from it, on any axis [cells]
  KeepOutside(const Domain& domain, const Vec3i& first_cell, int reach, const SolidFields& solids, LocalIndex block);

  bool nothing_near() const { return !walls_near_ && !bodies_near_; }
  /// Move particles that are in a wall or a solid out of it. \return how many were moved by more than rounding
  ParticleIndex operator()(ParticleReal* x, ParticleIndex n) const;

 private:
  bool keep_one(Double4& x) const;
  bool clamp_to_walls(Double4& x) const;
  bool push_out_of_bodies(Double4& x) const;

  const Domain& domain_;
  const SolidFields& solids_;
  Vec3 first_cell_;
  Double4 lower_;  ///< relative to the block [cells]; infinite where there is no wall
  Double4 upper_;
  bool walls_near_ = false;
  bool bodies_near_ = false;
};

}  // namespace freshet
