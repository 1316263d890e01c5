// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/linear/dense.hpp"

#include <span>
#include <vector>

namespace freshet {

/// What impulses do to velocities of which rows are held.
///
/// With W the symmetric matrix of what impulses do if nothing is held, and G the rows, impulses P change the velocities
/// by C P,
///   C = W - W G^T (G W G^T + E)^+ G W,
/// which is symmetric positive semidefinite. E is diagonal: compliances of rows. Without it G C = 0. The impulses that
/// hold the rows are -G^T q with q = (G W G^T + E)^+ G W P. Rows that follow from others do not count twice.
/// Source: Baraff 1996, section 3, for the reduced system; see SemidefiniteFactor for the pseudo-inverse.
/// Parallel: local
class HeldResponse {
 public:
  /// Find C. \param[in] free  W \param[in] rows  G \param[in] reference  by row: its product with the inverse mass
  /// matrix of bodies that nothing holds \param[in] compliance  E, by row; empty: 0
  void set(const Dense& free, const Dense& rows, std::span<const double> reference,
           std::span<const double> compliance = {});
  const Dense& response() const { return response_; }  ///< C
  const Dense& rows() const { return rows_; }          ///< G
  /// (G W G^T + E)^+ times numbers of rows, in place. \pre they are in the range of G W, up to rounding
  void solve(std::span<double> of_rows) { factor_.solve(of_rows); }
  /// G V. \param[out] rates  one a row
  void multiply(std::span<const double> velocities, std::span<double> rates) const;
  /// Add factor W G^T times numbers of rows.
  void add_moved(double factor, std::span<const double> of_rows, std::span<double> of_bodies) const;
  /// G W P. \param[out] rates  one a row
  void multiply_moved(std::span<const double> impulses, std::span<double> rates) const;

 private:
  Dense rows_, moved_;       ///< G; G W
  Dense system_;             ///< G W G^T + E
  Dense halved_, response_;  ///< Y with Y^T Y = W G^T (G W G^T + E)^+ G W; C
  SemidefiniteFactor factor_;
};

}  // namespace freshet
