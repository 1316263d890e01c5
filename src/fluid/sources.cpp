// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/sources.hpp"

#include "../particles/counter_random.hpp"
#include "freshet/particles/locate.hpp"

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

constexpr double least_way = 1e-3;  ///< of a particle from the inlet [cells]

}  // namespace

Sources::Sources(const Domain& domain, const Parameters& parameters, ShapeMaker& make_shape,
                 const std::vector<std::shared_ptr<const Shape>>& solids)
    : domain_(domain),
      solids_(solids),
      per_axis_(parameters.particles.per_axis),
      seed_(static_cast<std::uint64_t>(parameters.run.seed)),
      particle_volume_(domain.cell_volume() / std::pow(per_axis_, domain.dimension())) {
  for (const SourceParameters& given : parameters.sources) {
    Source source{given, make_shape(given.shape), Schedule(given.schedule), std::nullopt, given.velocity, 0.0};
    if (given.mode == SourceMode::inflow) {
      const bool by_velocity = !given.velocity.isZero(0.0);
      source.inlet.emplace(domain, *source.shape, solids,
                           (by_velocity ? given.velocity : given.direction).normalized());
      const double speed = speed_of(given, source.inlet->area(), parameters.fluid.density);
      source.velocity = speed * source.inlet->direction();
      source.rate = given.rate > 0.0 ? given.rate : speed * source.inlet->area();
    }
    sources_.push_back(std::move(source));
  }
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

void Sources::inflow(const BlockLayout& layout, int index, double t, double dt, std::vector<Made>& made) const {
  const Source& source = sources_[static_cast<std::size_t>(index)];
  const auto count = [&](double time) {
    return static_cast<std::int64_t>(source.rate * source.schedule.time_on(time) / particle_volume_);
  };
  const std::array<Vec3, 2> across = source.inlet->across();
  const double sub_cell = domain_.dx() / per_axis_;
  const double end = t + dt;
  const std::int64_t n_end = count(end);
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
    // A particle that has met a wall since waits for the next step where it came in.
    std::optional<Place> place;
    for (Vec3 candidate : {x, moved, Vec3(entry + least_way * domain_.dx() * source.inlet->direction())}) {
      place = locate(domain_, candidate);
      if (place && is_free(candidate)) break;
    }
    if (!place || layout.splitters().owner(place->key) != layout.comm().rank()) continue;
    made.push_back(make(*place, index));
  }
}

std::vector<NewParticle> Sources::emit(const BlockLayout& layout, double t, double dt, ParticleStore& particles,
                                       std::vector<int>& source_of) const {
  std::vector<Made> made;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const Source& source = sources_[s];
    if (source.schedule.time_on(t + dt) <= source.schedule.time_on(t)) continue;
    if (source.inlet) {
      inflow(layout, static_cast<int>(s), t, dt, made);
    } else {
      fill(layout, static_cast<int>(s), particles, made);
    }
  }
  std::stable_sort(made.begin(), made.end(), [](const Made& a, const Made& b) { return a.key < b.key; });
  std::vector<BlockKey>& keys = particles.home_keys();
  std::vector<NewParticle> result;
  source_of.clear();
  for (std::size_t m = 0; m < made.size(); ++m) {
    if (m == 0 || made[m].key != made[m - 1].key) {
      const LocalIndex block = layout.find_owned(made[m].key);
      if (block == layout.background()) keys.push_back(made[m].key);
      made[m].particle.home = block == layout.background() ? static_cast<LocalIndex>(keys.size()) - 1 : block;
    } else {
      made[m].particle.home = made[m - 1].particle.home;
    }
    result.push_back(made[m].particle);
    source_of.push_back(made[m].source);
  }
  return result;
}

}  // namespace freshet
