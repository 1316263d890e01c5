// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/io/output_options.hpp"
#include "freshet/parallel/communicator.hpp"

#include <string>
#include <vector>

namespace freshet {

/// Parse and check a case file given as text.
///
/// \param[in] text       TOML 1.0
/// \param[in] file_name  for messages
/// \param[in] overrides  "key=value" with dotted keys and TOML values (bare words count as strings), applied before
///         checks
/// Errors: InputError "<file>:<line>: <problem> (<why>). <what to do>" for syntax, unknown keys (with the nearest known
///         key), wrong types, values out of range and combinations that make no sense; overrides are named
///         "override 'key=value'" in place of file:line
Parameters parse_parameters(const std::string& text, const std::string& file_name,
                            const std::vector<std::string>& overrides = {});

/// As parse_parameters(), for the resolved text that a run has recorded. A key that the run's version did not have gets
/// the value that it computed with, where that is not the default.
Parameters parse_recorded(const std::string& text, const std::string& file_name,
                          const std::vector<std::string>& overrides = {});

/// The text of a case file. Errors: InputError if it cannot be read.
std::string read_text_file(const std::string& path);

/// Every key with its value, defaults included, as TOML that parse_parameters() reads back to the same Parameters.
std::string resolved_toml(const Parameters& parameters);

/// What output files record of the case.
InputRecord input_record(const Parameters& parameters);

/// Set the hashes of all files that the parameters name (meshes, particles, motions), and input_hash after them.
///
/// Parallel: collective; rank 0 reads the files
/// Errors: InputError on all ranks if a file cannot be read, or is not the one whose hash is given
void identify_files(const Communicator& comm, Parameters& parameters);

/// Keys whose values differ between two runs, each as "fluid.density: 1000.0 -> 900.0".
struct InputChanges {
  std::vector<std::string> allowed;  ///< they may change between a run and its restart
  std::vector<std::string> refused;
  std::vector<std::string> new_gauges;  ///< names of those that the earlier run did not have
};

/// What differs between the resolved text of an earlier run and parameters now.
///
/// A key that the earlier text lacks counts as parse_recorded() reads it. Entries of arrays of tables are compared one
/// by one and named as in overrides, with the name that the earlier entry has: "solid.1.radius: 0.1 -> 0.2",
/// "gauge.0.every of \"front\": 1 -> 2", "liquid: 3 entries -> 2".
/// \param[in] earlier_resolved  may be any bytes
/// Errors: InputError if it is no case
InputChanges compare_inputs(const std::string& earlier_resolved, const Parameters& now);

/// Every key: type, default, unit, range, whether it may change at a restart, one sentence; as aligned text or as JSON.
/// \param[in] section  only the keys of this table, such as "time" or "solid.wave", of a kind of its entries, such as
///                     "gauge.height", or one key; the end of a name ("wave") will do; empty: all
/// Errors: InputError if there is no such table or key
std::string schema_text(const std::string& section = "");
std::string schema_json(const std::string& section = "");

}  // namespace freshet
