// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace freshet {

enum class OptionUse { any, unused };

/// Entries of PETSc's options database below one prefix. The destructor removes the entries that this object has set.
/// Entries that the database held before, from the command line, are kept.
class PetscOptions {
 public:
  explicit PetscOptions(std::string prefix) : prefix_(std::move(prefix)) {}
  ~PetscOptions();
  PetscOptions(const PetscOptions&) = delete;
  PetscOptions& operator=(const PetscOptions&) = delete;

  const std::string& prefix() const { return prefix_; }
  /// Set the user's option `-<prefix><key> <value>`, unless the database has it. An empty value makes a switch.
  void set_for_user(const std::string& key, const std::string& value);
  /// Set one of freshet's defaults as set_for_user() does; user_options() leaves defaults out.
  void set_default(const std::string& key, const std::string& value);

  /// Options below the prefix that are no defaults of freshet: all of them, or those that PETSc has not read yet.
  std::vector<std::string> user_options(OptionUse use) const;

 private:
  bool set(const std::string& name, const std::string& value);

  std::string prefix_;
  std::vector<std::string> set_here_;
  std::vector<std::string> defaults_;  ///< the elements of set_here_ that set_default() made
};

}  // namespace freshet
