// SPDX-License-Identifier: Apache-2.0
#include "launch_python.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace freshet {
namespace {

/// Put the folder of the package before those in PYTHONPATH.
void show_package() {
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return;
  for (const std::filesystem::path& place :
       {self.parent_path() / FRESHET_PYTHON_FROM_BIN, self.parent_path().parent_path() / "python"}) {
    if (!std::filesystem::exists(place / "freshet" / "__main__.py", failure)) continue;
    const char* const before = std::getenv("PYTHONPATH");
    const std::string others = before != nullptr && *before != '\0' ? std::string(":") + before : "";
    setenv("PYTHONPATH", (std::filesystem::canonical(place, failure).string() + others).c_str(), 1);
    return;
  }
}

std::string python() {
  if (const char* const named = std::getenv("FRESHET_PYTHON"); named != nullptr && *named != '\0') return named;
  return access(FRESHET_PYTHON_FOUND, X_OK) == 0 ? FRESHET_PYTHON_FOUND : "python3";
}

}  // namespace

void launch_python(int argc, char** argv) {
  if (argc < 2) return;
  const std::string_view command = argv[1];
  if (command != "view" && command != "top" && command != "plot") return;
  show_package();
  std::string interpreter = python(), module_flag = "-m", package = "freshet";
  std::vector<char*> words{interpreter.data(), module_flag.data(), package.data()};
  words.insert(words.end(), argv + 1, argv + argc + 1);  // with the null that ends them
  std::fflush(nullptr);
  execvp(words[0], words.data());
  std::fprintf(stderr,
               "freshet: error: freshet %s needs Python (%s does not start). Install python3, python3-numpy and "
               "python3-h5py, or name a Python in FRESHET_PYTHON\n",
               argv[1], interpreter.c_str());
  std::exit(2);
}

}  // namespace freshet
