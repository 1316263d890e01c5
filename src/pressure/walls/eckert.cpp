// SPDX-License-Identifier: Apache-2.0
// The wall methods of Eckert (2014), chapter 3, on wall faces.
#include "pressure/walls/projection_implementation.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

using pressure::WallFace;

namespace {

constexpr double paper_divergence = 1e-2;  ///< default threshold as a part of u_max / dx

}  // namespace

/// The largest divergence that a threshold allows. [1/s]
double Projection::Implementation::outer_divergence(double epsilon) const {
  return epsilon > 0.0 ? epsilon : paper_divergence * u_max / dx;
}

/// Decide which faces liquid leaves in this step (algorithm 3, by face). \pre velocities and pressures of a solve
void Projection::Implementation::classify(const CellField<double>& pressure) {
  const bool by_velocity = walls.classification == WallClassification::velocity;
  faces.for_each(pressure, [by_velocity](WallFace& face, double p) {
    face.is_separated = face.may_separate && (by_velocity ? face.velocity > 0.0 : p < 0.0);
  });
}

/// The second proximal operator: set the flow through faces that are not separated to 0. On separated faces the
/// velocity is free in both directions, so that every method projects onto the same subspaces.
void Projection::Implementation::ensure_walls(const CellField<double>& pressure) {
  faces.for_each(pressure, [](WallFace& face, double) {
    if (!face.is_separated) face.velocity = 0.0;
  });
}

/// Set the right-hand side to b plus the inflow from wall faces. On an open face the p~ of the last solve is added,
/// because the face's velocity already contains that pressure.
template <class Velocity>
void Projection::Implementation::gather_inflow(const CellField<double>& pressure, Velocity velocity) {
  faces.add_inflow(sticky, pressure, right_hand_side, [velocity](const WallFace& face, double) {
    return velocity(face) + (face.is_open ? face.pressure : 0.0);
  });
}

/// The largest divergence of the present velocity. [1/s] \pre each face's pressure is the field's
double Projection::Implementation::divergence_left(const CellField<double>& pressure) {
  gather_inflow(pressure, [](const WallFace& face) { return face.velocity; });
  return solver.chosen().max_residual(right_hand_side, pressure) / dx;
}

/// The largest divergence after flow through sticky walls and into separating walls has been removed. [1/s]
double Projection::Implementation::enforced_divergence(const CellField<double>& pressure) {
  gather_inflow(pressure, [](const WallFace& face) { return face.may_separate ? std::max(0.0, face.velocity) : 0.0; });
  return solver.chosen().max_residual(right_hand_side, pressure) / dx;
}

/// Open all wall faces, those of sticky walls as well.
void Projection::Implementation::open_all_faces() {
  faces.open([](const WallFace&) { return true; }, coefficients.diagonal);
}

/// u <- P u, the first proximal operator: make u divergence-free with p = 0 on the open wall faces.
void Projection::Implementation::project_with_open_faces(CellField<double>& pressure) {
  gather_inflow(pressure, [](const WallFace& face) { return face.velocity; });
  solve(right_hand_side, pressure, paper_request());
  faces.for_each(pressure, [](WallFace& face, double p) {
    if (face.is_open) face.velocity -= p - face.pressure;
    face.pressure = p;
  });
}

/// OrigPSSep (algorithm 5): all walls are sticky in the system; separated faces differ only in the update.
void Projection::Implementation::original_separating(CellField<double>& pressure) {
  solve(sticky, pressure, paper_request());
  faces.for_each(pressure, [](WallFace& face, double p) {
    face.velocity = face.leaving - p;  // as if the solid were air
    face.pressure = p;
  });
  classify(pressure);
  ensure_walls(pressure);
  report.max_divergence = divergence_left(pressure);
}

/// IOPDivSepBC (section 3.5): as OrigPSSep, then further solves with the separated faces in the system, until the
/// divergence is small.
void Projection::Implementation::iop_bc(CellField<double>& pressure) {
  original_separating(pressure);
  tell_round();
  const double goal = outer_divergence(walls.epsilon_idiv);
  if (report.max_divergence <= goal) return;
  report.set_changes = faces.open([](const WallFace& face) { return face.is_separated; }, coefficients.diagonal);
  change = SystemChange::diagonal;
  while (report.max_divergence > goal) {
    if (report.outer_iterations >= walls.max_outer) return give_up_outer();
    project_with_open_faces(pressure);
    ensure_walls(pressure);
    report.max_divergence = divergence_left(pressure);
    tell_round();
  }
}

/// IOP (algorithm 4): projections and walls in turn, on one velocity field.
void Projection::Implementation::iop(CellField<double>& pressure) {
  open_all_faces();
  const double goal = outer_divergence(walls.epsilon_idiv);
  while (true) {
    project_with_open_faces(pressure);
    if (report.outer_iterations == 1) classify(pressure);
    ensure_walls(pressure);
    report.max_divergence = divergence_left(pressure);
    tell_round();
    if (report.max_divergence <= goal) return;
    if (report.outer_iterations >= walls.max_outer) return give_up_outer();
  }
}

/// ADMM (algorithm 2). Its second velocity field v and the dual q differ from the first only on wall faces.
void Projection::Implementation::admm(CellField<double>& pressure) {
  open_all_faces();
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
      tell_round(r);
      if (r > difference) give_up_outer();
      return;
    }
    faces.for_each(pressure, [&](WallFace& face, double) {
      const double v = v_of(face);
      face.dual += face.velocity - v;
      face.velocity = v - face.dual;
    });
    if (walls.stopping == WallStopping::velocity && !watcher) continue;
    report.max_divergence = divergence_left(pressure);
    tell_round(r);
    if (walls.stopping == WallStopping::velocity) continue;
    if (report.max_divergence <= goal) return;
    if (last) return give_up_outer();
  }
}

}  // namespace freshet
