// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/particle_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace freshet {
namespace {

/// sum of |u|^2, u, x (block-relative), and the largest |u|^2, over the particles of a block.
struct BlockSums {
  double u_squared = 0.0;
  double max_u_squared = 0.0;
  Vec3 u = Vec3::Zero();
  Vec3 x = Vec3::Zero();
};

BlockSums sum_block(const ParticleReal* position, const ParticleReal* velocity, ParticleIndex begin,
                    ParticleIndex end) {
  double u_squared = 0.0;
  double largest = 0.0;
  double ux = 0.0, uy = 0.0, uz = 0.0, x = 0.0, y = 0.0, z = 0.0;
#pragma omp simd reduction(+ : u_squared, ux, uy, uz, x, y, z) reduction(max : largest)
  for (ParticleIndex p = begin; p < end; ++p) {
    const double u_p = velocity[3 * p], v_p = velocity[3 * p + 1], w_p = velocity[3 * p + 2];
    const double squared = u_p * u_p + v_p * v_p + w_p * w_p;
    u_squared += squared;
    largest = squared > largest ? squared : largest;
    ux += u_p;
    uy += v_p;
    uz += w_p;
    x += position[3 * p];
    y += position[3 * p + 1];
    z += position[3 * p + 2];
  }
  return {u_squared, largest, {ux, uy, uz}, {x, y, z}};
}

}  // namespace

ParticleSums sum_particles(const ParticleStore& particles, const BlockLayout& layout, double mass,
                           const Vec3& gravity) {
  const Domain& domain = layout.domain();
  const LocalIndex n_owned = layout.n_owned();
  static thread_local std::vector<BlockSums> blocks;
  blocks.resize(static_cast<std::size_t>(n_owned));
  std::vector<BlockSums>& sums = blocks;  // one name for all threads of the loop
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b)
    sums[b] = sum_block(particles.position(), particles.velocity(), particles.block_begin()[b],
                        particles.block_begin()[b + 1]);

  double u_squared = 0.0;
  double max_u_squared = 0.0;
  Vec3 u = Vec3::Zero();
  Vec3 x = Vec3::Zero();  // [m]
  for (LocalIndex b = 0; b < n_owned; ++b) {
    const auto count = static_cast<double>(particles.block_begin()[b + 1] - particles.block_begin()[b]);
    u_squared += sums[b].u_squared;
    max_u_squared = std::max(max_u_squared, sums[b].max_u_squared);
    u += sums[b].u;
    x += count * domain.origin() + domain.dx() * (count * layout.first_cell(b).cast<double>() + sums[b].x);
  }
  std::array<double, 8> totals{static_cast<double>(particles.size()), u_squared, u[0], u[1], u[2], x[0], x[1], x[2]};
  layout.comm().sum_in_place(totals);

  ParticleSums result;
  result.count = static_cast<GlobalIndex>(totals[0]);  // exact below 2^53
  result.max_speed = std::sqrt(layout.comm().max(max_u_squared));
  result.kinetic_energy = 0.5 * mass * totals[1];
  result.momentum = mass * Vec3(totals[2], totals[3], totals[4]);
  const Vec3 x_sum(totals[5], totals[6], totals[7]);
  result.potential_energy = -mass * gravity.dot(x_sum);
  if (result.count > 0) result.center_of_mass = x_sum / totals[0];
  return result;
}

}  // namespace freshet
