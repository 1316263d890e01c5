// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/pressure/pressure_options.hpp"
#include "freshet/pressure/projection.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/transfer/cell_deposit.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace freshet {

/// What a density correction found and did. Errors and cells are those of this rank until their reduction.
struct DensityReport {
  ExactSum squared_errors;         ///< of n_c / n_full - 1 in inner cells, before
  double mean_error = 0.0;         ///< root of their mean; set by finish()
  double largest_error = 0.0;      ///< largest |n_c / n_full - 1| of any corrected cell, before
  GlobalIndex inner_cells = 0;     ///< liquid cells with no air around: corrected both ways
  GlobalIndex overfull_cells = 0;  ///< other liquid cells that hold too much
  int iterations = 0;
  bool converged = true;
  bool is_new = false;  ///< a correction made it, in this step

  /// Let a reduction make the errors and cells those of all ranks. The report must stay where it is until then.
  void add_to(Reduction& reduction);
  /// To be called after the reduction.
  void finish();
};

/// Finds displacements of particles that give the liquid its density everywhere: an implicit density projection.
///
///   e_c = n_c / n_full - 1,    div d = s e,    d = -grad q,    q = 0 in air,    d . n = 0 on walls             (1)
///
/// n_c counts the particles around a cell's centre with trilinear weights (CellDeposit). n_full is the number that the
/// room there can hold: the same weights integrated over what is not solid. An inner cell is one with no air among its
/// 26 neighbours (8 in 2-D); the other liquid cells are cells at the surface. |e| is cut off at 1/2. Only positions
/// follow d; momentum does not change. The volume of liquid at rest thus becomes that of its particles. What flows out
/// of a cell is s e times the part of it that lies outside solids: a sliver beside a body pushes no more than it holds.
/// What lies beyond a thin wall counts neither in n_c nor in n_full.
///
/// Where the surface is one of voxels, n_c and n_full of inner cells leave out all cells at the surface, because these
/// may be full or nearly empty. Cells at the surface have an error only where they hold more than full cells do: a
/// half-filled cell at the surface is no error.
///
/// At a level set nothing is left out, because liquid fills the half of a cell at the surface that the weights of an
/// inner cell reach. A cell at the surface that holds too little, or more than lies below the surface, has an error,
/// too, if it has an inner cell among its neighbours, so that it belongs to no film or drop:
///   e_c = (n_c / (n_full A(phi)) - 1) / 20,    A(phi) = 1 - (1 + phi)^2 / 2 for phi > -1, else 1                  (2)
/// if that is more than (1). Without (2) only the cells in which chance brings too many particles together would be
/// corrected, and the liquid at the surface would become loose. A wave lifts denser liquid into the inner cells next to
/// it, the correction pushes that up further, and the wave grows. Only a small part counts, because n_c and phi depend
/// differently on where few particles lie, and waves of a fraction of a cell must not be held fast by that.
/// Source: Kugelstadt, Longva, Thuerey & Bender 2021, "Implicit density projection for volume conserving liquids",
/// sections 3 and 4
class DensityCorrection {
 public:
  /// \param[in] per_cell  particles of a full cell
  /// \param[in] memory    free between calls; null: memory of its own
  DensityCorrection(const DensityOptions& parameters, int per_cell, std::shared_ptr<ScratchMemory> memory = nullptr)
      : parameters_(parameters), per_cell_(per_cell), deposit_(std::move(memory)) {}

  /// \param[in]  particles  sorted state of the labels' layout
  /// \param[in]  labels     of these particles, as the last projection had them; ghosts valid to width 1
  /// \param[in,out] inner   owned cells, as find_inner_cells gives them for these labels; ghosts are refreshed
  /// \param[in]  phi        owned cells, of SurfaceDistance, where the labels follow it; null: a surface of voxels
  /// \param[in]  projection the one of this step: its matrix is used again
  /// \param[out] displacement  d on faces [cells], ghosts valid to width 1. Parallel: collective; OpenMP
  DensityReport operator()(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                           CellField<std::uint8_t>& inner, const CellField<float>* phi, Projection& projection,
                           FaceField<double>& displacement);

  /// The right-hand side of (1): s e times the part of each cell outside solids, |e| cut off at 1/2; 0 outside the
  /// liquid. Arguments as above.
  /// \param[out] outflow   owned cells [cell volumes]
  /// \param[out] in_inner  free for other uses afterwards. Parallel: collective; OpenMP
  DensityReport find_outflow(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                             CellField<std::uint8_t>& inner, const CellField<float>* phi, CellField<double>& outflow,
                             CellField<double>& in_inner);

 private:
  /// Of the liquid cells of one block.
  struct BlockErrors {
    double squares = 0.0;  ///< sum over inner cells
    double largest = 0.0;
    int n_inner = 0;
    int n_overfull = 0;
  };
  template <class Shape>
  BlockErrors find_errors(const LabelField& labels, const SolidFields& solids, const CellField<std::uint8_t>& inner,
                          const CellField<float>* phi, CellField<double>& outflow, const CellField<double>& potential,
                          LocalIndex block);

  DensityOptions parameters_;
  int per_cell_;
  CellDeposit deposit_;
  ExtraPoints cut_off_;
  std::vector<BlockErrors> errors_;
};

}  // namespace freshet
