// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// Run the program `freshet`: read the command line, start MPI and PETSc, and call the command. The Python package
/// calls it too. \return the exit code. Throws nothing
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace freshet
