// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/fluid_options.hpp"
#include "freshet/free_surface/empty_faces.hpp"
#include "freshet/free_surface/one_sided_faces.hpp"
#include "freshet/free_surface/surface_curvature.hpp"
#include "freshet/free_surface/surface_distance.hpp"
#include "freshet/free_surface/surface_faces.hpp"
#include "freshet/free_surface/surface_smoothing.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/particles/neighbours.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace freshet {

/// What a free surface is found by.
struct FreeSurfaceOptions {
  LabelOptions labels;
  FluidOptions fluid;
  int per_axis = 2;  ///< particles along an axis of a full cell
  int per_cell = 8;  ///< particles of a full cell
  /// Whether the deposit gives faces the velocity at their own place, as APIC does, and not at the particles' mean one.
  bool deposits_at_faces = false;
};

/// The surface between the liquid and the air: which cells are liquid, where between their centres the surface lies,
/// how it is curved, and what follows from this for the velocity beside it.
///
/// labels.surface and labels.method choose how it is found. Of voxels the surface runs through the centres of the cells
/// of air beside the liquid: distance() is null, and the part theta of the way to such a centre is 1.
///
/// Fields belong to the layout of the particles of the last find().
class FreeSurface {
 public:
  /// \param[in] memory  free between calls; null: memory of its own
  explicit FreeSurface(const FreeSurfaceOptions& options, std::shared_ptr<ScratchMemory> memory = nullptr);

  /// Go over to a layout: no cell is liquid. Parallel: local
  void reset(const BlockLayout& layout);

  /// Find the labels and the distance; ghosts of both are valid to width 1.
  ///
  /// \param[in] particles  sorted state of the layout
  /// \param[in] solids     as of the particles
  /// \return liquid cells on this rank. Parallel: collective; OpenMP
  GlobalIndex find(const ParticleStore& particles, const SolidFields& solids);
  /// Of each owned block 1 if it is near the liquid, else 0: the same on any number of ranks.
  using NearLiquid = std::function<std::vector<std::uint8_t>()>;
  /// Find what a step reads besides: the curvature if there is tension, and inner cells. Parallel: collective; OpenMP
  void find_shape(const SolidFields& solids, const NearLiquid& near_liquid);

  /// Whether correct_deposit() reads the deposit's weights.
  bool reads_weights(const SolidFields& solids) const { return has_level_set() || solids.any_fractions(); }
  /// Correct the deposit's velocities beside the surface: faces that no particle reaches get one (EmptyFaces), others
  /// are brought from the particles' mean place to the face (OneSidedFaces).
  /// \param[in,out] weight, velocity  owned faces of the deposit; ghosts are refreshed. Parallel: collective; OpenMP
  void correct_deposit(const SolidFields& solids, FaceField<double>& weight, FaceField<double>& velocity);
  /// Correct the velocity that extrapolation has given to the air beside the surface, see SurfaceFaces.
  /// \param[in] fastest  that a face becomes [m/s]. Parallel: collective; OpenMP
  void correct_air(const SolidFields& solids, double fastest, FaceField<double>& velocity);

  /// Move seeded particles towards the surface of the shapes that they fill, see find_surface_fit().
  /// \param[out] displacement  [cells]; ghosts valid to width 1. Parallel: collective; OpenMP
  void fit_to(const std::vector<std::shared_ptr<const Shape>>& shapes, const SolidFields& solids, double gain,
              FaceField<double>& displacement);
  /// The displacement that smooths the surface for a step of dt, see SurfaceSmoothing; ghosts valid to width 1. [cells]
  /// \return null without tension. Parallel: collective; OpenMP
  const FaceField<double>* find_smoothing(const SolidFields& solids, double dt, double dx);
  /// Let particles at the surface take the grid's velocity for a step of dt, see relax_at_surface(). Without tension
  /// nothing changes. \param[in] velocity  ghosts valid to width 1 [m/s]. Parallel: local; OpenMP
  void relax(const FaceField<double>& velocity, double dt, double dx, ParticleStore& particles) const;

  /// Liquid, air or solid.
  const LabelField& labels() const { return labels_; }
  LabelField& labels() { return labels_; }
  /// Cells that particles give a velocity: liquid where labels() says so, and where spray is.
  LabelField& reached() { return labels_all_particles() ? labels_ : occupied_; }
  /// The signed distance phi to the surface, below 0 in the liquid [cells]; null: the surface is that of voxels.
  const CellField<float>* distance() const { return has_level_set() ? &distance_ : nullptr; }
  CellField<float>* distance() { return has_level_set() ? &distance_ : nullptr; }
  /// The distance at the centres of an owned block's cells, within 1.5 cells of the surface; of voxels -1 in the liquid
  /// and 0 elsewhere. [cells] Parallel: local
  void distances(LocalIndex block, double* values) const;
  /// [1/cell], ghosts valid to width 1; null without tension
  const CellField<float>* curvature() const { return has_tension() ? &curvature_ : nullptr; }
  /// 1 inside the liquid, see find_inner_cells(); owned
  const CellField<std::uint8_t>& inner_cells() const { return inner_cells_; }
  CellField<std::uint8_t>& inner_cells() { return inner_cells_; }
  /// How far from the centre of a cell of liquid, beyond half a cell, a particle may lie that moves with it. [cells]
  double farthest_particle() const { return has_level_set() ? 1.0 : 0.0; }

  bool has_tension() const { return options_.fluid.surface_tension > 0.0; }
  /// Whether particles can be moved until the surface lies where shapes have theirs.
  bool is_between_centres() const { return has_level_set(); }
  /// The longest displacement of find_smoothing(). [cells]
  double longest_smoothing() const { return has_tension() ? SurfaceSmoothing::longest : 0.0; }
  /// The longest step that the tension allows: capillary_step(), infinite without tension. [s]
  double longest_step(double dx) const;
  /// dt sigma / (rho dx^2) with the scaled pressure's dt / (rho dx) [m/s / Pa]: SurfaceTension::strength. [m/s]
  double tension_strength(double to_scaled, double dx) const { return options_.fluid.surface_tension * to_scaled / dx; }

 private:
  bool has_level_set() const { return options_.labels.surface == LiquidSurface::level_set; }
  bool labels_by_density() const { return options_.labels.method == LabelMethod::density; }
  bool labels_all_particles() const { return !labels_by_density() && !has_level_set(); }
  double capillary_time(double dx) const;

  FreeSurfaceOptions options_;
  LabelField labels_;
  LabelPlanes planes_;   ///< of labels_, where a step reads them
  LabelField occupied_;  ///< as labels_, where some particles lie in cells of air; spray is liquid in it
  CellField<float> distance_;
  CellField<float> curvature_;
  CellField<std::uint8_t> inner_cells_;
  ParticleNeighbours neighbours_;  ///< of labels by density
  SurfaceDistance find_distance_;
  SurfaceCurvature find_curvature_;
  SurfaceSmoothing smoothing_;
  EmptyFaces empty_faces_;
  OneSidedFaces one_sided_faces_;
  SurfaceFaces surface_faces_;
};

}  // namespace freshet
