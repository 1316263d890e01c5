// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// Go on as Python for the commands `view`, `top` and `plot`, which are parts of the Python package. Returns for other
/// commands.
///
/// Python is what the environment variable FRESHET_PYTHON names, else the one that CMake found, else python3. It looks
/// for the package where the installation or the build folder has it, then where it always looks. The process stays the
/// same one.
/// Errors: ends the process with code 2 and a message if Python does not start
void launch_python(int argc, char** argv);

}  // namespace freshet
