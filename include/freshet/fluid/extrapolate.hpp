// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"

#include <vector>

namespace freshet {

/// Extrapolates face velocities from the liquid into air and solids, layer by layer; keeps its buffers.
///
/// A face is known if one of its two cells is liquid, unless a body covers it. Each layer gives every unknown face with
/// a known neighbour (of the 26 around it of the same component, 8 in 2-D) their mean, and then counts it as known.
/// With corners among the neighbours, n layers serve whoever goes n cells along every axis at once. Source: Bridson
/// 2008, section 6.3 (as layers instead of fast marching); Guendelman et al. 2005
class Extrapolation {
 public:
  /// \param[in]     labels   ghosts valid to width 1
  /// \param[in,out] velocity owned faces; ghosts are refreshed to width 1 on the way [m/s]; not reached faces become 0
  /// \param[in]     solids   whose covered faces (see CoveredFace) are unknown
  /// \param[in]     layers   >= 0
  /// Parallel: collective (two gathers a layer); OpenMP
  void operator()(const LabelField& labels, const SolidFields& solids, int layers, FaceField<double>& velocity);

 private:
  /// A value found for a face; written when no thread reads any more.
  struct Update {
    double* face;
    double value;
  };

  template <class Shape>
  void extrapolate_layer(FaceField<double>& velocity);
  template <class Shape>
  void extrapolate_block(FaceField<double>& velocity, LocalIndex b, std::vector<Update>& updates);

  CellField<std::uint8_t> known_;  ///< bit d: face d of the cell is known
  CellField<std::uint8_t> next_;
  std::vector<std::vector<Update>> updates_;  ///< by thread
  std::vector<std::uint8_t> complete_;        ///< owned blocks without an unknown face
};

}  // namespace freshet
