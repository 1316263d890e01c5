// SPDX-License-Identifier: Apache-2.0
#include "pressure/krylov/conjugate_gradients.hpp"
#include "pressure/krylov/dot.hpp"
#include "support/rough_scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace freshet {
namespace {

using namespace pressure;
using namespace test;

/// Diagonal matrices on the unknowns of a splash in a box.
class DiagonalSystem {
 public:
  DiagonalSystem()
      : domain_(make_domain(3, {24, 24, 16})),
        scene_(world(), domain_, all_blocks(domain_), uniform_splitters(domain_, 1), splash(domain_.cells(), 3)) {
    unknowns_.rebuild(scene_.coefficients);
    const auto n = static_cast<std::size_t>(scene_.layout.n_slots()) * 512;
    for (std::vector<double>* values : {&b, &x, &r, &z, &p}) values->assign(n, 0.0);
    fill(b, [](int i) { return 1.0 + 0.01 * i; });
  }

  /// values_i = f(number of the unknown)
  template <class Function>
  void fill(std::vector<double>& values, Function&& f) {
    int number = 0;
    scene_.for_each_unknown([&](const Vec3i&, LocalIndex block, int c) {
      values[static_cast<std::size_t>(block) * 512 + static_cast<std::size_t>(c)] = f(number++);
    });
  }

  CgResult solve(bool has_start = false, int most = 1000) {
    norms.clear();
    const auto multiply = [this](double (*diagonal)(int), const double* from, double* to) {
      int number = 0;
      scene_.for_each_unknown([&](const Vec3i&, LocalIndex block, int c) {
        const std::size_t at = static_cast<std::size_t>(block) * 512 + static_cast<std::size_t>(c);
        to[at] = diagonal(number++) * from[at];
      });
    };
    const CgCallbacks callbacks{.apply = [&](double* from, double* to) { multiply(a, from, to); },
                                .precondition = [&] { multiply(inverse_of_m, r.data(), z.data()); },
                                .remove_null_space = remove_null_space,
                                .test =
                                    [this](int, double norm) {
                                      norms.push_back(norm);
                                      if (std::isnan(norm)) return KSP_DIVERGED_NANORINF;
                                      return norm <= tolerance ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ITERATING;
                                    }};
    return conjugate_gradients(world(), unknowns_, {b.data(), x.data(), r.data(), z.data(), p.data()}, callbacks,
                               has_start, most);
  }

  /// |b - A x|
  double residual() {
    std::vector<double> of_x = b;
    fill(of_x, a);
    double squares = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) squares += std::pow(b[i] - of_x[i] * x[i], 2);
    return std::sqrt(squares);
  }

  double (*a)(int) = [](int i) { return 1.0 + i % 4; };
  double (*inverse_of_m)(int) = [](int) { return 1.0; };
  std::function<void(double*)> remove_null_space;
  double tolerance = 1e-9;
  std::vector<double> b, x, r, z, p;
  std::vector<double> norms;

 private:
  Domain domain_;
  Scene scene_;
  Unknowns unknowns_;
};

TEST(ConjugateGradients, take_an_iteration_for_each_eigenvalue) {
  DiagonalSystem system;
  CgResult result = system.solve();
  EXPECT_EQ(result.iterations, 4);
  EXPECT_EQ(result.reason, KSP_CONVERGED_RTOL);
  EXPECT_LE(system.residual(), 2.0 * system.tolerance);  // |r| is updated, not formed anew
  system.inverse_of_m = [](int i) { return 1.0 / (1.0 + i % 4); };
  result = system.solve();
  EXPECT_EQ(result.iterations, 1);
}

TEST(ConjugateGradients, watch_the_norm_of_the_residual) {
  DiagonalSystem system;
  system.a = [](int i) { return 1.0 + 0.01 * i; };
  system.inverse_of_m = [](int i) { return 1.0 / (3.0 + 0.01 * i); };
  for (const int most : {0, 1, 5, 12}) {
    EXPECT_EQ(system.solve(false, most).reason, KSP_DIVERGED_ITS);
    ASSERT_EQ(system.norms.size(), static_cast<std::size_t>(most + 1));
    const double exact = system.residual();
    EXPECT_NEAR(system.norms.back(), exact, 1e-10 * exact) << most;
    EXPECT_EQ(system.solve(true, 0).iterations, 0);
    EXPECT_NEAR(system.norms.back(), exact, 1e-10 * exact) << most;
  }
}

/// What the sums of the step tell of a residual a billionth as large would be their round-off.
TEST(ConjugateGradients, sum_a_residual_anew_that_falls_at_once) {
  DiagonalSystem system;
  system.inverse_of_m = [](int i) { return (1.0 + 1e-9 * (i % 2)) / (1.0 + i % 4); };
  system.tolerance = 0.0;
  system.solve(false, 1);
  const double exact = system.residual();
  EXPECT_LT(exact, 1e-8 * system.norms.front());
  EXPECT_NEAR(system.norms.back(), exact, 1e-5 * exact);  // round-off of a residual 1e-9 as large as b
}

TEST(ConjugateGradients, take_the_null_space_from_b_and_from_what_is_preconditioned) {
  DiagonalSystem system;
  system.a = [](int i) { return i == 7 ? 0.0 : 1.0 + i % 4; };
  std::vector<double> in_range = system.b;
  system.fill(in_range, [](int i) { return i == 7 ? 0.0 : 1.0; });
  int n_removed = 0;
  system.remove_null_space = [&](double* values) {
    ++n_removed;
    for (std::size_t i = 0; i < in_range.size(); ++i) values[i] *= in_range[i];
  };
  const CgResult result = system.solve();
  EXPECT_EQ(result.reason, KSP_CONVERGED_RTOL);
  EXPECT_EQ(n_removed, 1 + result.iterations);
  const std::vector<double> x = system.x;
  EXPECT_EQ(system.solve(true).iterations, 0);
  EXPECT_EQ(system.x, x);
}

TEST(ConjugateGradients, name_what_is_not_definite) {
  DiagonalSystem matrix;
  matrix.a = [](int i) { return i % 3 == 0 ? -1.0 : 1.0; };
  EXPECT_EQ(matrix.solve().reason, KSP_DIVERGED_INDEFINITE_MAT);
  DiagonalSystem preconditioner;
  preconditioner.inverse_of_m = [](int i) { return i % 2 == 0 ? 1.0 : -1.01; };
  EXPECT_EQ(preconditioner.solve().reason, KSP_DIVERGED_INDEFINITE_PC);
}

}  // namespace
}  // namespace freshet
