// SPDX-License-Identifier: Apache-2.0
#include "freshet/pressure/projection.hpp"

#include "freshet/core/error.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/face_maximum.hpp"
#include "freshet/grid/halo.hpp"
#include "wall_faces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {

using pressure::WallFace;
using pressure::WallFaces;

namespace {

constexpr int more_iterations = 10;        ///< times as many in a second try
constexpr double any_norm = 1e100;         ///< a tolerance that every |r| meets
constexpr double any_residual = 1e100;     ///< a limit that the |r| of every cell meets
constexpr double rough_tolerance = 1e-2;   ///< of the solve that finds most of the separated faces
constexpr double paper_divergence = 1e-2;  ///< of the largest velocity over dx, where a threshold is left open

/// How far a face is from complementarity: |min(p_s, (u - u_s).n)| with the other of the two at 0. [m/s]
double violation(const WallFace& face, double p) {
  if (!face.may_separate) return 0.0;
  return face.is_separated ? p - face.leaving : face.leaving - p;
}

std::string what_was_reached(const char* who, const SolveReport& report) {
  return fmt::format("{}: {} after {} iterations, relative residual {:.2e}, largest residual {:.2e} m/s", who,
                     report.reason, report.iterations, report.relative_residual, report.max_residual);
}

const char* name_of(Preconditioner preconditioner) {
  constexpr const char* names[] = {"multigrid", "mic0", "icc", "hypre", "gamg", "jacobi", "none"};
  return names[static_cast<std::size_t>(preconditioner)];
}

/// b_c += what the cell gives, where it has an unknown.
void add_inflow(const CellField<double>& inflow, const CellField<std::uint8_t>& unknown, CellField<double>& b) {
  const BlockLayout& layout = b.layout();
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
    for (int c = 0; c < layout.cells_per_block(); ++c)
      if (unknown.block(block)[c] != 0) b.block(block)[c] += inflow.block(block)[c];
  });
}

}  // namespace

struct Projection::Implementation {
  Implementation(const Communicator& communicator, const Parameters::Pressure& pressure_parameters)
      : comm(communicator), parameters(pressure_parameters), walls(parameters.walls), solver(comm, parameters) {}

  ProjectionReport project(const LabelField& labels, const SolidFields& solids, FaceField<double>& velocity,
                           CellField<double>& pressure, const CellField<double>* inflow);
  void solve_walls(CellField<double>& pressure);
  void solve_once(CellField<double>& pressure);
  void complementarity(CellField<double>& pressure);
  void original_separating(CellField<double>& pressure);
  void iop_bc(CellField<double>& pressure);
  void iop(CellField<double>& pressure);
  void admm(CellField<double>& pressure);

  void solve(const CellField<double>& target, CellField<double>& pressure, SolveRequest request);
  void retry(const CellField<double>& target, CellField<double>& pressure, SolveRequest request,
             const SolveReport& failed);
  void project_with_open_faces(CellField<double>& pressure);
  void classify(const CellField<double>& pressure);
  void ensure_walls(const CellField<double>& pressure);
  template <class Velocity>
  void gather_inflow(const CellField<double>& pressure, Velocity velocity);
  double divergence_left(const CellField<double>& pressure);
  SolveRequest paper_request() const;
  std::string aim_of(const SolveRequest& request) const;
  double enforced_divergence(const CellField<double>& pressure);
  double outer_divergence(double epsilon) const { return epsilon > 0.0 ? epsilon : paper_divergence * u_max / dx; }
  void give_up_outer() { report.outer_converged = false; }

  const Communicator& comm;
  Parameters::Pressure parameters;
  const Parameters::Pressure::Walls& walls;
  PressureSolver solver;
  std::unique_ptr<PressureSolver> second_solver;  ///< made when it is first needed
  PoissonCoefficients coefficients;
  CellField<double> sticky;           ///< right-hand side with closed walls
  CellField<double> right_hand_side;  ///< the same with what comes from walls
  WallFaces faces;
  ProjectionReport report;
  SystemChange change = SystemChange::everything;  ///< since the last solve
  double dx = 1.0;                                 ///< [m]
  double u_max = 0.0;                              ///< largest component of u* [m/s]
};

// ------------------------------------------------------------------------------------------------------- one solve

void Projection::Implementation::solve(const CellField<double>& target, CellField<double>& pressure,
                                       SolveRequest request) {
  request.change = change;
  const std::vector<LocalIndex> changed_blocks = faces.take_changed_blocks();
  request.changed_blocks = changed_blocks;
  SolveReport done = solver.solve(coefficients, target, pressure, request);
  change = SystemChange::nothing;
  const SolveReport before = report.solve;
  report.solve = done;
  if (!done.converged) retry(target, pressure, request, done);
  report.solve.iterations += before.iterations;
  report.solve.setup_seconds += before.setup_seconds;
  report.solve.solve_seconds += before.solve_seconds;
  ++report.outer_iterations;
}

void Projection::Implementation::retry(const CellField<double>& target, CellField<double>& pressure,
                                       SolveRequest request, const SolveReport& failed) {
  if (!second_solver) {
    Parameters::Pressure second = parameters;
    second.preconditioner = Preconditioner::mic0;
    second.max_iterations = static_cast<int>(std::min<std::int64_t>(
        std::int64_t{more_iterations} * parameters.max_iterations, std::numeric_limits<int>::max()));
    second.petsc.clear();
    second_solver = std::make_unique<PressureSolver>(comm, second, "second_pressure_");
  }
  request.change = SystemChange::everything;
  request.warm_start = false;  // the first solver may have left anything
  const SolveReport done = second_solver->solve(coefficients, target, pressure, request);
  const std::string first = what_was_reached(name_of(parameters.preconditioner), failed);
  if (!done.converged)
    throw RunError(
        fmt::format("the pressure solve did not converge to {} ({}; then {}). Raise pressure.max_iterations or what it "
                    "aims at, or try another pressure.preconditioner",
                    aim_of(request), first, what_was_reached("mic0", done)));
  report.retried = first;
  report.solve = done;
  report.solve.iterations += failed.iterations;
}

std::string Projection::Implementation::aim_of(const SolveRequest& request) const {
  if (request.tolerance == any_norm) return fmt::format("a divergence of {:.1e} 1/s", request.max_residual / dx);
  return fmt::format("a relative residual of {:.1e}",
                     request.tolerance > 0.0 ? request.tolerance : parameters.tolerance);
}

/// As far as epsilon_cg says, or else as the other parameters do.
SolveRequest Projection::Implementation::paper_request() const {
  SolveRequest request;
  request.min_iterations = report.outer_iterations > 0 ? 1 : 0;  // an outer loop must get on
  if (walls.epsilon_cg > 0.0) {
    request.tolerance = any_norm;
    request.max_residual = walls.epsilon_cg * dx;
  }
  return request;
}

/// Nothing depends on the pressure at the walls: one solve.
void Projection::Implementation::solve_once(CellField<double>& pressure) {
  solve(sticky, pressure, walls.method == WallMethod::complementarity ? SolveRequest{} : paper_request());
  faces.for_each(pressure, [](WallFace& face, double) { face.velocity = 0.0; });
}

// ---------------------------------------------------------------------------------------------------- complementarity

void Projection::Implementation::complementarity(CellField<double>& pressure) {
  const double scale = comm.max(faces.largest(
      pressure, [](const WallFace& face, double) { return face.may_separate ? std::abs(face.leaving) : 0.0; }));
  const double limit = parameters.tolerance * scale;
  const auto look_again = [](WallFace& face, double p) { face.is_separated = face.may_separate && face.leaving > p; };
  coefficients.unknown.layout().halo().gather(pressure, 1);
  faces.for_each(pressure, look_again);
  faces.open([](const WallFace& face) { return face.is_separated; }, coefficients.diagonal);
  for (bool rough = walls.max_outer > 1;; rough = false) {
    faces.add_inflow(sticky, pressure, right_hand_side,
                     [](const WallFace& face, double) { return face.is_separated ? face.leaving : 0.0; });
    solve(right_hand_side, pressure, {.tolerance = rough ? rough_tolerance : 0.0});
    report.complementarity = comm.max(faces.largest(pressure, violation));
    if (!rough && report.complementarity <= limit) break;
    if (report.outer_iterations >= walls.max_outer)
      throw RunError(
          fmt::format("the separated faces of the walls did not settle in {} solves (complementarity {:.2e} m/s, aimed "
                      "at {:.2e}). Raise pressure.walls.max_outer or pressure.tolerance",
                      walls.max_outer, report.complementarity, limit));
    faces.for_each(pressure, look_again);
    const GlobalIndex changed =
        comm.sum(faces.open([](const WallFace& face) { return face.is_separated; }, coefficients.diagonal));
    report.set_changes += changed;
    if (changed > 0) change = SystemChange::diagonal;
  }
  faces.for_each(pressure, [](WallFace& face, double p) {
    face.velocity = face.is_separated ? std::max(0.0, face.leaving - p) : 0.0;
  });
  report.max_divergence = report.solve.max_residual / dx;
}

// ---------------------------------------------------------------------------------------- the methods of Eckert (2014)

/// Which faces liquid leaves in this step (algorithm 3, a face at a time). \pre velocities and pressures of a solve
void Projection::Implementation::classify(const CellField<double>& pressure) {
  const bool by_velocity = walls.classification == WallClassification::velocity;
  faces.for_each(pressure, [by_velocity](WallFace& face, double p) {
    face.is_separated = face.may_separate && (by_velocity ? face.velocity > 0.0 : p < 0.0);
  });
}

/// The second proximal operator: the walls hold what they have not let go. Where they have, the velocity stays free in
/// both directions, so that every method projects on the same subspaces.
void Projection::Implementation::ensure_walls(const CellField<double>& pressure) {
  faces.for_each(pressure, [](WallFace& face, double) {
    if (!face.is_separated) face.velocity = 0.0;
  });
}

/// b + the inflow from wall faces, as increments of the pressure need it: an open face's p~ of before stands on both
/// sides.
template <class Velocity>
void Projection::Implementation::gather_inflow(const CellField<double>& pressure, Velocity velocity) {
  faces.add_inflow(sticky, pressure, right_hand_side, [velocity](const WallFace& face, double) {
    return velocity(face) + (face.is_open ? face.pressure : 0.0);
  });
}

/// Of the velocity as it stands. [1/s] \pre each face's pressure is the field's
double Projection::Implementation::divergence_left(const CellField<double>& pressure) {
  gather_inflow(pressure, [](const WallFace& face) { return face.velocity; });
  return solver.max_residual(right_hand_side, pressure) / dx;
}

/// Of the velocity that the walls will let pass: nothing through them, and nothing into those that liquid may leave.
double Projection::Implementation::enforced_divergence(const CellField<double>& pressure) {
  gather_inflow(pressure, [](const WallFace& face) { return face.may_separate ? std::max(0.0, face.velocity) : 0.0; });
  return solver.max_residual(right_hand_side, pressure) / dx;
}

/// u <- P u, the first proximal operator: free of divergence, with p = 0 on the open wall faces.
void Projection::Implementation::project_with_open_faces(CellField<double>& pressure) {
  gather_inflow(pressure, [](const WallFace& face) { return face.velocity; });
  solve(right_hand_side, pressure, paper_request());
  faces.for_each(pressure, [](WallFace& face, double p) {
    if (face.is_open) face.velocity -= p - face.pressure;
    face.pressure = p;
  });
}

/// OrigPSSep (algorithm 5): sticky walls in the system, separated ones in the update.
void Projection::Implementation::original_separating(CellField<double>& pressure) {
  solve(sticky, pressure, paper_request());
  faces.for_each(pressure, [](WallFace& face, double p) {
    face.velocity = face.leaving - p;  // if the solid were air
    face.pressure = p;
  });
  classify(pressure);
  ensure_walls(pressure);
  report.max_divergence = divergence_left(pressure);
}

/// IOPDivSepBC (section 3.5): the same, and on with separated faces in the system until the divergence is gone.
void Projection::Implementation::iop_bc(CellField<double>& pressure) {
  original_separating(pressure);
  const double goal = outer_divergence(walls.epsilon_idiv);
  if (report.max_divergence <= goal) return;
  report.set_changes =
      comm.sum(faces.open([](const WallFace& face) { return face.is_separated; }, coefficients.diagonal));
  change = SystemChange::diagonal;
  while (report.max_divergence > goal) {
    if (report.outer_iterations >= walls.max_outer) return give_up_outer();
    project_with_open_faces(pressure);
    ensure_walls(pressure);
    report.max_divergence = divergence_left(pressure);
  }
}

/// IOP (algorithm 4): projections and walls in turn, on one velocity field.
void Projection::Implementation::iop(CellField<double>& pressure) {
  const double goal = outer_divergence(walls.epsilon_idiv);
  while (true) {
    project_with_open_faces(pressure);
    if (report.outer_iterations == 1) classify(pressure);
    ensure_walls(pressure);
    report.max_divergence = divergence_left(pressure);
    if (report.max_divergence <= goal) return;
    if (report.outer_iterations >= walls.max_outer) return give_up_outer();
  }
}

/// ADMM (algorithm 2). Its second velocity field v and the dual q differ from the first only on wall faces.
void Projection::Implementation::admm(CellField<double>& pressure) {
  const double goal = outer_divergence(walls.epsilon_adiv);
  const double difference = walls.epsilon_aabs + walls.epsilon_arel * u_max;
  const auto v_of = [](const WallFace& face) { return face.is_separated ? face.velocity + face.dual : 0.0; };
  while (true) {
    project_with_open_faces(pressure);
    if (report.outer_iterations == 1) classify(pressure);
    const double r = comm.max(
        faces.largest(pressure, [&](const WallFace& face, double) { return std::abs(face.velocity - v_of(face)); }));
    const bool last = report.outer_iterations >= walls.max_outer;
    if (walls.stopping == WallStopping::velocity && (r <= difference || last)) {
      report.max_divergence = divergence_left(pressure);
      if (r > difference) give_up_outer();
      return;
    }
    faces.for_each(pressure, [&](WallFace& face, double) {
      const double v = v_of(face);
      face.dual += face.velocity - v;
      face.velocity = v - face.dual;
    });
    if (walls.stopping == WallStopping::velocity) continue;
    report.max_divergence = divergence_left(pressure);
    if (report.max_divergence <= goal) return;
    if (last) return give_up_outer();
  }
}

// ------------------------------------------------------------------------------------------------------ the projection

void Projection::Implementation::solve_walls(CellField<double>& pressure) {
  const bool agrees = walls.method == WallMethod::admm || walls.method == WallMethod::iop;
  if (agrees) {
    faces.open([](const WallFace&) { return true; }, coefficients.diagonal);
    return walls.method == WallMethod::admm ? admm(pressure) : iop(pressure);
  }
  if (report.wall_faces == 0) {
    solve_once(pressure);
    report.max_divergence = report.solve.max_residual / dx;
    return;
  }
  if (walls.method == WallMethod::complementarity) return complementarity(pressure);
  return walls.method == WallMethod::cg ? original_separating(pressure) : iop_bc(pressure);
}

ProjectionReport Projection::Implementation::project(const LabelField& labels, const SolidFields& solids,
                                                     FaceField<double>& velocity, CellField<double>& pressure,
                                                     const CellField<double>* inflow) {
  report = {};
  change = SystemChange::everything;
  const BlockLayout& layout = labels.layout();
  dx = layout.domain().dx();
  layout.halo().gather(velocity, 1);
  build_coefficients(labels, solids.open_fraction(), coefficients);
  outflow_right_hand_side(velocity, solids.open_fraction(), solids.velocity(), coefficients.unknown, sticky);
  if (inflow != nullptr) add_inflow(*inflow, coefficients.unknown, sticky);
  faces.collect(coefficients, solids, velocity);
  for (const WallFace& face : faces.own()) report.wall_faces += face.may_separate ? 1 : 0;
  report.wall_faces = comm.sum(report.wall_faces);
  const bool needs_sum = report.wall_faces > 0 || walls.method == WallMethod::admm || walls.method == WallMethod::iop;
  if (needs_sum) {
    u_max = largest_face_velocity(velocity);
    right_hand_side.reset(layout, 0.0);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      std::copy_n(sticky.block(b), layout.cells_per_block(), right_hand_side.block(b));
    });
  }
  solve_walls(pressure);
  for (const WallFace& face : faces.own()) report.separated_faces += face.is_separated ? 1 : 0;
  report.separated_faces = report.wall_faces > 0 ? comm.sum(report.separated_faces) : 0;
  const bool is_enforced = walls.method == WallMethod::complementarity || !needs_sum;
  report.enforced_divergence = is_enforced ? report.max_divergence : enforced_divergence(pressure);
  if (walls.method != WallMethod::complementarity && report.wall_faces > 0)
    report.complementarity = comm.max(faces.largest(pressure, [](const WallFace& face, double p) {
      if (!face.may_separate) return 0.0;
      const double p_s = face.velocity + p - face.leaving;  // u.n = w - p_c + p_s
      return std::abs(std::min(p_s, face.velocity));
    }));
  subtract_gradient(pressure, coefficients, solids.open_fraction(), velocity);
  faces.write(velocity);
  return report;
}

Projection::Projection(const Communicator& comm, const Parameters::Pressure& parameters)
    : implementation_(std::make_unique<Implementation>(comm, parameters)) {}

Projection::~Projection() = default;

ProjectionReport Projection::operator()(const LabelField& labels, const SolidFields& solids,
                                        FaceField<double>& velocity, CellField<double>& pressure,
                                        const CellField<double>* inflow) {
  return implementation_->project(labels, solids, velocity, pressure, inflow);
}

SolveReport Projection::displace(const SolidFields& solids, const CellField<double>& right_hand_side,
                                 CellField<double>& solution, FaceField<double>& displacement, double tolerance) {
  Implementation& self = *implementation_;
  FRESHET_EXPECT(right_hand_side.is_bound_to(self.coefficients.unknown.layout()));
  const GlobalIndex closed =
      self.comm.sum(self.faces.open([](const WallFace&) { return false; }, self.coefficients.diagonal));
  if (closed > 0) self.change = SystemChange::diagonal;
  const std::vector<LocalIndex> changed_blocks = self.faces.take_changed_blocks();
  const SolveReport report = self.solver.solve(
      self.coefficients, right_hand_side, solution,
      {.tolerance = tolerance, .max_residual = any_residual, .change = self.change, .changed_blocks = changed_blocks});
  self.change = SystemChange::nothing;
  displacement.fill(0.0);
  subtract_gradient(solution, self.coefficients, solids.open_fraction(), displacement);
  return report;
}

void Projection::try_options(const LabelField& labels, const SolidFields& solids) {
  Implementation& self = *implementation_;
  build_coefficients(labels, solids.open_fraction(), self.coefficients);
  self.sticky.reset(labels.layout(), 0.0);
  self.right_hand_side.reset(labels.layout(), 0.0);
  self.solver.try_options(self.coefficients, self.sticky, self.right_hand_side);
}

}  // namespace freshet
