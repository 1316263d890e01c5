// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/petsc_options.hpp"

#include "freshet/parallel/petsc_handle.hpp"

#include <algorithm>
#include <sstream>

namespace freshet {

PetscOptions::~PetscOptions() {
  for (const std::string& name : set_here_) PetscOptionsClearValue(nullptr, name.c_str());
}

void PetscOptions::set_for_user(const std::string& key, const std::string& value) {
  set("-" + prefix_ + key, value);
}

void PetscOptions::set_default(const std::string& key, const std::string& value) {
  const std::string name = "-" + prefix_ + key;
  if (set(name, value)) defaults_.push_back(name);
}

/// Add an entry unless the database has it. \return false if it had it already
bool PetscOptions::set(const std::string& name, const std::string& value) {
  PetscBool is_set = PETSC_FALSE;
  FRESHET_PETSC(PetscOptionsHasName(nullptr, nullptr, name.c_str(), &is_set));
  if (is_set == PETSC_TRUE) return false;
  FRESHET_PETSC(PetscOptionsSetValue(nullptr, name.c_str(), value.empty() ? nullptr : value.c_str()));
  set_here_.push_back(name);
  return true;
}

std::vector<std::string> PetscOptions::user_options(OptionUse use) const {
  const std::string prefix = "-" + prefix_;
  std::vector<std::string> found;
  char* all = nullptr;
  FRESHET_PETSC(PetscOptionsGetAll(nullptr, &all));
  std::istringstream words(all);
  PetscFree(all);
  for (std::string word; words >> word;) {
    if (!word.starts_with(prefix)) continue;
    if (std::find(defaults_.begin(), defaults_.end(), word) != defaults_.end()) continue;
    PetscBool used = PETSC_FALSE;
    FRESHET_PETSC(PetscOptionsUsed(nullptr, word.c_str() + 1, &used));
    if (use == OptionUse::any || used == PETSC_FALSE) found.push_back(word);
  }
  return found;
}

}  // namespace freshet
