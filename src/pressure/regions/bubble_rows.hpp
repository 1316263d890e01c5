// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/free_bodies.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/linear/dense.hpp"
#include "freshet/linear/regions.hpp"
#include "freshet/pressure/bubbles.hpp"
#include "freshet/pressure/poisson.hpp"
#include "freshet/solids/solids.hpp"
#include "pressure/regions/joined_system.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet::pressure {

/// The rows that bubbles of trapped air add to a pressure system, see Bubbles: one region of one column each.
///
/// A bubble pushes the bodies that touch it, and they change its volume. With T of GasFaces, C of FreeBodies, f and own
/// terms of Bubbles, and F + k/theta^2 the diagonal matrix E of all bubbles:
///   V' = V* + C (S^T p~ + T^T p_b + J),   D p_b = f^T p~ - T C (S^T p~ + J) + own,   D = E + T C T^T
/// p_b is eliminated: with columns f and S the matrix is that of couple(), one for all bubbles and bodies.
class BubbleRows {
 public:
  /// Add the rows of the bubbles to `regions`, whose first columns they are, and their terms to the right-hand side.
  ///
  /// \param[in] bubbles   must outlive finish(); its `number` belongs to the system's layout
  /// \param[in] velocity  u*; ghosts valid to width 1, as those of the solids
  /// \param[in,out] b     right-hand side, owned [m/s]
  /// \param[in] bodies    bodies that the liquid moves, whose rows follow in `regions`; null: none. With bodies, their
  ///                      terms are an offset of the regions, and the bodies' matrices are those of couple()
  /// Parallel: collective, one reduction, and two more with bodies
  void add(const PoissonCoefficients& coefficients, const SolidFields& solids, const FaceField<double>& velocity,
           Bubbles& bubbles, Regions& regions, CellField<double>& b, const FreeBodies* bodies);
  /// Mark the rows of unknowns near bubbles as cut: faces there are not all open, and cells of air have a pressure.
  void mark_rows(PoissonCoefficients& coefficients) const;
  /// Let preconditioners know the bubbles, see JoinedSystem. \pre mark_rows()
  /// Parallel: collective, two exchanges; OpenMP
  void join(PoissonCoefficients& coefficients);
  /// Find the bubbles' pressures and outflows from the solution.
  /// \param[in] pressure  solution of the system. Parallel: collective, one reduction
  void finish(const Regions& regions, const CellField<double>& pressure, Bubbles& bubbles);
  /// T^T p_b: what the bubbles' pressures of finish() push the bodies with, over the columns of all bodies.
  std::span<const double> push() const { return push_; }
  /// Write the pressures of finish() into the bubbles' cells of air, ghosts to width 1. Parallel: local; OpenMP
  void write(CellField<double>& pressure) const;

  /// Make the system one of displacements, by which each bubble that is held grows by a part of its lack.
  /// \param[in,out] b  right-hand side, owned [cell volumes]. Parallel: local
  void begin_displacement(double part, Regions& regions, CellField<double>& b);
  /// Write the bubbles' potentials of such a system into their cells of air.
  /// \param[in,out] potential  solution, ghosts valid to width 1. Parallel: collective, one reduction
  void extend_displacement(const Regions& regions, CellField<double>& potential);

 private:
  /// A face between liquid and a bubble, on the liquid's side.
  struct Face {
    LocalIndex block;
    int cell;
    std::int32_t bubble;
    double coupling;          ///< w / theta
    double surface_pressure;  ///< p_I [m/s]
  };
  /// Outflow of u* and of solids from the cells of a bubble in one block. [m/s]
  struct Outflow {
    std::int32_t bubble;
    double value;
    double swept;  ///< part of `value` that prescribed walls and sources make
  };
  /// What any thread finds in a block.
  struct OfBlock {
    std::vector<Face> faces;
    std::vector<Outflow> outflows;
  };
  template <class Shape>
  void find_faces(const PoissonCoefficients& coefficients, LocalIndex block);
  template <class Shape>
  void find_outflows(const SolidFields& solids, const FaceField<double>& velocity, LocalIndex block);
  void add_up_blocks();
  void find_pressures_with_bodies(const std::vector<double>& all);
  void couple(const FreeBodies& bodies, const Dense& areas, Regions& regions);

  const CellField<std::int32_t>* number_ = nullptr;
  std::vector<std::uint8_t> has_air_;  ///< by slot: whether it holds cells of bubbles
  std::vector<OfBlock> of_block_;
  std::vector<Face> faces_;
  std::vector<ExactSum> sums_;        ///< F of each bubble, then outflow of u* less that of p_I, then that swept
  std::vector<double> coupling_;      ///< F by bubble
  std::vector<double> softness_;      ///< k / theta^2 by bubble
  std::vector<double> own_;           ///< the terms of p_b's row without the liquid's pressure, by bubble [m/s]
  std::vector<double> lack_;          ///< Bubble::lack by bubble [cell volumes]
  std::vector<double> held_inverse_;  ///< 1 / F by bubble in the system of displacements, 0 if it gives way
  std::vector<double> products_;      ///< f^T p by bubble [m/s]
  std::vector<double> of_bubbles_;    ///< values that write() writes, by bubble [m/s]
  std::vector<double> ground_;        ///< coupling of a bubble's air to p = 0 in the joined system, as a part of F
  JoinedSystem joined_;
  // with bodies, see couple()
  Dense areas_;                        ///< T
  Dense moved_;                        ///< T C
  Dense inverse_;                      ///< D^-1
  std::vector<double> terms_;          ///< own terms of bubbles, then J of bodies
  std::vector<double> push_;           ///< result of push()
  std::vector<std::uint8_t> is_idle_;  ///< by bubble: nothing determines its pressure
};

}  // namespace freshet::pressure
