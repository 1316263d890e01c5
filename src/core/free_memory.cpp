// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/free_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>

namespace freshet {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The number behind a name in a file of names and numbers; `otherwise` if the name is not there.
double number_of(const std::string& path, const std::string& name, double otherwise) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    double value = 0.0;
    if (word == name && file >> value) return value;
    file.clear();
  }
  return otherwise;
}

/// The only number of a file; `otherwise` if there is no file, or if the file says "max".
double number_in(const std::string& path, double otherwise) {
  std::ifstream file(path);
  double value = 0.0;
  return file >> value ? value : otherwise;
}

/// Memory that a control group and those around it leave free. The system gives up its cache of files if need be. [B]
double free_in_groups(const std::string& mount, std::string group, const char* limit_name, const char* usage_name,
                      const char* cache_name) {
  double least = unlimited;
  while (true) {
    const std::string directory = mount + group + "/";
    const double limit = number_in(directory + limit_name, unlimited);
    const double used = number_in(directory + usage_name, 0.0) - number_of(directory + "memory.stat", cache_name, 0.0);
    least = std::min(least, std::max(0.0, limit - used));
    if (group.empty()) return least;
    group.resize(group.find_last_of('/'));
  }
}

}  // namespace

double free_memory_of_machine(const std::string& root) {
  double least = 1024.0 * number_of(root + "/proc/meminfo", "MemAvailable:", unlimited);
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // number:controllers:/path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (group == "/" || !group.starts_with("/")) group.clear();
    if (controllers == ",,")
      least = std::min(least,
                       free_in_groups(root + "/sys/fs/cgroup", group, "memory.max", "memory.current", "inactive_file"));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, free_in_groups(root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes",
                                             "memory.usage_in_bytes", "total_inactive_file"));
  }
  return least;
}

double free_memory_of_process() {
  double pages[6] = {};  // size, resident, shared, text, library, data and stack
  std::ifstream file("/proc/self/statm");
  for (double& value : pages) file >> value;
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto left = [](int resource, double used) {
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
      return unlimited;
    return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
  };
  return std::min(left(RLIMIT_AS, pages[0] * page), left(RLIMIT_DATA, pages[5] * page));
}

}  // namespace freshet
