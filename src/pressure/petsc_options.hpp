// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace freshet::pressure {

constexpr const char* option_prefix = "pressure_";

/// Entries of PETSc's options database that stand as long as this object. What the database holds already, from the
/// command line, wins.
class PetscOptions {
 public:
  PetscOptions() = default;
  ~PetscOptions();
  PetscOptions(const PetscOptions&) = delete;
  PetscOptions& operator=(const PetscOptions&) = delete;

  /// Set -pressure_<key> <value>, unless it is set. An empty value makes a switch.
  void set_default(const std::string& key, const std::string& value);

 private:
  std::vector<std::string> set_here_;
};

enum class OptionUse { any, unused };

/// Options below the prefix that the user has set, on the command line or in the case file; all, or those that nobody
/// has asked for yet. Our own defaults are none of them.
std::vector<std::string> user_options(const std::map<std::string, std::string>& case_file, OptionUse use);

}  // namespace freshet::pressure
