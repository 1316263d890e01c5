// SPDX-License-Identifier: Apache-2.0
// The wall methods of Eckert (2014), chapter 3, on wall faces.
#include "pressure/walls/projection_implementation.hpp"

#include <algorithm>
#include <cmath>

namespace freshet::pressure {
namespace {

constexpr double paper_divergence = 1e-2;  ///< default threshold as a part of u_max / dx

/// The largest divergence that a threshold allows. [1/s]
double outer_divergence(Projection::Implementation& self, double epsilon) {
  return epsilon > 0.0 ? epsilon : paper_divergence * self.u_max / self.dx;
}

/// Decide which faces liquid leaves in this step (algorithm 3, by face). \pre velocities and pressures of a solve
void classify(Projection::Implementation& self, const CellField<double>& pressure) {
  const bool by_velocity = self.walls.classification == WallClassification::velocity;
  self.faces.for_each(pressure, [by_velocity](WallFace& face, double p) {
    face.is_separated = face.may_separate && (by_velocity ? face.velocity > 0.0 : p < 0.0);
  });
}

/// The second proximal operator: set the flow through faces that are not separated to 0. On separated faces the
/// velocity is free in both directions, so that every method projects onto the same subspaces.
void ensure_walls(Projection::Implementation& self, const CellField<double>& pressure) {
  self.faces.for_each(pressure, [](WallFace& face, double) {
    if (!face.is_separated) face.velocity = 0.0;
  });
}

/// Set the right-hand side to b plus the inflow from wall faces. On an open face the p~ of the last solve is added,
/// because the face's velocity already contains that pressure.
template <class Velocity>
void gather_inflow(Projection::Implementation& self, const CellField<double>& pressure, Velocity velocity) {
  self.faces.add_inflow(self.sticky, pressure, self.right_hand_side, [velocity](const WallFace& face, double) {
    return velocity(face) + (face.is_open ? face.pressure : 0.0);
  });
}

/// The largest divergence of the present velocity. [1/s] \pre each face's pressure is the field's
double divergence_left(Projection::Implementation& self, const CellField<double>& pressure) {
  gather_inflow(self, pressure, [](const WallFace& face) { return face.velocity; });
  return self.solver.chosen().max_residual(self.right_hand_side, pressure) / self.dx;
}

/// Open all wall faces, those of sticky walls as well.
void open_all_faces(Projection::Implementation& self) {
  self.faces.open([](const WallFace&) { return true; }, self.coefficients.diagonal);
}

/// u <- P u, the first proximal operator: make u divergence-free with p = 0 on the open wall faces.
void project_with_open_faces(Projection::Implementation& self, CellField<double>& pressure) {
  gather_inflow(self, pressure, [](const WallFace& face) { return face.velocity; });
  self.solve(self.right_hand_side, pressure, self.paper_request());
  self.faces.for_each(pressure, [](WallFace& face, double p) {
    if (face.is_open) face.velocity -= p - face.pressure;
    face.pressure = p;
  });
}

}  // namespace

/// OrigPSSep (algorithm 5): all walls are sticky in the system; separated faces differ only in the update.
void original_separating(Projection::Implementation& self, CellField<double>& pressure) {
  self.solve(self.sticky, pressure, self.paper_request());
  self.faces.for_each(pressure, [](WallFace& face, double p) {
    face.velocity = face.leaving - p;  // as if the solid were air
    face.pressure = p;
  });
  classify(self, pressure);
  ensure_walls(self, pressure);
  self.report.max_divergence = divergence_left(self, pressure);
}

/// IOPDivSepBC (section 3.5): as OrigPSSep, then further solves with the separated faces in the system, until the
/// divergence is small.
void iop_bc(Projection::Implementation& self, CellField<double>& pressure) {
  original_separating(self, pressure);
  self.tell_round();
  const double goal = outer_divergence(self, self.walls.epsilon_idiv);
  if (self.report.max_divergence <= goal) return;
  self.report.set_changes =
      self.faces.open([](const WallFace& face) { return face.is_separated; }, self.coefficients.diagonal);
  self.change = SystemChange::diagonal;
  while (self.report.max_divergence > goal) {
    if (self.report.outer_iterations >= self.walls.max_outer) return self.give_up_outer();
    project_with_open_faces(self, pressure);
    ensure_walls(self, pressure);
    self.report.max_divergence = divergence_left(self, pressure);
    self.tell_round();
  }
}

/// IOP (algorithm 4): projections and walls in turn, on one velocity field.
void iop(Projection::Implementation& self, CellField<double>& pressure) {
  open_all_faces(self);
  const double goal = outer_divergence(self, self.walls.epsilon_idiv);
  while (true) {
    project_with_open_faces(self, pressure);
    if (self.report.outer_iterations == 1) classify(self, pressure);
    ensure_walls(self, pressure);
    self.report.max_divergence = divergence_left(self, pressure);
    self.tell_round();
    if (self.report.max_divergence <= goal) return;
    if (self.report.outer_iterations >= self.walls.max_outer) return self.give_up_outer();
  }
}

/// ADMM (algorithm 2). Its second velocity field v and the dual q differ from the first only on wall faces.
void admm(Projection::Implementation& self, CellField<double>& pressure) {
  open_all_faces(self);
  const double goal = outer_divergence(self, self.walls.epsilon_adiv);
  const double difference = self.walls.epsilon_aabs + self.walls.epsilon_arel * self.u_max;
  const auto v_of = [](const WallFace& face) { return face.is_separated ? face.velocity + face.dual : 0.0; };
  while (true) {
    project_with_open_faces(self, pressure);
    if (self.report.outer_iterations == 1) classify(self, pressure);
    const double r = self.comm.max(self.faces.largest(
        pressure, [&](const WallFace& face, double) { return std::abs(face.velocity - v_of(face)); }));
    const bool last = self.report.outer_iterations >= self.walls.max_outer;
    if (self.walls.stopping == WallStopping::velocity && (r <= difference || last)) {
      self.report.max_divergence = divergence_left(self, pressure);
      self.tell_round(r);
      if (r > difference) self.give_up_outer();
      return;
    }
    self.faces.for_each(pressure, [&](WallFace& face, double) {
      const double v = v_of(face);
      face.dual += face.velocity - v;
      face.velocity = v - face.dual;
    });
    if (self.walls.stopping == WallStopping::velocity && !self.watcher) continue;
    self.report.max_divergence = divergence_left(self, pressure);
    self.tell_round(r);
    if (self.walls.stopping == WallStopping::velocity) continue;
    if (self.report.max_divergence <= goal) return;
    if (last) return self.give_up_outer();
  }
}

}  // namespace freshet::pressure
