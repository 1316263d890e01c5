// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/linear/regions.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/pressure/projection.hpp"
#include "freshet/pressure/wall_methods.hpp"
#include "pressure/fallback_solver.hpp"
#include "pressure/regions/bubble_rows.hpp"
#include "pressure/walls/wall_faces.hpp"

namespace freshet {

/// The state of a projection, on which wall methods work. Each method leaves the velocities of the wall faces in
/// `faces`.
struct Projection::Implementation {
  Implementation(const Communicator& communicator, const PressureOptions& pressure_parameters)
      : comm(communicator),
        parameters(pressure_parameters),
        walls(parameters.walls),
        method(row_of(walls.method)),
        solver(comm, parameters) {}

  ProjectionReport project(const LabelField& labels, const SolidFields& solids, FaceField<double>& velocity,
                           CellField<double>& pressure, const CellField<double>* inflow, const SurfacePlace& surface,
                           const SurfaceTension& tension, Bubbles* bubbles);
  void collect_walls(const SolidFields& solids, const FaceField<double>& velocity, const CellField<double>& pressure);
  void add_regions(const SolidFields& solids, const FaceField<double>& velocity, Bubbles* bubbles);
  void solve_walls(CellField<double>& pressure);
  void solve_once(CellField<double>& pressure);
  void mark_released(const SolidFields& solids);
  void solve(const CellField<double>& target, CellField<double>& pressure, SolveRequest request);
  bool walls_depend_on_pressure(const SolidFields& solids) const;
  SolveRequest paper_request() const;

  // regions/body_coupling.cpp
  void add_bodies(const SolidFields& solids, int first);
  void push_bodies(const CellField<double>& pressure);

  double enforced_divergence(const CellField<double>& pressure);
  void give_up_outer() { report.outer_converged = false; }
  /// Tell the watcher, if there is one, of the round that has ended. \pre report.max_divergence is that of the round
  void tell_round(double difference = 0.0) const {
    if (watcher) watcher({report.outer_iterations, report.max_divergence, difference});
  }

  const Communicator& comm;
  PressureOptions parameters;
  const WallOptions& walls;
  const WallMethodRow& method;
  pressure::FallbackSolver solver;
  PoissonCoefficients coefficients;
  FreeBodies* bodies = nullptr;       ///< bodies that the pressure moves; null: none
  CellField<double> sticky;           ///< right-hand side with closed walls
  CellField<double> right_hand_side;  ///< `sticky` plus the inflow from open wall faces
  Regions regions;                    ///< numbers that many cells share: pressures of bubbles or velocities of bodies
  bool has_bubbles = false;           ///< same on all ranks
  bool keeps_rows = false;            ///< set by keep_rows() for one projection
  pressure::BubbleRows bubble_rows;
  CellField<double> floors;          ///< floors of WallFaces::collect()
  bool has_floors = false;           ///< liquid may leave a body that it moves; same on all ranks
  pressure::WallFaces faces;         ///< empty if has_wall_faces is false
  CellField<std::uint8_t> released;  ///< field of Projection::released()
  bool has_released = false;         ///< some body has cut cells that liquid may leave
  bool has_wall_faces = false;       ///< the flow at some wall depends on the pressure; same on all ranks
  ProjectionReport report;
  std::function<void(const OuterRound&)> watcher;  ///< told of each round; see Projection::watch()
  SystemChange change = SystemChange::everything;  ///< what has changed since the last solve
  Reduction numbers;                               ///< reduction for numbers of the report
  double dx = 1.0;                                 ///< [m]
  double largest_leaving = 0.0;                    ///< largest |WallFace::leaving| of a separating face [m/s]
  double u_max = 0.0;                              ///< largest component of u*, for the methods of eckert.cpp [m/s]
};

}  // namespace freshet
