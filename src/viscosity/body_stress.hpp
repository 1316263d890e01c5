// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/linear/regions.hpp"
#include "freshet/viscosity/viscous_step.hpp"
#include "viscosity/stress_weights.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace freshet::viscous {

/// The bodies that the liquid moves as a part of a viscous step.
///
/// They have the velocities V before the step and V' = V + C J after it, with C = rho dx^3 M^-1 and rho dx^3 J the
/// impulse of the liquid. Each difference of velocities in (2) of ViscousStep that ends on a face which a body holds
/// takes the velocities of its faces relative to the body, u_f - r_f V', r_f the row of a rigid motion at the face. So
/// a rigid motion of liquid and body has no stress, wherever the body's surface lies between the faces, and with the
/// coefficients Q of such a difference its faces U with an unknown get the force
///   - sum_j Q_ij (u_j - r_j V'),  j in U,
/// and the body the opposite force at the same places: sums of momentum and of angular momentum stay. With B_i = -
/// sum_j Q_ij r_j on faces with an unknown, in a coupled step B = what a unit of V' lets flow into cells, and D the
/// part of the liquid's resistance that belongs to the body alone,
///   J = J_0 - B^T x - D (V' - V),  V' - V = N (J_0 - B^T x),  N = (1 + C D)^-1 C,  x = (u', q). (4)
/// Put into the liquid's equations this is the system (A - B N B^T) x = b - B N J_0, which is as symmetric as A and,
/// for a step without q, positive definite: V' is found with u', whatever the body weighs. D and J_0 contain the open
/// parts of faces that bodies hold, whose liquid moves on with the body.
///
/// A difference that ends on faces of several bodies, or of a body and of a solid at rest, counts as one of the first
/// body. The rows are few, and are added inside the Krylov solver, as Regions are to the pressure's matrix.
class BodyStress {
 public:
  void clear() { moved_ = nullptr; }
  bool is_empty() const { return moved_ == nullptr; }
  /// Find B, D and J_0.
  /// \param[in] scale  dt / (rho dx^2) [m s/kg]
  /// \param[in] start  u*, owned [m/s]
  /// \param[in] before  the velocity whose stress acts, u* or u^n, owned [m/s]
  /// \param[in] held  `before` with the velocities of solids on held faces; ghosts valid to width 1 [m/s]
  /// \pre ghosts of labels and distance valid to width 3. Parallel: collective (one sum); OpenMP
  void find(const ViscousLiquid& liquid, double scale, const FaceField<double>& start, const FaceField<double>& before,
            const FaceField<double>& held, MovedBodies& moved);
  /// Add the rows of cells that keep their volume. \param[in] kept  1 in such cells, owned. Parallel: collective
  void add_cells(const ViscousLiquid& liquid, const CellField<std::uint8_t>& kept);
  /// Leave the rows of cells out again. Parallel: local
  void remove_cells();

  // The vectors of a solve, whose parts of blocks begin at multiples of `entries`: faces, then cells.
  struct VectorPlace {
    std::span<const LocalIndex> active;
    std::size_t entries;
  };
  /// y -= B N B^T x. Parallel: collective (one sum)
  void subtract_from_product(const VectorPlace& place, const double* x, double* y) const;
  /// Change a residual of A by the parts of bodies. \param[in] u  the velocity that it belongs to, its faces with an
  /// unknown count; null: 0 there. Parallel: collective (one sum)
  void change_residual(const VectorPlace& place, const FaceField<double>* u, double* residual) const;

  /// Find V', and set the impulses. \param[in] after  u' on owned faces with an unknown \param[in] pressure  q~; null:
  /// none. Parallel: collective (two sums)
  void finish(const FaceField<double>& after, const CellField<double>* pressure);
  /// Find V' from the stress of `before`, correct the liquid's velocity from the stress of V to that of V', and set
  /// the impulses. \param[in,out] velocity  owned [m/s]. Parallel: collective (two sums)
  void finish_explicitly(const FaceField<double>& before, FaceField<double>& velocity);
  /// Add V' - V to the velocities of faces that bodies hold. \pre finish(). Parallel: local
  void move_held(FaceField<double>& velocity) const;
  /// Copy the velocities of partly open faces that bodies hold. Parallel: local
  void copy_held(const FaceField<double>& from, FaceField<double>& to) const;

 private:
  static constexpr std::size_t n_sums = 42;  ///< numbers of a body: J_0, and D by rows
  /// A row of B in a block.
  struct Row {
    std::int16_t number;  ///< place among the block's faces and then cells
    std::int16_t body;
    Vec6 values;
    double correction = 0.0;  ///< part of b on a face that differs from that of a solid with given motion [m/s]
    double mass = 0.0;        ///< mass of the face
  };
  /// A face that a body cuts or holds.
  struct BodyFace {
    enum class Kind : std::uint8_t { cut, held, held_partly_open };
    std::int16_t number;
    std::int16_t body;
    Kind kind;
    Vec6 row;
    double rest = 0.0;   ///< mass of a cut face in the viscous step that is not that of its open part
    double start = 0.0;  ///< u* of a cut face [m/s]
  };
  struct BlockSums {
    std::int16_t body;
    std::array<double, n_sums> values{};
  };
  /// What a block has of bodies.
  struct Part {
    std::vector<Row> faces, held_cells, cells;
    std::vector<BodyFace> body_faces;
    std::vector<BlockSums> sums;
  };
  template <class Shape>
  class PartFinder;

  int n_faces() const { return dimension_ * cells_; }
  static std::ptrdiff_t begin_of(const VectorPlace& place, LocalIndex block);
  void sum_parts();
  void set_response();
  /// products_ = B^T x, with x from f(block, place of the block among near_, number). Collective
  template <class Value>
  void multiply_transposed(Value&& value) const;
  /// change_ = N (factor_of_constant J_0 + factor B^T x), with B^T x in products_
  void set_change(double factor_of_constant, double factor) const;
  void set_impulses();
  void add_rests(const FaceField<double>& after);

  MovedBodies* moved_ = nullptr;
  const BlockLayout* layout_ = nullptr;
  int dimension_ = 3;
  int cells_ = 0;
  int columns_ = 0;               ///< columns of a body
  std::vector<Part> parts_;       ///< by owned block
  std::vector<LocalIndex> near_;  ///< owned blocks with rows
  std::vector<ExactSum> sums_;    ///< J_0 and D of all bodies
  std::vector<Vec6> constant_;    ///< J_0 by body
  std::vector<Mat6> own_;         ///< D by body
  Dense response_;                ///< N
  Regions regions_;               ///< closed parts of cells
  mutable std::vector<ExactSum> product_sums_;
  mutable std::vector<Vec6> products_, change_;
};

}  // namespace freshet::viscous
