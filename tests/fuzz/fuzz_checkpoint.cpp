// SPDX-License-Identifier: Apache-2.0
// modules: driver hdf5
#include "checkpoint_properties.hpp"
#include "freshet/driver/simulation.hpp"
#include "fuzz_environment.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace {

using namespace freshet;

/// A run goes on from what was read, up to its first step, and would write it again.
void go_on(const Communicator& comm, const Parameters& parameters, RestoredState state) {
  const auto n_particles = state.particles.size();
  const Simulation simulation(comm, parameters, std::move(state));
  const CheckpointState again = simulation.checkpoint_state();
  fuzz::require(again.particles->size() == n_particles, "particles are lost between reading and going on");
  fuzz::require(simulation.largest_dt() > 0.0, "no time step");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Surroundings& around = fuzz::Surroundings::get();
  fuzz::check_checkpoint(
      around.comm(), {reinterpret_cast<const char*>(data), size}, around.path(),
      [&](const Parameters& parameters, RestoredState state) { go_on(around.comm(), parameters, std::move(state)); });
  around.remove_file();
  return 0;
}
