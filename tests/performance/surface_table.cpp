// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/io/json.hpp"
#include "freshet/meshing/level_set.hpp"
#include "freshet/meshing/mesh_tools.hpp"
#include "freshet/meshing/surface_memory.hpp"
#include "freshet/parallel/environment.hpp"
#include "support/ball_particles.hpp"

#include <CLI/CLI.hpp>
#include <malloc.h>
#include <nlohmann/json.hpp>
#include <omp.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

/// Times the surface of a ball of particles and prints a JSON record; jobs/benchmark_surface.sh runs it.
namespace freshet::test {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A number of /proc/self/status. [bytes]
double status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  double kilobytes = 0.0;
  for (std::string word; file >> word;)
    if (word == name) file >> kilobytes;
  return 1024.0 * kilobytes;
}

/// Leave every `thinning`-th particle: drops that nothing touches.
void thin(int thinning, std::vector<Vec3>& positions) {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < positions.size(); ++p)
    if (static_cast<int>(hashed(p, 7) * thinning) == 0) positions[kept++] = positions[p];
  positions.resize(kept);
  positions.shrink_to_fit();
}

int run(const Communicator& comm, int cells, int repeats, const std::string& solids, int thinning,
        SurfaceOptions options) {
  DomainOptions box;
  box.cells = Vec3i::Constant(cells);
  const Domain domain(box);
  if (solids == "closed") options.solids = SurfaceSolids::closed;
  SurfaceParticles particles;
  particles.positions = ball(cells, comm.rank(), comm.size());
  particles.positions.shrink_to_fit();
  if (thinning > 1) thin(thinning, particles.positions);
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak counts from here
  const double before = status_bytes("VmRSS:");
  const double estimate = memory_of_surface(comm, domain, options, particles);
  double best = 1e30, best_level_set = 0.0, best_contour = 0.0, sum = 0.0;
  MeshReport report;
  GlobalIndex n = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    comm.barrier();
    const auto start = std::chrono::steady_clock::now();
    const LevelSet level_set(comm, domain, options, particles);
    const double level_set_seconds = comm.max(seconds_since(start));
    const SurfaceMesh mesh = level_set.contour();
    const double seconds = comm.max(seconds_since(start));
    n = level_set.n_particles();
    sum += seconds;
    if (repeat == 0) report = check_mesh(comm, mesh);
    if (seconds >= best) continue;
    best = seconds;
    best_level_set = level_set_seconds;
    best_contour = seconds - level_set_seconds;
  }
  const double peak = comm.max(status_bytes("VmHWM:") - before);
  if (!comm.is_root()) return 0;
  const char* name = "";
  for (const SurfaceMethodRecord& method : surface_methods())
    if (method.method == options.method) name = method.name;
  const Json json = {{"program", "freshet"},
                     {"method", name},
                     {"particles", n},
                     {"cells", cells},
                     {"resolution", options.resolution},
                     {"ranks", comm.size()},
                     {"threads", omp_get_max_threads()},
                     {"seconds", best},
                     {"mean_seconds", sum / repeats},
                     {"level_set_seconds", best_level_set},
                     {"contour_seconds", best_contour},
                     {"vertices", report.vertices},
                     {"faces", report.faces},
                     {"closed", report.closed()},
                     {"memory_estimate", estimate},
                     {"memory_taken", peak},
                     {"volume_ratio", report.volume / (static_cast<double>(n) / 8.0)}};
  std::fputs(json_text(json).c_str(), stdout);
  return 0;
}

int main_of(int argc, char** argv) {
  int cells = 128, repeats = 3, thinning = 1;
  std::string method = "improved_blobbies", solids = "open";
  SurfaceOptions options;
  CLI::App app{"Times the surface of a ball of particles."};
  app.add_option("--cells", cells, "Cells of the simulation along each axis");
  app.add_option("--repeats", repeats, "The fastest counts");
  app.add_option("--method", method, "Method");
  app.add_option("--thinning", thinning, "Only one of so many particles is there");
  app.add_option("--solids", solids, "open or closed");
  app.add_option("--resolution", options.resolution, "Lattice cells along a cell");
  CLI11_PARSE(app, argc, argv);
  for (const SurfaceMethodRecord& record : surface_methods())
    if (method == record.name) options.method = record.method;
  const Environment environment(argv[0], {});
  const Communicator world(MPI_COMM_WORLD);
  return run(world, cells, repeats, solids, thinning, options);
}

}  // namespace
}  // namespace freshet::test

int main(int argc, char** argv) {
  return freshet::test::main_of(argc, argv);
}
