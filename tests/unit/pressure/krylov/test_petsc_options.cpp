// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/petsc_options.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>
#include <petscsys.h>

namespace freshet {
namespace {

using test::world;

std::string value_of(const char* name) {
  char value[64] = "";
  PetscBool is_set = PETSC_FALSE;
  PetscOptionsGetString(nullptr, nullptr, name, value, sizeof value, &is_set);
  return is_set == PETSC_TRUE ? value : "none";
}

TEST(PetscOptions, stand_in_the_database_while_the_object_lives) {
  ASSERT_EQ(world().size(), 1);
  {
    PetscOptions options("some_");
    options.set_for_user("ksp_type", "gmres");
    options.set_default("pc_type", "sor");
    EXPECT_EQ(value_of("-some_ksp_type"), "gmres");
    EXPECT_EQ(value_of("-some_pc_type"), "sor");
  }
  EXPECT_EQ(value_of("-some_ksp_type"), "none");
  EXPECT_EQ(value_of("-some_pc_type"), "none");
}

TEST(PetscOptions, of_the_command_line_win_and_stay) {
  PetscOptionsSetValue(nullptr, "-some_ksp_type", "minres");
  {
    PetscOptions options("some_");
    options.set_for_user("ksp_type", "gmres");
    EXPECT_EQ(value_of("-some_ksp_type"), "minres");
  }
  EXPECT_EQ(value_of("-some_ksp_type"), "minres");
  PetscOptionsClearValue(nullptr, "-some_ksp_type");
}

TEST(PetscOptions, that_nobody_asked_for_are_known_but_not_defaults) {
  PetscOptions options("some_");
  options.set_for_user("asked", "1");
  options.set_for_user("misspelt", "2");
  options.set_default("default", "3");
  EXPECT_EQ(value_of("-some_asked"), "1");
  EXPECT_EQ(options.user_options(OptionUse::any), (std::vector<std::string>{"-some_asked", "-some_misspelt"}));
  EXPECT_EQ(options.user_options(OptionUse::unused), (std::vector<std::string>{"-some_misspelt"}));
}

}  // namespace
}  // namespace freshet
