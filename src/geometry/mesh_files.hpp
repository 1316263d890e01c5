// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/geometry/triangle_mesh.hpp"
#include "freshet/parallel/communicator.hpp"

#include <new>
#include <string>

namespace freshet {

/// Where a case file's mesh lies: relative paths count from the directory of the case file.
std::string mesh_path(const std::string& case_file, const std::string& file);

/// All bytes of a file. Errors: InputError if it is no plain file, or cannot be read
std::string read_mesh_file(const std::string& path);

/// 16 hex digits that change with the bytes.
std::string hash_of_mesh(const std::string& bytes);

/// Errors: InputError if `expected` is given and not that of the bytes
void check_mesh_hash(const std::string& bytes, const std::string& expected, const std::string& path);

/// The mesh of rank 0 on all ranks. Collective
void broadcast_mesh(const Communicator& comm, TriangleMesh& mesh);

/// f() on rank 0; what it throws is thrown on all ranks as an InputError "<where>: <message>", a lack of memory as an
/// Error of its own. Collective
template <class Function>
void on_root(const Communicator& comm, const std::string& where, Function&& f) {
  std::string problem;
  bool out_of_memory = false;
  if (comm.is_root()) {
    try {
      f();
    } catch (const InputError& error) {
      problem = (where.empty() ? "" : where + ": ") + error.what();
    } catch (const std::bad_alloc&) {
      problem = where + ": no memory for the mesh. Simplify it, or use a larger machine";
      out_of_memory = true;
    }
  }
  problem = comm.broadcast(problem);
  if (comm.any(out_of_memory)) throw Error(ExitCode::memory, problem);
  if (!problem.empty()) throw InputError(problem);
}

}  // namespace freshet
