// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/particles/particle_store.hpp"
#include "h5.hpp"

/// Objects of a checkpoint file:
///   /                 attributes of write_provenance(), freshetCheckpointVersion; dataset freshetInput
///   /state            attributes: the numbers of the run, int64 or float64
///   /splitters        uint64 [ranks]: the first key of each rank
///   /blocks/key       uint64 [blocks], ascending
///   /blocks/first_particle  uint64 [blocks + 1]: the particles of block b are first_particle[b] .. [b + 1] - 1
///   /blocks/pressure  float64 [blocks * cells of a block]  [Pa]
///   /blocks/air       float64 [blocks * cells of a block], if the run follows trapped air: see TrappedAir
///   /bubbles          float64, with /blocks/air: see TrappedAir::kept()
///   /blocks/predicted_change_x, _y, _z  float64 [blocks * cells of a block], between the steps of a pair of splitting
///                     reflection: see TimeSplitting::predicted_change()
///   /blocks/zone      uint8 [blocks * cells of a block], if the run keeps particles in a narrow band: see NarrowBand
///   /blocks/velocity_x, _y, _z  float64 [blocks * cells of a block], with /blocks/zone: the last step's  [m/s]
///   /bodies/<array>   float64, [bodies * width], a row a body, if the liquid moves bodies: see FreeBodies::kept(). In
///                     earlier files each element is an attribute of /state
///   /particles/<attribute>  [particles * width], interleaved; attributes `width` and `initial` (of new particles)
namespace freshet::checkpoint {

inline constexpr std::int32_t version = 2;
inline constexpr const char* change_names[] = {"predicted_change_x", "predicted_change_y", "predicted_change_z"};
inline constexpr const char* velocity_names[] = {"velocity_x", "velocity_y", "velocity_z"};
inline constexpr const char* version_name = "freshetCheckpointVersion";
inline constexpr const char* initial_name = "initial";
inline constexpr const char* width_name = "width";
inline constexpr std::int32_t max_width = 64;  ///< largest number of elements of an attribute

}  // namespace freshet::checkpoint
