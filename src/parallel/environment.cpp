// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/environment.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/idle_threads.hpp"
#include "freshet/parallel/abort.hpp"
#include "freshet/parallel/communicator.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <petscsys.h>

#ifdef PETSC_USE_COMPLEX
#error "freshet needs PETSc with real scalars (install libpetsc-real-dev, or set PETSC_DIR and PETSC_ARCH)"
#endif
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <new>
#include <sstream>
#include <string_view>

namespace freshet {
namespace {

bool owns_mpi = false;
std::string petsc_error_text;  // text of PETSc's last error; only one thread calls PETSc

/// Store PETSc's text where an error starts; the error code then returns through the callers to check_petsc().
PetscErrorCode note_error(MPI_Comm /*comm*/, int line, const char* function, const char* file, PetscErrorCode code,
                          PetscErrorType type, const char* message, void* /*context*/) {
  if (type == PETSC_ERROR_INITIAL) {
    petsc_error_text =
        fmt::format("{} in {}, {}:{}", message != nullptr ? message : "no message", function, file, line);
  }
  return code;
}

void start_mpi() {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) return;
  // Open MPI reads the variable when it starts. A rank that waits then yields its core to other ranks; without the
  // variable, a message may take milliseconds.
  if (is_oversubscribed(places_of(1))) setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    throw std::runtime_error("MPI cannot start. Run under mpirun or srun of the MPI that freshet was built with");
  }
  owns_mpi = true;
}

void need_threads() {
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&provided), "MPI_Query_thread");
  if (provided < MPI_THREAD_FUNNELED) {
    throw std::runtime_error("MPI has started without threads (MPI_THREAD_FUNNELED is not provided)");
  }
}

void start_petsc(const std::string& program, const std::vector<std::string>& options) {
  // The user's tokens come last, because PETSc keeps the later of two equal options. Files in the home or working
  // directory are not read: their options would change results without a trace.
  std::vector<std::string> tokens{program, "-no_signal_handler", "-skip_petscrc", "-options_left", "no"};
  tokens.insert(tokens.end(), options.begin(), options.end());
  std::vector<char*> pointers;
  pointers.reserve(tokens.size() + 1);
  for (std::string& token : tokens) pointers.push_back(token.data());
  pointers.push_back(nullptr);
  int argc = static_cast<int>(tokens.size());
  char** argv = pointers.data();
  const int code = PetscInitialize(&argc, &argv, nullptr, nullptr);
  if (code == PETSC_ERR_MEM) throw std::bad_alloc();
  if (code != 0) {
    const char* meaning = nullptr;
    PetscErrorMessage(static_cast<PetscErrorCode>(code), &meaning, nullptr);
    throw std::runtime_error(
        fmt::format("PETSc cannot start (PETSc error {}: {})", code, meaning != nullptr ? meaning : "unknown"));
  }
  // PETSc keeps these pointers only for PetscGetArgs(), which is never called; its options database holds copies.
  PetscPushErrorHandler(note_error, nullptr);
}

}  // namespace

Environment::Environment(const std::string& program, const std::vector<std::string>& petsc_options) {
  start_mpi();
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    need_threads();
    start_petsc(program, petsc_options);
    int rank = 0;
    check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    detail::set_contract_rank(rank);
  } catch (const std::exception& error) {
    if (size > 1) abort_job(error);  // the other ranks would wait for this one for ever
    throw;
  }
}

Environment::~Environment() {
  PetscPopErrorHandler();
  PetscFinalize();
  if (owns_mpi) MPI_Finalize();
}

std::vector<std::string> unknown_petsc_options(std::vector<std::string> tokens) {
  // Options that PETSc asks for only when it ends.
  constexpr std::string_view late[] = {
      "-log_view",     "-log_view_memory", "-log_view_gpu_time",     "-log_all",     "-log",          "-log_summary",
      "-malloc_dump",  "-malloc_view",     "-malloc_view_threshold", "-memory_view", "-objects_dump", "-options_left",
      "-options_view", "-get_total_flops"};
  if (const char* variable = std::getenv("PETSC_OPTIONS")) {
    std::istringstream words(variable);
    tokens.insert(tokens.end(), std::istream_iterator<std::string>(words), {});
  }
  std::vector<std::string> unknown;
  bool follows_option = false;  // whether the word before is an option, whose value this word may be
  for (const std::string& token : tokens) {
    const std::string name = token.starts_with("--") ? token.substr(1) : token;
    const bool is_option = name.size() > 1 && name[0] == '-' && std::isalpha(static_cast<unsigned char>(name[1])) != 0;
    if (!is_option && !follows_option) unknown.push_back(token);
    follows_option = is_option;
    if (!is_option || name.starts_with("-pressure_") || name.starts_with("-second_pressure_") ||
        name.starts_with("-viscosity_") || name.starts_with("-stokes_") ||
        std::ranges::find(late, name) != std::end(late))
      continue;
    PetscBool used = PETSC_FALSE;
    check_petsc(PetscOptionsUsed(nullptr, name.c_str() + 1, &used), "PetscOptionsUsed");
    if (used == PETSC_FALSE) unknown.push_back(token);
  }
  return unknown;
}

std::vector<std::pair<std::string, std::string>> parallel_versions() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string library(text, static_cast<std::size_t>(length));
  int major = 0;
  int minor = 0;
  MPI_Get_version(&major, &minor);
  return {{"MPI", fmt::format("{} (standard {}.{})", library.substr(0, library.find_first_of(",\n")), major, minor)},
          {"PETSc", fmt::format("{}.{}.{}", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR)},
          {"PETSc integers", fmt::format("{} bits", 8 * sizeof(PetscInt))}};
}

void check_petsc(int code, const char* call) {
  if (code == 0) return;
  if (code == PETSC_ERR_MEM) throw std::bad_alloc();
  const char* meaning = nullptr;
  PetscErrorMessage(code, &meaning, nullptr);
  const std::string text = std::exchange(petsc_error_text, {});
  throw LocalError(fmt::format("{} failed (PETSc error {}: {}{}{})", call, code,
                               meaning != nullptr ? meaning : "unknown", text.empty() ? "" : ": ", text));
}

}  // namespace freshet
