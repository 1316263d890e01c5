// SPDX-License-Identifier: Apache-2.0
#include "pressure/krylov/conjugate_gradients.hpp"

#include "pressure/krylov/dot.hpp"

#include <array>
#include <cmath>
#include <span>

#pragma GCC diagnostic ignored "-Wpsabi"  // a Row never crosses a call that is not inlined

namespace freshet::pressure {
namespace {

class ConjugateGradients {
 public:
  ConjugateGradients(const Communicator& comm, const Unknowns& unknowns, const CgArrays& arrays,
                     const CgCallbacks& callbacks)
      : comm_(comm), unknowns_(unknowns), of_(arrays), call_(callbacks) {}

  CgResult solve(bool has_start, int max_iterations) {
    CgResult result;
    start(has_start);
    r_r_ = dot(of_.r, of_.r);
    result.reason = call_.test(0, std::sqrt(r_r_));
    if (result.reason != KSP_CONVERGED_ITERATING) return result;
    precondition();
    double r_z = dot(of_.z, of_.r), last_r_z = 0.0, p_w = 0.0;
    while (result.iterations < max_iterations) {
      result.reason = fault_of_preconditioner(result.iterations++, r_z, last_r_z);
      if (result.reason != KSP_CONVERGED_ITERATING) return result;
      set_direction(result.iterations == 1 ? 0.0 : r_z / last_r_z);
      call_.apply(of_.p, of_.z);
      const double last_p_w = p_w;
      p_w = dots_of_step();
      result.reason = fault_of_matrix(result.iterations, p_w, last_p_w);
      if (result.reason != KSP_CONVERGED_ITERATING) return result;
      take_step(r_z / p_w);
      result.reason = call_.test(result.iterations, std::sqrt(r_r_));
      if (result.reason != KSP_CONVERGED_ITERATING) return result;
      precondition();
      last_r_z = r_z;
      r_z = dot(of_.z, of_.r);
    }
    result.reason = KSP_DIVERGED_ITS;
    return result;
  }

 private:
  double dot(const double* a, const double* b) const { return comm_.sum(local_dot(a, b, unknowns_)); }

  /// r = b - A x; of a singular A, of the part of b in its range.
  void start(bool has_start) {
    double* const b = has_start ? of_.z : of_.r;
    unknowns_.copy_active(of_.b, b);
    if (call_.remove_null_space) call_.remove_null_space(b);
    if (!has_start) {
      const BlockLayout& layout = unknowns_.layout();
      const std::size_t n =
          static_cast<std::size_t>(layout.n_owned()) * static_cast<std::size_t>(layout.cells_per_block());
      std::fill_n(of_.x, n, 0.0);
      return;
    }
    call_.apply(of_.x, of_.r);
    unknowns_.for_each_active_row([b, r = of_.r](std::size_t row) { store(r + row, load(b + row) - load(r + row)); });
  }

  void precondition() {
    call_.precondition();
    if (call_.remove_null_space) call_.remove_null_space(of_.z);
  }

  static KSPConvergedReason fault_of_preconditioner(int iterations, double r_z, double last_r_z) {
    if (std::isnan(r_z)) return KSP_DIVERGED_NANORINF;
    if (r_z == 0.0) return KSP_CONVERGED_ATOL;
    return iterations > 0 && r_z * last_r_z < 0.0 ? KSP_DIVERGED_INDEFINITE_PC : KSP_CONVERGED_ITERATING;
  }
  static KSPConvergedReason fault_of_matrix(int iterations, double p_w, double last_p_w) {
    if (std::isnan(p_w)) return KSP_DIVERGED_NANORINF;
    const bool changes_sign = iterations > 1 && (p_w > 0.0) != (last_p_w > 0.0);
    return p_w == 0.0 || changes_sign ? KSP_DIVERGED_INDEFINITE_MAT : KSP_CONVERGED_ITERATING;
  }

  void set_direction(double beta) {
    unknowns_.for_each_active_row([beta, z = of_.z, p = of_.p, is_first = beta == 0.0](std::size_t row) {
      store(p + row, is_first ? load(z + row) : load(z + row) + beta * load(p + row));
    });
  }

  /// p.w, w = A p, and with it the sums of |r - a w|^2 = r.r - 2 a r.w + a^2 w.w.
  double dots_of_step() {
    std::array<ExactSum, 4> sums = local_dots_of_step(of_.p, of_.z, of_.r, unknowns_);
    comm_.sum_in_place(std::span<ExactSum>(sums));
    r_w_ = sums[1].round();
    w_w_ = sums[2].round();
    r_r_ = sums[3].round();  // not the one that an earlier step has told: errors would add up
    return sums[0].round();
  }

  /// x += a p, r -= a w. Where |r| falls to less than a thousandth it is summed anew.
  void take_step(double a) {
    constexpr double largest_drop = 1e-6;  // of the norm's square: beyond it, round-off counts
    unknowns_.for_each_active_row([this, a](std::size_t row) {
      store(of_.x + row, load(of_.x + row) + a * load(of_.p + row));
      store(of_.r + row, load(of_.r + row) + -a * load(of_.z + row));
    });
    const double next = r_r_ + -a * (2.0 * r_w_ + -a * w_w_);
    r_r_ = next > largest_drop * r_r_ ? next : dot(of_.r, of_.r);
  }

  const Communicator& comm_;
  const Unknowns& unknowns_;
  const CgArrays of_;
  const CgCallbacks& call_;
  double r_r_ = 0.0, r_w_ = 0.0, w_w_ = 0.0;
};

}  // namespace

CgResult conjugate_gradients(const Communicator& comm, const Unknowns& unknowns, const CgArrays& arrays,
                             const CgCallbacks& callbacks, bool has_start, int max_iterations) {
  return ConjugateGradients(comm, unknowns, arrays, callbacks).solve(has_start, max_iterations);
}

}  // namespace freshet::pressure
