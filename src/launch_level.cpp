// SPDX-License-Identifier: Apache-2.0
#include "launch_level.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace freshet {
namespace {

struct Level {
  const char* name;
  bool (*is_here)();  ///< whether the processor has the instructions
};

bool has_v3() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
}

constexpr Level levels[] = {{"x86-64-v4", has_v4}, {"x86-64-v3", has_v3}};
constexpr const char* own_level = "x86-64";

/// Replace this program by the one of a level. Returns if that is not installed.
void become(const std::string& level, char** argv) {
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return;
  for (const std::filesystem::path& place : {self.parent_path(), self.parent_path() / FRESHET_LIBEXEC})
    execv((place / ("freshet-" + level)).c_str(), argv);
}

[[noreturn]] void refuse(const std::string& level, const char* reason) {
  std::fprintf(stderr, "freshet: error: FRESHET_LEVEL is %s (%s). Unset it, or take x86-64, x86-64-v3 or x86-64-v4\n",
               level.c_str(), reason);
  std::exit(2);
}

}  // namespace

void launch_best_level(char** argv) {
  __builtin_cpu_init();
  const char* const variable = std::getenv("FRESHET_LEVEL");
  const std::string wanted = variable != nullptr ? variable : "";
  if (wanted == own_level) return;
  for (const Level& level : levels) {
    if (!wanted.empty() && wanted != level.name) continue;
    if (level.is_here()) become(level.name, argv);
    if (!wanted.empty()) refuse(wanted, level.is_here() ? "its program is not there" : "this processor lacks it");
  }
  if (!wanted.empty()) refuse(wanted, "no such level");
}

}  // namespace freshet
