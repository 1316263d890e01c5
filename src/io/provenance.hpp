// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/output_options.hpp"
#include "h5.hpp"

#include <cstdint>
#include <string>

namespace freshet {

/// Where a file comes from.
struct Provenance {
  std::string kind;  ///< "snapshot", "checkpoint"
  int n_ranks = 1;
  std::int64_t n_threads = 1;
  std::int64_t step = 0;
};

/// Attributes of the root: program, author, date, machine, commit, layout, seed, hash of the input; and the resolved
/// input itself, as the dataset freshetInput of characters. For one rank. Errors: FileError
void write_provenance(hid_t root, const Provenance& provenance, const InputRecord& input);

/// Name of that dataset.
inline constexpr const char* input_dataset = "freshetInput";

}  // namespace freshet
