// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "viscosity/coarse_link.hpp"
#include "viscosity/strain_operator.hpp"

#include <memory>
#include <vector>

namespace freshet::viscous {

/// A multigrid V-cycle on faces, as a symmetric positive definite preconditioner.
///
/// Each level has the operator A = W + scale K of StrainOperator with means of the finer level's coefficients
/// (StressWeights::coarsen). The smoother is a Chebyshev polynomial of the fourth kind of M^-1 A, which needs no
/// smallest eigenvalue; M is that of StrainOperator::inverse_bound. Velocities are interpolated linearly from coarser
/// faces that are held or have an unknown; residuals are restricted by the transpose. Levels are added until viscosity
/// does not act from cell to cell within dt, or one cell is left; a periodic axis with an odd number of blocks is not
/// halved. Arithmetic is in single precision. The same bits for any number of ranks and threads.
/// Source: Lottes 2023, "Optimal polynomial smoothers for multigrid V-cycles" (the smoother)
class ViscousMultigrid {
 public:
  /// \param[in] finest  must outlive the calls below. \param[in] viscosity  the largest one [Pa s]
  ///                    \param[in] magnitude  of the next residuals [m/s]. Collective
  void reset(const StressWeights& finest, double scale, double viscosity, double magnitude);
  /// z = B r, both with 3 (in 2-D 2) times the block's cells for each active block, `stride` entries from one block to
  /// the next. Collective; OpenMP
  void apply(const double* r, double* z, std::size_t stride);

 private:
  struct Level {
    const BlockLayout* layout = nullptr;
    std::unique_ptr<const BlockLayout> own_layout;  ///< layout of a coarse level
    std::unique_ptr<const CoarseLink> link;         ///< link to the coarser level
    int factor = 1;                                 ///< width of a cell in cells of the finest level
    const StressWeights* weights = nullptr;
    std::unique_ptr<StressWeights> own_weights;
    StrainOperator strain;
    int degree = 0;                 ///< degree of the smoother's polynomial
    FaceField<float> inverse;       ///< 1 / M
    FaceField<float> share;         ///< 1 / sum of interpolation weights of faces with a velocity
    FaceField<float> x, z;          ///< 0 on faces without an unknown
    FaceField<float> residual;      ///< defined on faces with an unknown
    FaceField<float> interpolated;  ///< the coarser level's velocities on this level's faces
  };

  void set_layouts(const BlockLayout& finest);
  bool add_layout();
  void set_coefficients(Level& level, double scale, double viscosity, bool is_last);
  void set_shares(Level& level, const Level& coarse);
  void visit(std::size_t number);
  void smooth(Level& level, bool from_zero, bool is_last);
  void subtract_image(Level& level);
  void restrict_residual(Level& level, Level& coarse);
  void prolong(const Level& coarse, Level& level);

  std::uint64_t layout_id_ = 0;
  std::vector<std::unique_ptr<Level>> levels_;
  std::size_t n_levels_ = 0;  ///< number of levels in use
  double magnitude_ = 1.0;
};

}  // namespace freshet::viscous
