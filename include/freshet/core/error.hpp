// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace freshet {

/// Exit codes of the `freshet` program; job scripts tell them apart.
enum class ExitCode : int {
  done = 0,
  internal = 1,
  input = 2,
  solver = 3,
  file_system = 4,
  memory = 5,
  stopped_early = 75
};

/// An error that every rank of the communicator throws alike: ranks may still communicate, and the run ends in order.
///
/// A rank that finds such an error alone calls agree() of the parallel module, which throws it on all ranks.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// The user's fault: "<problem> (<why>). <what to do>"; thrown on every rank before the first step.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::input, message) {}
};

/// The run failed: divergence, NaN, lost particles.
class RunError : public Error {
 public:
  explicit RunError(const std::string& message) : Error(ExitCode::solver, message) {}
};

/// A file could not be read or written.
class FileError : public Error {
 public:
  explicit FileError(const std::string& message) : Error(ExitCode::file_system, message) {}
};

/// The program is at fault: an exception that no part of it expects.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error(ExitCode::internal, message) {}
};

/// An error that may have happened on this rank alone: a failed MPI or PETSc call.
///
/// LocalError is not an Error, so that no code that communicates catches it: other ranks may wait in another call for
/// ever. main() prints its message and ends the job with MPI_Abort, as for std::bad_alloc in the middle of a phase.
class LocalError : public std::runtime_error {
 public:
  explicit LocalError(const std::string& message, ExitCode code = ExitCode::solver)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Throw an error of the class that the code names: what one rank caught is thrown as the same class on the others.
[[noreturn]] inline void throw_error(ExitCode code, const std::string& message) {
  if (code == ExitCode::input) throw InputError(message);
  if (code == ExitCode::solver) throw RunError(message);
  if (code == ExitCode::file_system) throw FileError(message);
  if (code == ExitCode::internal) throw InternalError(message);
  throw Error(code, message);
}

}  // namespace freshet
