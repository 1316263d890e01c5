// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/solids/body_paths.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/transfer/lanes.hpp"
#include "freshet/transfer/trace.hpp"

#include <cstdint>
#include <span>

namespace freshet {

/// The balls about bodies that particles of a block may meet, eight at a time, relative to the block. A ball is so much
/// larger than its body that a particle which does not come into it on its way meets the body nowhere.
struct BallRow {
  float center[3][8];  ///< [cells]
  float reach[8];      ///< radius, with the body's own way [cells]
};

/// Numbers of particles of a block that were moved outside.
struct KeptOutside {
  ParticleIndex moved = 0;  ///< particles moved by more than rounding
  ParticleIndex stuck = 0;  ///< moved particles that are still in a body
  ParticleIndex tests = 0;  ///< tests of a particle against a body
};

/// Keeps the particles of one block out of walls and solids after they have moved.
///
/// A particle whose path meets a body stops at the body's surface and slides along it. A particle that is inside a body
/// nevertheless is pushed out along the gradient of the signed distance. Where bodies and walls enclose the particle
/// the push may fail: it stays stuck. Positions are relative to the block [cells]; in 2-D z does not change. A thread
/// has one of these objects at a time.
class KeepOutside {
 public:
  /// \param[in] reach  largest distance, along any axis, of one of the block's particles from the block [cells]
  KeepOutside(const BlockLayout& layout, int reach, const SolidFields& solids, const BodyPaths& paths,
              LocalIndex block);

  bool nothing_near() const { return !walls_near_ && !bodies_near_; }
  bool bodies_near() const { return bodies_near_; }
  TraceBox walls() const;  ///< for blocks without bodies near: where particles must stay
  /// Move particles out of walls and solids.
  /// \param[in]     before  where the particles were before they moved; read only if bodies_near()
  /// \param[in,out] u       velocities of the particles [m/s], or null. A particle that met a body loses its velocity
  ///                        component into the body. If it met the body in its motion, its speed relative to the body
  ///                        is limited to the mean speed of that motion. The grid alone does not ensure this: a lone
  ///                        drop at a face that bodies nearly close would be driven into them faster in each step,
  ///                        because what enters its cell through open faces leaves through the rest of that face.
  KeptOutside operator()(const ParticleReal* before, ParticleReal* x, ParticleReal* u, ParticleIndex n) const;

 private:
  struct Contact {
    const BodyPath* body = nullptr;  ///< the body met last; null if none
    bool in_motion = false;          ///< false if the particle was inside the body
  };
  struct Push {
    const BodyPath* body = nullptr;  ///< the body pushed out of last; null if no push was needed
    bool failed = false;
  };
  void find_clear_ways(const BlockLayout& layout, const SolidFields& solids, LocalIndex block);
  void find_balls(int reach);
  std::uint32_t find_in_doubt(const ParticleReal* before, const ParticleReal* x, int n) const;
  bool may_meet_body(const ParticleReal* before, const Double4& x) const;
  Contact keep_one(const ParticleReal* before, Double4& x, KeptOutside& kept) const;
  void stop_at_surface(const Contact& contact, const ParticleReal* before, const Double4& x, ParticleReal* u) const;
  const BodyPath* stop_at_bodies(const ParticleReal* before, Double4& x, KeptOutside& kept) const;
  Segment slide(const BodyPath& body, const Segment& segment, double fraction) const;
  Vec3 along_walls(const Vec3& displacement, const Vec3& x, double margin) const;
  Vec3 to_world(double x, double y, double z) const;
  Vec3 to_cells(const Vec3& world) const { return (world - domain_.origin()) / domain_.dx() - first_cell_; }
  bool clamp_to_walls(Double4& x) const;
  Push push_out_of_bodies(Double4& x, KeptOutside& kept) const;

  const Domain& domain_;
  const BodyPaths& paths_;
  NearPaths near_;
  /// By cell of the block: particles that start in the cell meet no body on a way whose square is less. [cells^2]
  std::span<const float> clear_ways_;
  std::span<const BallRow> balls_;  ///< around the bodies of near_
  Double4 region_lower_{};          ///< bounds of the region of near_, relative to the block [cells]
  Double4 region_upper_{};
  Vec3 first_cell_;
  Double4 lower_;  ///< relative to the block [cells]; infinite where there is no wall
  Double4 upper_;
  bool walls_near_ = false;
  bool bodies_near_ = false;
};

/// A copy of the positions of n particles, in memory that stays valid until this thread's next call.
const ParticleReal* copy_of_positions(const ParticleReal* x, ParticleIndex n);

}  // namespace freshet
