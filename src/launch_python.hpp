// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace freshet {

/// A command that is a part of the Python package.
struct PythonCommand {
  const char* name;
  const char* text;  ///< for the list of commands
};

inline constexpr std::array python_commands{
    PythonCommand{"view", "Show a run in the browser, also while it goes on"},
    PythonCommand{"top", "Show the numbers of a run in the terminal, also while it goes on"},
    PythonCommand{"plot", "Draw figures of runs for papers: .pdf, .svg, .eps or .png"},
    PythonCommand{"diff", "Tell where two runs begin to differ; exit code 1 if they do"},
};

/// Go on as Python for `python_commands`. Returns for other commands.
///
/// Python is what the environment variable FRESHET_PYTHON names, else the one that CMake found, else python3. It looks
/// for the package where the installation or the build folder has it, then where it always looks. The process stays the
/// same one.
/// Errors: ends the process with code 2 and a message if Python does not start
void launch_python(int argc, char** argv);

}  // namespace freshet
