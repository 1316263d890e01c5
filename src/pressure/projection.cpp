// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/face_maximum.hpp"
#include "freshet/grid/halo.hpp"
#include "pressure/walls/projection_implementation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace freshet {

using pressure::WallFace;

namespace {

constexpr double any_residual = 1e100;  ///< a limit that every cell's |r| meets

/// b_c += inflow_c in cells with an unknown.
void add_inflow(const CellField<double>& inflow, const CellField<std::uint8_t>& unknown, CellField<double>& b) {
  const BlockLayout& layout = b.layout();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
    for (int c = 0; c < layout.cells_per_block(); ++c)
      if (unknown.block(block)[c] != 0) b.block(block)[c] += inflow.block(block)[c];
  });
}

/// b_c -= what bodies carry out of the cell beyond the velocities of its faces, where it has an unknown.
void subtract_body_flows(const SolidFields& solids, const CellField<std::uint8_t>& unknown, CellField<double>& b) {
  if (!solids.any_fractions() || !solids.any_moving()) return;
  parallel_for_blocks(b.layout().n_owned(), [&](LocalIndex block) {
    for (const BodyFlow& flow : solids.body_flows(block))
      if (unknown.block(block)[flow.cell] != 0) b.block(block)[flow.cell] -= static_cast<double>(flow.outflow);
  });
}

}  // namespace

/// Solve once, and add iterations and seconds to the report.
void Projection::Implementation::solve(const CellField<double>& target, CellField<double>& pressure,
                                       SolveRequest request) {
  request.change = change;
  const std::vector<LocalIndex> changed_blocks = faces.take_changed_blocks();
  request.changed_blocks = changed_blocks;
  const SolveReport before = report.solve;
  report.solve = solver.solve(coefficients, target, pressure, request, dx, report.retried);
  change = SystemChange::nothing;
  report.solve.add_earlier(before);
  ++report.outer_iterations;
}

/// The request of a solve to the divergence epsilon_cg, or to the other options if that is 0.
SolveRequest Projection::Implementation::paper_request() const {
  SolveRequest request;
  request.min_iterations = report.outer_iterations > 0 ? 1 : 0;  // so that an outer loop goes on
  if (walls.epsilon_cg > 0.0) {
    request.tolerance = pressure::any_norm;
    request.max_residual = walls.epsilon_cg * dx;
  }
  return request;
}

/// True if liquid may leave a wall, or if the method treats all walls as such. Same on all ranks.
bool Projection::Implementation::walls_depend_on_pressure(const SolidFields& solids) const {
  if (method.treats_all) return true;
  const Domain& domain = solids.wall().layout().domain();
  for (int d = 0; d < domain.dimension(); ++d)
    if (domain.separates(d, 0) || domain.separates(d, 1)) return true;
  const auto separates = [](const SolidBody& body) { return body.wall == WallCondition::separating; };
  return std::any_of(solids.bodies().begin(), solids.bodies().end(), separates);
}

/// Mark the cells in which liquid leaves a body that cuts them.
void Projection::Implementation::mark_released(const SolidFields& solids) {
  has_released = solids.any_separating_fractions();
  if (!has_released) return;
  const BlockLayout& layout = coefficients.unknown.layout();
  released.reset(layout, std::uint8_t{0});
  released.fill(std::uint8_t{0});
  for (const WallFace& face : faces.own())
    if (face.is_piece && face.is_separated) released.block(face.cell_block)[face.cell] = 1;
  layout.halo().gather(released, 1);
}

/// Solve once, if no wall depends on the pressure.
void Projection::Implementation::solve_once(CellField<double>& pressure) {
  solve(sticky, pressure, method.is_exact ? SolveRequest{} : paper_request());
  faces.for_each(pressure, [](WallFace& face, double) { face.velocity = 0.0; });
}

void Projection::Implementation::solve_walls(CellField<double>& pressure) {
  if (method.treats_all || report.wall_faces > 0) return method.solve(*this, pressure);
  solve_once(pressure);
  report.max_divergence = report.solve.max_residual / dx;
}

/// The largest divergence after flow through sticky walls and into separating walls has been removed. [1/s]
double Projection::Implementation::enforced_divergence(const CellField<double>& pressure) {
  faces.add_inflow(sticky, pressure, right_hand_side, [](const WallFace& face, double) {
    return (face.may_separate ? std::max(0.0, face.velocity) : 0.0) + (face.is_open ? face.pressure : 0.0);
  });
  return solver.chosen().max_residual(right_hand_side, pressure) / dx;
}

/// Add the rows of regions to the system and their terms to `sticky`. Collective
void Projection::Implementation::add_regions(const SolidFields& solids, const FaceField<double>& velocity,
                                             Bubbles* bubbles) {
  has_bubbles = bubbles != nullptr && !bubbles->bubbles.empty();
  std::vector<int> columns(has_bubbles ? bubbles->bubbles.size() : 0, 1);
  const auto n_bubbles = static_cast<int>(columns.size());
  if (std::exchange(keeps_rows, false) && !has_bubbles) {
    regions.begin_again();
    bodies->set_matrices(0, regions);
    return solver.set_regions(&regions);
  }
  if (bodies != nullptr) bodies->append_columns(columns);
  regions.reset(coefficients.unknown.layout(), columns);
  if (bodies != nullptr) add_bodies(solids, n_bubbles);
  if (has_bubbles) {
    bubble_rows.add(coefficients, solids, velocity, *bubbles, regions, sticky, bodies);
    bubble_rows.mark_rows(coefficients);
    bubble_rows.join(coefficients);
  }
  regions.finish();
  if (bodies != nullptr && !has_bubbles) {
    bodies->add_foreseen(0, regions);
    bodies->set_matrices(0, regions);
  }
  solver.set_regions(&regions);
}

/// Find the faces of walls whose condition depends on the pressure, and how fast liquid may leave them. Collective
void Projection::Implementation::collect_walls(const SolidFields& solids, const FaceField<double>& velocity,
                                               const CellField<double>& pressure) {
  has_wall_faces = walls_depend_on_pressure(solids);
  if (!has_wall_faces) {
    faces.clear();
    return;
  }
  faces.collect(coefficients, solids, velocity, has_floors ? &floors : nullptr);
  for (const WallFace& face : faces.own()) report.wall_faces += face.may_separate ? 1 : 0;
  largest_leaving = faces.largest(pressure, [](const WallFace& face, double) {
    return face.may_separate ? std::max(std::abs(face.leaving), std::abs(face.floor)) : 0.0;
  });
  numbers.sum(report.wall_faces);
  numbers.max(largest_leaving);
  numbers.reduce(comm);
}

ProjectionReport Projection::Implementation::project(const LabelField& labels, const SolidFields& solids,
                                                     FaceField<double>& velocity, CellField<double>& pressure,
                                                     const CellField<double>* inflow, const SurfacePlace& surface,
                                                     const SurfaceTension& tension, Bubbles* bubbles) {
  report = {};
  change = SystemChange::everything;
  const BlockLayout& layout = labels.layout();
  dx = layout.domain().dx();
  build_coefficients(labels, solids.open_fraction(), coefficients, {surface, parameters.theta_min, tension}, &velocity);
  outflow_right_hand_side(velocity, solids.open_fraction(), solids.velocity(), coefficients, sticky);
  subtract_body_flows(solids, coefficients.unknown, sticky);
  add_surface_pressure(coefficients, sticky);
  if (inflow != nullptr) add_inflow(*inflow, coefficients.unknown, sticky);
  add_regions(solids, velocity, bubbles);
  collect_walls(solids, velocity, pressure);
  const bool needs_sum = report.wall_faces > 0 || method.treats_all;
  if (needs_sum) {
    if (!method.is_exact) u_max = largest_face_velocity(velocity);
    right_hand_side.reset(layout, 0.0);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      if (coefficients.rows[static_cast<std::size_t>(b)].any != 0)
        std::copy_n(sticky.block(b), layout.cells_per_block(), right_hand_side.block(b));
    });
  }
  solve_walls(pressure);
  if (has_bubbles) bubble_rows.finish(regions, pressure, *bubbles);
  push_bodies(pressure);
  for (const WallFace& face : faces.own()) report.separated_faces += face.is_separated ? 1 : 0;
  if (report.wall_faces > 0) {
    numbers.sum(report.separated_faces);
    numbers.sum(report.set_changes);
    numbers.reduce(comm);
  }
  const bool is_enforced = method.is_exact || !needs_sum;
  report.enforced_divergence = is_enforced ? report.max_divergence : enforced_divergence(pressure);
  if (!method.is_exact && report.wall_faces > 0)
    report.complementarity = comm.max(faces.largest(pressure, [](const WallFace& face, double p) {
      if (!face.may_separate) return 0.0;
      const double p_s = face.velocity + p - face.leaving;  // u.n = w - p_c + p_s
      return std::abs(std::min(p_s, face.velocity));
    }));
  mark_released(solids);
  if (has_bubbles) bubble_rows.write(pressure);
  subtract_gradient(pressure, coefficients, solids.open_fraction(), velocity);
  if (has_wall_faces) {
    faces.write(velocity);
  } else {
    pressure::hold_walls(coefficients, solids, velocity);
  }
  return report;
}

Projection::Projection(const Communicator& comm, const PressureOptions& parameters)
    : implementation_(std::make_unique<Implementation>(comm, parameters)) {}

Projection::~Projection() = default;

ProjectionReport Projection::operator()(const LabelField& labels, const SolidFields& solids,
                                        FaceField<double>& velocity, CellField<double>& pressure,
                                        const CellField<double>* inflow, const SurfacePlace& surface,
                                        const SurfaceTension& tension, Bubbles* bubbles) {
  return implementation_->project(labels, solids, velocity, pressure, inflow, surface, tension, bubbles);
}

void Projection::watch(std::function<void(const OuterRound&)> watcher) {
  implementation_->watcher = std::move(watcher);
}

void Projection::watch_iterations(std::function<void(double)> watcher) {
  pressure::FallbackSolver& solver = implementation_->solver;
  if (!watcher) return solver.chosen().watch({});
  const double& dx = implementation_->dx;
  solver.chosen().watch([&dx, watcher = std::move(watcher)](double residual) { watcher(residual / dx); });
}

void Projection::keep_rows() {
  implementation_->keeps_rows = implementation_->bodies != nullptr;
}

void Projection::follow_bodies(const SolidFields& solids, FaceField<double>& velocity) {
  Implementation& self = *implementation_;
  if (!self.has_wall_faces) return;  // all walls are sticky
  self.faces.follow(solids);
  self.faces.write(velocity);
}

const CellField<std::uint8_t>* Projection::released() const {
  return implementation_->has_released ? &implementation_->released : nullptr;
}

const PoissonCoefficients& Projection::coefficients() const {
  return implementation_->coefficients;
}

Projection::Displacement Projection::displacement() {
  return {implementation_->sticky, implementation_->right_hand_side};
}

SolveReport Projection::displace(const SolidFields& solids, double part_of_lack, FaceField<double>& displacement,
                                 double tolerance) {
  Implementation& self = *implementation_;
  const auto [right_hand_side, solution] = this->displacement();
  FRESHET_EXPECT(right_hand_side.is_bound_to(self.coefficients.unknown.layout()));
  self.solver.set_regions(self.has_bubbles ? &self.regions : nullptr);  // bodies hold their places
  if (self.has_wall_faces) {
    self.faces.open([](const WallFace&) { return false; }, self.coefficients.diagonal);
    self.change = SystemChange::diagonal;
  }
  if (self.has_bubbles) self.bubble_rows.begin_displacement(part_of_lack, self.regions, right_hand_side);
  const std::vector<LocalIndex> changed_blocks = self.faces.take_changed_blocks();
  const SolveReport report = self.solver.chosen().solve(self.coefficients, right_hand_side, solution,
                                                        {.tolerance = tolerance,
                                                         .max_residual = any_residual,
                                                         .change = self.change,
                                                         .changed_blocks = changed_blocks,
                                                         .warm_start = false,
                                                         .measures = false});
  self.change = SystemChange::nothing;
  if (self.has_bubbles) self.bubble_rows.extend_displacement(self.regions, solution);
  self.coefficients.surface.tension = {};  // the displacement's potential is 0 at the surface
  find_descent(solution, self.coefficients, solids.open_fraction(), displacement);
  return report;
}

void Projection::try_options(const LabelField& labels, const SolidFields& solids) {
  Implementation& self = *implementation_;
  build_coefficients(labels, solids.open_fraction(), self.coefficients);
  self.solver.set_regions(self.has_bubbles ? &self.regions : nullptr);  // bodies hold their places
  self.sticky.reset(labels.layout(), 0.0);
  self.right_hand_side.reset(labels.layout(), 0.0);
  self.solver.chosen().try_options(self.coefficients, self.sticky, self.right_hand_side);
}

}  // namespace freshet
