// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/given.hpp"
#include "freshet/config/read.hpp"
#include "freshet/core/standard_output.hpp"
#include "freshet/diagnostics/memory_report.hpp"
#include "freshet/driver/cadence.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/expected_steps.hpp"
#include "freshet/driver/run_output.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/io/snapshot.hpp"
#include "freshet/parallel/agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>

namespace freshet {
namespace {

/// Put "# " before each line of a text that is not empty.
std::string commented(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += line.empty() ? "" : "# " + line + "\n";
  return result;
}

/// A number of things: "1 rank", "8 ranks".
std::string counted(std::int64_t n, const std::string& thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

/// What the case file and the overrides set, as TOML or, before the list of all keys, as comments; and what follows.
std::string text_of_keys(const CheckOptions& options, const Parameters& parameters) {
  const GivenKeys keys = given_keys(parameters, read_text_file(options.input), options.input, options.overrides);
  const std::string place = options.overrides.empty() ? options.input : options.input + " and the command line";
  std::string text = options.extent == CheckExtent::all_keys
                         ? fmt::format("# set by {}:\n{}", place, commented(keys.given))
                         : fmt::format("# set by {}; --all prints all keys\n{}\n", place, keys.given);
  for (const std::string& assignment : keys.derived) text += fmt::format("# chosen: {}\n", assignment);
  return text;
}

/// Numbers of blocks and particles, one line for each rank. Collective
std::string rank_table(const Communicator& comm, const Simulation& simulation) {
  const std::vector<double> blocks = comm.gather_to_root(simulation.layout().n_owned());
  const std::vector<double> particles = comm.gather_to_root(static_cast<double>(simulation.particles().size()));
  std::string text = "# rank     blocks      particles\n";
  for (std::size_t r = 0; r < blocks.size(); ++r)
    text += fmt::format("# {:4} {:10.0f} {:14.0f}\n", r, blocks[r], particles[r]);
  return text;
}

/// Cells, blocks and particles, in all and of each rank. Collective
std::string text_of_layout(const Communicator& comm, const Simulation& simulation) {
  const Domain& domain = simulation.domain();
  const Vec3i n = domain.cells();
  const Vec3 size = domain.dx() * n.cast<double>();
  std::string text = domain.dimension() == 3
                         ? fmt::format("# domain: {} x {} x {} cells of {:g} m: {:g} x {:g} x {:g} m\n", n[0], n[1],
                                       n[2], domain.dx(), size[0], size[1], size[2])
                         : fmt::format("# domain: {} x {} cells of {:g} m: {:g} x {:g} m\n", n[0], n[1], domain.dx(),
                                       size[0], size[1]);
  const GlobalIndex n_particles = comm.sum(GlobalIndex{simulation.particles().size()});
  const GlobalIndex n_below_band = simulation.seeding().seeded - n_particles;
  text += fmt::format(
      "# {} of {} blocks of {} cells exist; {} particles{}, {} liquid cells, {} samples dropped in solids\n",
      simulation.layout().n_global(), domain.n_lattice_blocks(), simulation.layout().cells_per_block(), n_particles,
      n_below_band > 0 ? fmt::format(" in the band and {} left out below it", n_below_band) : "",
      simulation.initial_liquid_cells(), simulation.seeding().dropped_in_solid);
  text += fmt::format("# {} x {}\n", counted(comm.size(), "rank"), counted(n_threads(), "thread"));
  return text + rank_table(comm, simulation);
}

std::string text_of_bytes(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.3g} MB", 1e-6 * bytes) : fmt::format("{:.3g} GB", 1e-9 * bytes);
}

/// Memory at the start and at a restart, and sizes of files. Collective
std::string text_of_memory(const Communicator& comm, const Simulation& simulation) {
  const Parameters& parameters = simulation.parameters();
  const MemoryReport memory = measure_memory(simulation.layout(), simulation.particles().size());
  const CheckpointState state = simulation.checkpoint_state();
  const auto checkpoint = static_cast<double>(checkpoint_bytes(comm, state, input_record(parameters)));
  // A restart holds no more than a start does, and the pressure twice until the grid has it.
  const double cells = static_cast<double>(simulation.layout().n_owned()) * simulation.layout().cells_per_block();
  const double pressure = comm.max(8.0 * cells);
  std::string text = fmt::format("# memory at the start: {}\n", memory.text());
  text += fmt::format("# a checkpoint takes {}; the {} newest stay (checkpoint.keep)\n", text_of_bytes(checkpoint),
                      parameters.checkpoint.keep);
  text += fmt::format(
      "# memory at a restart on as many ranks: at most {} on the largest, and more once the liquid takes more blocks\n",
      text_of_bytes(static_cast<double>(memory.largest_rank) + pressure));
  return text;
}

/// Snapshots and surfaces that the run will write. Collective
std::string text_of_output(const Communicator& comm, const Simulation& simulation) {
  const Parameters& parameters = simulation.parameters();
  const OutputOptions& output = parameters.output;
  SnapshotState state;
  state.layout = &simulation.layout();
  state.particles = &simulation.particles();
  const auto bytes = static_cast<double>(SnapshotWriter::bytes(comm, output, input_record(parameters), state));
  const auto count = [&](double interval, double start) {
    const Cadence cadence(interval, parameters.run.end_time, start);
    const bool begins = interval > 0.0 && start == 0.0;
    return cadence.n_within(0.0, cadence.just_before_end()) + (begins ? 2 : 1);  // and those at the ends of the run
  };
  const std::int64_t n = count(output.interval, output.start_time);
  std::string text = fmt::format("# {} (output.interval), the first of {}: {} in all\n", counted(n, "snapshot"),
                                 text_of_bytes(bytes), text_of_bytes(bytes * static_cast<double>(n)));
  if (parameters.surface.interval > 0.0)
    text +=
        fmt::format("# {} (output.surface.interval)\n", counted(count(parameters.surface.interval, 0.0), "surface"));
  return text;
}

/// A number with two digits that count, as an integer: 4461 becomes "4500".
std::string roughly(double value) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(std::max(value, 1.0))) - 1.0));
  return fmt::format("{:.0f}", unit * std::round(value / unit));
}

std::string text_of_steps(Simulation& simulation) {
  const ExpectedSteps steps = expect_steps(simulation);
  return fmt::format(
      "# first time step {:.3e} s; roughly {} steps of {:.1e} s, if the liquid becomes as fast as {:.2g} m/s\n",
      steps.first, roughly(steps.count), steps.length, steps.speed);
}

std::string text_of_gauges(const Simulation& simulation) {
  const Gauges& gauges = simulation.gauges();
  std::string text;
  for (std::size_t i = 0; i < gauges.size(); ++i)
    text += fmt::format("# gauge {}: {}\n", gauges.name(i), gauges.describe(i, simulation.solids()));
  return text;
}

std::string text_of_warnings(const Simulation& simulation) {
  std::string text;
  for (const std::string& remark : simulation.scene().remarks()) text += "# " + remark + "\n";
  for (const std::string& warning : simulation.scene().warnings()) text += "# warning: " + warning + "\n";
  if (simulation.seeding().dropped_outside > 0)
    text += fmt::format("# warning: particles: {} (inputs/troubleshooting.md#place)\n",
                        simulation.seeding().outside_text());
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
  std::string text;
  agree_on_root(comm, [&] { text = text_of_keys(options, parameters); });
  text += text_of_layout(comm, simulation);
  text += text_of_memory(comm, simulation);
  text += text_of_steps(simulation);
  text += text_of_output(comm, simulation);
  text += text_of_gauges(simulation);
  text += text_of_warnings(simulation);
  if (options.extent == CheckExtent::all_keys) text += "\n" + resolved_toml(parameters);
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
