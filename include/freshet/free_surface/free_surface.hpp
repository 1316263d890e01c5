// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/fluid_options.hpp"
#include "freshet/free_surface/air_divergence_removal.hpp"
#include "freshet/free_surface/contact_lines.hpp"
#include "freshet/free_surface/label_options.hpp"
#include "freshet/free_surface/shift_to_faces.hpp"
#include "freshet/free_surface/surface_curvature.hpp"
#include "freshet/free_surface/surface_distance.hpp"
#include "freshet/free_surface/surface_place.hpp"
#include "freshet/free_surface/surface_smoothing.hpp"
#include "freshet/free_surface/unreached_face_fill.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/particles/neighbours.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// Options of FreeSurface.
struct FreeSurfaceOptions {
  LabelOptions labels;
  FluidOptions fluid;
  int per_axis = 2;  ///< number of particles along an axis of a full cell
  int per_cell = 8;  ///< number of particles in a full cell
  /// Whether the deposit gives the velocity at a face's centre, as APIC does, and not at the particles' mean position.
  bool deposits_at_faces = false;
};

/// The surface between liquid and air: labels of cells, level set, curvature, and the corrections of the velocity
/// beside the surface.
///
/// labels.surface and labels.method choose the method.
///
/// Fields belong to the layout of the particles of the last find().
class FreeSurface {
 public:
  /// \param[in] memory  free between calls; null: memory of its own
  explicit FreeSurface(const FreeSurfaceOptions& options, std::shared_ptr<ScratchMemory> memory = nullptr);

  /// Bind to a layout, without liquid cells. Parallel: local
  void reset(const BlockLayout& layout);

  /// Find the labels and the level set; ghosts of both are valid to width 1.
  ///
  /// \param[in] particles  sorted state of the layout
  /// \param[in] solids     solids at the time of the particles
  /// \param[in] bulk       not 0 in owned cells that are liquid whatever particles they hold; null: none
  /// \return number of liquid cells on this rank. Parallel: collective; OpenMP
  GlobalIndex find(const ParticleStore& particles, const SolidFields& solids,
                   const CellField<std::uint8_t>* bulk = nullptr);
  /// Returns for each owned block 1 if it is near the liquid, else 0: the same on any number of ranks. The values stay
  /// until the particles move.
  using NearLiquid = std::function<std::span<const std::uint8_t>()>;
  /// Begin find() with the cells that hold particles. Their ghosts must be refreshed before find(), which then goes on
  /// from there: another exchange may take them along. Arguments are those of find().
  /// \return the ghosts. Parallel: collective with bodies that cut cells, else local; OpenMP
  GhostRequest begin_find(const ParticleStore& particles, const SolidFields& solids,
                          const CellField<std::uint8_t>* bulk = nullptr);
  /// Let the next find() begin again. Parallel: local
  void cancel_find() { has_begun_ = false; }
  /// Find the curvature, if there is tension, and the inner cells. Parallel: collective; OpenMP
  void find_shape(const SolidFields& solids, const NearLiquid& near_liquid);

  /// Where the surface meets bodies that the liquid moves, see ContactLines; nothing without tension. \pre find()
  /// \return the pieces of this rank, until the next call. Parallel: local
  std::span<const LinePull> find_contact_lines(const SolidFields& solids);

  /// Whether correct_deposit() reads the deposit's weights.
  bool reads_weights(const SolidFields& solids) const { return has_level_set() || solids.any_fractions(); }
  /// Correct the deposit's velocities beside the surface: give one to faces that no particle reaches
  /// (UnreachedFaceFill), and extrapolate others from the particles' mean position to the face (ShiftToFaces).
  /// \param[in,out] weight, velocity  owned faces of the deposit; ghosts are refreshed. Parallel: collective; OpenMP
  void correct_deposit(const SolidFields& solids, FaceField<double>& weight, FaceField<double>& velocity);
  /// Correct the velocity that extrapolation has given to the air beside the surface, see AirDivergenceRemoval.
  /// \param[in] fastest  bound of a corrected velocity [m/s]
  /// \pre ghosts of the velocity are valid to width rim_of_air(). Parallel: local; OpenMP
  void correct_air(const SolidFields& solids, double fastest, FaceField<double>& velocity);

  /// Move seeded particles towards the surface of the shapes that they fill, see find_surface_fit().
  /// \param[out] displacement  [cells]; ghosts valid to width 1. Parallel: collective; OpenMP
  void fit_to(const std::vector<std::shared_ptr<const Shape>>& shapes, const SolidFields& solids, double gain,
              FaceField<double>& displacement);
  /// Whether fit_to() may be called: voxels have no surface within their cells to fit.
  bool can_fit() const { return has_level_set(); }
  /// The displacement that smooths the surface in a step of dt, see SurfaceSmoothing; ghosts valid to width 1. [cells]
  /// \return null without tension. Parallel: collective; OpenMP
  const FaceField<double>* find_smoothing(const SolidFields& solids, double dt, double dx);
  /// Relax particle velocities at the surface to the grid's in a step of dt, see relax_at_surface(); nothing without
  /// tension. \param[in] velocity  ghosts valid to width 1 [m/s]. Parallel: local; OpenMP
  void relax(const FaceField<double>& velocity, double dt, double dx, ParticleStore& particles) const;

  /// Labels of the cells: liquid, air or solid.
  const LabelField& labels() const { return labels_; }
  LabelField& labels() { return labels_; }
  /// Labels in which cells with spray are liquid, too: the cells to which particles give a velocity.
  LabelField& reached() { return labels_all_particles() ? labels_ : occupied_; }
  /// Where the surface lies; phi is the signed distance to it.
  SurfacePlace place() { return has_level_set() ? SurfacePlace(distance_) : SurfacePlace(); }
  /// phi in the cells of an owned block, cut off at 1.5 cells from the surface; for voxels -1 in the liquid and 0
  /// elsewhere. [cells] Parallel: local
  void distances(LocalIndex block, double* values) const;
  /// The part of each cell of an owned block that lies in air, as if the surface were a plane along the grid; for
  /// voxels 1 in cells of air and 0 elsewhere. 0 in solid cells. Parallel: local
  void air_parts(LocalIndex block, double* values) const;
  /// The surface's curvature [1/cell], ghosts valid to width 1; null without tension.
  const CellField<float>* curvature() const { return has_tension() ? &curvature_ : nullptr; }
  /// 1 in owned cells inside the liquid, else 0; see find_inner_cells().
  const CellField<std::uint8_t>& inner_cells() const { return inner_cells_; }
  CellField<std::uint8_t>& inner_cells() { return inner_cells_; }
  /// Distance beyond the liquid cells at which particles of the liquid may lie. [cells]
  double farthest_particle() const { return has_level_set() ? 1.0 : 0.0; }

  /// Width of the velocity's ghosts that correct_air() reads. [cells]
  int rim_of_air() const { return has_level_set() ? 1 : 0; }

  bool has_tension() const { return options_.fluid.surface_tension > 0.0; }
  double tension() const { return options_.fluid.surface_tension; }  ///< [N/m]
  /// Bound of the displacement of find_smoothing(). [cells]
  double longest_smoothing() const { return has_tension() ? SurfaceSmoothing::longest : 0.0; }
  /// Longest step that surface tension allows: capillary_step(); infinite without tension. [s]
  double longest_step(double dx) const;
  /// SurfaceTension::strength: dt sigma / (rho dx^2) [m/s], from the pressure's scale dt / (rho dx) [m/s / Pa].
  double tension_strength(double to_scaled, double dx) const { return options_.fluid.surface_tension * to_scaled / dx; }

 private:
  bool has_level_set() const { return options_.labels.surface == LiquidSurface::level_set; }
  bool labels_by_density() const { return options_.labels.method == LabelMethod::density; }
  bool labels_all_particles() const { return !labels_by_density() && !has_level_set(); }
  double capillary_time(double dx) const;

  FreeSurfaceOptions options_;
  LabelField labels_;
  LabelPlanes planes_;          ///< planes of labels_, if a step reads them
  bool has_begun_ = false;      ///< whether begin_find() has been called for the next find(); the same on all ranks
  GlobalIndex n_occupied_ = 0;  ///< cells that begin_find() has marked on this rank
  LabelField occupied_;         ///< labels_ with spray as liquid; unused if all particles are liquid
  CellField<float> distance_;
  CellField<float> curvature_;
  CellField<std::uint8_t> inner_cells_;
  ParticleNeighbours neighbours_;  ///< for labels by density
  SurfaceDistance find_distance_;
  SurfaceCurvature find_curvature_;
  ContactLines find_lines_;
  SurfaceSmoothing smoothing_;
  UnreachedFaceFill fill_unreached_faces_;
  ShiftToFaces shift_to_faces_;
  AirDivergenceRemoval remove_air_divergence_;
};

}  // namespace freshet
