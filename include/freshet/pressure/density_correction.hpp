// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/free_surface/surface_place.hpp"
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

/// What a density correction found and did. Errors and numbers of cells are this rank's until their reduction.
struct DensityReport {
  ExactSum squared_errors;         ///< sum of (n_c / n_full - 1)^2 over inner cells, before
  double mean_error = 0.0;         ///< root mean square of n_c / n_full - 1; set by finish()
  double largest_error = 0.0;      ///< largest |n_c / n_full - 1| of corrected cells, before
  GlobalIndex inner_cells = 0;     ///< liquid cells without air around, corrected both ways
  GlobalIndex overfull_cells = 0;  ///< other liquid cells that hold too many particles
  int iterations = 0;
  bool converged = true;
  bool is_new = false;  ///< a correction of this step has set the report

  /// Add errors and cells to a reduction over the ranks. The report must keep its address until it is done.
  void add_to(Reduction& reduction);
  /// Complete the report after the reduction.
  void finish();
};

/// Finds displacements that give the liquid its density everywhere: an implicit density projection.
///
///   e_c = n_c / n_full - 1,    div d = s e,    d = -grad q,    q = 0 in air,    d . n = 0 on walls             (1)
///
/// n_c counts the particles around a cell's centre with trilinear weights (CellDeposit). n_full is the number that the
/// room there can hold: the same weights integrated over what is not solid. Over cells the integral is the sum of their
/// open parts. Near a body, whose surface at the distance d from the centre has the normal n, it is multiplied by
///   R(d) / S(d, n),    R = 1/2 + d - d |d| / 2,    S = sum of w_o clamp(1/2 + d + n . o, 0, 1) over the offsets o  (3)
/// R is the integral of the weights before a plane normal to an axis, within 1 % of that of any plane, and S the sum
/// over cells that counts the open part of a cell as spread over it. An inner cell is one with no air among its 26
/// neighbours (8 in 2-D); the other liquid cells are cells at the surface. |e| is cut off at 1/2. Only positions follow
/// d; momentum does not change. The volume of liquid at rest thus becomes that of its particles. The outflow of a cell
/// is s e times the part of the cell outside solids, so that a sliver beside a body gives no more than it holds.
/// Neither n_c nor n_full counts what lies beyond a thin wall.
///
/// If the surface follows the cells (voxels), n_c and n_full of inner cells leave out all cells at the surface,
/// which may be full or nearly empty. Cells at the surface have an error only if they hold more than full cells do; a
/// half-filled one has none.
///
/// With a level set, n_c and n_full leave out nothing, because liquid fills the half of a cell at the surface that the
/// weights of an inner cell reach. A cell at the surface with an inner cell among its neighbours, and so not of a film
/// or drop, also has an error if the liquid below its surface holds too many or too few particles:
///   e_c = (n_c / (n_full A(phi)) - 1) / 20,    A(phi) = 1 - (1 + phi)^2 / 2 for phi > -1, else 1                  (2)
/// if that exceeds (1). Without (2) only the cells that hold too many particles by chance would be corrected, and the
/// liquid at the surface would become loose: a wave would lift denser liquid into the inner cells next to it, and the
/// correction would push it further and make the wave grow. (2) counts with a small factor, because n_c and phi depend
/// differently on the positions of few particles, which must not damp waves of a fraction of a cell.
/// Source: Kugelstadt, Longva, Thuerey & Bender 2021, "Implicit density projection for volume conserving liquids",
/// sections 3 and 4
class DensityCorrection {
 public:
  /// \param[in] per_cell  number of particles in a full cell
  /// \param[in] memory    free between calls; null: memory of its own
  DensityCorrection(const DensityOptions& parameters, int per_cell, std::shared_ptr<ScratchMemory> memory = nullptr)
      : parameters_(parameters), per_cell_(per_cell), deposit_(std::move(memory)) {}

  /// \param[in]  particles  sorted state of the labels' layout
  /// \param[in]  labels     labels of the last projection for these particles; ghosts valid to width 1
  /// \param[in,out] inner   owned cells, as find_inner_cells gives them for these labels; ghosts are refreshed
  /// \param[in]  surface    its phi only in owned cells
  /// \param[in]  projection this step's projection, whose matrix is used again
  /// \param[out] displacement  d on faces [cells], ghosts valid to width 1. Parallel: collective; OpenMP
  DensityReport operator()(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                           CellField<std::uint8_t>& inner, const SurfacePlace& surface, Projection& projection,
                           FaceField<double>& displacement);

  /// The right-hand side of (1): s e times the part of each cell outside solids, |e| cut off at 1/2; 0 outside the
  /// liquid. Arguments as for operator().
  /// \param[out] outflow   owned cells [cell volumes]
  /// \param[out] in_chosen  scratch field. Parallel: collective; OpenMP
  DensityReport find_outflow(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                             CellField<std::uint8_t>& inner, const SurfacePlace& surface, CellField<double>& outflow,
                             CellField<double>& in_chosen);

  /// Leave out cells whose particles do not show the liquid's density, as though they were solid: they have no error,
  /// and their particles count for no other cell.
  /// \param[in] cells   not 0 in such owned cells, valid in the next calls; null: none
  /// \param[in] source  volume that flows from each of those with 1 into the others [cells]
  void leave_out(const CellField<std::uint8_t>* cells, double source) {
    left_out_ = cells;
    source_ = source;
  }

 private:
  /// Errors of the liquid cells of one block.
  struct BlockErrors {
    double squares = 0.0;  ///< sum of e^2 over inner cells
    double largest = 0.0;
    int n_inner = 0;
    int n_overfull = 0;
  };
  template <class Shape>
  BlockErrors find_errors(const LabelField& labels, const SolidFields& solids, const CellField<std::uint8_t>& inner,
                          const CellField<std::uint8_t>* chosen, const SurfacePlace& surface,
                          CellField<double>& outflow, const CellField<double>& in_chosen, LocalIndex block);
  const CellField<std::uint8_t>* choose_cells(const CellField<std::uint8_t>& inner, const SurfacePlace& surface);

  DensityOptions parameters_;
  int per_cell_;
  CellDeposit deposit_;
  ExtraPoints cut_off_;
  std::vector<BlockErrors> errors_;
  const CellField<std::uint8_t>* left_out_ = nullptr;
  double source_ = 0.0;             ///< volume that flows from left-out cells, as leave_out() sets it [cells]
  CellField<std::uint8_t> chosen_;  ///< result of choose_cells()
};

}  // namespace freshet
