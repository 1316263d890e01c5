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
/// counts it as known. Neighbours include corners, so n layers suffice for a displacement of n cells along every axis.
/// Source: Bridson 2008, section 6.3 (as layers instead of fast marching); Guendelman et al. 2005
///
/// By distance: each component has a distance phi to the liquid on its faces, -1/2 cell between two liquid cells and 0
/// at the other known faces. Elsewhere |grad phi| = 1 and grad phi . grad u = 0 hold. Both equations are discretised by
/// upwind differences and iterated on all faces at once until no value changes. A face's values depend only on faces of
/// smaller phi, so the iteration converges from the liquid outwards to the result of fast marching, without its
/// sequential order. Faces farther than `layers` cells along every axis may stay unknown.
/// Source: Adalsteinsson & Sethian 1999 (extension velocities); Zhao 2005 (the upwind scheme for |grad phi| = 1)
class Extrapolation {
 public:
  explicit Extrapolation(ExtrapolationMethod method = ExtrapolationMethod::layers) : method_(method) {}

  /// \param[in]     labels   ghosts valid to width 1
  /// \param[in,out] velocity owned faces; ghosts are refreshed to width 1 [m/s]; faces that are not reached become 0
  /// \param[in]     solids   faces that bodies cover (see CoveredFace) are unknown
  /// \param[in]     layers   >= 0
  /// Parallel: collective (two gathers a layer; by distance two gathers of every component and one reduction for each
  /// of about dimension * layers rounds); OpenMP; the same bits for any number of ranks and threads
  void operator()(const LabelField& labels, const SolidFields& solids, int layers, FaceField<double>& velocity);

  /// phi on owned faces, of the method by distance [cells]; unknown_distance on faces that were not reached.
  const FaceField<double>& distance() const { return distance_; }
  static constexpr double unknown_distance = 1e30;

 private:
  /// A value found for a face; it is written when all threads have read their neighbours.
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
