// SPDX-License-Identifier: Apache-2.0
#include "petsc_options.hpp"

#include "petsc_handle.hpp"

#include <sstream>

namespace freshet::pressure {

PetscOptions::~PetscOptions() {
  for (const std::string& name : set_here_) PetscOptionsClearValue(nullptr, name.c_str());
}

void PetscOptions::set_default(const std::string& key, const std::string& value) {
  const std::string name = std::string("-") + option_prefix + key;
  PetscBool is_set = PETSC_FALSE;
  FRESHET_PETSC(PetscOptionsHasName(nullptr, nullptr, name.c_str(), &is_set));
  if (is_set == PETSC_TRUE) return;
  FRESHET_PETSC(PetscOptionsSetValue(nullptr, name.c_str(), value.empty() ? nullptr : value.c_str()));
  set_here_.push_back(name);
}

std::vector<std::string> user_options(const std::map<std::string, std::string>& case_file, OptionUse use) {
  const std::string prefix = std::string("-") + option_prefix;
  std::vector<std::string> found;
  char* all = nullptr;
  FRESHET_PETSC(PetscOptionsGetAll(nullptr, &all));
  std::istringstream words(all);
  PetscFree(all);
  for (std::string word; words >> word;) {
    if (!word.starts_with(prefix)) continue;
    const std::string key = word.substr(prefix.size());
    const bool is_our_default = !case_file.contains(key) && key.starts_with("pc_hypre_");
    PetscBool used = PETSC_FALSE;
    FRESHET_PETSC(PetscOptionsUsed(nullptr, word.c_str() + 1, &used));
    if (!is_our_default && (use == OptionUse::any || used == PETSC_FALSE)) found.push_back(word);
  }
  return found;
}

}  // namespace freshet::pressure
