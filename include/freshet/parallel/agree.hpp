// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/parallel/communicator.hpp"

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace freshet {

/// Call f on every rank; if it throws on any, throw FileError with that rank's message on all of them, or, if it has no
/// memory on any, an Error with that code.
///
/// \pre f does not communicate, but for one collective call at its end: what failed before on one rank would leave the
/// others waiting in it
/// Parallel: collective.
template <class Function>
void agree(const Communicator& comm, Function&& f) {
  std::string message;
  bool out_of_memory = false;
  try {
    std::forward<Function>(f)();
  } catch (const std::bad_alloc&) {
    message = "out of memory. Use more ranks on more nodes";
    out_of_memory = true;
  } catch (const std::exception& error) {
    message = error.what();
    if (message.empty()) message = "unknown error";
  }
  message = first_message(comm, message);
  if (message.empty()) return;
  if (comm.any(out_of_memory)) throw Error(ExitCode::memory, message);
  throw FileError(message);
}

/// Call f on rank 0 only; if it throws, throw FileError with its message on all ranks. Collective.
template <class Function>
void agree_on_root(const Communicator& comm, Function&& f) {
  agree(comm, [&] {
    if (comm.is_root()) f();
  });
}

}  // namespace freshet
