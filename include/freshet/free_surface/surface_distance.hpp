// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/transfer/moment_deposit.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace freshet {

/// Finds the level set phi, the signed distance from cell centres near the surface to it, from the particles; keeps its
/// buffers from step to step.
///
/// m_c counts the particles around a centre, and |o_c| / m_c is the distance of their mean from it (MomentDeposit).
/// Below a plane surface at the distance phi both are known functions of phi if the particles are evenly spread:
///   m = n A(phi),   |o| = n B(phi),   A(phi) = integral of w(s) over s < -phi,   B(phi) = the same of -s w(s)    (1)
/// with the B-spline w and the number n of particles in a full cell. Hence phi has an estimate and two bounds:
///   B(phi) / A(phi) = |o_c| / m_c,        A(phi) >= m_c / (1.5 n_full),        A(phi) <= 2 m_c / n_full          (2)
/// The estimate does not depend on the liquid's density and is exact for the surface of a large body of liquid. The
/// upper bound of A limits spray, thin sheets and small drops: where the estimate exceeds it, they are air. The lower
/// bound applies to clusters of particles: a cluster draws the mean position of the cells around it towards itself,
/// though they are liquid. A lone particle is not liquid. A hole of one cell inside the liquid is liquid whatever (2)
/// gives: a cell whose neighbours along the axes are all liquid gets the largest phi of them. Random positions cause
/// such holes below the surface, and p = 0 in one would make a jet.
///
/// Particles near the domain's faces and near bodies are mirrored there. Beside walls thinner than a cell, particles
/// and their images count for the cells on their side of the wall. A cell whose centre lies in a body of open fractions
/// has the phi of its neighbour along the body's outward normal, unless that is solid, and a difference. Without a
/// contact angle the surface goes on straight (linear extrapolation, Aslam 2004): the difference is that of phi's
/// gradient in the neighbour, as far as the surface passes there. With one it meets the body at that angle theta: the
/// difference is -cos(theta) times the distance between the two centres. Above 90 degrees it is 0: otherwise cells with
/// liquid beside the body would become air and drops would be too flat.
///
/// Source: Zhu & Bridson 2005, section 5, for the mean of the particles' positions
class SurfaceDistance {
 public:
  /// \param[in] per_cell  number of particles in a full cell
  /// \param[in] contact_angle  [degrees]; none where no tension pulls the surface to it
  /// \param[in] memory    free between calls; null: memory of its own
  explicit SurfaceDistance(int per_cell, std::optional<double> contact_angle = {},
                           std::shared_ptr<ScratchMemory> memory = nullptr);

  static constexpr float farthest = 1.5F;  ///< largest |phi| [cells]
  /// Largest distance of cells whose particles count from a cell without particles.
  static constexpr int near_within = 3;

  /// \param[in]  occupied  liquid in cells with a particle; owned, ghosts valid to width near_within
  /// \param[out] phi       [cells], negative in the liquid; owned, ghosts valid to width 1; background 0
  /// Parallel: collective; OpenMP; the same bits as MomentDeposit
  void operator()(const ParticleStore& particles, const SolidFields& solids, const LabelField& occupied,
                  CellField<float>& phi);

 private:
  template <class Shape>
  void mark_near(const LabelField& occupied);
  template <class Shape>
  void find_extra_points(const ParticleStore& particles, const SolidFields& solids);
  template <class Shape>
  void evaluate(const LabelField& occupied, CellField<float>& phi) const;
  template <class Shape>
  void fill_holes(CellField<float>& phi);
  template <class Shape, class Open>
  static double rise_into_body(const CellField<float>& phi, LocalIndex b, const CutCell& cut, Open open);
  template <class Shape>
  void extend_into_bodies(const SolidFields& solids, const LabelField& occupied, CellField<float>& phi);

  int per_cell_;
  bool meets_bodies_;  ///< at a contact angle
  double cosine_;      ///< cosine of the contact angle, 0 above 90 degrees
  MomentDeposit deposit_;
  LabelPlanes occupied_;
  CellPlanes below_;              ///< cells with phi < 0
  CellField<std::uint8_t> near_;  ///< owned: bits for "its particles count" and "its phi is computed"
  CellField<Moments> moments_;
  ExtraPoints extra_;
  std::vector<std::vector<float>> of_cut_cells_;
  struct Hole {
    int cell;
    float phi;
  };
  std::vector<std::vector<Hole>> holes_;  ///< by owned block
};

}  // namespace freshet
