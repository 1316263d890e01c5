// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/solids/solids.hpp"

#include <vector>

namespace freshet {

/// Finds displacements that remove the roughness of the particles' surface that surface tension does not resolve; keeps
/// its buffers.
///
/// Waves shorter than SurfaceCurvature resolves have no tension. Those that noise and rough flow cause would remain,
/// grow into jets of a cell or two, and break drops up. Between the centres c of liquid and n of air along axis d the
/// particles' surface lies at theta, and the zero of the smooth field G at theta* = G_c / (G_c - G_n). Along the normal
/// n the zero of G lies above the surface by
///   e = (theta* - theta) |n_d|,   d_f = gain (e - E) n_d,   E = sum n_d^2 w e / sum n_d^2 w                (1)
/// where E is the mean over the faces around, with the weight w = (1, 4, 6, 4, 1) / 16 along each axis; along two axes
/// faces of another axis are offset by half a cell, and w = (1, 3, 3, 1) / 8 there. Without the mean a drop would
/// shrink: on a curved surface the zero of G lies somewhat inside. The next faces on either side along the axis get the
/// same d_f. No velocity changes. Short waves lose most of their height and long ones hardly any.
class SurfaceSmoothing {
 public:
  /// Bound of displacements; longer ones are shortened. [cells]
  static constexpr double longest = 0.1;

  /// \param[in,out] phi     level set of SurfaceDistance; ghosts are refreshed to width 2
  /// \param[in,out] labels  ghosts are refreshed to width 2
  /// \param[in]     smooth  G, see SurfaceCurvature::smooth_surface(); ghosts valid to width 1
  /// \param[in]     gain    gain of (1)
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
