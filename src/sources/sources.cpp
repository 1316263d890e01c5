// SPDX-License-Identifier: Apache-2.0
#include "freshet/sources/sources.hpp"

#include "freshet/core/counter_random.hpp"
#include "freshet/core/error.hpp"
#include "freshet/particles/locate.hpp"
#include "freshet/solids/periodic_copies.hpp"
#include "freshet/solids/seen_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

double speed_of(const SourceParameters& source, double area, double density) {
  if (source.rate > 0.0) return source.rate / area;
  if (source.pressure > 0.0) return std::sqrt(2.0 * source.pressure / density);  // Bernoulli
  return source.velocity.norm();
}

constexpr double least_distance = 1e-3;  ///< between a new particle and the inlet [cells]

std::vector<std::shared_ptr<const Shape>> shapes_at_start(const std::vector<SolidBody>& solids) {
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (const SolidBody& solid : solids) shapes.push_back(solid.shape_at(0.0));
  return shapes;
}

}  // namespace

Sources::Sources(const Domain& domain, const SourceOptions& options, const std::vector<SourceParameters>& sources,
                 ShapeMaker& make_shape, const std::vector<SolidBody>& solids)
    : domain_(domain),
      solids_(shapes_at_start(solids)),
      per_axis_(options.per_axis),
      seed_(options.seed),
      particle_volume_(domain.cell_volume() / std::pow(per_axis_, domain.dimension())) {
  for (const SourceParameters& given : sources) {
    Source source{given, make_shape(given.shape), Schedule(given.schedule), std::nullopt, given.velocity, 0.0};
    if (given.mode == SourceMode::inflow) {
      const bool by_velocity = !given.velocity.isZero(0.0);
      try {
        source.inlet.emplace(domain, *source.shape, solids_,
                             (by_velocity ? given.velocity : given.direction).normalized());
      } catch (const InputError& error) {
        const std::string where = given.shape.where.empty() ? "" : given.shape.where + ": ";
        throw InputError(fmt::format("{}source {}: {}", where, sources_.size(), error.what()));
      }
      for (const std::size_t cut_by : source.inlet->solids())
        if (solids[cut_by].motion)
          throw InputError(fmt::format(
              "{}: a source lies on solid {}, which moves (inlets stay where they are at the start). Move the source "
              "off it, or let the solid rest",
              given.shape.where, number_of_body(solids, static_cast<int>(cut_by))));
      const double speed = speed_of(given, source.inlet->area(), options.density);
      source.velocity = speed * source.inlet->direction();
      source.rate = given.rate > 0.0 ? given.rate : speed * source.inlet->area();
    }
    sources_.push_back(std::move(source));
  }
}

std::vector<Box> Sources::bounds() const {
  std::vector<Box> bounds;
  for (const Source& source : sources_) bounds.push_back(source.shape->bounds());
  return bounds;
}

bool Sources::is_over(double t) const {
  return std::all_of(sources_.begin(), sources_.end(), [t](const Source& s) { return s.schedule.is_over(t); });
}

double Sources::largest_speed(double t) const {
  double largest = 0.0;
  for (const Source& source : sources_)
    if (!source.schedule.is_over(t)) largest = std::max(largest, source.velocity.norm());
  return largest;
}

double Sources::seen_step(double t, double dt, double length) const {
  for (const Source& source : sources_)
    for (double at = source.schedule.next_switch(t); at < t + dt; at = source.schedule.next_switch(at))
      dt = step_to_jump(at, source.velocity.norm(), t, dt, length);
  return dt;
}

bool Sources::flows(double t, double dt) const {
  return std::any_of(sources_.begin(), sources_.end(), [&](const Source& source) {
    return source.inlet && source.schedule.time_on(t + dt) > source.schedule.time_on(t);
  });
}

bool Sources::is_free(const Vec3& x) const {
  return std::none_of(solids_.begin(), solids_.end(),
                      [&](const auto& solid) { return solid->signed_distance(x) <= 0.0; });
}

Sources::Made Sources::make(const Place& place, int index) const {
  const Source& source = sources_[static_cast<std::size_t>(index)];
  Made made{place.key, {}, index};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    made.particle.position[axis] = place.position[axis];
    made.particle.velocity[axis] = static_cast<ParticleReal>(source.velocity[static_cast<int>(axis)]);
  }
  made.particle.tag = static_cast<std::uint8_t>(source.parameters.tag);
  return made;
}

/// Whether particles that a source emits within dt may lie in blocks of this rank.
bool Sources::comes_near(const BlockLayout& layout, const Source& source, double dt) const {
  const double aside = domain_.dx() * (1.0 + source.parameters.jitter);  // jitter and least_distance
  const Box entry = source.inlet->bounds();
  const Vec3 displacement = dt * source.velocity;
  const Vec3 width = domain_.dx() * domain_.block_cells().cast<double>();
  const auto block_at = [&](const Vec3& x) -> Vec3i {
    return (x - domain_.origin()).cwiseQuotient(width).array().floor().cast<int>();
  };
  const Vec3i first = block_at(entry.lower + displacement.cwiseMin(0.0) - Vec3::Constant(aside));
  const Vec3i last = block_at(entry.upper + displacement.cwiseMax(0.0) + Vec3::Constant(aside));
  constexpr int most_blocks = 4096;  // a larger box is not searched
  if ((last - first + Vec3i::Ones()).cast<double>().prod() > most_blocks) return true;
  Vec3i at;
  for (at.z() = first.z(); at.z() <= last.z(); ++at.z())
    for (at.y() = first.y(); at.y() <= last.y(); ++at.y())
      for (at.x() = first.x(); at.x() <= last.x(); ++at.x()) {
        Vec3i block = at;
        if (domain_.dimension() == 2) block.z() = 0;
        if (domain_.wrap_block(block) && layout.splitters().owner(morton_key(block)) == layout.comm().rank())
          return true;
      }
  return false;
}

/// The first candidate that lies in the domain and outside solids, if this rank owns its block.
///
/// If no candidate does, the rank that owns the last one counts it in held_back. \pre the last one lies in the domain
std::optional<Place> Sources::choose_place(const BlockLayout& layout, const std::array<Vec3, 3>& candidates,
                                           GlobalIndex& held_back) const {
  std::array<std::optional<Place>, 3> places;
  bool any_here = false;
  std::array<Vec3, 3> x = candidates;
  for (std::size_t i = 0; i < x.size(); ++i) {
    places[i] = locate(domain_, x[i]);
    any_here = any_here || (places[i] && layout.splitters().owner(places[i]->key) == layout.comm().rank());
  }
  if (!any_here) return std::nullopt;  // signed distances are expensive
  const auto is_here = [&](const std::optional<Place>& place) {
    return place && layout.splitters().owner(place->key) == layout.comm().rank();
  };
  std::size_t chosen = 0;
  while (chosen < x.size() && !(places[chosen] && is_free(x[chosen]))) ++chosen;
  if (chosen < x.size()) return is_here(places[chosen]) ? places[chosen] : std::nullopt;
  held_back += is_here(places.back()) ? 1 : 0;
  return std::nullopt;
}

/// \return the number of particles held back
GlobalIndex Sources::inflow(const BlockLayout& layout, int index, double t, double dt, std::vector<Made>& made) const {
  const Source& source = sources_[static_cast<std::size_t>(index)];
  if (!comes_near(layout, source, dt)) return 0;
  GlobalIndex held_back = 0;
  const auto count = [&](double time) {
    return static_cast<std::int64_t>(source.rate * source.schedule.time_on(time) / particle_volume_);
  };
  const std::array<Vec3, 2> across = source.inlet->across();
  const double sub_cell = domain_.dx() / per_axis_;
  const double end = t + dt;
  const std::int64_t n_end = count(end);
  const Vec3 least = Vec3::Constant(least_distance * domain_.dx());
  const Vec3 low = domain_.origin() + least;
  const Vec3 high = domain_.box().upper - least;
  for (std::int64_t n = count(t); n < n_end; ++n) {
    const double entered = source.schedule.time_after(static_cast<double>(n + 1) * particle_volume_ / source.rate);
    const Vec3 entry = source.inlet->point(n);
    const Vec3 moved = entry + std::clamp(end - entered, 0.0, dt) * source.velocity;
    Vec3 x = moved;
    if (source.parameters.jitter > 0.0) {
      const CellRandom random(seed_, Vec3i(static_cast<int>(n & 0x3fffffff), static_cast<int>(n >> 30), index));
      const auto shift = [&](std::uint64_t i) {
        return source.parameters.jitter * sub_cell * (random.uniform(i) - 0.5);
      };
      x += shift(0) * across[0] + shift(1) * across[1] + shift(2) * source.inlet->direction();
    }
    // A particle that would have met a wall by now is placed where it entered.
    const Vec3 start = entry + least_distance * domain_.dx() * source.inlet->direction();
    const std::optional<Place> place =
        choose_place(layout, {x, moved, Vec3(start.cwiseMax(low).cwiseMin(high))}, held_back);
    if (place) made.push_back(make(*place, index));
  }
  return held_back;
}

Sources::Emission Sources::emit(const BlockLayout& layout, double t, double dt, ParticleStore& particles) const {
  std::vector<Made> made;
  Emission emission;
  TakenSubCells taken;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const Source& source = sources_[s];
    if (source.schedule.time_on(t + dt) <= source.schedule.time_on(t)) continue;
    if (source.inlet) {
      emission.held_back += inflow(layout, static_cast<int>(s), t, dt, made);
    } else {
      fill(layout, static_cast<int>(s), particles, taken, made);
    }
  }
  std::stable_sort(made.begin(), made.end(), [](const Made& a, const Made& b) { return a.key < b.key; });
  std::vector<BlockKey>& keys = particles.home_keys();
  for (std::size_t m = 0; m < made.size(); ++m) {
    if (m == 0 || made[m].key != made[m - 1].key) {
      const LocalIndex block = layout.find_owned(made[m].key);
      if (block == layout.background()) keys.push_back(made[m].key);
      made[m].particle.home = block == layout.background() ? static_cast<LocalIndex>(keys.size()) - 1 : block;
    } else {
      made[m].particle.home = made[m - 1].particle.home;
    }
    emission.particles.push_back(made[m].particle);
    emission.source_of.push_back(made[m].source);
  }
  return emission;
}

}  // namespace freshet
