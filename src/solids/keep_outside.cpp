// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/keep_outside.hpp"

#include "freshet/core/memory.hpp"
#include "freshet/core/work_counts.hpp"
#include "freshet/grid/kernels/row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr double wall_gap = 1e-4;       ///< particles keep this far from walls [cells]
constexpr double rounding = 1e-5;       ///< smaller pushes out of walls are rounding and do not count [cells]
constexpr int max_contacts = 4;         ///< bodies that one particle slides along in one step
constexpr int max_rounds = 8;           ///< pushes of one particle: a push may lead into another body or a wall
constexpr double gradient_step = 1e-3;  ///< step of the differences for a body's normal [cells]

constexpr double least_open = 1e-6;  ///< least squared length of a normal after its components into walls are removed

constexpr int max_outside_batch = 32;

/// The body in which a place lies deepest.
struct DeepestBody {
  const BodyPath* body = nullptr;  ///< null if no body covers the place
  double distance = 0.0;           ///< below 0 in a body [m]
};

DeepestBody deepest_body(const NearPaths& bodies, const Vec3& x, KeptOutside& kept) {
  DeepestBody deepest;
  bodies.for_each(x, x, [&](const BodyPath& body) {
    ++kept.tests;
    const double distance = body.at_end->signed_distance(x);
    if (distance < deepest.distance) deepest = {&body, distance};
  });
  return deepest;
}

}  // namespace

KeepOutside::KeepOutside(const BlockLayout& layout, int reach, const SolidFields& solids, const BodyPaths& paths,
                         LocalIndex block)
    : domain_(layout.domain()), paths_(paths), first_cell_(layout.first_cell(block).cast<double>()) {
  const Domain& domain = domain_;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  lower_ = Double4{-infinity, -infinity, -infinity, -infinity};
  upper_ = -lower_;
  for (int axis = 0; axis < domain.dimension(); ++axis) {
    if (domain.is_wall(axis, 0)) lower_[axis] = wall_gap - first_cell_[axis];
    if (domain.is_wall(axis, 1)) upper_[axis] = domain.cells()[axis] - wall_gap - first_cell_[axis];
    walls_near_ = walls_near_ || lower_[axis] > -reach || upper_[axis] < domain.block_cells()[axis] + reach;
  }
  // Along each axis a particle is less than reach - 1/2 from the centre of some cell of the block.
  bodies_near_ =
      !solids.bodies().empty() && solids.nearest(block) < std::sqrt(3.0) * reach + paths.largest_displacement();
  if (!bodies_near_) return;
  static thread_local NearPathMemory memory;
  near_ = paths.near(solids, layout, block, reach, memory);
  find_clear_ways(layout, solids, block);
  find_balls(reach);
}

/// Find from the distances of cells' centres how far particles may go without meeting a body.
///
/// The straight way of a particle and the way of a body join places in the body's own coordinates whose distances to
/// it add up to more than their own distance, unless the particle may meet it.
void KeepOutside::find_clear_ways(const BlockLayout& layout, const SolidFields& solids, LocalIndex block) {
  constexpr double to_center = 0.87;  ///< at least the distance of a place in a cell from its centre [cells]
  constexpr double spare = 0.05;      ///< more than body_gap and on_surface [cells]
  static thread_local TrackedVector<float, MemoryKind::scratch> memory;
  const double dx = domain_.dx();
  double less = to_center + spare + 1.5 * paths_.largest_displacement();
  less += 2.0 * paths_.largest_slack() / dx;
  const std::span<const double> of_center = solids.center_distances(block);
  memory.resize(static_cast<std::size_t>(layout.cells_per_block()));
  for (std::size_t c = 0; c < memory.size(); ++c) {
    const double nearest = of_center.empty() ? solids.nearest(block) : of_center[c] / dx;
    const double way = std::max(0.0, nearest - less);
    memory[c] = static_cast<float>(way * way);
  }
  clear_ways_ = memory;
}

void KeepOutside::find_balls(int reach) {
  constexpr float nowhere = 1e15F;
  constexpr double of_float = 1e-5;  // bound of the rounding of places and sizes, as a part of them
  static thread_local TrackedVector<BallRow, MemoryKind::scratch> memory;
  const double dx = domain_.dx();
  const Vec3i cells = domain_.block_cells();
  for (int axis = 0; axis < 3; ++axis) {
    const bool is_free = axis >= domain_.dimension();
    region_lower_[axis] = is_free ? -std::numeric_limits<double>::infinity() : -reach;
    region_upper_[axis] = is_free ? std::numeric_limits<double>::infinity() : cells[axis] + reach;
  }
  memory.resize((near_.near.size() + 7) / 8);
  for (std::size_t n = 0; n < 8 * memory.size(); ++n) {
    BallRow& row = memory[n / 8];
    const std::size_t lane = n % 8;
    for (auto& along : row.center) along[lane] = nowhere;
    row.reach[lane] = 0.0F;
    if (n >= near_.near.size()) continue;
    const NearPath& near = near_.near[n];
    const Vec3 center = to_cells(near.path->ball.center);
    for (int axis = 0; axis < 3; ++axis)
      row.center[axis][lane] = axis < domain_.dimension() ? static_cast<float>(center[axis]) : 0.0F;
    const double radius = (near.path->ball.radius + near.way) / dx;
    row.reach[lane] = static_cast<float>(radius + of_float * (1.0 + radius + center.cwiseAbs().maxCoeff()));
  }
  balls_ = memory;
}

/// Whether a particle may meet a body on its way from `before` to x, or be inside one there. A body that the particle
/// meets is nearer to x than the particle's way and its own.
bool KeepOutside::may_meet_body(const ParticleReal* before, const Double4& x) const {
  const Double4 from{before[0], before[1], before[2], 0.0};
  const Double4 to{x[0], x[1], x[2], 0.0};
  const auto beyond = (to < region_lower_) | (to > region_upper_) | (from < region_lower_) | (from > region_upper_);
  if ((beyond[0] | beyond[1] | beyond[2]) != 0) return true;
  const Double4 step = to - from;
  const auto way = static_cast<float>(std::sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]));
  const float place[3] = {static_cast<float>(to[0]), static_cast<float>(to[1]),
                          domain_.dimension() == 3 ? static_cast<float>(to[2]) : 0.0F};
  for (const BallRow& row : balls_) {
    FloatRow square{};
    for (int axis = 0; axis < 3; ++axis) {
      const FloatRow offset = place[axis] - load_row(row.center[axis]);
      square += offset * offset;
    }
    const FloatRow reach = load_row(row.reach) + way;
    if (bits_of(square < reach * reach) != 0) return true;
  }
  return false;
}

TraceBox KeepOutside::walls() const {
  TraceBox box;
  box.rounding = static_cast<ParticleReal>(rounding);
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = static_cast<ParticleReal>(lower_[axis]);
    box.upper[axis] = static_cast<ParticleReal>(upper_[axis]);
  }
  return box;
}

Vec3 KeepOutside::to_world(double x, double y, double z) const {
  return domain_.origin() + domain_.dx() * (first_cell_ + Vec3(x, y, z));
}

/// The particles that may meet a body or a wall on their ways from `before` to x, as bits. \param[in] n  at most 32
std::uint32_t KeepOutside::find_in_doubt(const ParticleReal* before, const ParticleReal* x, int n) const {
  if (!bodies_near_) return ~0U;
  constexpr ParticleReal inside = 1e-3F;  // walls nearer than this are in doubt, as bounds are rounded here [cells]
  const Vec3i cells = domain_.block_cells();
  ParticleReal lower[3], upper[3], end[3];
  for (int axis = 0; axis < 3; ++axis) {
    lower[axis] = static_cast<ParticleReal>(lower_[axis]) + inside;
    upper[axis] = static_cast<ParticleReal>(upper_[axis]) - inside;
    end[axis] = static_cast<ParticleReal>(cells[axis]);
  }
  const float* const clear = clear_ways_.data();
  std::uint32_t in_doubt = 0;
  for (int p = 0; p < n; ++p, before += 3, x += 3) {
    bool is_known = true;
    ParticleReal square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      is_known &=
          (before[axis] >= 0) & (before[axis] < end[axis]) & (x[axis] >= lower[axis]) & (x[axis] <= upper[axis]);
      square += (x[axis] - before[axis]) * (x[axis] - before[axis]);
    }
    if (is_known) {
      const int cell = static_cast<int>(before[0]) +
                       cells[0] * (static_cast<int>(before[1]) + cells[1] * static_cast<int>(before[2]));
      is_known = square < clear[cell];
    }
    in_doubt |= (is_known ? 0U : 1U) << p;
  }
  return in_doubt;
}

KeptOutside KeepOutside::operator()(const ParticleReal* before, ParticleReal* x, ParticleReal* u,
                                    ParticleIndex n) const {
  KeptOutside kept;
  LaneBatch<max_outside_batch> moved, after;
  for (ParticleIndex first = 0; first < n; first += max_outside_batch) {
    const int n_batch = static_cast<int>(std::min<ParticleIndex>(max_outside_batch, n - first));
    const std::uint32_t in_doubt = find_in_doubt(before + 3 * first, x + 3 * first, n_batch);
    if (in_doubt == 0) continue;
    moved.load(x + 3 * first, n_batch);
    for (int p = 0; p < n_batch; ++p) {
      Double4 x_p = moved.get(p);
      if ((in_doubt >> p & 1U) == 0) {
        after.set(p, x_p);
        continue;
      }
      const Contact contact = keep_one(before + 3 * (first + p), x_p, kept);
      if (contact.body != nullptr && u != nullptr)
        stop_at_surface(contact, before + 3 * (first + p), x_p, u + 3 * (first + p));
      after.set(p, x_p);
    }
    after.store(x + 3 * first, n_batch);
  }
  count_work(Work::body_tests, kept.tests);
  return kept;
}

KeepOutside::Contact KeepOutside::keep_one(const ParticleReal* before, Double4& x, KeptOutside& kept) const {
  const bool clamped = clamp_to_walls(x);
  Contact contact;
  if (bodies_near_ && may_meet_body(before, x)) {
    contact.body = stop_at_bodies(before, x, kept);
    contact.in_motion = contact.body != nullptr;
    const Push push = push_out_of_bodies(x, kept);
    if (push.body != nullptr) contact.body = push.body;
    kept.stuck += push.failed ? 1 : 0;
  }
  kept.moved += clamped || contact.body != nullptr ? 1 : 0;
  return contact;
}

void KeepOutside::stop_at_surface(const Contact& contact, const ParticleReal* before, const Double4& x,
                                  ParticleReal* u) const {
  const BodyPath& body = *contact.body;
  const Vec3 world = to_world(x[0], x[1], x[2]);
  const Vec3 normal = outward_normal(*body.at_end, world, gradient_step * domain_.dx());
  const Vec3 of_body = paths_.velocity(body, world);
  Vec3 outward = Vec3(u[0], u[1], u[2]) - of_body;
  outward -= std::min(outward.dot(normal), 0.0) * normal;
  double kept = 1.0;
  if (contact.in_motion) {
    const double went = paths_.speed_along(body, to_world(before[0], before[1], before[2]), world);
    const double speed = outward.norm();
    if (speed > went) kept = went / speed;
  }
  const Vec3 allowed = of_body + kept * outward;
  for (int axis = 0; axis < 3; ++axis)
    if (axis < domain_.dimension()) u[axis] = static_cast<ParticleReal>(allowed[axis]);
}

/// Stop a particle at the bodies that its path meets, and let it slide on. \return the body met last, or null
const BodyPath* KeepOutside::stop_at_bodies(const ParticleReal* before, Double4& x, KeptOutside& kept) const {
  const double dx = domain_.dx();
  Vec3 from = to_world(before[0], before[1], before[2]);
  Vec3 to = to_world(x[0], x[1], x[2]);
  const BodyPath* met_last = nullptr;
  for (int n_contacts = 0; n_contacts < max_contacts; ++n_contacts) {
    double first = 1.0;
    const BodyPath* met = nullptr;
    Segment segment_met{};
    near_.for_each(from, to, [&](const BodyPath& body) {
      ++kept.tests;
      // after the first contact the bodies are taken at the end of their motion
      const Segment segment{(n_contacts == 0 ? body.from : body.to).to_body(from), body.to.to_body(to)};
      const double fraction = first_contact(*body.shape, segment, dx);
      if (fraction >= first) return;
      first = fraction;
      met = &body;
      segment_met = segment;
    });
    if (met == nullptr) break;
    met_last = met;
    const Segment rest = slide(*met, segment_met, first);
    from = rest.from;
    to = rest.to;
    if (n_contacts + 1 == max_contacts) to = from;
  }
  if (met_last == nullptr) return nullptr;
  const Vec3 cells = to_cells(to);
  for (int axis = 0; axis < domain_.dimension(); ++axis) x[axis] = cells[axis];
  clamp_to_walls(x);
  return met_last;
}

/// The rest of a displacement after a contact, in world coordinates. It begins at least body_gap from the surface and
/// has no component into the body. It is empty where the body and a wall leave no open direction.
Segment KeepOutside::slide(const BodyPath& body, const Segment& segment, double fraction) const {
  const double dx = domain_.dx();
  const Vec3 at = segment.from + fraction * (segment.to - segment.from);
  const Vec3 contact = body.to.to_world(at);
  const Vec3 outward = body.to.rotation * outward_normal(*body.shape, at, gradient_step * dx);
  const Vec3 open = along_walls(outward, to_cells(contact), body_gap);
  if (open.squaredNorm() < least_open) return {contact, contact};
  const Vec3 normal = open.normalized();
  const Vec3 lifted = contact + std::max(0.0, body_gap * dx - body.shape->signed_distance(at)) * normal;
  const Vec3 rest = body.to.to_world(segment.to) - contact;
  return {lifted, lifted + rest - std::min(0.0, rest.dot(normal)) * normal};
}

/// A displacement without its components into walls that are closer than the margin [cells].
/// \param[in] x  relative to the block [cells]
Vec3 KeepOutside::along_walls(const Vec3& displacement, const Vec3& x, double margin) const {
  Vec3 open = displacement;
  for (int axis = 0; axis < 3; ++axis) {
    const bool blocked = axis >= domain_.dimension() ||
                         (displacement[axis] < 0.0 && x[axis] <= lower_[axis] + margin) ||
                         (displacement[axis] > 0.0 && x[axis] >= upper_[axis] - margin);
    if (blocked) open[axis] = 0.0;
  }
  return open;
}

bool KeepOutside::clamp_to_walls(Double4& x) const {
  const Double4 above = x < lower_ ? lower_ : x;
  const Double4 inside = above > upper_ ? upper_ : above;
  const auto pushed = (inside - x > rounding) | (x - inside > rounding);
  x = inside;
  return (pushed[0] | pushed[1] | pushed[2]) != 0;
}

KeepOutside::Push KeepOutside::push_out_of_bodies(Double4& x, KeptOutside& kept) const {
  const double dx = domain_.dx();
  Push push;
  for (int round = 0;; ++round) {
    const Vec3 world = to_world(x[0], x[1], x[2]);
    const DeepestBody deepest = deepest_body(near_, world, kept);
    if (deepest.body == nullptr) return push;
    push.body = deepest.body;
    push.failed = round == max_rounds;
    if (push.failed) return push;
    const Vec3 normal =
        along_walls(outward_normal(*deepest.body->at_end, world, gradient_step * dx), Vec3(x[0], x[1], x[2]), 0.0);
    const double open_part = normal.squaredNorm();
    push.failed = open_part < least_open;  // walls block the direction out of the body
    if (push.failed) return push;
    const double length =
        (body_gap - deepest.distance / dx) / std::max(open_part, 0.25);  // keeps the push short in a wedge
    for (int axis = 0; axis < 3; ++axis) x[axis] += length * normal[axis];
    clamp_to_walls(x);
  }
}

const ParticleReal* copy_of_positions(const ParticleReal* x, ParticleIndex n) {
  static thread_local TrackedVector<ParticleReal, MemoryKind::scratch> copy;
  copy.resize(static_cast<std::size_t>(3 * n));
  std::copy_n(x, 3 * n, copy.data());
  return copy.data();
}

}  // namespace freshet
