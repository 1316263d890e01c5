// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/pressure/poisson.hpp"
#include "freshet/solids/solids.hpp"

#include <limits>
#include <span>
#include <vector>

namespace freshet::pressure {

/// A face between a solid and a liquid cell with an unknown, or the piece of a body's surface in a cell that the body
/// cuts. n points out of the solid, into the liquid.
struct WallFace {
  LocalIndex block;           ///< slot that stores the face; the background for a piece or if none does
  LocalIndex cell_block;      ///< slot of the liquid cell
  std::int16_t face;          ///< number of the face in its block
  std::int16_t cell;          ///< number of the liquid cell in its block
  std::int8_t axis;           ///< axis of the normal
  std::int8_t normal;         ///< n along the axis: 1 or -1
  bool is_piece;              ///< the face is a piece of the surface of a body that cuts the cell
  bool may_separate;          ///< liquid may leave the wall
  bool is_shared;             ///< a thin wall with liquid on both sides, seen from its low side
  bool is_separated = false;  ///< liquid leaves the wall here in this step: p_s = 0
  bool is_open = false;       ///< the system's diagonal has p_s = 0; set by WallFaces::open()
  bool is_free = false;       ///< it belongs to a body that the liquid moves
  double area;                ///< area in units of a cell face: 1 except for pieces
  double solid_velocity;      ///< u_s along the axis [m/s]
  double leaving;             ///< w = (u* - u_s) . n: speed of leaving without pressure [m/s]
  double floor;               ///< p~ of its cell at which p_s becomes 0: w, at free bodies by gravity alone [m/s]
  double theta = 1.0;         ///< distance from the cell's centre at which p_s = 0 acts [cells]
  double velocity;            ///< present (u - u_s) . n [m/s]
  double pressure = 0.0;      ///< p~ of its cell after the last solve [m/s]
  double dual = 0.0;          ///< q of admm, Eckert (2014), algorithm 2 [m/s]
};

/// Value of the field of floors in cells that touch no body which the liquid moves and may leave.
constexpr double no_floor = std::numeric_limits<double>::lowest();

/// The wall faces of one step, by the block of their liquid cell.
///
/// The cells of own() belong to this rank, and sums over these faces go into their equations. The rest of all() are
/// faces that this rank stores while their cells belong to another rank. Both ranks compute the state of such a face
/// from the same numbers, so that only ghosts of the pressure are sent.
class WallFaces {
 public:
  /// \param[in] velocity  u*; its ghosts and those of `unknown` are valid to width 1
  /// \param[in] floors    p~ at which the pressure on the free bodies that touch a cell becomes 0, else no_floor;
  ///                      ghosts valid to width 1; null: none. Parallel: local; OpenMP
  void collect(const PoissonCoefficients& coefficients, const SolidFields& solids, const FaceField<double>& velocity,
               const CellField<double>* floors = nullptr);
  /// Let the faces have the velocities that the solids have now. Parallel: local
  void follow(const SolidFields& solids);
  /// Remove all faces.
  void clear();

  std::span<WallFace> all() { return faces_; }
  std::span<const WallFace> all() const { return faces_; }
  std::span<const WallFace> own() const { return {faces_.data(), n_own_}; }

  /// Set p_s = 0 on the faces for which shall_open(face) is true, and close the others.
  /// \param[in,out] diagonal  diagonal of the Poisson system, plus area / theta of each open face. \return number of
  ///                          changed own faces
  template <class Predicate>
  GlobalIndex open(Predicate shall_open, CellField<double>& diagonal);

  /// Owned blocks in which open() changed a face since the previous call or collect(). Parallel: local
  std::vector<LocalIndex> take_changed_blocks();

  /// Set the right-hand side of liquid cells at walls to base + the sum of area * inflow(face, p~ of its cell). Other
  /// cells keep their values.
  template <class Inflow>
  void add_inflow(const CellField<double>& base, const CellField<double>& pressure, CellField<double>& right_hand_side,
                  Inflow inflow) const;

  /// Call f(face, p~ of its cell) on all faces. \pre ghosts of `pressure` are valid: some cells are on other ranks
  template <class Function>
  void for_each(const CellField<double>& pressure, Function f);

  /// Largest f(face, p~ of its cell) of own faces, at least 0.
  template <class Function>
  double largest(const CellField<double>& pressure, Function f) const;

  /// u_f = u_s + velocity n on the owned wall faces; at a thin wall both sides' velocities are added.
  void write(FaceField<double>& velocity) const;

 private:
  template <class Shape>
  void find_blocks(const PoissonCoefficients& coefficients, const SolidFields& solids,
                   const FaceField<double>& velocity);

  const BlockLayout* layout_ = nullptr;
  std::vector<LocalIndex> blocks_;  ///< owned blocks with cells at walls, then blocks that store faces of ghosts' cells
  std::size_t n_own_blocks_ = 0;
  std::vector<std::uint8_t> is_changed_;  ///< by block of blocks_: open() has changed a face
  std::vector<std::size_t> begin_;        ///< index of the first face of each block
  std::size_t n_own_ = 0;
  TrackedVector<WallFace, MemoryKind::pressure> faces_;
};

template <class Predicate>
GlobalIndex WallFaces::open(Predicate shall_open, CellField<double>& diagonal) {
  GlobalIndex changed = 0;
#pragma omp parallel for schedule(static) reduction(+ : changed)
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    const bool own = n < n_own_blocks_;
    double* d = own ? diagonal.block(blocks_[n]) : nullptr;
    for (std::size_t i = begin_[n]; i < begin_[n + 1]; ++i) {
      WallFace& face = faces_[i];
      const bool opens = shall_open(face);
      if (opens == face.is_open) continue;
      face.is_open = opens;
      if (!own) continue;
      ++changed;
      is_changed_[n] = 1;
      d[face.cell] += (opens ? face.area : -face.area) / face.theta;
    }
  }
  return changed;
}

template <class Inflow>
void WallFaces::add_inflow(const CellField<double>& base, const CellField<double>& pressure,
                           CellField<double>& right_hand_side, Inflow inflow) const {
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < n_own_blocks_; ++n) {
    const double* b = base.block(blocks_[n]);
    const double* p = pressure.block(blocks_[n]);
    double* sum = right_hand_side.block(blocks_[n]);
    for (std::size_t i = begin_[n]; i < begin_[n + 1]; ++i) sum[faces_[i].cell] = b[faces_[i].cell];
    for (std::size_t i = begin_[n]; i < begin_[n + 1]; ++i)
      sum[faces_[i].cell] += faces_[i].area * inflow(faces_[i], p[faces_[i].cell]);
  }
}

template <class Function>
void WallFaces::for_each(const CellField<double>& pressure, Function f) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < faces_.size(); ++i) f(faces_[i], pressure.block(faces_[i].cell_block)[faces_[i].cell]);
}

template <class Function>
double WallFaces::largest(const CellField<double>& pressure, Function f) const {
  double worst = 0.0;
#pragma omp parallel for schedule(static) reduction(max : worst)
  for (std::size_t i = 0; i < n_own_; ++i) {
    const double value = f(faces_[i], pressure.block(faces_[i].cell_block)[faces_[i].cell]);
    worst = value > worst ? value : worst;
  }
  return worst;
}

/// u_f = u_s on the owned faces between a solid and a cell with an unknown: the result of WallFaces::write() without
/// flow through walls. Parallel: local; OpenMP
void hold_walls(const PoissonCoefficients& coefficients, const SolidFields& solids, FaceField<double>& velocity);

}  // namespace freshet::pressure
