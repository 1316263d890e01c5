// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/parallel/environment.hpp"

#include <mpi.h>
#include <petscvec.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

/// A run in which something goes wrong after some steps: the velocity of a particle or of a face is not a number, or
/// the last rank alone fails: by an error that nothing expects, by a lack of memory, or by a call of MPI or PETSc that
/// fails; or it fails while the run is set up.
/// usage: FAULT=particle@STEP (or face, alone, memory, mpi, petsc, start) faulty run INPUT [key=value...] --output-dir
/// DIR
namespace freshet {
namespace {

/// A force that does nothing until its time has come.
class Fault : public ForceTerm {
 public:
  Fault(Simulation& simulation, std::string kind, std::int64_t step)
      : simulation_(simulation), kind_(std::move(kind)), step_(step) {}
  void apply(const ForceInput&, double, FaceField<double>& velocity) const override {
    if (simulation_.step() < step_) return;
    const bool is_last = simulation_.comm().rank() == simulation_.comm().size() - 1;
    if (kind_ == "alone" && is_last) throw std::runtime_error("a force that fails on one rank");
    if (kind_ == "memory" && is_last) throw std::bad_alloc();
    const MPI_Comm comm = simulation_.comm().raw();
    if (kind_ == "mpi" && is_last)
      check_mpi(MPI_Send(nullptr, 0, MPI_INT, simulation_.comm().size(), 0, comm), "MPI_Send");
    if (kind_ == "petsc" && is_last) {
      Vec vec = nullptr;
      check_petsc(VecCreateSeq(MPI_COMM_SELF, 1, &vec), "VecCreateSeq");
      check_petsc(VecSetType(vec, "no such type"), "VecSetType");
    }
    if (kind_ == "particle") {
      ParticleStore& particles = simulation_.particles();
      if (particles.size() > 11) particles.velocity()[3 * 11] = std::numeric_limits<ParticleReal>::quiet_NaN();
    } else if (kind_ == "face" && velocity.layout().n_owned() > 0) {
      velocity[1].block(0)[9] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  double largest_acceleration(double, double) const override { return 0.0; }

 private:
  Simulation& simulation_;
  std::string kind_;
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
    if (words.starts_with("start") && world.rank() == world.size() - 1)
      throw std::runtime_error("a set-up that fails on one rank");
    const std::int64_t step = std::strtoll(words.c_str() + at + 1, nullptr, 10);
    simulation.add_force(std::make_unique<Fault>(simulation, words.substr(0, at), step));
  };
  try {
    return run_command(world, options);
  } catch (const Error& error) {
    if (world.is_root()) std::fprintf(stderr, "freshet: error: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {  // as the program freshet does
    abort_job(world, error);
  }
}

}  // namespace
}  // namespace freshet

int main(int argc, char** argv) {
  return argc < 5 ? 2 : freshet::run(argc, argv);
}
