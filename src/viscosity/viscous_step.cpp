// SPDX-License-Identifier: Apache-2.0
#include "freshet/viscosity/viscous_step.hpp"

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "viscosity/held_forces.hpp"
#include "viscosity/krylov.hpp"
#include "viscosity/multigrid.hpp"
#include "viscosity/strain_operator.hpp"
#include "viscosity/stress_weights.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace freshet {

using namespace viscous;

struct ViscousStep::Implementation {
  Implementation(const Communicator& communicator, const ViscosityOptions& options);

  ViscosityReport step(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& velocity);
  void set_held_faces(const SolidFields& solids, FaceField<double>& velocity);
  void write(const SolidFields& solids, FaceField<double>& velocity) const;
  void solve(ViscosityReport& report);
  void apply_to_vector(const double* from, double* to);
  double largest_viscosity(const ViscousLiquid& liquid) const;
  double norm_of_momentum() const;
  /// f(block, axis, begin of its faces in vectors) for all active blocks.
  template <class Function>
  void for_each_part(Function&& f) const;

  const Communicator& comm;
  ViscosityOptions options;
  Krylov krylov;
  StressWeights weights;
  StrainOperator strain;
  ViscousMultigrid multigrid;
  FaceField<double> x;          ///< velocity, with what solids hold
  FaceField<double> direction;  ///< with ghosts; 0 on faces without an unknown
  double scale = 0.0;           ///< dt / (rho dx^2) [m s/kg]
  double viscosity = 0.0;       ///< the largest [Pa s]
  double magnitude = 0.0;       ///< of the right-hand side [m/s]
  bool keeps_forces = false;
  std::vector<HeldForce> forces;
};

ViscousStep::Implementation::Implementation(const Communicator& communicator, const ViscosityOptions& viscosity_options)
    : comm(communicator),
      options(viscosity_options),
      krylov(communicator, viscosity_options,
             {.apply = [this](const double* from, double* to) { apply_to_vector(from, to); },
              .diagonal =
                  [this](double* diagonal) {
                    const auto faces = static_cast<std::size_t>(weights.layout().cells_per_block() * x.dimension());
                    const std::vector<LocalIndex>& active = weights.active();
                    for (std::size_t n = 0; n < active.size(); ++n) strain.diagonal(active[n], diagonal + n * faces);
                  },
              .precondition = [this](const double* r, double* z) { multigrid.apply(r, z); },
              .prepare = [this] { multigrid.reset(weights, scale, viscosity, magnitude); }}) {
  krylov.try_options();
}

template <class Function>
void ViscousStep::Implementation::for_each_part(Function&& f) const {
  const std::vector<LocalIndex>& active = weights.active();
  const auto cells = static_cast<std::size_t>(weights.layout().cells_per_block());
  const int dimension = weights.layout().domain().dimension();
  parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
    for (int d = 0; d < dimension; ++d)
      f(active[static_cast<std::size_t>(n)], d,
        (static_cast<std::size_t>(n * dimension) + static_cast<std::size_t>(d)) * cells);
  });
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
        if (mass == static_cast<double>(held_by_body))
          velocity[d].block(block)[c] = static_cast<double>(solids.velocity()[d].block(block)[c]);
      }
  });
}

/// y = A x. Collective
void ViscousStep::Implementation::apply_to_vector(const double* from, double* to) {
  const BlockLayout& layout = weights.layout();
  const int cells = layout.cells_per_block();
  for_each_part(
      [&](LocalIndex block, int d, std::size_t begin) { std::copy_n(from + begin, cells, direction[d].block(block)); });
  layout.halo().gather(direction, 1);
  const std::vector<LocalIndex>& active = weights.active();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
      double* target[3] = {};
      for (int d = 0; d < Shape::dim; ++d) target[d] = to + Shape::cells * static_cast<std::size_t>(Shape::dim * n + d);
      strain.apply_in_block<Shape>(direction, active[static_cast<std::size_t>(n)], false, target);
    });
  });
}

/// |W u*|, with what solids hold in the norm. Collective
double ViscousStep::Implementation::norm_of_momentum() const {
  const BlockLayout& layout = weights.layout();
  ExactSum all;
  for_each_part([&](LocalIndex block, int d, std::size_t) {
    const double* u = x[d].block(block);
    double sum = 0.0;
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      const double mass = weights.mass(d, block, c);
      const double momentum = (mass > 0.0 ? mass : 1.0) * u[c];
      sum += momentum * momentum;
    }
#pragma omp critical(freshet_viscous_sums)
    all.add(sum);
  });
  comm.sum_in_place(std::span<ExactSum>(&all, 1));
  return std::sqrt(all.round());
}

double ViscousStep::Implementation::largest_viscosity(const ViscousLiquid& liquid) const {
  if (liquid.viscosity_of_cells == nullptr) return liquid.viscosity;
  float largest = 0.0F;
  for (const LocalIndex block : weights.active()) {
    const float* const values = liquid.viscosity_of_cells->stretch.block(block);
    largest = std::max(largest, *std::max_element(values, values + weights.layout().cells_per_block()));
  }
  return comm.max(static_cast<double>(largest));
}

/// x += A^-1 (W u* - A x), where x is u*. Collective
void ViscousStep::Implementation::solve(ViscosityReport& report) {
  const auto n = static_cast<std::size_t>(weights.active().size()) * static_cast<std::size_t>(x.dimension()) *
                 static_cast<std::size_t>(weights.layout().cells_per_block());
  krylov.reset(static_cast<PetscInt>(n));
  const double norm = norm_of_momentum();
  const int cells = weights.layout().cells_per_block();
  {
    const VecArray r(krylov.right_hand_side());
    const std::vector<LocalIndex>& active = weights.active();
    with_shape(x.dimension(), [&](auto shape) {
      using Shape = decltype(shape);
      parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex i) {
        double* target[3] = {};
        for (int d = 0; d < Shape::dim; ++d)
          target[d] = r.data() + Shape::cells * static_cast<std::size_t>(Shape::dim * i + d);
        strain.apply_in_block<Shape>(x, active[static_cast<std::size_t>(i)], true, target);
        for (int d = 0; d < Shape::dim; ++d)
          for (int c = 0; c < Shape::cells; ++c) target[d][c] = -target[d][c];
      });
    });
  }
  FRESHET_PETSC(VecNorm(krylov.right_hand_side(), NORM_2, &magnitude));
  krylov.solve(norm);
  const VecReadArray change(krylov.solution());
  for_each_part([&](LocalIndex block, int d, std::size_t begin) {
    double* const u = x[d].block(block);
    for (int c = 0; c < cells; ++c) u[c] += change.data()[begin + static_cast<std::size_t>(c)];
  });
  report.iterations = krylov.iterations();
  report.converged = krylov.residual() <= options.tolerance * norm;
  report.relative_residual = norm > 0.0 ? krylov.residual() / norm : 0.0;
}

ViscosityReport ViscousStep::Implementation::step(const ViscousLiquid& liquid, double dt_over_density,
                                                  FaceField<double>& velocity) {
  ViscosityReport report;
  const BlockLayout& layout = liquid.labels.layout();
  forces.clear();
  weights.rebuild(liquid);
  report.unknowns = comm.sum(weights.n_unknowns());
  if (report.unknowns == 0) return report;
  const double dx = layout.domain().dx();
  scale = dt_over_density / (dx * dx);
  viscosity = largest_viscosity(liquid);
  strain.reset(weights, scale);
  x.reset(layout, 0.0);
  direction.reset(layout, 0.0);
  direction.fill(0.0);
  set_held_faces(liquid.solids, velocity);
  solve(report);
  write(liquid.solids, velocity);
  if (keeps_forces) {
    layout.halo().gather(x, 1);
    find_held_forces(liquid, x, forces);
  }
  return report;
}

ViscousStep::ViscousStep(const Communicator& comm, const ViscosityOptions& options)
    : implementation_(std::make_unique<Implementation>(comm, options)) {}

ViscousStep::~ViscousStep() = default;

ViscosityReport ViscousStep::operator()(const ViscousLiquid& liquid, double dt_over_density,
                                        FaceField<double>& velocity) {
  return implementation_->step(liquid, dt_over_density, velocity);
}

void ViscousStep::keep_forces() {
  implementation_->keeps_forces = true;
}

const std::vector<HeldForce>& ViscousStep::forces() const {
  return implementation_->forces;
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
