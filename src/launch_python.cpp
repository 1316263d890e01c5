// SPDX-License-Identifier: Apache-2.0
#include "launch_python.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace freshet {
namespace {

/// Remove empty paths from a list with colons: Python takes an empty path for the working directory, and
/// `PYTHONPATH=$PYTHONPATH:x` makes one by accident.
std::string without_empty(const std::string& paths) {
  std::string kept;
  std::istringstream words(paths);
  for (std::string path; std::getline(words, path, ':');)
    if (!path.empty()) kept += (kept.empty() ? "" : ":") + path;
  return kept;
}

/// Find the folder of the Python package, as installed or as built; empty if there is none.
std::string package_folder() {
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return {};
  for (const std::filesystem::path& place :
       {self.parent_path() / FRESHET_PYTHON_FROM_BIN, self.parent_path().parent_path() / "python"})
    if (std::filesystem::exists(place / "freshet" / "__main__.py", failure))
      return std::filesystem::canonical(place, failure).string();
  return {};
}

/// Put the folder of the package in front of PYTHONPATH.
void show_package() {
  const char* const others = std::getenv("PYTHONPATH");
  setenv("PYTHONPATH", without_empty(package_folder() + ":" + (others != nullptr ? others : "")).c_str(), 1);
}

/// Does as `python3 -m freshet`, but without the working directory in the search path: it may be a run of somebody
/// else's. Python's own option for that, -P, came with 3.11.
constexpr const char* program =
    "import sys\n"
    "sys.path[:] = [path for path in sys.path if path]\n"
    "import runpy\n"
    "runpy.run_module('freshet', run_name='__main__', alter_sys=True)\n";

std::string python() {
  if (const char* const named = std::getenv("FRESHET_PYTHON"); named != nullptr && *named != '\0') return named;
  return access(FRESHET_PYTHON_FOUND, X_OK) == 0 ? FRESHET_PYTHON_FOUND : "python3";
}

}  // namespace

void launch_python(int argc, char** argv) {
  if (argc < 2) return;
  const std::string_view word = argv[1];
  if (std::ranges::none_of(python_commands, [&](const PythonCommand& command) { return word == command.name; })) return;
  show_package();
  std::string interpreter = python(), flag = "-c", text = program;
  std::vector<char*> words{interpreter.data(), flag.data(), text.data()};
  words.insert(words.end(), argv + 1, argv + argc + 1);  // includes the null that ends argv
  std::fflush(nullptr);
  execvp(words[0], words.data());
  std::fprintf(stderr,
               "freshet: error: freshet %s needs Python (%s does not start). Install python3, python3-numpy and "
               "python3-h5py, or name a Python in FRESHET_PYTHON\n",
               argv[1], interpreter.c_str());
  std::exit(2);
}

}  // namespace freshet
