// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/particle_store.hpp"

#include <array>

namespace freshet {

/// Sums over the particles of all ranks.
struct ParticleSums {
  GlobalIndex count = 0;
  GlobalIndex represented = 0;         ///< number of particles' masses in liquid without particles
  double max_speed = 0.0;              ///< largest |u_p| [m/s]
  double kinetic_energy = 0.0;         ///< sum m |u_p|^2 / 2 [J]
  double potential_energy = 0.0;       ///< -sum m g . x_p [J]
  Vec3 momentum = Vec3::Zero();        ///< [kg m/s]
  Vec3 center_of_mass = Vec3::Zero();  ///< [m]; 0 without particles
};

/// Sums over the particles of one rank, before a reduction makes ParticleSums of them.
struct ParticleMoments {
  GlobalIndex count = 0;
  GlobalIndex represented = 0;     ///< ParticleSums::represented; add_to() leaves it out
  double max_u_squared = 0.0;      ///< largest |u_p|^2 [m^2/s^2]
  std::array<ExactSum, 7> sums{};  ///< sums of |u_p|^2 [m^2/s^2], u_p [m/s] and x_p [m]

  void add_to(Reduction& reduction);
  /// Convert the sums over all ranks to physical quantities. \param[in] mass, gravity  as for sum_particles()
  ParticleSums physical(double mass, const Vec3& gravity) const;
};

/// Sum the particles of this rank. \param[in] particles  sorted by the blocks and cells of `layout`
/// Parallel: local; OpenMP. Block sums are added without round-off: if the particles of a cell are ordered by id, the
/// bits after a reduction depend neither on threads nor on ranks
ParticleMoments sum_here(const ParticleStore& particles, const BlockLayout& layout);

/// Sum the particles of all ranks. \param[in] particles  sorted by the blocks and cells of `layout`
/// \param[in] mass      mass of one particle [kg]
/// \param[in] gravity   acceleration of gravity [m/s^2]
/// Parallel: collective (one reduction); OpenMP; bits as for sum_here()
ParticleSums sum_particles(const ParticleStore& particles, const BlockLayout& layout, double mass, const Vec3& gravity);

/// Gain of kinetic energy on faces between two velocities: sum m_f (u_after^2 - u_before^2) / 2. [J]
///
/// \param[in] weight  owned faces: number of particles that a face represents
/// \param[in] mass    mass of a particle [kg]
/// Parallel: collective; OpenMP; the same bits for any number of ranks and threads
double kinetic_energy_gain(const FaceField<double>& before, const FaceField<double>& after,
                           const FaceField<double>& weight, double mass);

}  // namespace freshet
