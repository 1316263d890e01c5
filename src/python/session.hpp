// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

namespace freshet::python {

/// Start MPI, unless it runs, and PETSc; once a process. They end with end_session().
void start_session();
/// Close all runs, and end PETSc and, if start_session() started it, MPI. For the end of the interpreter.
void end_session();
/// Ranks of MPI_COMM_WORLD; 1 where MPI does not run.
int n_ranks();

/// A duplicate of a communicator. \param[in] address  of the MPI_Comm as mpi4py's _addressof() gives it; 0: all ranks
std::unique_ptr<Communicator> make_communicator(std::uintptr_t address);

/// What a session closes before MPI ends.
class Closable {
 public:
  Closable();
  virtual ~Closable();
  Closable(const Closable&) = delete;
  Closable& operator=(const Closable&) = delete;
  virtual void close() = 0;
};

/// Turns exceptions of freshet into those of the Python package: freshet.InputError, ...
void register_exceptions();

/// Throw the package's exception for an error, with a note, which Python prints below its message; empty: none.
[[noreturn]] void throw_with_note(const Error& error, const std::string& note);

/// An exception that a Python function has thrown on one rank at least, on all ranks. On ranks where it was thrown it
/// is thrown again, with its traceback; the others get freshet.CallbackError with the text of the traceback.
class CallbackErrors {
 public:
  /// f(), which calls Python, under the GIL. \return the failure, if there was one
  template <class Function>
  Failure catch_here(Function&& f) {
    const pybind11::gil_scoped_acquire gil;
    try {
      f();
    } catch (const pybind11::error_already_set& error) {
      return keep(error);
    } catch (const std::exception& error) {  // a conversion
      return {ExitCode::internal, error.what()};
    }
    return {};
  }
  /// Throw InternalError on all ranks if there is a failure on one. Collective
  void agree(const Communicator& comm, const Failure& here) {
    const Failure failure = first_failure(comm, here);
    is_callback_ = failure.code != ExitCode::done;
    if (is_callback_) throw_error(failure.code, failure.message);
  }
  bool has_failed() const { return is_callback_; }
  bool is_interrupt() const { return kept_ && kept_->matches(PyExc_KeyboardInterrupt); }  ///< on this rank
  /// Throw what Python threw on this rank, or an exception with the message. \param[in] note  added to it
  [[noreturn]] void rethrow(const Error& error, const std::string& note);

 private:
  Failure keep(const pybind11::error_already_set& error);
  std::unique_ptr<pybind11::error_already_set> kept_;
  bool is_callback_ = false;
};

}  // namespace freshet::python
