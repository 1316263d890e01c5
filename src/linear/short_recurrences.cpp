// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/short_recurrences.hpp"

#include "freshet/linear/chunked_vec.hpp"
#include "freshet/parallel/petsc_handle.hpp"

#include <cmath>
#include <utility>

namespace freshet {
namespace {

VecHandle vector_like(Vec other) {
  VecHandle vec;
  FRESHET_PETSC(VecDuplicate(other, vec.receive()));
  return vec;
}

double dot(const VecHandle& a, const VecHandle& b) {
  PetscScalar result = 0.0;
  FRESHET_PETSC(VecDot(a.get(), b.get(), &result));
  return result;
}

/// y += factor x
void add(Vec y, double factor, const VecHandle& x) {
  FRESHET_PETSC(VecAXPY(y, factor, x.get()));
}

/// Call f(i) for all entries of this rank; OpenMP
template <class Function>
void for_each_entry(Vec vec, Function&& f) {
  PetscInt n = 0;
  FRESHET_PETSC(VecGetLocalSize(vec, &n));
#pragma omp parallel for schedule(static)
  for (PetscInt chunk = 0; chunk < n; chunk += vector_chunk)
    for (PetscInt i = chunk; i < chunk + vector_chunk; ++i) f(i);
}

/// r = b - A x
VecHandle residual(const RecurrenceSystem& system, const RecurrenceCallbacks& call) {
  VecHandle r = vector_like(system.b);
  if (system.has_start) {
    call.apply(system.x, r.get());
    FRESHET_PETSC(VecAYPX(r.get(), -1.0, system.b));
  } else {
    FRESHET_PETSC(VecSet(system.x, 0.0));
    FRESHET_PETSC(VecCopy(system.b, r.get()));
  }
  return r;
}

}  // namespace

RecurrenceResult conjugate_gradients(const RecurrenceSystem& system, const RecurrenceCallbacks& call,
                                     int max_iterations) {
  const VecHandle r = residual(system, call), z = vector_like(system.b), p = vector_like(system.b);
  const VecHandle& w = z;  // A p, stored in z, which is not needed then
  call.precondition(r.get(), z.get());
  double r_z = dot(z, r), last_r_z = 0.0, p_w = 0.0;
  RecurrenceResult result{0, call.test(0, std::sqrt(std::abs(r_z)))};
  while (result.reason == KSP_CONVERGED_ITERATING) {
    if (result.iterations == max_iterations) return {max_iterations, KSP_DIVERGED_ITS};
    const bool is_first = result.iterations++ == 0;
    if (r_z == 0.0) return {result.iterations, KSP_CONVERGED_ATOL};
    if (!is_first && r_z * last_r_z < 0.0) return {result.iterations, KSP_DIVERGED_INDEFINITE_PC};
    if (is_first)
      FRESHET_PETSC(VecCopy(z.get(), p.get()));
    else
      FRESHET_PETSC(VecAYPX(p.get(), r_z / last_r_z, z.get()));
    call.apply(p.get(), w.get());
    const double last_p_w = std::exchange(p_w, dot(p, w));
    if (p_w == 0.0 || (!is_first && p_w * last_p_w < 0.0)) return {result.iterations, KSP_DIVERGED_INDEFINITE_MAT};
    const double a = r_z / p_w;
    add(system.x, a, p);
    add(r.get(), -a, w);
    call.precondition(r.get(), z.get());
    last_r_z = std::exchange(r_z, dot(z, r));
    result.reason = call.test(result.iterations, std::sqrt(std::abs(r_z)));
  }
  return result;
}

/// v_j are orthogonal in M^-1 with norms gamma_j, and z_j = M^-1 v_j / gamma_j; c and s are those of the Givens
/// rotations that make the recurrence's matrix triangular, and w_j are the directions of that triangular form.
RecurrenceResult minimal_residuals(const RecurrenceSystem& system, const RecurrenceCallbacks& call,
                                   int max_iterations) {
  VecHandle v = residual(system, call), z = vector_like(system.b), next = vector_like(system.b);
  VecHandle last_v = vector_like(system.b), w = vector_like(system.b), last_w = vector_like(system.b);
  call.precondition(v.get(), z.get());
  double squares = dot(z, v);
  if (squares < 0.0) return {0, KSP_DIVERGED_INDEFINITE_PC};
  double gamma = std::sqrt(squares), last_gamma = 1.0, eta = gamma, c = 1.0, s = 0.0, last_c = 1.0, last_s = 0.0;
  RecurrenceResult result{0, call.test(0, gamma)};
  while (result.reason == KSP_CONVERGED_ITERATING) {
    if (gamma == 0.0) return {result.iterations, KSP_CONVERGED_ATOL};
    if (result.iterations == max_iterations) return {max_iterations, KSP_DIVERGED_ITS};
    ++result.iterations;
    FRESHET_PETSC(VecScale(z.get(), 1.0 / gamma));
    call.apply(z.get(), next.get());
    if (result.iterations > 1) add(next.get(), -gamma / last_gamma, last_v);
    const double delta = dot(z, next);
    add(next.get(), -delta / gamma, v);
    call.precondition(next.get(), last_v.get());  // M^-1 next, stored in last_v, which is not needed now
    squares = dot(last_v, next);
    if (squares < 0.0) return {result.iterations, KSP_DIVERGED_INDEFINITE_PC};
    last_gamma = std::exchange(gamma, std::sqrt(squares));

    const double a0 = c * delta - last_c * s * last_gamma, a1 = std::hypot(a0, gamma);
    const double a2 = s * delta + last_c * c * last_gamma, a3 = last_s * last_gamma;
    if (a1 == 0.0) return {result.iterations, KSP_DIVERGED_BREAKDOWN};  // A is singular
    last_c = std::exchange(c, a0 / a1);
    last_s = std::exchange(s, gamma / a1);
    const double step = c * eta;
    eta *= -s;
    {
      const VecArray last(last_w.get()), x(system.x);
      const VecReadArray now(w.get()), of_z(z.get());
      for_each_entry(system.x,
                     [&, w_j = now.data(), z_j = of_z.data(), w_next = last.data(), to = x.data()](PetscInt i) {
                       w_next[i] = (z_j[i] - a3 * w_next[i] - a2 * w_j[i]) / a1;
                       to[i] += step * w_next[i];
                     });
    }
    std::swap(w, last_w);
    std::swap(z, last_v);  // last_v held the next z; then rotate next, v and last_v
    std::swap(last_v, v);
    std::swap(v, next);
    result.reason = call.test(result.iterations, std::abs(eta));
  }
  return result;
}

}  // namespace freshet
