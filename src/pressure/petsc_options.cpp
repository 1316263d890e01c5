// SPDX-License-Identifier: Apache-2.0
#include "petsc_options.hpp"

#include "petsc_handle.hpp"

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

}  // namespace freshet::pressure
