// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/core/standard_output.hpp"
#include "freshet/diagnostics/memory_report.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/run_output.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/io/snapshot.hpp"
#include "freshet/parallel/agree.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace freshet {
namespace {

/// Numbers of blocks and particles, one line for each rank. Collective
std::string rank_table(const Communicator& comm, const Simulation& simulation) {
  const std::vector<double> blocks = comm.gather_to_root(simulation.layout().n_owned());
  const std::vector<double> particles = comm.gather_to_root(static_cast<double>(simulation.particles().size()));
  std::string text = "# rank     blocks      particles\n";
  for (std::size_t r = 0; r < blocks.size(); ++r)
    text += fmt::format("# {:4} {:10.0f} {:14.0f}\n", r, blocks[r], particles[r]);
  return text;
}

/// Print a text on rank 0. Errors: FileError on all ranks. Collective
void print(const Communicator& comm, const std::string& text) {
  agree_on_root(comm, [&] {
    std::fputs(text.c_str(), stdout);
    need_standard_output();
  });
}

}  // namespace

int check_command(const Communicator& comm, const CheckOptions& options) {
  const Parameters parameters = load_parameters(comm, options.input, options.overrides);
  Simulation simulation(comm, parameters);
  const Domain& domain = simulation.domain();
  std::string text = resolved_toml(parameters);
  text += fmt::format("\n# {} ranks x {} threads\n", comm.size(), n_threads());
  text += fmt::format(
      "# {} of {} blocks of {} cells exist; {} particles, {} liquid cells, {} samples dropped in solids\n",
      simulation.layout().n_global(), domain.n_lattice_blocks(), simulation.layout().cells_per_block(),
      simulation.seeding().seeded, simulation.initial_liquid_cells(), simulation.seeding().dropped_in_solid);
  for (const std::string& remark : simulation.scene().remarks()) text += "# " + remark + "\n";
  for (const std::string& warning : simulation.scene().warnings()) text += "# warning: " + warning + "\n";
  if (simulation.seeding().dropped_outside > 0)
    text += fmt::format("# warning: particles: {} (inputs/troubleshooting.md#place)\n",
                        simulation.seeding().outside_text());
  for (std::size_t i = 0; i < simulation.gauges().size(); ++i)
    text += fmt::format("# gauge {}: {}\n", simulation.gauges().name(i),
                        simulation.gauges().describe(i, simulation.solids()));
  text += fmt::format("# first time step {:.3e} s\n", simulation.largest_dt());
  text += rank_table(comm, simulation);
  text += fmt::format("# memory at the start: {}\n",
                      measure_memory(simulation.layout(), simulation.particles().size()).text());
  print(comm, text);
  return static_cast<int>(ExitCode::done);
}

int info_command(const Communicator& comm, const InfoOptions& options) {
  std::string text;
  agree_on_root(comm, [&] { text = describe_file(options.file); });
  print(comm, text);
  return static_cast<int>(ExitCode::done);
}

}  // namespace freshet
