// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace freshet {

/// Starts MPI (funneled threads) and PETSc, and ends them. A program has one Environment, made in main().
class Environment {
 public:
  /// \param[in] program       argv[0]
  /// \param[in] petsc_options tokens for PETSc's options database (the words after `--`)
  /// Errors: std::runtime_error or std::bad_alloc if MPI or PETSc cannot start; on several ranks that ends the job
  Environment(const std::string& program, const std::vector<std::string>& petsc_options);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
};

/// Words given to PETSc that nothing uses: options that neither PETSc, when it starts or ends, nor freshet's solvers
/// ask for, and words that are not the value of an option. Options below the prefixes of the solvers (pressure_,
/// second_pressure_, viscosity_, stokes_) all count as used.
/// \param[in] tokens  as given to Environment; the words of the variable PETSC_OPTIONS are examined as well
std::vector<std::string> unknown_petsc_options(std::vector<std::string> tokens);

/// Versions of the libraries in use, for --version and run.json: {"MPI", "..."}, {"PETSc", "..."}, ...
std::vector<std::pair<std::string, std::string>> parallel_versions();

/// Check the code that a PETSc call returned. Errors: std::bad_alloc if PETSc had no memory; else LocalError that
/// names `call`
void check_petsc(int code, const char* call);

}  // namespace freshet
