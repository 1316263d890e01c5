// SPDX-License-Identifier: Apache-2.0
#include "mesh_repair.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace freshet {
namespace {

/// The neighbours of triangles across edges of exactly two triangles, and whether both run in one direction along it.
class Neighbours {
 public:
  struct Neighbour {
    std::int32_t triangle = -1;  ///< -1: there is no neighbour
    bool is_turned = false;      ///< whether both run along the edge in the same direction
  };

  explicit Neighbours(const TriangleMesh& mesh) : of_(mesh.triangles.size()) {
    struct Side {
      std::int32_t lower, upper, triangle;
      std::uint8_t edge;
      bool goes_up;
    };
    std::vector<Side> sides;
    sides.reserve(3 * mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      for (std::size_t i = 0; i < 3; ++i) {
        const std::int32_t a = mesh.triangles[t][i], b = mesh.triangles[t][(i + 1) % 3];
        sides.push_back(
            {std::min(a, b), std::max(a, b), static_cast<std::int32_t>(t), static_cast<std::uint8_t>(i), a < b});
      }
    const auto edge_of = [](const Side& side) { return std::pair(side.lower, side.upper); };
    std::sort(sides.begin(), sides.end(), [&](const Side& a, const Side& b) {
      return std::pair(edge_of(a), a.triangle) < std::pair(edge_of(b), b.triangle);
    });
    for (auto side = sides.begin(); side != sides.end();) {
      const auto end =
          std::find_if(side, sides.end(), [&](const Side& other) { return edge_of(other) != edge_of(*side); });
      if (end - side == 2) {
        const bool is_turned = side->goes_up == (side + 1)->goes_up;
        at(side->triangle)[static_cast<std::size_t>(side->edge)] = {(side + 1)->triangle, is_turned};
        at((side + 1)->triangle)[static_cast<std::size_t>((side + 1)->edge)] = {side->triangle, is_turned};
      }
      side = end;
    }
  }
  std::array<Neighbour, 3>& at(std::int32_t triangle) { return of_[static_cast<std::size_t>(triangle)]; }

 private:
  std::vector<std::array<Neighbour, 3>> of_;
};

/// Triangles that are connected through edges of two triangles each.
struct Patch {
  std::vector<std::int32_t> triangles;
  bool has_two_sides = true;  ///< false for a Moebius strip
};

/// The patch of a triangle. \param[in,out] turned  by triangle: 0 and 1 are the two sides, 2: not seen yet
Patch patch_of(std::int32_t first, Neighbours& neighbours, std::vector<std::uint8_t>& turned) {
  Patch patch{{first}, true};
  turned[static_cast<std::size_t>(first)] = 0;
  for (std::size_t n = 0; n < patch.triangles.size(); ++n) {
    const std::int32_t here = patch.triangles[n];
    for (const auto& [next, is_turned] : neighbours.at(here)) {
      if (next < 0) continue;
      const auto side = static_cast<std::uint8_t>(turned[static_cast<std::size_t>(here)] ^ std::uint8_t{is_turned});
      std::uint8_t& its = turned[static_cast<std::size_t>(next)];
      if (its == 2) {
        its = side;
        patch.triangles.push_back(next);
      }
      patch.has_two_sides = patch.has_two_sides && its == side;
    }
  }
  return patch;
}

}  // namespace

std::int64_t turn_to_neighbours(TriangleMesh& mesh) {
  Neighbours neighbours(mesh);
  std::vector<std::uint8_t> turned(mesh.triangles.size(), 2);
  std::int64_t n_turned = 0;
  for (std::size_t first = 0; first < mesh.triangles.size(); ++first) {
    if (turned[first] != 2) continue;
    const Patch patch = patch_of(static_cast<std::int32_t>(first), neighbours, turned);
    if (!patch.has_two_sides) continue;
    std::array<double, 2> area{};
    double volume = 0.0;  // volume if the triangles of side 1 are turned
    const Vec3 middle = mesh.points[static_cast<std::size_t>(mesh.triangles[first][0])];
    for (const std::int32_t t : patch.triangles) {
      const auto& [a, b, c] = mesh.triangles[static_cast<std::size_t>(t)];
      const Vec3 from = mesh.points[static_cast<std::size_t>(a)];
      const Vec3 twice =
          (mesh.points[static_cast<std::size_t>(b)] - from).cross(mesh.points[static_cast<std::size_t>(c)] - from);
      const std::uint8_t side = turned[static_cast<std::size_t>(t)];
      area[side] += twice.norm();
      volume += (side == 0 ? 1.0 : -1.0) * twice.dot(from - middle);
    }
    constexpr double rounding = 1e-9;  // rounding of sums of areas: halves are equal
    const bool are_halves = std::abs(area[0] - area[1]) <= rounding * (area[0] + area[1]);
    const bool keeps_first = are_halves ? volume >= 0.0 : area[0] > area[1];
    for (const std::int32_t t : patch.triangles)
      if ((turned[static_cast<std::size_t>(t)] == 1) == keeps_first) {
        std::swap(mesh.triangles[static_cast<std::size_t>(t)][1], mesh.triangles[static_cast<std::size_t>(t)][2]);
        ++n_turned;
      }
  }
  return n_turned;
}

}  // namespace freshet
