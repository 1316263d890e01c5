// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "walls.hpp"

#include <cstdint>
#include <vector>

namespace freshet::meshing {

/// Measures the liquid that a level set encloses inside walls and solids, as a mesh of it would.
///
/// Each cube between eight cell centres is cut into six tetrahedra, in which phi is linear. Sums are formed in whole
/// numbers of 2^-20 cubes, so that they have the same bits on any number of ranks.
class VolumeMeter {
 public:
  /// \param[in] phi           [lattice cells]; ghosts valid to width 1
  /// \param[in] n_deep_blocks  blocks of this rank that lie deep in the liquid and do not exist
  VolumeMeter(const Walls& walls, const CellField<float>& phi, GlobalIndex n_deep_blocks);

  /// Volume where phi < 0. [lattice cells] Parallel: collective; OpenMP
  double operator()() const;
  /// Volume where phi + shift(phi, weight of the cell) < 0. \param[in] weight  ghosts valid to width 1
  template <class Shift>
  double operator()(const CellField<float>& weight, const Shift& shift) const;

 private:
  static constexpr int n_corners = 9 * 9 * 9;
  template <class Fill>
  double measure(const Fill& fill) const;

  const CellField<float>& phi_;
  GlobalIndex n_deep_blocks_;
  std::vector<std::int64_t> first_wall_;  ///< of a block's distances in walls_; -1: no wall is near
  std::vector<float> walls_;              ///< distances beyond walls at the corners of cubes
};

/// Volume of the cubes of a block. \param[in] phi  at 9^3 corners [in 2^-20 cubes]
std::int64_t volume_of_cubes(const float* phi);

/// How much less of the liquid's surroundings is liquid than under a plane: 0 on flat surfaces, 0.5 at drops and sheets
/// that are thin beside 1.25 cells of the simulation, negative in hollows. It holds near the surface.
/// \param[in] phi  [lattice cells], a distance near the surface
/// \return with ghosts valid to width 1. Parallel: collective; OpenMP
CellField<float> lack_of_liquid(const CellField<float>& phi, int resolution);

/// Smooth the dimples and bumps that single particles leave on flat water: phi becomes its mean over 0.7 cells of the
/// simulation where the surface is flat, by at most half a lattice cell. Thin and torn liquid stays as it is, and what
/// is gently curved keeps its place.
/// \param[in]     amount  1: all of that; 0: nothing
/// \param[in,out] phi     [lattice cells], a distance near the surface; ghosts valid to width 2
/// Parallel: collective; OpenMP
void flatten(const CellField<float>& lack, int resolution, double amount, CellField<float>& phi);

/// Shift the surface along its normal until it encloses a volume: where it is not flat, by at most half a lattice cell.
/// If more than 1 % of the volume is missing or too much then, the surface is shifted everywhere, flat water too, by at
/// most half a lattice cell again, until it is 1 %.
///
/// Particles say how much liquid there is; how thick a sheet, a thread or a small body is they say only together. A
/// flat surface stands where a half space of particles ends (calibrate() in method.hpp) and stays there as long as
/// curved and thin liquid can make up for what is missing or too much. Sheets, threads and drops that are as thin as
/// the lattice can show become thicker, but never thinner: they would tear.
/// \param[in]     meter      of phi
/// \param[in]     lack       what lack_of_liquid() finds
/// \param[in]     target     volume to reach [lattice cells]
/// \param[in,out] phi        [lattice cells], a distance near the surface; ghosts valid to width 2
/// \param[in]     is_second  what is missing now is as much everywhere, flat or not
/// \return the volume that it encloses then. Parallel: collective; OpenMP. The same bits on any number of ranks
double keep_volume(const VolumeMeter& meter, const CellField<float>& lack, double target, CellField<float>& phi,
                   bool is_second = false);

}  // namespace freshet::meshing
