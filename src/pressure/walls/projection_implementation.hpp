// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/linear/regions.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/pressure/projection.hpp"
#include "pressure/fallback_solver.hpp"
#include "pressure/regions/bubble_rows.hpp"
#include "pressure/walls/wall_faces.hpp"

namespace freshet {

/// The state of a projection, and the wall methods. Each method leaves the velocities of the wall faces in `faces`.
struct Projection::Implementation {
  /// A wall method, a row of the table in wall_methods.cpp.
  struct WallModel {
    WallMethod method;
    bool treats_all;  ///< it solves for the flow at sticky walls, too
    bool is_exact;    ///< it solves to pressure.tolerance; others stop at thresholds of their own
    void (Implementation::*solve)(CellField<double>& pressure);
  };
  static const WallModel& model_of(WallMethod method);

  Implementation(const Communicator& communicator, const PressureOptions& pressure_parameters)
      : comm(communicator),
        parameters(pressure_parameters),
        walls(parameters.walls),
        model(model_of(walls.method)),
        solver(comm, parameters) {}

  ProjectionReport project(const LabelField& labels, const SolidFields& solids, FaceField<double>& velocity,
                           CellField<double>& pressure, const CellField<double>* inflow, const SurfacePlace& surface,
                           const SurfaceTension& tension, Bubbles* bubbles);
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

  // complementarity.cpp
  void complementarity(CellField<double>& pressure);
  void lower_sealed_bodies(CellField<double>& pressure, double limit);

  // eckert.cpp
  void original_separating(CellField<double>& pressure);
  void iop_bc(CellField<double>& pressure);
  void iop(CellField<double>& pressure);
  void admm(CellField<double>& pressure);

  void open_all_faces();
  void project_with_open_faces(CellField<double>& pressure);
  void classify(const CellField<double>& pressure);
  void ensure_walls(const CellField<double>& pressure);
  template <class Velocity>
  void gather_inflow(const CellField<double>& pressure, Velocity velocity);
  double divergence_left(const CellField<double>& pressure);
  double enforced_divergence(const CellField<double>& pressure);
  double outer_divergence(double epsilon) const;
  void give_up_outer() { report.outer_converged = false; }
  /// Tell the watcher, if there is one, of the round that has ended. \pre report.max_divergence is that of the round
  void tell_round(double difference = 0.0) const {
    if (watcher) watcher({report.outer_iterations, report.max_divergence, difference});
  }

  const Communicator& comm;
  PressureOptions parameters;
  const WallOptions& walls;
  const WallModel& model;
  pressure::FallbackSolver solver;
  PoissonCoefficients coefficients;
  FreeBodies* bodies = nullptr;       ///< bodies that the pressure moves; null: none
  CellField<double> sticky;           ///< right-hand side with closed walls
  CellField<double> right_hand_side;  ///< `sticky` plus the inflow from open wall faces
  Regions regions;                    ///< numbers that many cells share: pressures of bubbles or velocities of bodies
  bool has_bubbles = false;           ///< same on all ranks
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
