// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/fluid/particle_care_options.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/neighbours.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/particles/seeding_options.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>

namespace freshet {

/// max(0, 1 - r^2/h^2). \param[in] r2, h2  squared distances
inline double loose_kernel(double r2, double h2) {
  return r2 < h2 ? 1.0 - r2 / h2 : 0.0;
}
/// max(0, h^2/r^2 - 1), r^2 at least a thousandth of a cell squared. \param[in] r2, h2  squared distances [cells^2]
inline double stiff_kernel(double r2, double h2) {
  constexpr double closest = 1e-6;
  return r2 < h2 ? h2 / (r2 > closest ? r2 : closest) - 1.0 : 0.0;
}

class GridValues;

/// Longest displacement by the distribution correction. [cells]
constexpr double largest_spread = 0.1;

/// Spreads the particles inside the liquid evenly: springs push particles apart that are closer than seeded ones.
///
///   d_p = s h sum_q W_loose(|x_p - x_q|^2, h^2) (x_p - x_q) / |x_p - x_q|,   |d_p| <= 0.1 cells               (1)
///   u_p = sum_q W_stiff(|x_p + d_p - x_q|^2, 1) u_q / sum_q W_stiff            for the particles with d_p != 0   (2)
///
/// h is the edge of a sub-cell of the seeding, s the strength. Only particles of inner cells (see find_inner_cells)
/// move, so that the surface stays in place. The sum (2) runs over particles of liquid cells, p included. Both sums use
/// the positions before the correction. Particles that follow the grid (see follow_grid) take the grid's velocity and
/// gradient at x_p + d_p instead of (2), which keeps a velocity that is linear in space. Two particles at the same
/// position move apart along their relative velocity, or in a direction from their ids if they have none. Source: Ando
/// & Tsuruno 2011; Ando, Thuerey & Tsuruno 2012, section 4; kernels by squared distance
class DistributionCorrection {
 public:
  DistributionCorrection(const SamplingOptions& sampling, const DistributionOptions& options)
      : strength_(options.strength), spacing_(1.0 / sampling.per_axis) {}

  /// Find d_p and u_p.
  ///
  /// \param[in] inner, labels  fields of these particles; ghosts of labels valid to width 1, owned of inner
  /// \param[in] velocity  read where follow_grid(particles): ghosts valid to width 2 [m/s]
  /// \pre sorted state. Parallel: collective (neighbours); OpenMP
  void find(const ParticleStore& particles, const LabelField& labels, const CellField<std::uint8_t>& inner,
            const FaceField<double>& velocity);
  /// Apply d_p and u_p, then keep particles outside walls and solids. \return particles moved on this rank
  ///
  /// \param[in,out] particles  the particles of find(), in the same order; each may have moved by up to 1/2 cell since
  /// Parallel: local; OpenMP
  ParticleIndex apply(const SolidFields& solids, ParticleStore& particles) const;

 private:
  struct Change {
    double d[3];
    double u[3];
    bool moves;
  };
  template <class Shape>
  void find_in_block(const ParticleStore& particles, const LabelField& labels, const std::uint8_t* inner, LocalIndex b);
  template <class Shape>
  void sample_grid(const ParticleStore& particles, const FaceField<double>& velocity, const GridValues& values,
                   LocalIndex b);
  template <class Shape>
  void resample(const LabelField& labels, LocalIndex b, const Vec3i& cell, const Vec3& target, Change& change) const;

  double strength_;
  double spacing_;  ///< h [cells]
  ParticleNeighbours neighbours_;
  TrackedVector<Change, MemoryKind::scratch> changes_;
  TrackedVector<double, MemoryKind::scratch> values_;  ///< values that displaced particles take from the grid
  bool from_grid_ = false;
  const BlockLayout* layout_ = nullptr;
};

}  // namespace freshet
