// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/meshing/level_set.hpp"
#include "lattice.hpp"

#include <array>

namespace freshet::meshing {

/// The faces of the domain and the solids, which bound the liquid. Points and distances are in lattice cells.
class Walls {
 public:
  Walls(const Domain& simulation, const Lattice& lattice, SolidDistance solids)
      : simulation_(simulation), lattice_(lattice), solids_(std::move(solids)) {}

  bool has_solids() const { return static_cast<bool>(solids_); }
  Vec3 position(const Vec3& x) const { return lattice_.origin + (x.array() - lattice_.pad).matrix() * lattice_.dx; }

  /// Signed distance to the faces of the domain, negative in the domain; exact there.
  double box(const Vec3& x) const {
    double largest = -1e30;
    for (int d = 0; d < 3; ++d)
      largest = std::max({largest, lattice_.pad - x[d], x[d] - lattice_.pad - lattice_.cells[d]});
    return largest;
  }
  /// Signed distance to the nearest solid, positive inside it; very negative if there are no solids.
  double solid(const Vec3& x) const { return has_solids() ? -solids_(position(x)) / lattice_.dx : -1e30; }
  /// Signed distance to the nearest wall or solid, positive beyond it.
  double distance(const Vec3& x) const { return std::max(box(x), solid(x)); }
  Vec3 solid_normal(const Vec3& x) const;

  /// Whether any point of a block may lie beyond a wall, in a solid, or within `margin` of either.
  bool near_block(const Vec3i& first_cell, double margin) const;
  /// Project a point that lies at most a few cells beyond walls or solids to the nearest point on them.
  Vec3 project(Vec3 x) const;

  /// Find the coordinates of a particle and, after it, of its images along one axis. \return their number
  int images(int axis, double x, double reach, std::array<double, 3>& coordinates) const;

 private:
  Domain simulation_;
  const Lattice lattice_;
  SolidDistance solids_;
};

}  // namespace freshet::meshing
