// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/parallel/communicator.hpp"

#include <exception>
#include <new>
#include <utility>

namespace freshet {

/// Call f on every rank; if it throws on any, throw an Error on all of them, with the code and the message of the first
/// rank that failed: those of f's own Error, ExitCode::memory if there was none left, else ExitCode::file_system.
///
/// \pre f does not communicate, but for one collective call at its end: what failed before on one rank would leave the
/// others waiting in it
/// Parallel: collective.
template <class Function>
void agree(const Communicator& comm, Function&& f) {
  Failure failure;
  try {
    std::forward<Function>(f)();
  } catch (const Error& error) {
    failure = {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    failure = {ExitCode::memory, "out of memory. Use more ranks on more nodes"};
  } catch (const std::exception& error) {
    failure = {ExitCode::file_system, error.what()};
  }
  failure = first_failure(comm, failure);
  if (failure.code != ExitCode::done) throw_error(failure.code, failure.message);
}

/// Call f on rank 0 only; if it throws, throw as agree() does on all ranks. Collective.
template <class Function>
void agree_on_root(const Communicator& comm, Function&& f) {
  agree(comm, [&] {
    if (comm.is_root()) f();
  });
}

}  // namespace freshet
