// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/parallel/communicator.hpp"

#include <exception>
#include <filesystem>
#include <new>
#include <utility>

namespace freshet {

/// Call f on every rank; if it throws on any rank, throw an Error on all of them.
///
/// The code and the message are those of the lowest rank that failed: of the Error that f threw, ExitCode::memory for
/// std::bad_alloc, ExitCode::file_system for an error of std::filesystem, and ExitCode::internal for anything else. A
/// LocalError leaves agree() on its own rank at once.
/// \pre f makes no collective call, or one at its end that every rank reaches: a rank that throws before that call
/// would leave the other ranks waiting in it
/// Parallel: collective
template <class Function>
void agree(const Communicator& comm, Function&& f) {
  Failure failure;
  try {
    std::forward<Function>(f)();
  } catch (const Error& error) {
    failure = {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    failure = {ExitCode::memory, "out of memory. Use more ranks on more nodes"};
  } catch (const std::filesystem::filesystem_error& error) {
    failure = {ExitCode::file_system, error.what()};
  } catch (const LocalError&) {
    throw;
  } catch (const std::exception& error) {
    failure = {
        ExitCode::internal,
        error.what() + std::string(" (an exception that freshet does not expect). Report it as a fault of freshet")};
  }
  failure = first_failure(comm, failure);
  if (failure.code != ExitCode::done) throw_error(failure.code, failure.message);
}

/// Call f on rank 0 only; if f throws, all ranks throw as agree() does. Parallel: collective
template <class Function>
void agree_on_root(const Communicator& comm, Function&& f) {
  agree(comm, [&] {
    if (comm.is_root()) f();
  });
}

}  // namespace freshet
