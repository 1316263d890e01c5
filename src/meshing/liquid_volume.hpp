// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "walls.hpp"

#include <cstdint>
#include <vector>

namespace freshet::meshing {

/// Measures the volume of liquid that a level set encloses inside walls and solids; a mesh of it encloses the same.
///
/// Each cube between eight cell centres is cut into six tetrahedra, in which phi is linear. Sums are formed in whole
/// numbers of 2^-20 cubes, so that they have the same bits on any number of ranks.
class VolumeMeter {
 public:
  /// \param[in] phi           [lattice cells]; ghosts valid to width 1
  /// \param[in] n_deep_blocks  blocks of this rank that lie deep in the liquid and do not exist
  VolumeMeter(const Walls& walls, const CellField<float>& phi, GlobalIndex n_deep_blocks);

  /// Compute the volume where phi < 0. [lattice cells] Parallel: collective; OpenMP
  double operator()() const;
  /// Compute the volume where phi + shift(phi, weight of the cell) < 0. \param[in] weight  ghosts valid to width 1
  template <class Shift>
  double operator()(const CellField<float>& weight, const Shift& shift) const;

 private:
  static constexpr int n_corners = 9 * 9 * 9;
  template <class Fill>
  double measure(const Fill& fill) const;

  const CellField<float>& phi_;
  GlobalIndex n_deep_blocks_;
  std::vector<std::int64_t> first_wall_;  ///< place in walls_ of the first distance of a block; -1: no wall is near
  std::vector<float> walls_;              ///< signed distances to walls at corners of cubes [lattice cells]
};

/// Compute the volume of the cubes of a block. \param[in] phi  values at 9^3 corners. \return [2^-20 cubes]
std::int64_t volume_of_cubes(const float* phi);

/// Compute how much less liquid surrounds a point than under a plane, as a part of the surroundings: 0 on flat
/// surfaces, up to 0.5 at drops and sheets that are thin beside 1.25 cells of the simulation, negative in hollows.
/// \param[in] phi  [lattice cells], a distance near the surface
/// \return the lack of liquid near the surface; ghosts valid to width 1. Parallel: collective; OpenMP
CellField<float> lack_of_liquid(const CellField<float>& phi, int resolution);

/// Smooth the dimples and bumps that single particles leave on flat water: where the surface is flat, phi becomes its
/// mean over 0.7 cells of the simulation, and changes by at most half a lattice cell. Thin and torn liquid stays as it
/// is, and gently curved surfaces keep their place.
/// \param[in]     amount  part of the change that is made, 0 to 1
/// \param[in,out] phi     [lattice cells], a distance near the surface; ghosts valid to width 2
/// Parallel: collective; OpenMP
void flatten(const CellField<float>& lack, int resolution, double amount, CellField<float>& phi);

/// Shift the surface along its normal by at most half a lattice cell, where it is not flat, until it encloses a volume.
/// If the volume then differs by more than 1 %, shift the surface everywhere, flat water too, by at most half a lattice
/// cell again, until it differs by 1 %.
///
/// The particles give the volume of the liquid, but not exactly the thickness of a sheet, a thread or a small body. A
/// flat surface stands where a half space of particles ends (calibrate() in method.hpp) and stays there as long as
/// curved and thin liquid can make up for the difference in volume. Sheets, threads and drops that are as thin as the
/// lattice can show become thicker, but never thinner: they would tear.
/// \param[in]     meter      measures phi
/// \param[in]     lack       result of lack_of_liquid()
/// \param[in]     target     volume to reach [lattice cells]
/// \param[in,out] phi        [lattice cells], a distance near the surface; ghosts valid to width 2
/// \param[in]     is_second  shift the surface by the same everywhere, flat or not
/// \return the new volume [lattice cells]. Parallel: collective; OpenMP. The same bits on any number of ranks
double keep_volume(const VolumeMeter& meter, const CellField<float>& lack, double target, CellField<float>& phi,
                   bool is_second = false);

}  // namespace freshet::meshing
