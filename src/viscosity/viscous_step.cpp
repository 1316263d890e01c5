// SPDX-License-Identifier: Apache-2.0
#include "freshet/viscosity/viscous_step.hpp"

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "viscosity/strain_operator.hpp"
#include "viscosity/stress_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace freshet {

using namespace viscous;

namespace {

/// Sums over a block's faces, to be added over blocks without round-off.
template <std::size_t n>
using Sums = std::array<double, n>;

/// A dot product of n_faces numbers in eight interleaved sums.
double dot_in_block(const double* a, const double* b, int n_faces) {
  double sums[block_width] = {};
  for (int c = 0; c < n_faces; c += block_width)
    for (int i = 0; i < block_width; ++i) sums[i] += a[c + i] * b[c + i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace

struct ViscousStep::Implementation {
  Implementation(const Communicator& communicator, const ViscosityOptions& viscosity_options)
      : comm(communicator), options(viscosity_options) {}

  ViscosityReport step(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& velocity);
  void set_held_faces(const SolidFields& solids, FaceField<double>& velocity);
  void write(const SolidFields& solids, FaceField<double>& velocity) const;
  void solve(ViscosityReport& report);
  template <std::size_t n, class Visit>
  std::array<double, n> sum_over_blocks(Visit&& visit) const;

  const Communicator& comm;
  ViscosityOptions options;
  StressWeights weights;
  StrainOperator strain;
  FaceField<double> x;          ///< velocity, with what solids hold
  FaceField<double> residual;   ///< these four: 0 on faces without an unknown
  FaceField<double> direction;  ///< with ghosts
  FaceField<double> image;      ///< of the direction
  FaceField<double> inverse_diagonal;
};

/// Sums of visit(block) over the blocks with unknowns of all ranks. Collective
template <std::size_t n, class Visit>
std::array<double, n> ViscousStep::Implementation::sum_over_blocks(Visit&& visit) const {
  std::array<ExactSum, n> all;
  const std::vector<LocalIndex>& active = weights.active();
  const auto n_active = static_cast<LocalIndex>(active.size());
#pragma omp parallel
  {
    std::array<ExactSum, n> own;
#pragma omp for schedule(static) nowait
    for (LocalIndex i = 0; i < n_active; ++i) {
      const Sums<n> sums = visit(active[static_cast<std::size_t>(i)]);
      for (std::size_t s = 0; s < n; ++s) own[s].add(sums[s]);
    }
#pragma omp critical(freshet_viscous_sums)
    for (std::size_t s = 0; s < n; ++s) all[s].add(own[s]);
  }
  comm.sum_in_place(std::span<ExactSum>(all));
  std::array<double, n> result;
  for (std::size_t s = 0; s < n; ++s) result[s] = all[s].round();
  return result;
}

/// x = u* on faces with an unknown, and what the solid says on all others. Ghosts too. Collective
void ViscousStep::Implementation::set_held_faces(const SolidFields& solids, FaceField<double>& velocity) {
  const BlockLayout& layout = weights.layout();
  const int cells = layout.cells_per_block();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
    for (int d = 0; d < velocity.dimension(); ++d) {
      const double* u = velocity[d].block(block);
      const float* u_s = solids.velocity()[d].block(block);
      const std::uint8_t* wall = solids.wall()[d].block(block);
      double* to = x[d].block(block);
      for (int c = 0; c < cells; ++c) {
        const bool keeps = weights.mass(d, block, c) > 0.0 || (is_wall_face(wall[c]) && (wall[c] & may_separate) != 0);
        to[c] = keeps ? u[c] : static_cast<double>(u_s[c]);
      }
    }
  });
  layout.halo().gather(x, 1);
}

void ViscousStep::Implementation::write(const SolidFields& solids, FaceField<double>& velocity) const {
  const int cells = weights.layout().cells_per_block();
  const std::vector<LocalIndex>& active = weights.active();
  parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
    const LocalIndex block = active[static_cast<std::size_t>(n)];
    for (int d = 0; d < velocity.dimension(); ++d)
      for (int c = 0; c < cells; ++c) {
        const double mass = weights.mass(d, block, c);
        if (mass > 0.0) velocity[d].block(block)[c] = x[d].block(block)[c];
        if (mass < 0.0) velocity[d].block(block)[c] = static_cast<double>(solids.velocity()[d].block(block)[c]);
      }
  });
}

/// Preconditioned conjugate gradients from x on. Collective
void ViscousStep::Implementation::solve(ViscosityReport& report) {
  const BlockLayout& layout = weights.layout();
  const int dimension = layout.domain().dimension();
  const int cells = layout.cells_per_block();
  const auto for_each_component = [dimension](auto&& f) {
    for (int d = 0; d < dimension; ++d) f(d);
  };
  strain.inverse_diagonal(inverse_diagonal);
  strain.apply(x, residual, true);  // b - A x = W u* - W x - scale K x, and x is u*
  const auto start = sum_over_blocks<3>([&](LocalIndex block) {
    Sums<3> sums{};
    for_each_component([&](int d) {
      double* r = residual[d].block(block);
      double* p = direction[d].block(block);
      const double* u = x[d].block(block);
      const double* inverse = inverse_diagonal[d].block(block);
      double momentum[BlockShape<3>::cells];
      for (int c = 0; c < cells; ++c) {
        r[c] = -r[c];
        p[c] = inverse[c] * r[c];
        const double mass = weights.mass(d, block, c);
        momentum[c] = (mass > 0.0 ? mass : 1.0) * u[c];
      }
      sums[0] += dot_in_block(r, r, cells);
      sums[1] += dot_in_block(r, p, cells);
      sums[2] += dot_in_block(momentum, momentum, cells);
    });
    return sums;
  });
  double r_z = start[1];
  const double norm = std::sqrt(start[2]);
  double r_norm = std::sqrt(start[0]);
  const auto is_done = [&] { return !(r_norm > options.tolerance * norm) || r_z == 0.0; };
  while (!is_done() && report.iterations < options.max_iterations) {
    ++report.iterations;
    layout.halo().gather(direction, 1);
    const auto [p_q] = with_shape(dimension, [&](auto shape) {
      return sum_over_blocks<1>([&](LocalIndex block) {
        strain.apply_in_block<decltype(shape)>(direction, block, false, image);
        Sums<1> sums{};
        for_each_component(
            [&](int d) { sums[0] += dot_in_block(direction[d].block(block), image[d].block(block), cells); });
        return sums;
      });
    });
    const double alpha = r_z / p_q;
    const auto sums = sum_over_blocks<2>([&](LocalIndex block) {
      Sums<2> of_block{};
      for_each_component([&](int d) {
        const double* p = direction[d].block(block);
        const double* q = image[d].block(block);
        const double* inverse = inverse_diagonal[d].block(block);
        double* u = x[d].block(block);
        double* r = residual[d].block(block);
        double z[BlockShape<3>::cells];
        for (int c = 0; c < cells; ++c) {
          u[c] += alpha * p[c];
          r[c] -= alpha * q[c];
          z[c] = inverse[c] * r[c];
        }
        of_block[0] += dot_in_block(r, r, cells);
        of_block[1] += dot_in_block(r, z, cells);
      });
      return of_block;
    });
    r_norm = std::sqrt(sums[0]);
    const double beta = sums[1] / r_z;
    r_z = sums[1];
    const std::vector<LocalIndex>& active = weights.active();
    parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
      const LocalIndex block = active[static_cast<std::size_t>(n)];
      for_each_component([&](int d) {
        const double* r = residual[d].block(block);
        const double* inverse = inverse_diagonal[d].block(block);
        double* p = direction[d].block(block);
        for (int c = 0; c < cells; ++c) p[c] = inverse[c] * r[c] + beta * p[c];
      });
    });
  }
  report.converged = r_norm <= options.tolerance * norm;
  report.relative_residual = norm > 0.0 ? r_norm / norm : 0.0;
}

ViscosityReport ViscousStep::Implementation::step(const ViscousLiquid& liquid, double dt_over_density,
                                                  FaceField<double>& velocity) {
  ViscosityReport report;
  const BlockLayout& layout = liquid.labels.layout();
  weights.rebuild(liquid);
  report.unknowns = comm.sum(weights.n_unknowns());
  if (report.unknowns == 0) return report;
  const double dx = layout.domain().dx();
  strain.reset(weights, dt_over_density / (dx * dx));
  for (FaceField<double>* field : {&x, &residual, &direction, &image, &inverse_diagonal}) field->reset(layout, 0.0);
  direction.fill(0.0);
  set_held_faces(liquid.solids, velocity);
  solve(report);
  write(liquid.solids, velocity);
  return report;
}

ViscousStep::ViscousStep(const Communicator& comm, const ViscosityOptions& options)
    : implementation_(std::make_unique<Implementation>(comm, options)) {}

ViscousStep::~ViscousStep() = default;

ViscosityReport ViscousStep::operator()(const ViscousLiquid& liquid, double dt_over_density,
                                        FaceField<double>& velocity) {
  return implementation_->step(liquid, dt_over_density, velocity);
}

void ViscousStep::apply(FaceField<double>& u, FaceField<double>& y) const {
  u.layout().halo().gather(u, 1);
  y.fill(0.0);
  implementation_->strain.apply(u, y);
}

double ViscousStep::mass(int axis, LocalIndex block, int face) const {
  return implementation_->weights.mass(axis, block, face);
}

}  // namespace freshet
