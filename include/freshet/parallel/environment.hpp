// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace freshet {

/// MPI (funneled threads) and PETSc, from first use to the end of the program. One an executable, made in main().
class Environment {
 public:
  /// \param[in] program       argv[0]
  /// \param[in] petsc_options tokens for PETSc's options database (what follows `--`)
  /// Errors: std::runtime_error if MPI or PETSc cannot start
  Environment(const std::string& program, const std::vector<std::string>& petsc_options);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
};

/// Options of PETSc's that nothing has asked for: neither PETSc when it started, nor will freshet's solvers, whose
/// options begin with pressure_, nor PETSc when it ends. \param[in] tokens  as they were given to Environment
std::vector<std::string> unknown_petsc_options(const std::vector<std::string>& tokens);

/// Versions of what freshet runs on, for --version and run.json: {"MPI", "..."}, {"PETSc", "..."}, ...
std::vector<std::pair<std::string, std::string>> parallel_versions();

/// Check the code that a PETSc call returned. Errors: LocalError that names `call`; std::bad_alloc if PETSc had no
/// memory
void check_petsc(int code, const char* call);

}  // namespace freshet
