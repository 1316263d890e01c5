// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/chunked_vec.hpp"
#include "freshet/linear/short_recurrences.hpp"
#include "freshet/parallel/petsc_handle.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace freshet {
namespace {

using test::world;

constexpr int n = 2 * vector_chunk;

using Diagonal = std::function<double(int)>;

/// A and M^-1 are diagonal matrices; the last norm that the method has told.
struct DiagonalSystem {
  Diagonal a;
  Diagonal inverse_of_m = [](int) { return 1.0; };
  double tolerance = 1e-10;  ///< of the norm
  double norm = -1.0;
  VecHandle b{create_chunked_vector(world(), n)};
  VecHandle x{create_chunked_vector(world(), n)};

  static void multiply(const Diagonal& matrix, Vec from, Vec to) {
    const VecReadArray in(from);
    const VecArray out(to);
    for (int i = 0; i < n; ++i) out.data()[i] = matrix(i) * in.data()[i];
  }

  template <class Method>
  RecurrenceResult solve(Method&& method, const Diagonal& right_hand_side, bool has_start = false, int most = 1000) {
    {
      const VecArray values(b.get());
      for (int i = 0; i < n; ++i) values.data()[i] = right_hand_side(i);
    }
    return method({b.get(), x.get(), has_start},
                  {.apply = [this](Vec from, Vec to) { multiply(a, from, to); },
                   .precondition = [this](Vec from, Vec to) { multiply(inverse_of_m, from, to); },
                   .test =
                       [this](int, double value) {
                         norm = value;
                         if (std::isnan(value)) return KSP_DIVERGED_NANORINF;
                         return value <= tolerance ? KSP_CONVERGED_RTOL : KSP_CONVERGED_ITERATING;
                       }},
                  most);
  }

  /// Largest |x_i - exact_i| / |exact_i|.
  double error(const Diagonal& exact) const {
    const VecReadArray values(x.get());
    double worst = 0.0;
    for (int i = 0; i < n; ++i) worst = std::max(worst, std::abs(values.data()[i] - exact(i)) / std::abs(exact(i)));
    return worst;
  }
};

double of_four(int i) {
  return i % 4 + 1.0;
}

TEST(ConjugateGradients, take_an_iteration_for_each_eigenvalue) {
  DiagonalSystem system{.a = of_four};
  RecurrenceResult result = system.solve(conjugate_gradients, [](int i) { return 1.0 + 0.01 * i; });
  EXPECT_EQ(result.iterations, 4);
  EXPECT_EQ(result.reason, KSP_CONVERGED_RTOL);
  EXPECT_LT(system.error([](int i) { return (1.0 + 0.01 * i) / of_four(i); }), 1e-12);
  system.inverse_of_m = [](int i) { return 1.0 / of_four(i); };
  result = system.solve(conjugate_gradients, [](int i) { return 1.0 + 0.01 * i; });
  EXPECT_EQ(result.iterations, 1);
}

TEST(ConjugateGradients, go_on_from_a_start_and_stop_at_the_limit) {
  DiagonalSystem system{.a = [](int i) { return 1.0 + i; }};
  EXPECT_EQ(system.solve(conjugate_gradients, of_four, false, 5).reason, KSP_DIVERGED_ITS);
  const double norm = system.norm;
  EXPECT_EQ(system.solve(conjugate_gradients, of_four, true, 0).iterations, 0);
  EXPECT_NEAR(system.norm, norm, 1e-10 * norm);  // of the start: the recurrence has told it
}

TEST(ConjugateGradients, name_a_matrix_that_is_not_definite) {
  DiagonalSystem system{.a = [](int i) { return i % 2 == 0 ? 1.0 : -2.0; }};
  EXPECT_EQ(system.solve(conjugate_gradients, [](int i) { return i % 2 == 0 ? 1.0 : 0.9; }).reason,
            KSP_DIVERGED_INDEFINITE_MAT);
}

TEST(MinimalResiduals, take_an_iteration_for_each_eigenvalue_of_either_sign) {
  const auto of_both_signs = [](int i) { return i % 2 == 0 ? of_four(i) : -of_four(i); };
  DiagonalSystem system{.a = of_both_signs};
  const RecurrenceResult result = system.solve(minimal_residuals, [](int i) { return 1.0 + 0.01 * i; });
  EXPECT_EQ(result.iterations, 4);
  EXPECT_EQ(result.reason, KSP_CONVERGED_RTOL);
  EXPECT_LT(system.error([&](int i) { return (1.0 + 0.01 * i) / of_both_signs(i); }), 1e-12);
}

TEST(MinimalResiduals, tell_the_norm_of_the_residual_and_go_on_from_a_start) {
  DiagonalSystem system{.a = [](int i) { return i % 2 == 0 ? 1.0 + i : -1.0 - i; },
                        .inverse_of_m = [](int i) { return 1.0 / (3.0 + i); }};
  system.solve(minimal_residuals, of_four, false, 6);
  double squares = 0.0;
  {
    const VecReadArray x(system.x.get());
    for (int i = 0; i < n; ++i) {
      const double r = of_four(i) - system.a(i) * x.data()[i];
      squares += r * r * system.inverse_of_m(i);
    }
  }
  EXPECT_NEAR(system.norm, std::sqrt(squares), 1e-10 * system.norm);
  EXPECT_EQ(system.solve(minimal_residuals, of_four, true, 0).iterations, 0);
  EXPECT_NEAR(system.norm, std::sqrt(squares), 1e-10 * system.norm);
}

/// Stiff liquid's pressure is as large as its viscosity. PETSc's own MINRES leaves x as it is from 6.7e7 on (3.20 on).
TEST(MinimalResiduals, find_a_solution_however_large_it_is) {
  const auto small = [](int i) { return (i % 2 == 0 ? 1e-12 : -1e-12) * of_four(i); };
  DiagonalSystem system{.a = small};
  const RecurrenceResult result = system.solve(minimal_residuals, [](int i) { return 1.0 + 0.01 * i; });
  EXPECT_EQ(result.reason, KSP_CONVERGED_RTOL);
  EXPECT_LE(result.iterations, 5);
  EXPECT_LT(system.error([&](int i) { return (1.0 + 0.01 * i) / small(i); }), 1e-10);
}

TEST(MinimalResiduals, name_what_they_cannot_solve) {
  DiagonalSystem indefinite{.a = of_four, .inverse_of_m = [](int i) { return i == 0 ? 1.0 : -1.0; }};
  EXPECT_EQ(indefinite.solve(minimal_residuals, of_four).reason, KSP_DIVERGED_INDEFINITE_PC);
  DiagonalSystem singular{.a = [](int) { return 0.0; }};
  EXPECT_EQ(singular.solve(minimal_residuals, of_four).reason, KSP_DIVERGED_BREAKDOWN);
  DiagonalSystem solved{.a = of_four, .tolerance = -1.0};
  EXPECT_EQ(solved.solve(minimal_residuals, [](int) { return 0.0; }).reason, KSP_CONVERGED_ATOL);
}

}  // namespace
}  // namespace freshet
