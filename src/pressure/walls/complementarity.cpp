// SPDX-License-Identifier: Apache-2.0
// The semismooth Newton method of Projection, which solves separating walls exactly.
#include "freshet/core/error.hpp"
#include "freshet/grid/halo.hpp"
#include "pressure/walls/projection_implementation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace freshet {

using pressure::WallFace;

namespace {

constexpr double rough_tolerance = 1e-2;  ///< tolerance of the solve that finds most of the separated faces

/// Violation of complementarity: -(u - u_s).n of a separated face, -p_s of another; below 0 if there is none. [m/s]
double violation(const WallFace& face, double p) {
  if (!face.may_separate) return 0.0;
  return face.is_separated ? (p - face.floor) / face.theta : face.floor - p;
}

}  // namespace

/// Choose the constant of the pressure in each sealed body. If the body need not grow, no face separates and the lowest
/// p_s of its wall faces is 0. If it must grow, the face with the lowest pressure separates first.
void Projection::Implementation::lower_sealed_bodies(CellField<double>& pressure, double limit) {
  if (report.solve.sealed_bodies == 0) return;
  std::vector<PressureFloor> floors;
  for (const WallFace& face : faces.own())
    if (face.may_separate) floors.push_back({face.cell_block, face.cell, face.floor});
  solver.chosen().lower_sealed_bodies(floors, limit, pressure);
}

void Projection::Implementation::complementarity(CellField<double>& pressure) {
  const double limit = parameters.tolerance * largest_leaving;
  const auto choose_separated = [](WallFace& face, double p) {
    face.is_separated = face.may_separate && face.floor > p;
  };
  coefficients.unknown.layout().halo().gather(pressure, 1);
  faces.for_each(pressure, choose_separated);
  faces.open([](const WallFace& face) { return face.is_separated; }, coefficients.diagonal);
  for (bool rough = walls.max_outer > 1;; rough = false) {
    faces.add_inflow(sticky, pressure, right_hand_side,
                     [](const WallFace& face, double) { return face.is_separated ? face.floor / face.theta : 0.0; });
    solve(right_hand_side, pressure, {.tolerance = rough ? rough_tolerance : 0.0, .measures = !rough});
    lower_sealed_bodies(pressure, limit);
    if (!rough) report.complementarity = comm.max(faces.largest(pressure, violation));
    if (!rough && report.complementarity <= limit) break;
    if (report.outer_iterations >= walls.max_outer)
      throw RunError(fmt::format(
          "the separated faces of the walls still changed after {} solves (complementarity {:.2e} m/s, aimed "
          "at {:.2e}). Raise pressure.walls.max_outer or pressure.tolerance (inputs/troubleshooting.md#residual)",
          walls.max_outer, report.complementarity, limit));
    faces.for_each(pressure, choose_separated);
    report.set_changes += faces.open([](const WallFace& face) { return face.is_separated; }, coefficients.diagonal);
    change = SystemChange::diagonal;  // perhaps of none
  }
  faces.for_each(pressure, [](WallFace& face, double p) {
    face.velocity = face.is_separated ? std::max(0.0, (face.floor - p) / face.theta) : 0.0;
  });
  report.max_divergence = report.solve.max_residual / dx;
}

}  // namespace freshet
