// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/swept_cells.hpp"

#include "freshet/air/bubble_overlaps.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/solids/block_solids.hpp"
#include "freshet/solids/free_way.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace freshet {
namespace {

/// What a body does to the centre of a cell in a step. The larger value tells more.
enum class Sweep { none, covers, passes };

/// A body that moves in a step, in its own coordinates.
struct Sweeper {
  const Shape* shape = nullptr;  ///< null: the body is at rest
  Pose from, to;

  Sweep of(const Vec3& center, double dx) const {
    const auto distance = [this](const Vec3& x) { return shape->signed_distance(x); };
    const Vec3 start = from.to_body(center), end = to.to_body(center);
    const double way = (end - start).norm();
    const PointBesideBodies first{start, distance(start)};
    if (first.distance > way) return Sweep::none;
    const PointBesideBodies last{end, distance(end)};
    if (first.distance <= 0.0 || last.distance <= 0.0) return way > 0.0 ? Sweep::covers : Sweep::none;
    return free_way(distance, first, last, way, shortest_way * dx) < way ? Sweep::passes : Sweep::none;
  }
};

std::vector<Sweeper> sweepers_of(const SolidFields& solids, double dt) {
  std::vector<Sweeper> sweepers;
  const double time = solids.time();
  for (const SolidBody& body : solids.bodies())
    sweepers.push_back(body.motion ? Sweeper{body.shape.get(), body.pose(time), body.pose(time + dt, time)}
                                   : Sweeper{});
  return sweepers;
}

double mark_after(Sweep sweep, double mark) {
  if (sweep == Sweep::none) return mark;
  if (sweep == Sweep::passes || mark == BubbleOverlaps::atmosphere) return BubbleOverlaps::no_air;
  return 2.0 * std::floor(0.5 * mark) + 1.0;
}

}  // namespace

void mark_swept_cells(const SolidFields& solids, double dt, CellField<double>& marks) {
  if (!solids.any_moving()) return;
  const BlockLayout& layout = marks.layout();
  const Domain& domain = layout.domain();
  const double dx = domain.dx();
  const double way = largest_way(solids.bodies(), domain, solids.time(), dt);  // [m]
  if (way == 0.0) return;
  double slack = 0.0;
  for (const SolidBody& body : solids.bodies()) slack = std::max(slack, body.shape->slack());
  const double reach = way + slack;
  const std::vector<Sweeper> sweepers = sweepers_of(solids, dt);
  const auto sweep_of = [&](LocalIndex b, const Vec3& center) {
    Sweep most = Sweep::none;
    const auto take = [&](const Sweeper& sweeper) {
      if (sweeper.shape != nullptr) most = std::max(most, sweeper.of(center, dx));
    };
    if (reach > listed_within * dx) {
      for (const Sweeper& sweeper : sweepers) take(sweeper);
    } else {
      for (const NearBody& near : solids.near_block(b).list.bodies) take(sweepers[static_cast<std::size_t>(near.body)]);
    }
    return most;
  };
  with_shape(domain.dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      if (static_cast<double>(solids.nearest(b)) * dx > reach) return;
      const std::span<const double> distances = solids.center_distances(b);
      double* const mark = marks.block(b);
      for (int c = 0; c < Block::cells; ++c) {
        if (mark[c] == BubbleOverlaps::no_air) continue;
        if (!distances.empty() && distances[static_cast<std::size_t>(c)] > reach) continue;
        mark[c] = mark_after(sweep_of(b, center_of(domain, layout.first_cell(b) + Block::place(c))), mark[c]);
      }
    });
  });
}

}  // namespace freshet
