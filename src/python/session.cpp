// SPDX-License-Identifier: Apache-2.0
#include "python/session.hpp"

#include "freshet/core/error.hpp"
#include "freshet/parallel/environment.hpp"

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <map>
#include <set>
#include <vector>

namespace py = pybind11;

namespace freshet::python {
namespace {

std::unique_ptr<Environment> environment;

/// Duplicates of communicators by their addresses.
std::map<std::uintptr_t, std::shared_ptr<const Communicator>>& shared_communicators() {
  static std::map<std::uintptr_t, std::shared_ptr<const Communicator>> duplicates;
  return duplicates;
}

std::set<Closable*>& open_ones() {
  static std::set<Closable*> set;
  return set;
}

/// The Python package's class for an error.
py::object class_of(ExitCode code) {
  const char* name = "Error";
  if (code == ExitCode::input) name = "InputError";
  if (code == ExitCode::solver) name = "RunError";
  if (code == ExitCode::file_system) name = "FileError";
  return py::module_::import("freshet.errors").attr(name);
}

/// Add a note to an exception, where Python has notes: from 3.11 on. \param[in] note  empty: none
void add_note(const py::object& exception, const std::string& note) {
  if (!note.empty() && py::hasattr(exception, "add_note")) exception.attr("add_note")(note);
}

[[noreturn]] void throw_noted(const py::object& type, const char* message, const std::string& note) {
  const py::object exception = type(message);
  add_note(exception, note);
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

void set_error(const py::object& type, const char* message) {
  PyErr_SetObject(type.ptr(), type(message).ptr());
}

}  // namespace

Closable::Closable() {
  open_ones().insert(this);
}

Closable::~Closable() {
  open_ones().erase(this);
}

void start_session() {
  if (environment) return;
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) throw std::runtime_error("MPI has ended in this process (it cannot start twice). Start Python anew");
  environment = std::make_unique<Environment>("freshet", std::vector<std::string>{});
}

void end_session() {
  const std::set<Closable*> open = open_ones();
  for (Closable* closable : open)
    if (open_ones().contains(closable)) closable->close();  // otherwise it was closed together with another one
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended == 0) shared_communicators().clear();
  if (ended != 0) {
    static_cast<void>(environment.release());  // mpi4py has ended MPI already: PETSc cannot end in order any more
  } else {
    environment.reset();
  }
  std::fflush(nullptr);  // Python may end by a signal, without C's exit()
}

int n_ranks() {
  int started = 0, ended = 0, n = 1;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started != 0 && ended == 0) MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

std::unique_ptr<Communicator> make_communicator(std::uintptr_t address) {
  return std::make_unique<Communicator>(address == 0 ? MPI_COMM_WORLD : *reinterpret_cast<MPI_Comm*>(address));
}

std::shared_ptr<const Communicator> shared_communicator(std::uintptr_t address) {
  start_session();
  const MPI_Comm given = address == 0 ? MPI_COMM_WORLD : *reinterpret_cast<MPI_Comm*>(address);
  std::shared_ptr<const Communicator>& shared = shared_communicators()[address];
  int relation = MPI_UNEQUAL;  // another communicator may have come to stand at the address of one that was freed
  if (shared) MPI_Comm_compare(given, shared->raw(), &relation);
  if (relation != MPI_CONGRUENT) shared = make_communicator(address);
  return shared;
}

void register_exceptions() {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      set_error(class_of(error.code()), error.what());
    } catch (const LocalError& error) {
      set_error(py::module_::import("freshet.errors").attr("LocalError"), error.what());
    }
  });
}

Failure CallbackErrors::keep(const py::error_already_set& error) {
  kept_ = std::make_unique<py::error_already_set>(error);
  const py::object format = py::module_::import("traceback").attr("format_exception");
  const py::object lines = format(error.type(), error.value(), error.trace());
  return {ExitCode::internal, py::str("").attr("join")(lines).cast<std::string>()};
}

void CallbackErrors::rethrow(const Error& error, const std::string& note) {
  is_callback_ = false;
  if (kept_) {
    const py::error_already_set here = *std::exchange(kept_, nullptr);
    py::setattr(here.value(), "on_all_ranks", py::bool_(true));
    add_note(here.value(), note);
    throw here;
  }
  throw_noted(py::module_::import("freshet.errors").attr("CallbackError"), error.what(), note);
}

void throw_with_note(const Error& error, const std::string& note) {
  throw_noted(class_of(error.code()), error.what(), note);
}

}  // namespace freshet::python
