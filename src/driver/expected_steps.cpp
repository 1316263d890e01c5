// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/expected_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

/// Height of the highest particle of all ranks, along `up`; -infinity without particles. [m] Collective
double highest_particle(const Simulation& simulation, const Vec3& up) {
  const BlockLayout& layout = simulation.layout();
  const ParticleStore& particles = simulation.particles();
  const Domain& domain = simulation.domain();
  double highest = -std::numeric_limits<double>::infinity();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const Vec3 corner = layout.first_cell(b).cast<double>();
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      const ParticleReal* x = particles.position() + 3 * p;
      highest = std::max(highest, up.dot(domain.origin() + domain.dx() * (corner + Vec3(x[0], x[1], x[2]))));
    }
  }
  return simulation.comm().max(highest);
}

/// Lowest and highest value of x . up in a box. [m]
std::array<double, 2> heights_of(const Box& box, const Vec3& up) {
  const Vec3 middle = 0.5 * (box.lower + box.upper), half = 0.5 * (box.upper - box.lower);
  const double reach = half.dot(up.cwiseAbs());
  return {up.dot(middle) - reach, up.dot(middle) + reach};
}

/// Height from which liquid may fall: that of its highest point above the level of all of it at rest. [m] Collective
double largest_fall(const Simulation& simulation, const Vec3& up) {
  const Box tank = simulation.domain().box();
  const auto [floor, ceiling] = heights_of(tank, up);
  const double share = simulation.report().volume / (tank.upper - tank.lower).prod();
  const double level = floor + std::min(share, 1.0) * (ceiling - floor);
  double highest = highest_particle(simulation, up);
  for (const Box& source : simulation.scene().sources().bounds())
    highest = std::max(highest, std::min(heights_of(source, up)[1], ceiling));
  return std::max(0.0, highest - level);
}

double speed_of_fall(const Simulation& simulation) {
  const double start = std::max(simulation.report().sums.max_speed, simulation.scene().sources().largest_speed(0.0));
  const Vec3& gravity = simulation.parameters().fluid.gravity;
  if (gravity.norm() == 0.0 || simulation.is_prescribed()) return start;
  const bool has_sources = !simulation.scene().sources().empty();
  const double acceleration =
      has_sources ? gravity.norm() : std::min(gravity.norm(), simulation.numbers().start_acceleration);
  return std::sqrt(start * start + 2.0 * acceleration * largest_fall(simulation, -gravity.normalized()));
}

}  // namespace

ExpectedSteps expect_steps(Simulation& simulation) {
  constexpr int n_times = 50;
  const Parameters::Run& run = simulation.parameters().run;
  ExpectedSteps expected;
  expected.first = simulation.largest_dt();
  expected.speed = speed_of_fall(simulation);
  const double now = simulation.time();
  double per_second = 0.0;
  for (int i = 0; i < n_times; ++i) {
    simulation.set_time((i + 0.5) / n_times * run.end_time);
    per_second += 1.0 / (n_times * simulation.step_length().largest_dt(expected.speed));
  }
  simulation.set_time(now);
  expected.length = 1.0 / per_second;
  expected.count = std::max(1.0, std::ceil(run.end_time * per_second));
  if (run.max_steps > 0) expected.count = std::min(expected.count, static_cast<double>(run.max_steps));
  return expected;
}

}  // namespace freshet
