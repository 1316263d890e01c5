// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/inner_first.hpp"
#include "freshet/particles/particle_store.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace freshet {

/// Blend grid velocities back to the particles.
///
///   u_p = f (u_p - u_old(x_p)) + u_new(x_p) = f u_p + (u_new - f u_old)(x_p)      (2)
///
/// f = 1 is FLIP, f = 0 is PIC. The combined field is formed once for each block, in double, and then interpolated in
/// particle reals. The first stage of the motion reads u_new, another field, at the same places: it cannot use these
/// interpolated values. What limits the blend: instructions, most of them loads and shuffles.
///
/// \param[in]     u_new, u_old  faces, ghosts valid to width 1 once they have arrived [m/s]
/// \param[in,out] particles     sorted state; velocity [m/s]
/// \param[in]     flip_fraction f in [0, 1]
/// Parallel: local but for what `arrival` does; OpenMP over blocks.  Source: Zhu & Bridson 2005, section 4.3; Bridson
/// 2008, equation 10.3
void blend_velocity(const FaceField<double>& u_new, const FaceField<double>& u_old, double flip_fraction,
                    ParticleStore& particles);

/// The FLIP fraction f for each particle tag.
class FlipFractions {
 public:
  /// Use the fraction f for all tags.
  explicit FlipFractions(double f) { of_tag_.fill(f); }
  void set(int tag, double f) {
    of_tag_[static_cast<std::size_t>(tag)] = f;
    is_uniform_ = std::all_of(of_tag_.begin(), of_tag_.end(), [&](double other) { return other == f; });
  }
  double operator()(std::uint8_t tag) const { return of_tag_[tag]; }
  /// The fractions f^exponent; 0 stays 0.
  FlipFractions to_power(double exponent) const {
    FlipFractions result = *this;
    if (exponent == 1.0) return result;
    for (double& f : result.of_tag_) f = f > 0.0 ? std::pow(f, exponent) : 0.0;
    return result;
  }
  bool is_uniform() const { return is_uniform_; }

 private:
  std::array<double, 256> of_tag_;
  bool is_uniform_ = true;
};

/// Blend with the fraction f of each tag. Blocks whose particles have one f are interpolated once, other blocks twice.
void blend_velocity(const FaceField<double>& u_new, const FaceField<double>& u_old, const FlipFractions& flip_fractions,
                    ParticleStore& particles, const GhostArrival& arrival = {});

/// Affine PIC: particles take the grid's velocity and its gradient.
///
///   u_p = u_new(x_p),  c_p = (grad u_new)(x_p), the gradient of the trilinear weights      (3)
///
/// A deposit with the affine kernel then gives the grid its momentum and angular momentum back, and it reproduces a
/// velocity that is linear in space.
/// \pre has_arrays(particles, ArrayNeed::apic); ghosts of u_new valid to width 1
/// Parallel: local; OpenMP over blocks.  Source: Jiang, Schroeder, Selle, Teran & Stomakhin 2015, section 5; Jiang,
/// Schroeder & Teran 2017, section 4
void blend_affine(const FaceField<double>& u_new, ParticleStore& particles);

}  // namespace freshet
