// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/distribution.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/counter_random.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/solids/keep_outside.hpp"
#include "grid_values.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace freshet {
namespace {

constexpr double same_place = 1e-12;       ///< r^2 below which two particles count as at the same place [cells^2]
constexpr double resampling_radius = 1.0;  ///< radius of the kernel of (2) [cells]

/// The unit vector along which two particles at the same place part, such as in a corner of two walls; exchanging the
/// particles reverses it. Their relative velocity has no preference for an axis or its end; a number from their ids,
/// for particles that move alike, has.
Vec3 parting_direction(const Vec3& relative_velocity, ParticleId p, ParticleId q, int dimension) {
  const double speed = relative_velocity.norm();
  if (speed > 0.0) return relative_velocity / speed;
  const CellRandom numbers(std::min(p, q), Vec3i::Zero());
  Vec3 direction = Vec3::Zero();
  for (int d = 0; d < dimension; ++d)
    direction[d] = numbers.uniform(4 * std::max(p, q) + static_cast<std::uint64_t>(d)) - 0.5;
  const double length = direction.norm();
  direction = length > 0.0 ? Vec3(direction / length) : Vec3::UnitX();
  return p < q ? direction : Vec3(-direction);
}

/// Whether the cell at a position, up to one cell outside the block, is liquid.
template <class Shape>
bool in_liquid(const LabelField& labels, LocalIndex b, const Vec3& x) {
  int at[3], side[3];
  for (int d = 0; d < 3; ++d) {
    at[d] = d < Shape::dim ? static_cast<int>(std::floor(x[d])) : 0;
    side[d] = at[d] < 0 ? -1 : at[d] >= Shape::n(d) ? 1 : 0;
    at[d] -= side[d] * Shape::n(d);
  }
  const LocalIndex slot = labels.layout().neighbours(b)[direction_index(side[0], side[1], side[2])];
  return labels.block(slot)[Shape::cell(at[0], at[1], at[2])] == Label::liquid;
}

Vec3 place_of(const Neighbour& q, const double* offset) {
  return {q.x[0] + offset[0], q.x[1] + offset[1], q.x[2] + offset[2]};
}

}  // namespace

template <class Shape>
void DistributionCorrection::find_in_block(const ParticleStore& particles, const LabelField& labels,
                                           const std::uint8_t* inner, LocalIndex b) {
  for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
    Change& change = changes_[static_cast<std::size_t>(p)];
    change.moves = false;
    const ParticleReal* position = particles.position() + 3 * p;
    const Vec3 x(position[0], position[1], position[2]);
    const Vec3i cell(static_cast<int>(x[0]), static_cast<int>(x[1]), Shape::dim == 3 ? static_cast<int>(x[2]) : 0);
    const int number = Shape::cell(cell);
    if (inner[number] == 0 || labels.block(b)[number] != Label::liquid) continue;
    const ParticleId id = particles.id()[p];
    const ParticleReal* const u = particles.velocity() + 3 * p;
    Vec3 d = Vec3::Zero();
    neighbours_.for_each_near<Shape>(b, cell, [&](const Neighbour& q, const double* offset) {
      if (q.id == id) return;
      const Vec3 apart = x - place_of(q, offset);
      const double r2 = apart.squaredNorm();
      const double pull = loose_kernel(r2, spacing_ * spacing_);
      if (pull <= 0.0) return;
      if (r2 > same_place) {
        d += pull / std::sqrt(r2) * apart;
      } else {
        d += pull * parting_direction(Vec3(u[0] - q.u[0], u[1] - q.u[1], u[2] - q.u[2]), id, q.id, Shape::dim);
      }
    });
    d *= strength_ * spacing_;
    const double length = d.norm();
    if (length == 0.0) continue;
    if (length > largest_spread) d *= largest_spread / length;
    change.moves = true;
    for (int axis = 0; axis < 3; ++axis) change.d[axis] = d[axis];
    if (!from_grid_) resample<Shape>(labels, b, cell, x + d, change);
  }
}

/// Equation (2). The sum of weights is above 0, because the particle itself lies within the radius.
template <class Shape>
void DistributionCorrection::resample(const LabelField& labels, LocalIndex b, const Vec3i& cell, const Vec3& target,
                                      Change& change) const {
  Vec3 sum = Vec3::Zero();
  double weights = 0.0;
  neighbours_.for_each_near<Shape>(b, cell, [&](const Neighbour& q, const double* offset) {
    const Vec3 x_q = place_of(q, offset);
    const double weight = stiff_kernel((target - x_q).squaredNorm(), resampling_radius * resampling_radius);
    if (weight <= 0.0 || !in_liquid<Shape>(labels, b, x_q)) return;
    sum += weight * Vec3(q.u[0], q.u[1], q.u[2]);
    weights += weight;
  });
  for (int axis = 0; axis < 3; ++axis) change.u[axis] = sum[axis] / weights;
}

/// Sample the grid at displaced particles, if particles follow the grid.
template <class Shape>
void DistributionCorrection::sample_grid(const ParticleStore& particles, const FaceField<double>& velocity,
                                         const GridValues& values, LocalIndex b) {
  const TileExtents<Shape> extents(2);  // a particle that leaves the block needs one more layer
  const double per_metre = 1.0 / layout_->domain().dx();
  const PaddedVelocity<Shape> around = velocity_around(velocity, b, extents);
  for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
    const Change& change = changes_[static_cast<std::size_t>(p)];
    if (!change.moves) continue;
    ParticleReal target[3];
    for (int d = 0; d < 3; ++d) target[d] = static_cast<ParticleReal>(particles.position()[3 * p + d] + change.d[d]);
    values.sample(around, target, per_metre, &values_[values.width() * static_cast<std::size_t>(p)]);
  }
}

void DistributionCorrection::find(const ParticleStore& particles, const LabelField& labels,
                                  const CellField<std::uint8_t>& inner, const FaceField<double>& velocity) {
  layout_ = &labels.layout();
  from_grid_ = follow_grid(particles);
  const GridValues values(particles);
  values_.resize(from_grid_ ? values.width() * static_cast<std::size_t>(particles.size()) : 0);
  neighbours_.gather(particles, *layout_);
  changes_.resize(static_cast<std::size_t>(particles.size()));
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout_->n_owned(), [&](LocalIndex b) {
      find_in_block<Shape>(particles, labels, inner.block(b), b);
      const bool any = particles.block_begin()[b + 1] > particles.block_begin()[b];
      if (from_grid_ && any) sample_grid<Shape>(particles, velocity, values, b);
    });
  });
}

ParticleIndex DistributionCorrection::apply(const SolidFields& solids, ParticleStore& particles) const {
  constexpr int reach = 1;
  FRESHET_EXPECT(changes_.size() == static_cast<std::size_t>(particles.size()));
  const BodyPaths paths(solids, layout_->domain(), solids.time(), 0.0);  // the bodies do not move
  std::atomic<ParticleIndex> n_moved{0};
  particles.cell_begin().clear();
  const GridValues values(particles);
  parallel_for_blocks(layout_->n_owned(), [&](LocalIndex b) {
    const ParticleIndex begin = particles.block_begin()[b];
    const ParticleIndex end = particles.block_begin()[b + 1];
    const KeepOutside keep_outside(*layout_, reach, solids, paths, b);
    ParticleReal* x = particles.position() + 3 * begin;
    const ParticleReal* before = keep_outside.bodies_near() ? copy_of_positions(x, end - begin) : x;
    ParticleIndex n = 0;
    for (ParticleIndex p = begin; p < end; ++p) {
      const Change& change = changes_[static_cast<std::size_t>(p)];
      if (!change.moves) continue;
      ++n;
      for (int d = 0; d < layout_->domain().dimension(); ++d) {
        particles.position()[3 * p + d] = static_cast<ParticleReal>(particles.position()[3 * p + d] + change.d[d]);
        if (!from_grid_) particles.velocity()[3 * p + d] = static_cast<ParticleReal>(change.u[d]);
      }
      if (from_grid_) values.assign(&values_[values.width() * static_cast<std::size_t>(p)], p, particles);
    }
    n_moved.fetch_add(n, std::memory_order_relaxed);
    if (n > 0 && !keep_outside.nothing_near()) keep_outside(before, x, nullptr, end - begin);
  });
  return n_moved.load();
}

}  // namespace freshet
