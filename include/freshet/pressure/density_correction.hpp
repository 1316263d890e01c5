// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/fluid_options.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/pressure/pressure_options.hpp"
#include "freshet/pressure/projection.hpp"
#include "freshet/transfer/cell_deposit.hpp"

namespace freshet {

/// What a density correction found and did; the same on all ranks.
struct DensityReport {
  double mean_error = 0.0;         ///< root of the mean square of n_c / n_full - 1 in inner cells, before
  double largest_error = 0.0;      ///< largest |n_c / n_full - 1| of any corrected cell, before
  GlobalIndex inner_cells = 0;     ///< liquid cells with no air around: corrected both ways
  GlobalIndex overfull_cells = 0;  ///< liquid cells at the surface that hold too much
  int iterations = 0;
  bool converged = true;
};

/// Finds displacements of particles that give the liquid its density everywhere: an implicit density projection.
///
///   e_c = n_c / n_full - 1,    div d = s e,    d = -grad q,    q = 0 in air,    d . n = 0 on walls             (1)
///
/// n_c counts the particles around a cell's centre with trilinear weights (CellDeposit). n_full is the number that the
/// room there can hold: the same weights integrated over what is not solid. An inner cell is one with no air among its
/// 26 neighbours (8 in 2-D). Where the surface is one of voxels, both n_c and n_full of inner cells leave out all cells
/// at the surface, because these may be full or nearly empty. A level set's liquid fills at least the half of such a
/// cell that the weights of an inner cell reach, so that nothing is left out; particles that pass between inner cells
/// and those at the surface then are no error, and small waves keep their shape. Cells at the surface have an error
/// only where they hold more than full cells do: a half-filled cell at the surface is no error. |e| is cut off at 1/2.
/// Only positions follow d; momentum does not change. The volume of liquid at rest thus becomes that of its particles.
/// Source: Kugelstadt, Longva, Thuerey & Bender 2021, "Implicit density projection for volume conserving liquids",
/// sections 3 and 4; surface cells by content instead of by a level set
class DensityCorrection {
 public:
  /// \param[in] per_cell  particles of a full cell
  /// \param[in] surface   what the labels follow
  DensityCorrection(const DensityOptions& parameters, int per_cell, LiquidSurface surface = LiquidSurface::voxels)
      : parameters_(parameters), per_cell_(per_cell), surface_(surface) {}

  /// \param[in]  particles  sorted state of the labels' layout
  /// \param[in]  labels     of these particles, as the last projection had them; ghosts valid to width 1
  /// \param[in,out] inner   owned cells, as find_inner_cells gives them for these labels; ghosts are refreshed
  /// \param[in]  projection the one of this step: its matrix is used again
  /// \param[out] displacement  d on faces [cells], ghosts valid to width 1. Parallel: collective; OpenMP
  DensityReport operator()(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                           CellField<std::uint8_t>& inner, Projection& projection, FaceField<double>& displacement);

 private:
  template <class Shape>
  void find_errors(const LabelField& labels, const SolidFields& solids, const CellField<std::uint8_t>& inner);
  DensityReport measure(const LabelField& labels, const CellField<std::uint8_t>& inner) const;

  DensityOptions parameters_;
  int per_cell_;
  LiquidSurface surface_;
  CellDeposit deposit_;
  CellField<double> all_;       ///< n_c of all particles; then the errors
  CellField<double> in_inner_;  ///< n_c of those in inner cells; then q
};

}  // namespace freshet
