// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/linear/regions.hpp"
#include "pressure/null_space/sealed_bodies.hpp"

#include <span>
#include <vector>

namespace freshet::pressure {

/// The constants of the pressure in sealed bodies, with regions in the system.
///
/// Without regions each constant is open: A E = 0, with a column of E for each sealed body, 1 in its cells. A body that
/// the liquid moves may give way to sealed liquid: (A + S C S^T) E = S C T^T with T = E^T S, and of the constants
/// E y only those stay open, as null modes, for which G y = 0 with G = T C T^T. A body that lies wholly in one sealed
/// body cannot change its volume: its row of T is 0. The other constants are as stiff as the bodies that they move. The
/// preconditioner of A knows nothing of them, so that they are solved for apart:
///
///   M^-1 = P M_A^-1 P + E G^+ E^T,   P = 1 - E (E^T E)^-1 E^T
///
/// which is symmetric positive definite on all that is not a null mode.
///
/// A sealed body all of whose cells touch bodies that the liquid moves is a film between surfaces less than two cells
/// apart. The grid does not let it out sideways where nature would, and it would hold the surfaces apart for ever. So
/// films do not act on bodies, which push them out of their way. Source: Tang, Nabben, Vuik & Erlangga 2009,
/// section 2.3 (additive coarse correction)
class SealedModes {
 public:
  /// \param[in] sealed  its bodies; must outlive the use. \param[in,out] regions  of the system, which lose their rows
  ///                    in films; null: none
  /// Parallel: collective if there are sealed bodies and regions
  void set(SealedBodies& sealed, Regions* regions);
  /// Number of null modes.
  int n_null() const { return n_null_; }
  /// Whether some of the constants are determined by regions.
  bool any_opened() const { return !opened_.empty(); }

  /// Take the null modes out of an array of unknowns. \return the norm of what is taken out over all ranks, films left
  /// out. Parallel: collective if there are null modes; OpenMP
  double remove_null(double* values);
  /// The sum over each sealed body's cells of the values that the last remove_null() subtracted.
  const std::vector<double>& removed_sums() const { return removed_; }
  /// Take all constants of sealed bodies out of r, and keep them for add_opened(). Parallel: collective
  void take_constants(double* r);
  /// z = P z + E G^+ E^T r for the last r of take_constants(). Parallel: collective
  void add_opened(double* z);
  /// Add the null modes that make floors hold. \param[in,out] shifts  by sealed body: how much its constant must rise
  /// at least; without a floor, -`none`. On return what each constant rises by
  void raise(std::vector<double>& shifts, double none) const;

 private:
  /// A sealed body that regions touch.
  struct Touch {
    int body;
    int region;
  };
  void leave_films(Regions& regions);
  void find_touches(const Regions& regions);
  void find_products(const Regions& regions);
  void split();

  SealedBodies* sealed_ = nullptr;
  int n_null_ = 0;
  std::vector<std::uint8_t> is_film_;        ///< by sealed body
  std::vector<Touch> touches_;               ///< the same on all ranks
  std::vector<int> touched_;                 ///< the sealed bodies that regions touch, ascending
  std::vector<double> products_;             ///< T of the touched bodies, one row each
  std::vector<double> magnitudes_;           ///< the same with the magnitudes of the entries of S
  std::vector<double> system_;               ///< G of the touched bodies
  std::vector<double> reference_;            ///< diagonal of G with the magnitudes
  std::vector<std::vector<double>> null_;    ///< null modes of the touched bodies, orthonormal by E^T E
  std::vector<std::vector<double>> opened_;  ///< vectors v with G^+ = sum of v v^T
  std::vector<double> sums_;                 ///< E^T r
  std::vector<double> removed_;
};

}  // namespace freshet::pressure
