// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace freshet {

/// Exit codes of the `freshet` program; job scripts tell them apart.
enum class ExitCode : int { done = 0, input = 2, solver = 3, file_system = 4, memory = 5, stopped_early = 75 };

/// An error that ends the run in good order, on every rank of the communicator alike.
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

/// The run failed: divergence, NaN, lost particles. Collective: see all_ok() in parallel.
class RunError : public Error {
 public:
  explicit RunError(const std::string& message) : Error(ExitCode::solver, message) {}
};

/// A file could not be read or written. Collective.
class FileError : public Error {
 public:
  explicit FileError(const std::string& message) : Error(ExitCode::file_system, message) {}
};

/// Throw the error of that code: what was caught on one rank is thrown as the same class on the others.
[[noreturn]] inline void throw_error(ExitCode code, const std::string& message) {
  if (code == ExitCode::input) throw InputError(message);
  if (code == ExitCode::solver) throw RunError(message);
  if (code == ExitCode::file_system) throw FileError(message);
  throw Error(code, message);
}

}  // namespace freshet
