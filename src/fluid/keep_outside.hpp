// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "body_paths.hpp"
#include "freshet/core/types.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/transfer/lanes.hpp"

namespace freshet {

/// What became of a block's particles.
struct KeptOutside {
  ParticleIndex moved = 0;  ///< by more than rounding
  ParticleIndex stuck = 0;  ///< of these: still in a body
};

/// Keeps the particles of one block out of walls and solids after they have moved.
///
/// Whoever would have gone through a body, or a body through him, stops at its surface and slides along it; whoever is
/// in a body all the same leaves it along the gradient of the signed distance. Where bodies and walls have closed on
/// him there may be no such way: he stays stuck. Positions are relative to the block [cells], in 2-D with z left alone.
class KeepOutside {
 public:
  /// \param[in] reach  no particle of the block is farther than this from it, on any axis [cells]
  KeepOutside(const Domain& domain, const Vec3i& first_cell, int reach, const SolidFields& solids,
              const BodyPaths& paths, LocalIndex block);

  bool nothing_near() const { return !walls_near_ && !bodies_near_; }
  bool bodies_near() const { return bodies_near_; }
  /// Move particles that are in a wall or a solid out of it.
  /// \param[in]     before  where the particles were before they moved; read only if bodies_near()
  /// \param[in,out] u       their velocities [m/s], or null. Those that met a body lose what would lead into it; those
  ///                        that met it on the way are no faster beside it than they went. The grid cannot always see
  ///                        to that: a drop alone by a face that bodies all but close would be sent into them faster in
  ///                        each step, as its cell lets out through the rest of that face what the open ones let in.
  KeptOutside operator()(const ParticleReal* before, ParticleReal* x, ParticleReal* u, ParticleIndex n) const;

 private:
  struct Contact {
    const BodyPath* body = nullptr;  ///< the one touched last; null: none
    bool on_the_way = false;         ///< else the particle was inside
  };
  struct Push {
    const BodyPath* body = nullptr;  ///< the one pushed out of last; null: needless
    bool failed = false;
  };
  Contact keep_one(const ParticleReal* before, Double4& x, KeptOutside& kept) const;
  void stop_at_surface(const Contact& contact, const ParticleReal* before, const Double4& x, ParticleReal* u) const;
  const BodyPath* stop_at_bodies(const ParticleReal* before, Double4& x) const;
  Way slide(const BodyPath& body, const Way& way, double fraction) const;
  Vec3 along_walls(const Vec3& way, const Vec3& x, double margin) const;
  Vec3 to_world(double x, double y, double z) const;
  Vec3 to_cells(const Vec3& world) const { return (world - domain_.origin()) / domain_.dx() - first_cell_; }
  bool clamp_to_walls(Double4& x) const;
  Push push_out_of_bodies(Double4& x) const;

  const Domain& domain_;
  const BodyPaths& paths_;
  Vec3 first_cell_;
  Double4 lower_;  ///< relative to the block [cells]; infinite where there is no wall
  Double4 upper_;
  bool walls_near_ = false;
  bool bodies_near_ = false;
};

/// Positions of n particles before they move, in memory that the thread keeps until the next call.
const ParticleReal* copy_of_positions(const ParticleReal* x, ParticleIndex n);

}  // namespace freshet
