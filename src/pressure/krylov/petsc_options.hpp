// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace freshet::pressure {

enum class OptionUse { any, unused };

/// Entries of PETSc's options database below one prefix, that stand as long as this object. What the database holds
/// already, from the command line, wins.
class PetscOptions {
 public:
  explicit PetscOptions(std::string prefix) : prefix_(std::move(prefix)) {}
  ~PetscOptions();
  PetscOptions(const PetscOptions&) = delete;
  PetscOptions& operator=(const PetscOptions&) = delete;

  const std::string& prefix() const { return prefix_; }
  /// Set -<prefix><key> <value> for the user, unless it is set. An empty value makes a switch.
  void set_for_user(const std::string& key, const std::string& value);
  /// The same for a default of ours, which nobody answers for if it is not used.
  void set_default(const std::string& key, const std::string& value);

  /// Options below the prefix that are no defaults of ours; all, or those that nobody has asked for yet.
  std::vector<std::string> user_options(OptionUse use) const;

 private:
  bool set(const std::string& name, const std::string& value);

  std::string prefix_;
  std::vector<std::string> set_here_;
  std::vector<std::string> defaults_;  ///< those of set_here_ that are ours
};

}  // namespace freshet::pressure
