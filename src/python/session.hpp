// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

namespace freshet::python {

/// Start PETSc and, unless it runs, MPI; once in a process. end_session() ends them.
void start_session();
/// Close all runs, end PETSc and, if start_session() started it, MPI. For the end of the interpreter.
void end_session();
/// Number of ranks of MPI_COMM_WORLD; 1 where MPI does not run.
int n_ranks();

/// Duplicate a communicator. \param[in] address  address of the MPI_Comm, from mpi4py's _addressof(); 0: all ranks
std::unique_ptr<Communicator> make_communicator(std::uintptr_t address);

/// A duplicate of a communicator that all callers with the same address share; the session frees it.
/// \param[in] address  as for make_communicator(). Starts the session. Collective for the first call with an address
std::shared_ptr<const Communicator> shared_communicator(std::uintptr_t address);

/// Something that the session closes before MPI ends.
class Closable {
 public:
  Closable();
  virtual ~Closable();
  Closable(const Closable&) = delete;
  Closable& operator=(const Closable&) = delete;
  virtual void close() = 0;
};

/// Map exceptions of freshet to those of the Python package: freshet.InputError, ...
void register_exceptions();

/// Throw the package's exception for an error, with a note that Python prints below the message; empty: none.
[[noreturn]] void throw_with_note(const Error& error, const std::string& note);

/// Brings an exception that a Python function has thrown on any rank to all ranks. Ranks where it was thrown throw it
/// again, with its traceback; the others throw freshet.CallbackError with the text of the traceback.
class CallbackErrors {
 public:
  /// Call f(), which calls Python, under the GIL. \return its failure, if any
  template <class Function>
  Failure catch_here(Function&& f) {
    const pybind11::gil_scoped_acquire gil;
    try {
      f();
    } catch (const pybind11::error_already_set& error) {
      return keep(error);
    } catch (const std::exception& error) {  // from a conversion of types
      return {ExitCode::internal, error.what()};
    }
    return {};
  }
  /// Throw InternalError on all ranks if any rank has a failure. Collective
  void agree(const Communicator& comm, const Failure& here) {
    const Failure failure = first_failure(comm, here);
    is_callback_ = failure.code != ExitCode::done;
    if (is_callback_) throw_error(failure.code, failure.message);
  }
  bool has_failed() const { return is_callback_; }
  bool is_interrupt() const { return kept_ && kept_->matches(PyExc_KeyboardInterrupt); }  ///< this rank was interrupted
  /// Throw Python's exception of this rank, or one with the error's message. \param[in] note  note that is added
  [[noreturn]] void rethrow(const Error& error, const std::string& note);

 private:
  Failure keep(const pybind11::error_already_set& error);
  std::unique_ptr<pybind11::error_already_set> kept_;
  bool is_callback_ = false;
};

}  // namespace freshet::python
