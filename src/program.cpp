// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include "freshet/core/error.hpp"
#include "freshet/core/floating_point.hpp"
#include "freshet/core/standard_output.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/signals.hpp"
#include "freshet/parallel/abort.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/environment.hpp"
#include "freshet/parallel/need_same.hpp"
#include "launch_python.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace freshet {
namespace {

using CollectiveCommand = std::variant<RunOptions, CheckOptions, MeshOptions, InfoOptions, ExportOptions>;
using Command = std::variant<SchemaOptions, CollectiveCommand>;

/// The work of all ranks: a command, or the refusal of a wrong command line.
struct Job {
  std::optional<CollectiveCommand> command;
  std::optional<InputError> usage;
};

constexpr int code_of(ExitCode code) {
  return static_cast<int>(code);
}

/// The command line: freshet's words and, after `--`, PETSc's words.
struct CommandLine {
  explicit CommandLine(int argc, const char* const* argv) : program(argv[0]) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto dashes = std::find(words.begin(), words.end(), "--");
    own.assign(words.begin(), dashes);
    if (dashes != words.end()) petsc.assign(dashes + 1, words.end());
  }

  std::string program;
  std::vector<std::string> own;
  std::vector<std::string> petsc;
};

/// Rank of this process as its launcher tells before MPI starts; nothing if there is no launcher.
std::optional<std::string> launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* rank = std::getenv(name)) return rank;
  }
  return std::nullopt;
}

bool is_first_process() {
  return launched_rank().value_or("0") == "0";
}

void print_error(const std::string& message) {
  std::fprintf(stderr, "freshet: error: %s\n", message.c_str());
}

/// Declares the options and reads them into the options of one command.
class Parser {
 public:
  Parser() {
    app_.require_subcommand(1);
    app_.footer(
        "Exit codes: 0 done, 1 fault of freshet, 2 input or usage, 3 solver, 4 file system, 5 memory, "
        "75 stopped early.");
    run_->footer("Everything after -- goes to PETSc, and into no checkpoint: give it again at a restart.");
    run_->add_option("input", run_options_.input, "Case file in TOML")->required();
    run_->add_option("overrides", run_options_.overrides, "key=value, for example time.cfl=0.5");
    run_->add_option("--output-dir", run_options_.output_dir, "Where to write (default: output/<name of the input>)");
    run_->add_option("--restart", run_options_.restart,
                     "Go on from the newest whole checkpoint (auto), or from the checkpoint at a path");
    run_->add_flag("--force", run_options_.force, "Overwrite a finished run");
    check_->add_option("input", check_options_.input, "Case file in TOML")->required();
    check_->add_option("overrides", check_options_.overrides, "key=value, for example time.cfl=0.5");
    check_->add_flag_callback(
        "--all", [this] { check_options_.extent = CheckExtent::all_keys; },
        "Print all keys, also those that have defaults");
    mesh_->footer(
        "Options that are given as key=value are those of [output.surface] in a case file, for example resolution=3; "
        "see freshet schema. Frames whose mesh is there already are skipped.");
    mesh_->add_option("run", mesh_options_.run, "Output directory of a run")->required();
    mesh_->add_option("overrides", mesh_options_.overrides, "key=value, for example kernel=2");
    mesh_->add_option("--frames", mesh_options_.frames, "7, or first:last:step (default: all)");
    mesh_->add_option("--output", mesh_options_.output, "Where to write (default: RUN/meshes)");
    for (const char* key : {"method", "resolution", "format", "solids"})
      mesh_->add_option_function<std::string>(
          std::string("--") + key,
          [this, key](const std::string& value) { mesh_options_.overrides.push_back(key + ("=" + value)); },
          std::string("Same as ") + key + "=...");
    mesh_->add_option("--case", mesh_options_.case_file,
                      "Case file of the run, if it has moved: mesh files of solids count from its directory");
    mesh_->add_flag("--without-solids", mesh_options_.without_solids, "Make surfaces as if there were no solids");
    mesh_->add_flag("--force", mesh_options_.force, "Make meshes again that are there already");
    schema_->add_option("section", section_, "A table such as time or solid.wave, or one key (default: all)");
    schema_->add_flag("--json", json_, "Print JSON instead of text");
    info_->add_option("file", info_options_.file, "HDF5 file written by freshet")->required();
    export_->add_option("run", export_options_.run, "Output directory of a run")->required();
    export_->add_option("--particles", export_options_.particles, "Write particles: " + particle_format_names());
    export_->add_option("--fields", export_options_.fields, "Write grid fields: " + field_format_names());
    export_->add_option("--frames", export_options_.frames, "7, or first:last:step (default: all)");
    export_->add_option("--output", export_options_.output, "Where to write (default: RUN/export)");
    export_->add_option("--attributes", export_options_.attributes, "Records or fields to write (default: all)")
        ->delimiter(',');
    export_->add_flag("--force", export_options_.force, "Write files again that are there already");
    export_->footer("Each rank converts frames of its own. Frames whose files are there already are left alone.");
    for (const PythonCommand& command : python_commands) app_.add_subcommand(command.name, command.text);
    for (CLI::App* app : {&app_, run_, check_, mesh_, schema_, info_, export_}) {
      app->set_version_flag("--version", version_text, "Print the versions of freshet and its libraries");
    }
  }

  /// Parse the words. \return nothing if help or the version was asked for and has been printed
  ///
  /// Errors: InputError for a wrong command line
  std::optional<Command> parse(std::vector<std::string> words) {
    try {
      std::reverse(words.begin(), words.end());  // CLI11 takes words from the end
      app_.parse(words);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() != 0) refuse(error);
      if (is_first_process()) app_.exit(error);
      return std::nullopt;
    }
    for (const PythonCommand& command : python_commands)
      if (app_.got_subcommand(command.name))
        throw InputError(
            fmt::format("{0} is started by itself (usage). Give {0} as the first word after freshet", command.name));
    if (check_->parsed()) return CollectiveCommand(check_options_);
    if (mesh_->parsed()) return CollectiveCommand(mesh_options_);
    if (info_->parsed()) return CollectiveCommand(info_options_);
    if (export_->parsed()) return CollectiveCommand(export_options_);
    if (schema_->parsed())
      return SchemaOptions{json_ ? SchemaOptions::Format::json : SchemaOptions::Format::text, section_};
    if (run_->count("--restart") > 0 && run_options_.restart.empty())
      throw InputError("--restart has an empty value (usage). Give auto, or the path of a checkpoint");
    if (run_->count("--output-dir") > 0 && run_options_.output_dir.empty())
      throw InputError(
          "--output-dir has an empty value (usage). Give the path of a directory, or leave the option out");
    if (run_->count("--output-dir") == 0) run_options_.output_dir = default_output_dir(run_options_.input);
    return CollectiveCommand(run_options_);
  }

 private:
  [[noreturn]] void refuse(const CLI::ParseError& error) const {
    const auto commands = app_.get_subcommands();
    const std::string command = commands.empty() ? "" : commands.front()->get_name() + " ";
    throw InputError(fmt::format("{} (usage). See freshet {}--help", error.what(), command));
  }

  CLI::App app_{"Distributed PIC/FLIP solver for liquids with a free surface.", "freshet"};
  CLI::App* run_ = app_.add_subcommand("run", "Run a case");
  CLI::App* check_ = app_.add_subcommand(
      "check", "Check a case and print what follows from it: blocks, memory, steps, gauges, warnings; no run");
  CLI::App* mesh_ = app_.add_subcommand("mesh", "Make meshes of the liquid's surface from the snapshots of a run");
  CLI::App* schema_ = app_.add_subcommand("schema", "Print the keys of a case file");
  CLI::App* info_ = app_.add_subcommand("info", "Describe a file that freshet wrote");
  CLI::App* export_ = app_.add_subcommand("export", "Write particles or fields of a run for other programs");
  RunOptions run_options_;
  CheckOptions check_options_;
  MeshOptions mesh_options_;
  InfoOptions info_options_;
  ExportOptions export_options_;
  bool json_ = false;
  std::string section_;
};

/// End the job when this rank runs out of memory: other ranks could wait for it for ever, and no exception may leave
/// an OpenMP region.
void end_out_of_memory() {
  std::set_new_handler(nullptr);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::fprintf(stderr,
               "freshet: error: out of memory. Use more ranks on more nodes, or fewer cells or particles "
               "(inputs/troubleshooting.md#memory) (rank %d of %d)\n",
               rank, size);
  std::fflush(nullptr);  // what was said before
  MPI_Abort(MPI_COMM_WORLD, code_of(ExitCode::memory));
}

int run_collectively(const Communicator& comm, const RunOptions& options) {
  return run_command(comm, options);
}
int run_collectively(const Communicator& comm, const CheckOptions& options) {
  return check_command(comm, options);
}
int run_collectively(const Communicator& comm, const MeshOptions& options) {
  return mesh_command(comm, options);
}
int run_collectively(const Communicator& comm, const InfoOptions& options) {
  return info_command(comm, options);
}
int run_collectively(const Communicator& comm, const ExportOptions& options) {
  return export_command(comm, options);
}

/// Check that all ranks have the command line and the PETSC_OPTIONS of rank 0. Collective
/// Errors: InputError on all ranks.
void need_same_words(const Communicator& comm, const CommandLine& line) {
  std::vector<std::string> words = line.own;
  if (!line.petsc.empty()) words.emplace_back("--");
  words.insert(words.end(), line.petsc.begin(), line.petsc.end());
  need_same(comm, "command line", fmt::format("freshet {}", fmt::join(words, " ")));
  const char* const of_environment = std::getenv("PETSC_OPTIONS");
  need_same(comm, "environment variable PETSC_OPTIONS", of_environment != nullptr ? of_environment : "");
}

void refuse_unknown_options(const std::vector<std::string>& petsc) {
  const std::vector<std::string> unknown = unknown_petsc_options(petsc);
  if (unknown.empty()) return;
  throw InputError(fmt::format(
      "nothing uses the PETSc option {} (it was given after -- or in the variable PETSC_OPTIONS; it is misspelt, lacks "
      "the prefix pressure_, viscosity_ or stokes_ of freshet's solvers, or is not an option). Correct it, or "
      "leave it out",
      fmt::join(unknown, ", ")));
}

int execute(const Communicator& comm, const Job& job, const CommandLine& line) {
  try {
    need_same_words(comm, line);
    if (job.usage) throw *job.usage;
    refuse_unknown_options(line.petsc);
    return std::visit([&](const auto& options) { return run_collectively(comm, options); }, *job.command);
  } catch (const Error& error) {  // thrown on every rank
    if (comm.is_root()) print_error(error.what());
    return code_of(error.code());
  } catch (const std::exception& error) {  // maybe thrown on this rank alone
    abort_job(comm, error);
  }
}

/// Run a job from the start of MPI to its end. No rank leaves before the others do.
int execute(const Job& job, const CommandLine& line) {
  std::optional<Signals> signals;  // caught from before MPI's start until after its end
  if (job.command && std::holds_alternative<RunOptions>(*job.command)) signals.emplace();
  const Environment environment(line.program, job.usage ? std::vector<std::string>{} : line.petsc);
  try {
    trap_floating_point();
    std::set_new_handler(end_out_of_memory);
    const Communicator world(MPI_COMM_WORLD);
    const int code = execute(world, job, line);
    flush_standard_output();  // otherwise PETSc tries at its end and prints long errors
    return code;
  } catch (const std::exception& error) {
    abort_job(error);
  }
}

int execute(const CommandLine& line) {
  Job job;
  std::optional<Command> command;
  try {
    command = Parser().parse(line.own);
  } catch (const InputError& error) {
    if (!launched_rank()) throw;
    job.usage = error;  // no rank may leave before rank 0 has printed: the launcher would end the others
  }
  if (!job.usage) {
    const auto* const schema = command ? std::get_if<SchemaOptions>(&*command) : nullptr;
    if (schema != nullptr && is_first_process()) schema_command(*schema);  // also where MPI cannot start
    if (!command) need_standard_output();                                  // prints help or the version
    if (!command || schema != nullptr) return code_of(ExitCode::done);
    job.command = std::get<CollectiveCommand>(*command);
  }
  return execute(job, line);
}

}  // namespace

int run_program(int argc, const char* const* argv) noexcept {
  int code = code_of(ExitCode::internal);
  try {
    code = execute(CommandLine(argc, argv));
  } catch (const Error& error) {
    print_error(error.what());
    code = code_of(error.code());
  } catch (const std::bad_alloc&) {
    print_error("out of memory before the run began (inputs/troubleshooting.md#memory)");
    code = code_of(ExitCode::memory);
  } catch (const std::exception& error) {  // MPI or PETSc did not start
    print_error(error.what());
  }
  std::fflush(nullptr);  // a caller such as Python may end without C's exit()
  return code;
}

}  // namespace freshet
