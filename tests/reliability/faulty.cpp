// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/parallel/environment.hpp"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

/// A run in which one number goes wrong after some steps: the velocity of a particle, or that of a face.
/// usage: FAULT=particle@STEP (or face@STEP) faulty run INPUT [key=value...] --output-dir DIR
namespace freshet {
namespace {

/// A force that does nothing until its time has come.
class Fault : public ForceTerm {
 public:
  Fault(Simulation& simulation, bool of_particle, std::int64_t step)
      : simulation_(simulation), of_particle_(of_particle), step_(step) {}
  void apply(FaceField<double>& velocity, const FaceField<double>&, double, double) const override {
    if (simulation_.step() < step_) return;
    if (of_particle_) {
      ParticleStore& particles = simulation_.particles();
      if (particles.size() > 11) particles.velocity()[3 * 11] = std::numeric_limits<ParticleReal>::quiet_NaN();
    } else if (velocity.layout().n_owned() > 0) {
      velocity[1].block(0)[9] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  double largest_acceleration(double) const override { return 0.0; }

 private:
  Simulation& simulation_;
  bool of_particle_;
  std::int64_t step_;
};

int run(int argc, char** argv) {
  const Environment environment(argv[0], {});
  const Communicator world(MPI_COMM_WORLD);
  const char* const fault = std::getenv("FAULT");
  const std::string words = fault == nullptr ? "" : fault;
  const std::size_t at = words.find('@');
  RunOptions options;
  options.input = argv[2];
  options.output_dir = argv[argc - 1];
  options.overrides.assign(argv + 3, argv + argc - 2);
  options.prepare = [&](Simulation& simulation) {
    const std::int64_t step = std::strtoll(words.c_str() + at + 1, nullptr, 10);
    simulation.add_force(std::make_unique<Fault>(simulation, words.substr(0, at) == "particle", step));
  };
  try {
    return run_command(world, options);
  } catch (const Error& error) {
    if (world.is_root()) std::fprintf(stderr, "freshet: error: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}

}  // namespace
}  // namespace freshet

int main(int argc, char** argv) {
  return argc < 5 ? 2 : freshet::run(argc, argv);
}
