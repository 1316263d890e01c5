// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace freshet {

/// How this library was built, for --version and for the record in every output.
struct BuildInfo {
  std::string version;     ///< "0.2.0"
  std::string commit;      ///< 12 hex digits, then "-dirty" if the tree had changes; "unknown" without git
  std::string build_type;  ///< "Release", "Debug", ...
  std::string compiler;    ///< "GNU 12.2.0"
  std::string flags;       ///< flags of the compiler
  bool contracts = false;  ///< whether contracts are checked at run time
  int particle_bits = 32;  ///< width of a ParticleReal [bits]
};
const BuildInfo& build_info();

}  // namespace freshet
