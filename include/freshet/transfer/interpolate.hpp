// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <algorithm>
#include <array>

namespace freshet {

/// Blend grid velocities back to the particles.
///
///   u_p = f (u_p - u_old(x_p)) + u_new(x_p) = f u_p + (u_new - f u_old)(x_p)      (2)
///
/// f = 1 is FLIP, f = 0 is PIC; one gather of the combined field, formed while the block's padded copy is filled.
/// \param[in]     u_new, u_old  faces, ghosts valid to width 1 [m/s]
/// \param[in,out] particles     sorted state; velocity [m/s]
/// \param[in]     flip_fraction f in [0, 1]
/// Parallel: local; OpenMP over blocks.  Source: Zhu & Bridson 2005, section 4.3; Bridson 2008, equation 10.3
void blend_velocity(const FaceField<double>& u_new, const FaceField<double>& u_old, double flip_fraction,
                    ParticleStore& particles);

/// The share f of FLIP by the tag that a particle carries.
class FlipFractions {
 public:
  /// The same for all tags.
  explicit FlipFractions(double f) { of_tag_.fill(f); }
  void set(int tag, double f) {
    of_tag_[static_cast<std::size_t>(tag)] = f;
    is_uniform_ = std::all_of(of_tag_.begin(), of_tag_.end(), [&](double other) { return other == f; });
  }
  double operator()(std::uint8_t tag) const { return of_tag_[tag]; }
  bool is_uniform() const { return is_uniform_; }

 private:
  std::array<double, 256> of_tag_;
  bool is_uniform_ = true;
};

/// The same with f by tag. Blocks whose particles agree about f take one gather, others two: of u_new and of u_old.
void blend_velocity(const FaceField<double>& u_new, const FaceField<double>& u_old, const FlipFractions& flip_fractions,
                    ParticleStore& particles);

/// Affine PIC: particles take the grid's velocity and its gradient.
///
///   u_p = u_new(x_p),  c_p = (grad u_new)(x_p), the gradient of the trilinear weights      (3)
///
/// With Deposit's affine kernel afterwards momentum and angular momentum are those of the grid, and a velocity that is
/// linear in space stays as it is.
/// \pre has_arrays(particles, ArrayNeed::apic); ghosts of u_new valid to width 1
/// Parallel: local; OpenMP over blocks.  Source: Jiang, Schroeder, Selle, Teran & Stomakhin 2015, section 5; Jiang,
/// Schroeder & Teran 2017, section 4
void blend_affine(const FaceField<double>& u_new, ParticleStore& particles);

}  // namespace freshet
