// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/geometry/triangle_mesh.hpp"
#include "freshet/parallel/communicator.hpp"

#include <new>
#include <string>

namespace freshet {

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
      problem = where + ": no memory for the file. Simplify it, or use a larger machine";
      out_of_memory = true;
    }
  }
  problem = comm.broadcast(problem);
  if (comm.any(out_of_memory)) throw Error(ExitCode::memory, problem);
  if (!problem.empty()) throw InputError(problem);
}

}  // namespace freshet
