// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/read.hpp"
#include "freshet/driver/cadence.hpp"
#include "freshet/driver/simulation.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <initializer_list>
#include <string>

namespace freshet::test {

/// Parameters of a case given as TOML text, as if it stood in a file.
inline Parameters make_case(const std::string& toml, const std::string& file = "test case") {
  return parse_parameters(toml, file);
}

/// Steps of the largest allowed dt until `time` is hit exactly. [s] Collective.
inline void run_until(Simulation& simulation, double time) {
  while (simulation.time() < time) {
    const double dt = Cadence::cut(simulation.largest_dt(), simulation.time(), time);
    const bool lands = simulation.time() + dt >= time;
    simulation.advance(dt);
    if (lands) simulation.set_time(time);
  }
}

/// The first half of a step of dt: from the particles to the extrapolated velocity. [s] Collective.
inline void find_velocity(Simulation& simulation, double dt) {
  simulation.deposit_velocity();
  simulation.label();
  simulation.apply_forces(dt);
  ASSERT_EQ(simulation.project(dt), "");
  simulation.extrapolate(dt);
}

/// Call f(position [m], velocity [m/s], id) for every particle of this rank.
template <class Function>
void for_each_particle(const Simulation& simulation, Function&& f) {
  const BlockLayout& layout = simulation.layout();
  const Domain& domain = simulation.domain();
  const ParticleStore& particles = simulation.particles();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const Vec3 corner = domain.origin() + domain.dx() * layout.first_cell(b).cast<double>();
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      const ParticleReal* x = particles.position() + 3 * p;
      const ParticleReal* u = particles.velocity() + 3 * p;
      f(Vec3(corner + domain.dx() * Vec3(x[0], x[1], x[2])), Vec3(u[0], u[1], u[2]), particles.id()[p]);
    }
  }
}

/// Print measured figures on rank 0, so that a log shows how far from its bound a test passed.
inline void report(const char* what, std::initializer_list<double> values) {
  if (!world().is_root()) return;
  std::printf("[ measured ] %s:", what);
  for (const double value : values) std::printf(" %.6g", value);
  std::printf("\n");
}

}  // namespace freshet::test
