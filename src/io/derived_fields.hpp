// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/output_fields.hpp"
#include "freshet/io/snapshot.hpp"

/// Output fields that are computed as they are written, from the surface, the solids, the velocity or the particles.
///
/// Each function fits FieldRecord::get. The state needs surface, solids_on_grid, velocity, and particles of its layout.
namespace freshet {

BlockFunction surface_distance(const SnapshotState& state, int d);     ///< [m]
BlockFunction surface_curvature(const SnapshotState& state, int d);    ///< [1/m]; 0 without surface tension
BlockFunction velocity_divergence(const SnapshotState& state, int d);  ///< [1/s]
BlockFunction velocity_curl(const SnapshotState& state, int d);        ///< [1/s]; in 2-D only along z
/// Error of density that the density correction finds at strength 1; see DensityCorrection::find_outflow(). Collective
BlockFunction density_error(const SnapshotState& state, int d);
BlockFunction open_part(const SnapshotState& state, int d);
BlockFunction owner_rank(const SnapshotState& state, int d);

}  // namespace freshet
