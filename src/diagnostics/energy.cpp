// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/energy.hpp"

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/core/real_lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace freshet {
namespace {

/// Sums of |u|^2, u and x (block-relative), and the largest |u|^2, over the particles of a block.
struct BlockSums {
  double u_squared = 0.0;
  double max_u_squared = 0.0;
  Vec3 u = Vec3::Zero();
  Vec3 x = Vec3::Zero();
};

double sum_of_lanes(const Lanes<double>& lanes) {
  double sum = 0.0;
  for (int lane = 0; lane < n_lanes<double>; ++lane) sum += lanes[lane];
  return sum;
}

BlockSums sum_block(const ParticleReal* position, const ParticleReal* velocity, ParticleIndex n) {
  using Vector = Lanes<double>;
  constexpr int width = n_lanes<double>;
  Vector u_squared{}, largest{}, u[3] = {}, x[3] = {};
  ParticleIndex p = 0;
  for (; p + width <= n; p += width) {
    const LaneTriple<double> u_p = load_triples<double>(velocity + 3 * p);
    const LaneTriple<double> x_p = load_triples<double>(position + 3 * p);
    const Vector squared = u_p[0] * u_p[0] + u_p[1] * u_p[1] + u_p[2] * u_p[2];
    u_squared += squared;
    largest = squared > largest ? squared : largest;
    for (int d = 0; d < 3; ++d) {
      u[d] += u_p[d];
      x[d] += x_p[d];
    }
  }
  BlockSums sums;
  sums.u_squared = sum_of_lanes(u_squared);
  for (int lane = 0; lane < width; ++lane) sums.max_u_squared = std::max(sums.max_u_squared, largest[lane]);
  for (int d = 0; d < 3; ++d) {
    sums.u[d] = sum_of_lanes(u[d]);
    sums.x[d] = sum_of_lanes(x[d]);
  }
  for (; p < n; ++p) {
    const Vec3 u_p(velocity[3 * p], velocity[3 * p + 1], velocity[3 * p + 2]);
    sums.u_squared += u_p.squaredNorm();
    sums.max_u_squared = std::max(sums.max_u_squared, u_p.squaredNorm());
    sums.u += u_p;
    sums.x += Vec3(position[3 * p], position[3 * p + 1], position[3 * p + 2]);
  }
  return sums;
}

constexpr std::size_t n_sums = std::tuple_size_v<decltype(ParticleMoments::sums)>;

std::array<double, n_sums> terms_of(const BlockSums& sums, ParticleIndex count, const Domain& domain,
                                    const Vec3i& first_cell) {
  const auto n = static_cast<double>(count);
  const Vec3 x = n * domain.origin() + domain.dx() * (n * first_cell.cast<double>() + sums.x);  // [m]
  return {sums.u_squared, sums.u[0], sums.u[1], sums.u[2], x[0], x[1], x[2]};
}

/// The sum of m (after^2 - before^2) over the faces of a block.
double block_gain(const FaceField<double>& before, const FaceField<double>& after, const FaceField<double>& weight,
                  LocalIndex b) {
  const int cells = before.layout().cells_per_block();
  double sum = 0.0;
  for (int d = 0; d < before.dimension(); ++d) {
    const double* u = before[d].block(b);
    const double* v = after[d].block(b);
    const double* m = weight[d].block(b);
    for (int c = 0; c < cells; ++c) sum += m[c] * (v[c] - u[c]) * (v[c] + u[c]);
  }
  return sum;
}

}  // namespace

void ParticleMoments::add_to(Reduction& reduction) {
  reduction.sum(count);
  reduction.max(max_u_squared);
  for (ExactSum& sum : sums) reduction.sum(sum);
}

ParticleSums ParticleMoments::physical(double mass, const Vec3& gravity) const {
  ParticleSums result;
  result.count = count;
  result.represented = represented;
  result.max_speed = std::sqrt(max_u_squared);
  result.kinetic_energy = 0.5 * mass * sums[0].round();
  result.momentum = mass * Vec3(sums[1].round(), sums[2].round(), sums[3].round());
  const Vec3 x_sum(sums[4].round(), sums[5].round(), sums[6].round());
  result.potential_energy = -mass * gravity.dot(x_sum);
  if (count + represented > 0) result.center_of_mass = x_sum / static_cast<double>(count + represented);
  return result;
}

ParticleMoments sum_here(const ParticleStore& particles, const BlockLayout& layout) {
  ParticleMoments total;
  double max_u_squared = 0.0;
  ThreadShares& shares = share_out(layout.n_owned());
#pragma omp parallel reduction(max : max_u_squared)
  {
    std::array<ExactSum, n_sums> parts;
    shares.work(omp_get_thread_num(), [&](LocalIndex b) {
      const ParticleIndex begin = particles.block_begin()[b];
      const ParticleIndex end = particles.block_begin()[b + 1];
      if (begin == end) return;
      const BlockSums sums = sum_block(particles.position() + 3 * begin, particles.velocity() + 3 * begin, end - begin);
      max_u_squared = std::max(max_u_squared, sums.max_u_squared);
      const auto terms = terms_of(sums, end - begin, layout.domain(), layout.first_cell(b));
      for (std::size_t n = 0; n < n_sums; ++n) parts[n].add(terms[n]);
    });
#pragma omp critical(freshet_sum_particles)
    for (std::size_t n = 0; n < n_sums; ++n) total.sums[n].add(parts[n]);
  }
  total.count = particles.size();
  total.max_u_squared = max_u_squared;
  return total;
}

ParticleSums sum_particles(const ParticleStore& particles, const BlockLayout& layout, double mass,
                           const Vec3& gravity) {
  ParticleMoments moments = sum_here(particles, layout);
  Reduction reduction;
  moments.add_to(reduction);
  reduction.reduce(layout.comm());
  return moments.physical(mass, gravity);
}

double kinetic_energy_gain(const FaceField<double>& before, const FaceField<double>& after,
                           const FaceField<double>& weight, double mass) {
  const BlockLayout& layout = before.layout();
  const LocalIndex n_owned = layout.n_owned();
  ExactSum total;
#pragma omp parallel
  {
    ExactSum part;
#pragma omp for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b) part.add(block_gain(before, after, weight, b));
#pragma omp critical(freshet_kinetic_energy_gain)
    total.add(part);
  }
  layout.comm().sum_in_place(std::span<ExactSum>(&total, 1));
  return 0.5 * mass * total.round();
}

}  // namespace freshet
