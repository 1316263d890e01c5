// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/solids/solids.hpp"

#include <vector>

namespace freshet {

/// Finds displacements that take from the particles' surface the roughness that surface tension does not see; keeps
/// its buffers.
///
/// Waves shorter than SurfaceCurvature resolves have no tension. What chance and rough flow make of them stays, grows
/// into jets of a cell or two, and a drop falls apart. Between the centres c of liquid and n of air along axis d the
/// particles' surface lies at theta, and the zero of the smooth field G at theta* = G_c / (G_c - G_n). Along the normal
/// n the zero of G lies higher than the surface by
///   e = (theta* - theta) |n_d|,   d_f = gain (e - E) n_d,   E = sum n_d^2 w e / sum n_d^2 w                (1)
/// where E is the mean over the faces around, with the weight w = (1, 4, 6, 4, 1) / 16 along each axis; faces of
/// another axis lie half a cell off along two axes, and there w = (1, 3, 3, 1) / 8. Without the mean a drop would
/// shrink: on a curved surface the zero of G lies somewhat inside. The next faces on either side along the axis get the
/// same d_f. No velocity changes. With a gain of 1, waves of 4 cells lose 0.7 of their height, those of 32 cells
/// 0.0006.
class SurfaceSmoothing {
 public:
  /// Longer displacements are shortened to this [cells].
  static constexpr double longest = 0.1;

  /// \param[in,out] phi     of SurfaceDistance; ghosts are refreshed to width 2
  /// \param[in,out] labels  ghosts are refreshed to width 2
  /// \param[in]     smooth  G, see SurfaceCurvature::smooth_surface(); ghosts valid to width 1
  /// \param[in]     gain    of (1)
  /// \return the displacement [cells] on owned faces; 0 away from the surface; ghosts valid to width 1
  /// Parallel: collective (five gathers); OpenMP; the same bits for any number of ranks and threads
  const FaceField<double>& operator()(CellField<float>& phi, LabelField& labels, const SolidFields& solids,
                                      const CellField<float>& smooth, double gain);

 private:
  struct Error {
    int axis;
    int face;
    double part;   ///< n_d
    double error;  ///< e
  };
  template <class Shape>
  void find_errors(const CellField<float>& phi, const LabelField& labels, const SolidFields& solids,
                   const CellField<float>& smooth, LocalIndex b);
  template <class Shape>
  void find_shifts(double gain, LocalIndex b);

  std::vector<std::vector<Error>> errors_;  ///< by owned block
  FaceField<double> sum_;                   ///< n_d^2 e
  FaceField<double> weight_;                ///< n_d^2
  FaceField<double> shift_;
  FaceField<double> displacement_;
};

}  // namespace freshet
