// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// The program `freshet`: reads the command line, starts MPI and PETSc, and calls the command. The Python package calls
/// it too. \return the exit code. No exception leaves it
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace freshet
