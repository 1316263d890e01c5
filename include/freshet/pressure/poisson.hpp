// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/free_surface/surface_condition.hpp"
#include "freshet/grid/field.hpp"

#include <cstdint>
#include <vector>

namespace freshet {

/// Sets of rows of a block: bit j + ny k stands for the row of cells that share j and k.
struct UnknownRows {
  std::uint64_t any = 0;  ///< rows with an unknown
  std::uint64_t cut = 0;  ///< rows of `any` in which an unknown has a face with theta or that is not fully open
};

/// The pressure Poisson system A p = b in the scaled pressure p~ = dt p / (rho dx) [m/s].
///
///   diagonal_c p_c - sum_f weight_f p_n(f) = b_c      over the cells with unknown_c = 1
///
/// n(f) is the cell across face f; p is 0 in cells without an unknown (air). weight_f = open fraction * rho / rho_f,
/// dimensionless: 1 on an open face of one liquid, 0 on a closed one. diagonal_c is the sum of the cell's face weights
/// and b_c is minus the net outflow [m/s]; a boundary treatment may add to both. Cut cells, a ghost-fluid surface,
/// separating or moving walls, density correction and liquids of different density only change the values of these
/// arrays, never the solver.
///
/// With a SurfaceCondition, a face between a liquid cell c and air adds weight_f / theta to the diagonal, and the
/// gradient there is (0 - p_c) / theta: p = 0 at the part theta = phi_c / (phi_c - phi_n) of the distance between the
/// centres (ghost fluid method). theta is at least min(1, theta_min / open fraction): a face that is nearly closed does
/// not fix the cell's pressure, and (0 - p_c) / theta would make a jet there. With SurfaceTension, p = p_I in place of
/// 0, interpolated between the two centres: b_c gets weight_f p_I / theta, and the gradient is (p_I - p_c) / theta.
/// Source: Gibou, Fedkiw, Cheng & Kang 2002; Enright, Nguyen, Gibou & Fedkiw 2003; Kang, Fedkiw & Liu 2000 for p_I
struct PoissonCoefficients {
  /// Face weights; ghosts valid to width 1. Not owned: a field of the coefficients' builder.
  const FaceField<float>* weight = nullptr;
  CellField<double> diagonal;       ///< owned; 0 outside the liquid
  CellField<std::uint8_t> unknown;  ///< 1 where a cell has an unknown; owned and ghost, valid to width 1; background 0
  std::vector<UnknownRows> rows;    ///< by block; rows of ghost blocks with valid `unknown` are all cut
  SurfaceCondition surface;         ///< the condition; its fields are not owned
  /// Null, or a system with further unknowns whose inverse on these unknowns is near that of A and its regions:
  /// preconditioners are built from it. The solver keeps its diagonal of these unknowns like theirs. Not owned.
  PoissonCoefficients* joined = nullptr;
  std::uint64_t layout_id = 0;  ///< layout of the last reset()
  /// Bind to a layout: without unknowns if it is another one, else unchanged.
  void reset(const BlockLayout& layout);
};

/// Refresh the ghosts of `unknown`, and find the rows of ghost blocks.
/// \param[in,out] velocity  null or a field whose ghosts are refreshed to width 1 as well. Parallel: collective; OpenMP
void share_unknowns(PoissonCoefficients& coefficients, FaceField<double>* velocity = nullptr);

/// Build coefficients for one liquid under air at p = 0.
///
/// \param[in] labels         ghosts valid to width 1
/// \param[in] open_fraction  face weights; ghosts valid to width 1; background 0; the coefficients point to it
/// \param[in,out] velocity   if given, its ghosts are refreshed to width 1 along with those of `unknown`
/// Cells labelled liquid whose every face is closed get no unknown. Parallel: collective (one exchange); OpenMP
void build_coefficients(const LabelField& labels, const FaceField<float>& open_fraction,
                        PoissonCoefficients& coefficients, const SurfaceCondition& surface = {},
                        FaceField<double>* velocity = nullptr);

/// b_c = -sum_f (+-) [ a_f u_f + (1 - a_f) u_s,f ]: minus the net outflow through a cell's faces [m/s].
///
/// \param[in] velocity  u*; its ghosts and those of open fraction a and solid velocity u_s are valid to width 1
/// Parallel: local; OpenMP.  Source: Batty, Bertails & Bridson 2007, equation 11; Bridson 2008, section 4.3
void outflow_right_hand_side(const FaceField<double>& velocity, const FaceField<float>& open_fraction,
                             const FaceField<float>& solid_velocity, const PoissonCoefficients& coefficients,
                             CellField<double>& right_hand_side);

/// b_c += weight_f p_I / theta_f over the faces between liquid and air, if there is tension. Parallel: local; OpenMP
void add_surface_pressure(const PoissonCoefficients& coefficients, CellField<double>& right_hand_side);

/// u_f = u*_f - weight_f/a_f (p_c - p_n) / theta_f on open faces with an unknown on either side. Owned faces.
///
/// \param[in] pressure p~, 0 in cells without unknown, ghosts valid to width 1
/// Parallel: local; OpenMP.  Source: Batty, Bertails & Bridson 2007, section 4
void subtract_gradient(const CellField<double>& pressure, const PoissonCoefficients& coefficients,
                       const FaceField<float>& open_fraction, FaceField<double>& velocity);

/// d_f = -weight_f/a_f (q_c - q_n) / theta_f on the faces of subtract_gradient(), else 0. All else as there.
void find_descent(const CellField<double>& potential, const PoissonCoefficients& coefficients,
                  const FaceField<float>& open_fraction, FaceField<double>& descent);

/// Largest |net outflow| / dx of the cells with an unknown, on all ranks [1/s]; infinite if one is not a number.
/// Parallel: collective; OpenMP
double max_divergence(const FaceField<double>& velocity, const FaceField<float>& open_fraction,
                      const FaceField<float>& solid_velocity, const PoissonCoefficients& coefficients);

}  // namespace freshet
