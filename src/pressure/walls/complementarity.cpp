// SPDX-License-Identifier: Apache-2.0
// The semismooth Newton method of Projection, which solves separating walls exactly.
#include "freshet/core/error.hpp"
#include "freshet/grid/halo.hpp"
#include "pressure/walls/projection_implementation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace freshet::pressure {
namespace {

constexpr double rough_tolerance = 1e-2;  ///< tolerance of the solve that finds most of the separated faces

/// Violation of complementarity: -(u - u_s).n of a separated face, -p_s of another; below 0 if there is none. [m/s]
double violation(const WallFace& face, double p) {
  if (!face.may_separate) return 0.0;
  return face.is_separated ? (p - face.floor) / face.theta : face.floor - p;
}

/// Choose the constant of the pressure in each sealed body. If the body need not grow, no face separates and the lowest
/// p_s of its wall faces is 0. If it must grow, the face with the lowest pressure separates first.
void lower_sealed_bodies(Projection::Implementation& self, CellField<double>& pressure, double limit) {
  if (self.report.solve.sealed_bodies == 0) return;
  std::vector<PressureFloor> floors;
  for (const WallFace& face : self.faces.own())
    if (face.may_separate) floors.push_back({face.cell_block, face.cell, face.floor});
  self.solver.chosen().lower_sealed_bodies(floors, limit, pressure);
}

}  // namespace

void complementarity(Projection::Implementation& self, CellField<double>& pressure) {
  const double limit = self.parameters.tolerance * self.largest_leaving;
  const auto choose_separated = [](WallFace& face, double p) {
    face.is_separated = face.may_separate && face.floor > p;
  };
  self.coefficients.unknown.layout().halo().gather(pressure, 1);
  self.faces.for_each(pressure, choose_separated);
  self.faces.open([](const WallFace& face) { return face.is_separated; }, self.coefficients.diagonal);
  for (bool rough = self.walls.max_outer > 1;; rough = false) {
    self.faces.add_inflow(self.sticky, pressure, self.right_hand_side, [](const WallFace& face, double) {
      return face.is_separated ? face.floor / face.theta : 0.0;
    });
    self.solve(self.right_hand_side, pressure, {.tolerance = rough ? rough_tolerance : 0.0, .measures = !rough});
    lower_sealed_bodies(self, pressure, limit);
    if (!rough) self.report.complementarity = self.comm.max(self.faces.largest(pressure, violation));
    if (!rough && self.report.complementarity <= limit) break;
    if (self.report.outer_iterations >= self.walls.max_outer)
      throw RunError(fmt::format(
          "the separated faces of the walls still changed after {} solves (complementarity {:.2e} m/s, aimed "
          "at {:.2e}). Raise pressure.walls.max_outer or pressure.tolerance (inputs/troubleshooting.md#residual)",
          self.walls.max_outer, self.report.complementarity, limit));
    self.faces.for_each(pressure, choose_separated);
    self.report.set_changes +=
        self.faces.open([](const WallFace& face) { return face.is_separated; }, self.coefficients.diagonal);
    self.change = SystemChange::diagonal;  // also where no face changed: that costs one update
  }
  self.faces.for_each(pressure, [](WallFace& face, double p) {
    face.velocity = face.is_separated ? std::max(0.0, (face.floor - p) / face.theta) : 0.0;
  });
  self.report.max_divergence = self.report.solve.max_residual / self.dx;
}

}  // namespace freshet::pressure
