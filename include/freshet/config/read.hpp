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
/// \param[in] file_name  name of the file in messages
/// \param[in] overrides  "key=value" with dotted keys and TOML values, set before the checks; bare words are strings
/// Errors: InputError "<file>:<line>: <problem> (<why>). <what to do>" for syntax, unknown keys (with the nearest
/// known key), wrong types, values out of range and combinations without a meaning; for overrides, "override
/// 'key=value'" replaces file:line
Parameters parse_parameters(const std::string& text, const std::string& file_name,
                            const std::vector<std::string>& overrides = {});

/// Parse the resolved text that a run has recorded, as by parse_parameters(). A key that is newer than the run gets the
/// value with which the run computed, where that is not the default.
Parameters parse_recorded(const std::string& text, const std::string& file_name,
                          const std::vector<std::string>& overrides = {});

/// Read the text of a case file. Errors: InputError if it cannot be read.
std::string read_text_file(const std::string& path);

/// Write every key with its value, also defaults, as TOML that parse_parameters() reads to the same Parameters.
std::string resolved_toml(const Parameters& parameters);

/// Make the record of the case for output files.
InputRecord input_record(const Parameters& parameters);

/// Set the hashes of all files that the parameters name (meshes, particles, motions), then input_hash.
///
/// Parallel: collective; rank 0 reads the files
/// Errors: InputError on all ranks if a file cannot be read, or if its hash differs from the given one
void identify_files(const Communicator& comm, Parameters& parameters);

/// Keys whose values differ between two runs, each as "fluid.density: 1000.0 -> 900.0".
struct InputChanges {
  std::vector<std::string> allowed;  ///< changes that are allowed at a restart
  std::vector<std::string> refused;
  std::vector<std::string> new_gauges;  ///< names of gauges that the earlier run did not have
};

/// Compare the resolved text of an earlier run with the parameters now.
///
/// A key that the earlier text lacks gets its value as by parse_recorded(). Entries of arrays of tables are compared
/// one by one and named as in overrides, with the earlier entry's own name: "solid.1.radius: 0.1 -> 0.2",
/// "gauge.0.every of \"front\": 1 -> 2", "liquid: 3 entries -> 2".
/// \param[in] earlier_resolved  may be any bytes
/// Errors: InputError if the earlier text is no case
InputChanges compare_inputs(const std::string& earlier_resolved, const Parameters& now);

/// Describe every key: type, default, unit, range, change at a restart, one sentence; as aligned text or as JSON.
/// \param[in] section  choose one key, or the keys of a table ("time", "solid.wave") or of a kind of its entries
/// ("gauge.height"); the end of a name ("wave") is enough; empty: all keys
/// Errors: InputError if there is no such table or key
std::string schema_text(const std::string& section = "");
std::string schema_json(const std::string& section = "");

}  // namespace freshet
