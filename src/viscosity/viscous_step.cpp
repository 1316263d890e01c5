// SPDX-License-Identifier: Apache-2.0
#include "freshet/viscosity/viscous_step.hpp"

#include "freshet/core/exact_sum.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/free_surface/surface_octants.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/linear/chunked_vec.hpp"
#include "freshet/pressure/solver.hpp"
#include "viscosity/body_stress.hpp"
#include "viscosity/held_forces.hpp"
#include "viscosity/krylov.hpp"
#include "viscosity/multigrid.hpp"
#include "viscosity/outer_faces.hpp"
#include "viscosity/strain_operator.hpp"
#include "viscosity/stress_weights.hpp"
#include "viscosity/thin_step.hpp"
#include "viscosity/volume_constraint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace freshet {

using namespace viscous;

/// dt mu / (rho dx^2) below which an explicit step suffices: it changes a velocity by at most 24 times that part, 24
/// being the largest eigenvalue of the stress in 3-D, and differs from an implicit step by the square of that change.
constexpr double thin = 1e-3;
/// dt mu / (rho dx^2) below which viscosity does not act across a cell within dt and hardly changes the pressure.
constexpr double least_coupled = 0.01;
/// Bound of the iterations of a coupled solve; a step that needs more is taken without q.
constexpr int longest_coupled = 500;
/// A solve starts from u*, whose residual is rough and soon reduced, or from 0 if the residual of u* exceeds this
/// multiple of the right-hand side's norm, as where solids stop falling liquid.
constexpr double poor_start = 10.0;
/// dt mu / (rho dx^2) above which a face's mass is small against its stress in single precision: a coupled solve can
/// lose momentum of liquid in free flight without an effect on the energy norm. The momentum is then checked.
constexpr double stiff = 1e4;
/// Largest part of the momentum that may be lost in that check.
constexpr double largest_loss = 1e-3;

struct ViscousStep::Implementation {
  /// Initial guess of a solve, on faces with an unknown.
  enum class Start { from_velocity, from_zero };

  Implementation(const Communicator& communicator, const ViscosityOptions& options);

  ViscosityReport step(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& velocity,
                       const ViscousPressure* coupled_pressure, MovedBodies* moved);
  KrylovCallbacks callbacks();
  void set_held_faces(const SolidFields& solids, FaceField<double>& velocity);
  void write(const SolidFields& solids, FaceField<double>& velocity) const;
  void solve(ViscosityReport& report);
  void apply_to_vector(const double* from, double* to);
  void precondition(const double* r, double* z);
  void write_pressure(const double* solution) const;
  void set_right_hand_side(Start start, Vec right_hand_side);
  bool keeps_momentum(const Krylov& krylov);
  /// Call f(block, axis, index of the first such face in vectors) for all active blocks.
  template <class Function>
  void for_each_part(Function&& f) const;
  /// Call f(block, index of its first cell in vectors) for all active blocks of a coupled step.
  template <class Function>
  void for_each_part_of_cells(Function&& f) const;
  BodyStress::VectorPlace vector_place() const { return {weights.active(), entries_per_block()}; }
  std::size_t faces_per_block() const {
    return static_cast<std::size_t>(weights.layout().domain().dimension() * weights.layout().cells_per_block());
  }
  /// Number of vector entries for each active block: faces, and in a coupled step cells, filled up to whole chunks.
  std::size_t entries_per_block() const {
    const auto cells = static_cast<std::size_t>(weights.layout().cells_per_block());
    return faces_per_block() + (coupled != nullptr ? std::max<std::size_t>(cells, vector_chunk) : 0);
  }

  const Communicator& comm;
  ViscosityOptions options;
  Krylov viscous;  ///< solver of (1)
  Krylov stokes;   ///< solver of (3)
  StressWeights weights;
  StrainOperator strain;
  ThinStep thin_step;
  ViscousMultigrid multigrid;
  VolumeConstraint constraint;
  BodyStress bodies;
  PressureSolver inviscid;                     ///< solver of B W^-1 B^T
  const ViscousPressure* coupled = nullptr;    ///< pressure of the present step; null: solved without q
  CellField<double> of_cells, image_of_cells;  ///< cell parts of vectors, in a coupled step
  FaceField<double> x;                         ///< velocity, with held faces [m/s]
  FaceField<double> direction;                 ///< face part of a vector, with ghosts; 0 on faces without an unknown
  double scale = 0.0;                          ///< dt / (rho dx^2) [m s/kg]
  double viscosity = 0.0;                      ///< largest viscosity [Pa s]
  double magnitude = 0.0;                      ///< norm of the right-hand side [m/s]
  bool keeps_forces = false;
  std::vector<HeldForce> forces;
  std::vector<double> residual;  ///< A times the solution of a stiff solve
  std::array<ExactSum, 10> totals;
};

ViscousStep::Implementation::Implementation(const Communicator& communicator, const ViscosityOptions& viscosity_options)
    : comm(communicator),
      options(viscosity_options),
      viscous(communicator, {conjugate_gradients, KSPCG, "viscosity_"}, viscosity_options, callbacks()),
      stokes(communicator, {minimal_residuals, KSPMINRES, "stokes_"},
             {options.tolerance, std::min(options.max_iterations, longest_coupled)}, callbacks()),
      inviscid(communicator, PressureOptions{}, "stokes_pressure_") {
  viscous.try_options();
  stokes.try_options();
}

KrylovCallbacks ViscousStep::Implementation::callbacks() {
  return {.apply = [this](const double* from, double* to) { apply_to_vector(from, to); },
          .diagonal =
              [this](double* diagonal) {
                const std::vector<LocalIndex>& active = weights.active();
                for (std::size_t n = 0; n < active.size(); ++n)
                  strain.diagonal(active[n], diagonal + n * entries_per_block());
              },
          .precondition = [this](const double* r, double* z) { precondition(r, z); },
          .prepare = [this] { multigrid.reset(weights, scale, viscosity, magnitude); }};
}

template <class Function>
void ViscousStep::Implementation::for_each_part(Function&& f) const {
  const std::vector<LocalIndex>& active = weights.active();
  const auto cells = static_cast<std::size_t>(weights.layout().cells_per_block());
  const int dimension = weights.layout().domain().dimension();
  const std::size_t entries = entries_per_block();
  parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
    for (int d = 0; d < dimension; ++d)
      f(active[static_cast<std::size_t>(n)], d,
        static_cast<std::size_t>(n) * entries + static_cast<std::size_t>(d) * cells);
  });
}

template <class Function>
void ViscousStep::Implementation::for_each_part_of_cells(Function&& f) const {
  const std::vector<LocalIndex>& active = weights.active();
  const std::size_t entries = entries_per_block();
  const std::size_t faces = faces_per_block();
  parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
    f(active[static_cast<std::size_t>(n)], static_cast<std::size_t>(n) * entries + faces);
  });
}

/// x = u* on owned faces with an unknown, and the solid's velocity on all others.
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
}

/// Blocks without an unknown hold faces, too, beside liquid in the blocks around them.
void ViscousStep::Implementation::write(const SolidFields& solids, FaceField<double>& velocity) const {
  const BlockLayout& layout = weights.layout();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
    for (int d = 0; d < velocity.dimension(); ++d)
      for (int c = 0; c < layout.cells_per_block(); ++c) {
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
  if (coupled != nullptr) {
    for_each_part_of_cells(
        [&](LocalIndex block, std::size_t begin) { std::copy_n(from + begin, cells, of_cells.block(block)); });
    layout.halo().gather(of_cells, 1);
  }
  const std::vector<LocalIndex>& active = weights.active();
  const std::size_t entries = entries_per_block();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex n) {
      const LocalIndex block = active[static_cast<std::size_t>(n)];
      double* const begin = to + static_cast<std::size_t>(n) * entries;
      double* target[3] = {};
      for (int d = 0; d < Shape::dim; ++d) target[d] = begin + Shape::cells * d;
      strain.apply_in_block<Shape>(direction, block, false, target);
      if (coupled == nullptr) return;
      constraint.add_gradient<Shape>(of_cells, block, target);
      constraint.inflow<Shape>(direction, block, begin + Shape::cells * Shape::dim);
    });
  });
  if (!bodies.is_empty()) bodies.subtract_from_product(vector_place(), from, to);
}

/// z = M^-1 r. For a coupled step M has A's multigrid for faces; on cells B A^-1 B^T is the matrix of a pressure if
/// mass dominates, and nearly diagonal if viscosity does: M^-1 is the sum of both inverses. Collective
void ViscousStep::Implementation::precondition(const double* r, double* z) {
  multigrid.apply(r, z, entries_per_block());
  if (coupled == nullptr) return;
  const int cells = weights.layout().cells_per_block();
  for_each_part_of_cells(
      [&](LocalIndex block, std::size_t begin) { std::copy_n(r + begin, cells, of_cells.block(block)); });
  inviscid.precondition(of_cells, image_of_cells);
  for_each_part_of_cells([&](LocalIndex block, std::size_t begin) {
    const float* stiffness = constraint.stiffness(block);
    const double* inviscid = image_of_cells.block(block);
    for (int c = 0; c < cells; ++c) {
      const std::size_t at = begin + static_cast<std::size_t>(c);
      z[at] = stiffness[c] >= 0.0F ? inviscid[c] + static_cast<double>(stiffness[c]) * r[at] : 0.0;
    }
  });
}

/// Copy the cells of a solution into the pressure of the coupled step.
void ViscousStep::Implementation::write_pressure(const double* solution) const {
  coupled->pressure.fill(0.0);
  for_each_part_of_cells([&](LocalIndex block, std::size_t begin) {
    std::copy_n(solution + begin, weights.layout().cells_per_block(), coupled->pressure.block(block));
  });
}

/// right_hand_side = b - A u for u = x, that is u*, or for u = 0 on faces with an unknown. Collective
void ViscousStep::Implementation::set_right_hand_side(Start start, Vec right_hand_side) {
  const bool is_zero = start == Start::from_zero;
  const int cells = weights.layout().cells_per_block();
  if (is_zero) {
    parallel_for_blocks(weights.layout().n_owned(), [&](LocalIndex block) {
      for (int d = 0; d < x.dimension(); ++d)
        for (int c = 0; c < cells; ++c)
          direction[d].block(block)[c] = weights.mass(d, block, c) > 0.0 ? 0.0 : x[d].block(block)[c];
    });
    weights.layout().halo().gather(direction, 1);
  }
  const FaceField<double>& u = is_zero ? direction : x;
  const VecArray r(right_hand_side);
  with_shape(x.dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const std::vector<LocalIndex>& active = weights.active();
    parallel_for_blocks(static_cast<LocalIndex>(active.size()), [&](LocalIndex i) {
      const LocalIndex block = active[static_cast<std::size_t>(i)];
      double* const begin = r.data() + static_cast<std::size_t>(i) * entries_per_block();
      double* target[3] = {};
      for (int d = 0; d < Shape::dim; ++d) target[d] = begin + Shape::cells * d;
      strain.apply_in_block<Shape>(u, block, true, target);
      for (int d = 0; d < Shape::dim; ++d)
        for (int c = 0; c < Shape::cells; ++c) {
          const double mass = is_zero ? std::max(weights.mass(d, block, c), 0.0) : 0.0;
          target[d][c] = mass * x[d].block(block)[c] - target[d][c];
        }
      if (coupled == nullptr) return;
      double* const of_cells = begin + faces_per_block();
      constraint.lost_inflow<Shape>(block, of_cells);
      if (!is_zero) return;
      double flow[Shape::cells];
      constraint.inflow<Shape>(x, block, flow);
      for (int c = 0; c < Shape::cells; ++c) of_cells[c] += flow[c];
    });
  });
  if (!bodies.is_empty()) bodies.change_residual(vector_place(), is_zero ? nullptr : &x, r.data());
  if (is_zero) direction.fill(0.0);
}

/// Whether the sums of the residual and of its moments about the liquid's centre are small parts of those of u*: rigid
/// motions have no stress, so that their residual is lost momentum. Collective
bool ViscousStep::Implementation::keeps_momentum(const Krylov& krylov) {
  const BlockLayout& layout = weights.layout();
  const Domain& domain = layout.domain();
  const VecReadArray b(krylov.right_hand_side()), solution(krylov.solution());
  residual.resize(weights.active().size() * entries_per_block());
  apply_to_vector(solution.data(), residual.data());
  const auto for_each_unknown = [&](auto&& f) {
    for_each_part([&](LocalIndex block, int d, std::size_t begin) {
      const Vec3i n = domain.block_cells();
      std::array<double, 10> sums{};
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const double mass = weights.mass(d, block, c);
        if (!(mass > 0.0)) continue;
        const Vec3i cell = layout.first_cell(block) + Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1]));
        const Vec3 place = cell.cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d));
        const std::size_t at = begin + static_cast<std::size_t>(c);
        f(d, place, mass, mass * x[d].block(block)[c], b.data()[at] - residual[at], sums);
      }
#pragma omp critical(freshet_viscous_sums)
      for (std::size_t i = 0; i < sums.size(); ++i) totals[i].add(sums[i]);
    });
  };
  totals.fill(ExactSum());
  for_each_unknown([](int, const Vec3& place, double mass, double, double, std::array<double, 10>& sums) {
    for (int e = 0; e < 3; ++e) sums[static_cast<std::size_t>(e)] += mass * place[e];
    sums[3] += mass;
  });
  comm.sum_in_place(std::span<ExactSum>(totals));
  const Vec3 centre = Vec3(totals[0].round(), totals[1].round(), totals[2].round()) / totals[3].round();
  totals.fill(ExactSum());
  for_each_unknown([&](int d, const Vec3& place, double, double momentum, double r, std::array<double, 10>& sums) {
    const Vec3 arm = place - centre;
    const Vec3 moment = r * arm.cross(Vec3::Unit(d));
    sums[static_cast<std::size_t>(d)] += r;
    for (int e = 0; e < 3; ++e) sums[static_cast<std::size_t>(3 + e)] += moment[e];
    sums[6] += std::abs(momentum);
    sums[7] += std::abs(momentum) * arm.norm();
  });
  comm.sum_in_place(std::span<ExactSum>(totals));
  bool keeps = true;
  for (std::size_t i = 0; i < 6; ++i)
    keeps = keeps && std::abs(totals[i].round()) <= largest_loss * totals[i < 3 ? 6 : 7].round();
  return keeps;
}

/// x = A^-1 W x, with x = u* before; a coupled solve that does not converge leaves x unchanged. Collective
void ViscousStep::Implementation::solve(ViscosityReport& report) {
  Krylov& krylov = coupled != nullptr ? stokes : viscous;
  krylov.reset(static_cast<PetscInt>(weights.active().size() * entries_per_block()));
  set_right_hand_side(Start::from_zero, krylov.right_hand_side());
  FRESHET_PETSC(VecNorm(krylov.right_hand_side(), NORM_2, &magnitude));
  const double norm = krylov.norm_of_right_hand_side();
  set_right_hand_side(Start::from_velocity, krylov.right_hand_side());
  const bool from_zero = !krylov.solve(norm, poor_start * norm);
  if (from_zero) {
    set_right_hand_side(Start::from_zero, krylov.right_hand_side());
    krylov.solve(norm);
  }
  report.iterations += krylov.iterations();
  report.converged = krylov.residual() <= options.tolerance * norm;
  report.relative_residual = norm > 0.0 ? krylov.residual() / norm : 0.0;
  if (coupled != nullptr && scale * viscosity > stiff) report.converged = report.converged && keeps_momentum(krylov);
  if (!report.converged && coupled != nullptr) return;
  const VecReadArray change(krylov.solution());
  for_each_part([&](LocalIndex block, int d, std::size_t begin) {
    double* const u = x[d].block(block);
    for (int c = 0; c < weights.layout().cells_per_block(); ++c) {
      const bool replaces = from_zero && weights.mass(d, block, c) > 0.0;
      u[c] = (replaces ? 0.0 : u[c]) + change.data()[begin + static_cast<std::size_t>(c)];
    }
  });
  if (coupled != nullptr) write_pressure(change.data());
}

ViscosityReport ViscousStep::Implementation::step(const ViscousLiquid& given, double dt_over_density,
                                                  FaceField<double>& velocity, const ViscousPressure* coupled_pressure,
                                                  MovedBodies* moved) {
  ViscosityReport report;
  coupled = coupled_pressure;
  bodies.clear();
  if (moved != nullptr) moved->impulses.assign(static_cast<std::size_t>(moved->bodies.count()), Vec6::Zero());
  ViscousLiquid liquid = given;
  liquid.has_open_masses = moved != nullptr;
  const BlockLayout& layout = liquid.labels.layout();
  forces.clear();
  weights.rebuild(liquid);
  report.unknowns = comm.sum(weights.n_unknowns());
  if (report.unknowns == 0) return report;
  const double dx = layout.domain().dx();
  scale = dt_over_density / (dx * dx);
  viscosity = liquid.viscosity;
  if (coupled != nullptr && scale * viscosity < least_coupled) coupled = nullptr;
  strain.reset(weights, scale);
  if (coupled != nullptr) {
    constraint.reset(weights, coupled->unknown, liquid.solids.open_fraction(), strain);
    inviscid.prepare(constraint.inviscid());
    of_cells.reset(layout, 0.0);
    of_cells.fill(0.0);
    image_of_cells.reset(layout, 0.0);
  }
  x.reset(layout, 0.0);
  direction.reset(layout, 0.0);
  direction.fill(0.0);
  set_held_faces(liquid.solids, velocity);
  if (octants_reach_into_air(liquid.surface)) continue_linearly(weights, liquid.labels, velocity, x);
  layout.halo().gather(x, 1);
  if (moved != nullptr) bodies.find(liquid, scale, velocity, velocity, x, *moved);
  if (coupled != nullptr) {
    constraint.set_held(velocity, x, liquid.solids.open_fraction());
    if (moved != nullptr) bodies.add_cells(liquid, constraint.inviscid().unknown);
  }
  solve(report);
  if (!report.converged && coupled != nullptr) {
    coupled = nullptr;
    bodies.remove_cells();
    report.was_coupled_in_vain = true;
    solve(report);
  }
  report.is_coupled = coupled != nullptr;
  if (moved != nullptr) {
    bodies.finish(x, coupled != nullptr ? &coupled->pressure : nullptr);
    bodies.move_held(x);
  }
  if (keeps_forces) {
    layout.halo().gather(x, 1);
    CellField<double>* const pressure = coupled != nullptr ? &coupled->pressure : nullptr;
    if (pressure != nullptr) layout.halo().gather(*pressure, 1);
    find_held_forces(liquid, {velocity, x, pressure, liquid.solids.open_fraction(), dt_over_density}, forces);
  }
  write(liquid.solids, velocity);
  if (moved != nullptr) bodies.copy_held(x, velocity);
  return report;
}

ViscousStep::ViscousStep(const Communicator& comm, const ViscosityOptions& options)
    : implementation_(std::make_unique<Implementation>(comm, options)) {}

ViscousStep::~ViscousStep() = default;

ViscosityReport ViscousStep::operator()(const ViscousLiquid& liquid, double dt_over_density,
                                        FaceField<double>& velocity, const ViscousPressure* coupled,
                                        MovedBodies* moved) {
  return implementation_->step(liquid, dt_over_density, velocity, coupled, moved);
}

bool ViscousStep::is_thin(const ViscousLiquid& liquid, double dt_over_density) {
  const double dx = liquid.labels.layout().domain().dx();
  return dt_over_density / (dx * dx) * liquid.viscosity < thin;
}

void ViscousStep::act_explicitly(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& before,
                                 FaceField<double>& velocity, MovedBodies* moved) {
  implementation_->coupled = nullptr;
  std::vector<HeldForce>& forces = implementation_->forces;
  implementation_->thin_step(liquid, dt_over_density, before, velocity,
                             implementation_->keeps_forces ? &forces : nullptr, moved);
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

bool ViscousStep::is_held_by_body(int axis, LocalIndex block, int face) const {
  return mass(axis, block, face) == static_cast<double>(held_by_body);
}

}  // namespace freshet
