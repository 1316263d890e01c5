// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/parallel/communicator.hpp"

#include <functional>
#include <string>
#include <vector>

/// The commands of the `freshet` program: what main() calls once the command line is understood.
///
/// Each returns the exit code of the process, the same on all ranks; failures are thrown as freshet::Error on
/// all ranks.
namespace freshet {

class Simulation;

/// `freshet run INPUT [key=value...] [--output-dir DIR] [--restart auto|PATH] [--force]`
struct RunOptions {
  std::string input;
  std::vector<std::string> overrides;  ///< "key=value"
  std::string output_dir;
  std::string restart;  ///< "auto", path of a checkpoint or of an output directory; empty: start at time 0
  bool force = false;   ///< overwrite a finished run
  /// Called before the first step, for programs that add forces or attributes of their own.
  std::function<void(Simulation&)> prepare;
};

/// Which keys `freshet check` prints.
enum class CheckExtent {
  given_keys,  ///< those that the case file or an override sets
  all_keys     ///< all, with their values
};

/// `freshet check INPUT [key=value...] [--all]`
struct CheckOptions {
  std::string input;
  std::vector<std::string> overrides;
  CheckExtent extent = CheckExtent::given_keys;
};

/// `freshet schema [SECTION] [--json]`
struct SchemaOptions {
  enum class Format { text, json };
  Format format = Format::text;
  std::string section;  ///< a table or a key; empty: all keys
};

/// `freshet mesh RUN [key=value...] [--frames RANGE] [--output DIR] [--force]`
struct MeshOptions {
  std::string run;                     ///< output directory of a run
  std::string frames;                  ///< "7" or "first:last:step"; empty: all
  std::string output;                  ///< directory; empty: meshes/ in the run's directory
  std::vector<std::string> overrides;  ///< "key=value"; keys of [output.surface], the prefix may be left out
  std::string case_file;               ///< solids' files are relative to its directory; empty: the file that was run
  bool without_solids = false;         ///< make surfaces as if there were no solids
  bool force = false;                  ///< make meshes anew whose files exist
};

/// `freshet info FILE`
struct InfoOptions {
  std::string file;
};

/// `freshet export RUN --particles FORMAT|--fields FORMAT [--frames a:b:s] [--output DIR] [--attributes
/// NAMES] [--force]`
struct ExportOptions {
  std::string run;        ///< output directory of the run
  std::string particles;  ///< format of particle files; empty: none
  std::string fields;
  std::string frames;                   ///< "7" or "first:last:step"; empty: all
  std::string output;                   ///< directory; empty: RUN/export
  std::vector<std::string> attributes;  ///< records or fields beside the position; empty: all
  bool force = false;                   ///< write files anew that exist
};

int run_command(const Communicator& comm, const RunOptions& options);
int check_command(const Communicator& comm, const CheckOptions& options);
int mesh_command(const Communicator& comm, const MeshOptions& options);
int info_command(const Communicator& comm, const InfoOptions& options);
int export_command(const Communicator& comm, const ExportOptions& options);

/// Print every key of a case file. Needs neither MPI nor PETSc to be started.
int schema_command(const SchemaOptions& options);

/// Names of the formats of `freshet export`, for its help text: "geo, bgeo, ...".
std::string particle_format_names();
std::string field_format_names();

/// What --version prints: freshet, its commit and build, and the libraries below it. Needs no MPI to be started.
std::string version_text();

/// The default output directory of a run: `output/NAME`, NAME being the input's file name without its extension.
std::string default_output_dir(const std::string& input);

/// Read a case file on rank 0 and parse it on all ranks, so that all throw the same error; hash the meshes named there.
///
/// Parallel: collective
/// Errors: InputError if the file cannot be read or is not right, with the same message on every rank
Parameters load_parameters(const Communicator& comm, const std::string& path,
                           const std::vector<std::string>& overrides);

}  // namespace freshet
