// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/linear/krylov_shell.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace freshet {
namespace {

using namespace test;

constexpr int n_here = 24;

using Options = std::map<std::string, std::string>;

/// The equations i x_i = 1 over all ranks, i = 1, 2, ...
struct Equations {
  explicit Equations(const Options& options = {})
      : shell(world(), "shell_", options,
              {.create_vector = make_vector,
               .apply = [](Vec from, Vec to) { scale(from, to, [](double i) { return i; }); },
               .diagonal =
                   [](Vec to) {
                     const VecArray values(to);
                     for (int i = 0; i < n_here; ++i) values.data()[i] = number(i);
                   },
               .precondition = [](Vec from, Vec to) { scale(from, to, [](double i) { return 1.0 / i; }); },
               .test =
                   [this](int iteration, double norm) {
                     ++n_tests;
                     if (iteration == fails_at) throw RunError("out of luck");
                     return norm <= 1e-10 ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ITERATING;
                   }}) {
    shell.reset(n_here, {.method = KSPCG, .preconditioner = PCSHELL, .tolerance = 1e-10, .max_iterations = 1000});
    shell.read_options();
    if (shell.preconditioner() == PCSHELL) shell.set_callback(shell.pc(), "inverse");
    VecSet(b.get(), 1.0);
  }
  static Vec make_vector() {
    Vec vec = nullptr;
    FRESHET_PETSC(VecCreateMPI(world().raw(), n_here, PETSC_DETERMINE, &vec));
    return vec;
  }
  static double number(int i) { return 1.0 + n_here * world().rank() + i; }
  template <class Factor>
  static void scale(Vec from, Vec to, Factor&& factor) {
    const VecReadArray in(from);
    const VecArray out(to);
    for (int i = 0; i < n_here; ++i) out.data()[i] = factor(number(i)) * in.data()[i];
  }
  double error() const {
    const VecReadArray values(x.get());
    double worst = 0.0;
    for (int i = 0; i < n_here; ++i) worst = std::max(worst, std::abs(values.data()[i] * number(i) - 1.0));
    return world().max(worst);
  }

  int n_tests = 0;
  int fails_at = -1;
  VecHandle b{make_vector()}, x{make_vector()};
  KrylovShell shell;
};

TEST(KrylovShell, solves_with_callbacks) {
  Equations equations;
  equations.shell.solve(equations.b.get(), equations.x.get(), false);
  EXPECT_EQ(equations.shell.iterations(), 1);  // the preconditioner is the inverse
  EXPECT_EQ(equations.shell.reason(), KSP_CONVERGED_RTOL);
  EXPECT_EQ(equations.n_tests, 2);
  EXPECT_LT(equations.error(), 1e-12);
  equations.shell.solve(equations.b.get(), equations.x.get(), true);
  EXPECT_EQ(equations.shell.iterations(), 0);
  equations.shell.apply(equations.x.get(), equations.b.get());
  const VecReadArray image(equations.b.get());
  for (int i = 0; i < n_here; ++i) EXPECT_NEAR(image.data()[i], 1.0, 1e-12);
}

TEST(KrylovShell, options_choose_another_method_and_preconditioner) {
  Equations equations(Options{{"ksp_type", "minres"}, {"pc_type", "jacobi"}});
  EXPECT_TRUE(equations.shell.has_user_options());
  EXPECT_TRUE(equations.shell.has_method({KSPCG, KSPMINRES}));
  EXPECT_FALSE(equations.shell.has_method({KSPCG}));
  EXPECT_EQ(equations.shell.preconditioner(), std::string(PCJACOBI));
  EXPECT_TRUE(equations.shell.has_option("pc_type"));
  EXPECT_FALSE(equations.shell.has_option("ksp_norm_type"));
  equations.shell.solve(equations.b.get(), equations.x.get(), false);
  EXPECT_LT(equations.error(), 1e-9);
  EXPECT_NO_THROW(equations.shell.expect_options_used());
}

TEST(KrylovShell, names_options_that_petsc_does_not_read) {
  const Equations equations(Options{{"ksp_tpye", "minres"}});
  try {
    equations.shell.expect_options_used();
    FAIL() << "the option was taken for a used one";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("shell_ksp_tpye"), std::string::npos) << error.what();
  }
}

TEST(KrylovShell, throws_what_a_callback_throws_and_solves_again) {
  Equations equations;
  equations.fails_at = 1;
  try {
    equations.shell.solve(equations.b.get(), equations.x.get(), false);
    FAIL() << "the error was lost";
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(), "out of luck");
  }
  equations.fails_at = -1;
  equations.shell.solve(equations.b.get(), equations.x.get(), false);
  EXPECT_LT(equations.error(), 1e-12);
}

}  // namespace
}  // namespace freshet
