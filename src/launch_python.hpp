// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace freshet {

/// A command that the Python package provides.
struct PythonCommand {
  const char* name;
  const char* text;  ///< description in the list of commands
};

inline constexpr std::array python_commands{
    PythonCommand{"view", "Show a run in the browser, also while it goes on"},
    PythonCommand{"top", "Show the numbers of a run in the terminal, also while it goes on"},
    PythonCommand{"plot", "Draw figures of runs for papers: .pdf, .svg, .eps or .png"},
    PythonCommand{"diff", "Tell where two runs begin to differ; exit code 1 if they do"},
};

/// Replace this program by Python for a command of `python_commands`. Returns for other commands.
///
/// The interpreter is the environment variable FRESHET_PYTHON, else the one that CMake found, else python3. It finds
/// the package in the installation or the build folder, then in its usual places. The process keeps its number.
/// Errors: ends the process with code 2 and a message if Python does not start
void launch_python(int argc, char** argv);

}  // namespace freshet
