// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/motion_options.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"

#include <vector>

namespace freshet {

/// Extrapolates face velocities from the liquid into air and solids; keeps its buffers.
///
/// A face is known if one of its two cells is liquid, unless a body covers it. By layers: each layer gives every
/// unknown face with a known neighbour (of the 26 around it of the same component, 8 in 2-D) their mean, and then
/// counts it as known. With corners among the neighbours, n layers serve whoever goes n cells along every axis at once.
/// Source: Bridson 2008, section 6.3 (as layers instead of fast marching); Guendelman et al. 2005
///
/// By distance: each component has a distance phi to the liquid on its faces, -1/2 cell between two liquid cells and 0
/// at the other known faces; elsewhere |grad phi| = 1, and the velocity follows grad phi . grad u = 0: both by upwind
/// differences, on all faces at once from the neighbours' last values, until nothing changes any more. A face's values
/// depend on those of smaller phi only, so they settle from the liquid outwards as fast marching would settle them,
/// without its order. Faces farther than `layers` cells along every axis may stay unknown.
/// Source: Adalsteinsson & Sethian 1999 (extension velocities); Zhao 2005 (the upwind scheme for |grad phi| = 1)
class Extrapolation {
 public:
  explicit Extrapolation(ExtrapolationMethod method = ExtrapolationMethod::layers) : method_(method) {}

  /// \param[in]     labels   ghosts valid to width 1
  /// \param[in,out] velocity owned faces; ghosts are refreshed to width 1 on the way [m/s]; not reached faces become 0
  /// \param[in]     solids   whose covered faces (see CoveredFace) are unknown
  /// \param[in]     layers   >= 0
  /// Parallel: collective (two gathers a layer; by distance two gathers of every component and one reduction for each
  /// of about dimension * layers rounds); OpenMP; the same bits for any number of ranks and threads
  void operator()(const LabelField& labels, const SolidFields& solids, int layers, FaceField<double>& velocity);

  /// What the method by distance went by: phi on owned faces [cells]; farther than asked for: unknown_distance.
  const FaceField<double>& distance() const { return distance_; }
  static constexpr double unknown_distance = 1e30;

 private:
  /// A value found for a face; written when no thread reads any more.
  struct Update {
    double* face;
    double value;
  };
  using Updates = std::vector<Update>;

  template <class Shape>
  void extrapolate_layers(int layers, FaceField<double>& velocity);
  template <class Shape>
  void extrapolate_block(FaceField<double>& velocity, LocalIndex b, Updates& updates);
  template <class Shape>
  void extrapolate_by_distance(const LabelField& labels, const SolidFields& solids, int layers,
                               FaceField<double>& velocity);
  template <class Visit, class Finish>
  bool update_faces(LocalIndex n_owned, Visit visit, Finish finish);

  ExtrapolationMethod method_;
  CellField<std::uint8_t> known_;  ///< bit d: face d of the cell is known
  CellField<std::uint8_t> next_;
  FaceField<double> distance_;
  std::vector<Updates> updates_;        ///< by thread
  std::vector<std::uint8_t> complete_;  ///< owned blocks without an unknown face
};

}  // namespace freshet
