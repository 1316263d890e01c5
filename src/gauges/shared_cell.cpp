// SPDX-License-Identifier: Apache-2.0
#include "shared_cell.hpp"

#include "point.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace freshet {
namespace {

constexpr int nobody = -100;  ///< neither a body nor a wall

/// The part outside a body of the way from a point outside to one inside. \param[in] outside, inside  distances
double part_outside(double outside, double inside) {
  return outside > 0.0 ? outside / (outside - inside) : 0.0;
}

}  // namespace

bool ClosedCell::any_closed() const {
  for (const auto& of_axis : closed)
    if (of_axis[0] > 0.0 || of_axis[1] > 0.0) return true;
  return false;
}

bool ClosedCell::any_on_wall() const {
  for (const auto& of_axis : is_on_wall)
    if (of_axis[0] || of_axis[1]) return true;
  return false;
}

std::vector<int> bodies_near_block(const SolidFields& solids, const BlockLayout& layout, LocalIndex block) {
  const Domain& domain = layout.domain();
  const Vec3 half = 0.5 * domain.block_cells().cast<double>();
  constexpr double one_cell = 1.0;
  static_assert(one_cell < listed_within);
  std::vector<int> near;
  for (const NearBody& body : solids.near_block(block).list.bodies)
    if (body.distance < (half.norm() + one_cell) * domain.dx()) near.push_back(body.body);
  return near;
}

SharedCells::SharedCells(const SolidFields& solids, const Domain& domain, std::vector<int> near)
    : solids_(solids), domain_(domain), in_block_(std::move(near)) {}

bool SharedCells::is_shared(const ClosedCell& cell) {
  const bool any_wall = cell.any_on_wall();
  if (in_block_.empty() || (in_block_.size() == 1 && !any_wall)) return false;
  cut_.clear();
  voxels_.clear();
  bool is_cut = false;  // whether a surface of open fractions may pass through the cell
  constexpr double to_corner = 0.87, to_next = 1.0 + 1e-6, beyond_corners = 1.8;  // from the centre [cells]
  for (const int body : in_block_) {
    const double distance = std::abs(shape(body).signed_distance(cell.center)) / domain_.dx();
    if (solids_.bodies()[static_cast<std::size_t>(body)].surface == Surface::fractions) {
      if (distance <= beyond_corners) cut_.push_back(body);
      is_cut = is_cut || distance <= to_corner;
    } else if (distance <= to_next) {
      voxels_.push_back(body);
    }
  }
  if (any_wall || !voxels_.empty()) return voxels_.size() + (is_cut ? 1 : 0) + (any_wall ? 1 : 0) > 1;
  return is_cut && cut_.size() > 1 && corners_differ(cell.center);
}

/// Whether the cell's corners, whose distances make the open fractions, have different nearest bodies.
bool SharedCells::corners_differ(const Vec3& center) {
  const int n_corners = 1 << domain_.dimension();
  int first = nobody;
  for (int corner = 0; corner < n_corners; ++corner) {
    Vec3 x = center;
    for (int d = 0; d < domain_.dimension(); ++d)
      x[d] += (corner >> d & 1) != 0 ? 0.5 * domain_.dx() : -0.5 * domain_.dx();
    measure(x, here_);
    const int nearest = cut_[static_cast<std::size_t>(std::min_element(here_.begin(), here_.end()) - here_.begin())];
    if (corner > 0 && nearest != first) return true;
    first = nearest;
  }
  return false;
}

const std::vector<SurfaceInCell>& SharedCells::surfaces(const ClosedCell& cell) {
  surfaces_.clear();
  for (int axis = 0; axis < domain_.dimension(); ++axis) {
    if (cell.closed[axis][0] == 0.0 && cell.closed[axis][1] == 0.0) continue;
    cast_rays(cell, axis);
    scale(cell, axis);
  }
  return surfaces_;
}

/// Measure the signed distances to the bodies of open fractions. [m]
void SharedCells::measure(const Vec3& x, std::vector<double>& distances) const {
  distances.clear();
  for (const int body : cut_) distances.push_back(shape(body).signed_distance(x));
}

/// Find the body of open fractions that the way between two points meets first; nobody: its end lies in none.
int SharedCells::body_met(const std::vector<double>& outside, const std::vector<double>& inside) const {
  int met = nobody;
  double shortest = 2.0;
  for (std::size_t m = 0; m < cut_.size(); ++m) {
    if (inside[m] > 0.0) continue;
    const double way = part_outside(outside[m], inside[m]);
    if (way >= shortest) continue;
    shortest = way;
    met = cut_[m];
  }
  return met;
}

/// Find the wall or the body of whole cells that closes a face; nobody: neither does.
int SharedCells::owner_of_face(const ClosedCell& cell, int axis, int side) const {
  if (cell.is_on_wall[axis][side]) return wall_number(axis, side);
  if (cell.closed[axis][side] < 1.0 || voxels_.empty()) return nobody;
  const Vec3 beyond = cell.center + (side == 0 ? -1.0 : 1.0) * domain_.dx() * Vec3::Unit(axis);
  int owner = nobody;
  double shortest = 2.0;
  for (const int body : voxels_) {
    const double inside = shape(body).signed_distance(beyond);
    if (inside > 0.0) continue;
    const double way = part_outside(shape(body).signed_distance(cell.center), inside);
    if (way >= shortest) continue;
    shortest = way;
    owner = body;
  }
  return owner;
}

void SharedCells::add(int owner, int axis, double part, const Vec3& x) {
  auto surface = std::find_if(surfaces_.begin(), surfaces_.end(),
                              [&](const SurfaceInCell& other) { return other.owner == owner; });
  if (surface == surfaces_.end()) {
    SurfaceInCell none;
    none.owner = owner;
    std::fill_n(none.first, 3, Vec3::Zero());
    std::fill_n(none.place, 3, Vec3::Zero());
    surface = surfaces_.insert(surfaces_.end(), none);
  }
  const double before = surface->size[axis];
  surface->area[axis] += part;
  surface->size[axis] += std::abs(part);
  surface->first[axis] += part * x;
  surface->place[axis] = (before * surface->place[axis] + std::abs(part) * x) / surface->size[axis];
}

void SharedCells::cast_rays(const ClosedCell& cell, int axis) {
  const int low_owner = owner_of_face(cell, axis, 0), high_owner = owner_of_face(cell, axis, 1);
  const Vec3 along = Vec3::Unit(axis);
  changes_.assign(cut_.size(), 0.0);
  if (cut_.empty()) {
    if (low_owner != nobody) add(low_owner, axis, -1.0, -0.5 * along);
    if (high_owner != nobody) add(high_owner, axis, 1.0, 0.5 * along);
    return;
  }
  const bool is_flat = domain_.dimension() == 2;
  const Vec3 across = Vec3::Unit(axis == 0 ? 1 : 0),
             aside = is_flat ? Vec3(Vec3::Zero()) : Vec3::Unit(axis == 2 ? 1 : 2);
  const int n_aside = is_flat ? 1 : n_rays;
  const double part = 1.0 / (n_rays * n_aside);
  const auto at = [](int i) { return (i + 0.5) / n_rays - 0.5; };
  for (int b = 0; b < n_aside; ++b)
    for (int a = 0; a < n_rays; ++a) {
      const Vec3 ray = at(a) * across + at(b) * aside;
      const auto is_open = [](const std::vector<double>& distances) {
        return std::all_of(distances.begin(), distances.end(), [](double distance) { return distance > 0.0; });
      };
      measure(cell.center + domain_.dx() * (ray - 0.5 * along), before_);
      bool was_open = is_open(before_);
      start_ = before_;
      if (was_open && low_owner != nobody) add(low_owner, axis, -part, ray - 0.5 * along);
      for (int i = 1; i <= n_rays; ++i) {
        const double end = static_cast<double>(i) / n_rays - 0.5;
        measure(cell.center + domain_.dx() * (ray + end * along), here_);
        const bool open = is_open(here_);
        const Vec3 between = ray + (end - 0.5 / n_rays) * along;
        if (was_open && !open) add(body_met(before_, here_), axis, part, between);
        if (!was_open && open) add(body_met(here_, before_), axis, -part, between);
        std::swap(before_, here_);
        was_open = open;
      }
      if (was_open && high_owner != nobody) add(high_owner, axis, part, ray + 0.5 * along);
      for (std::size_t m = 0; m < cut_.size(); ++m) changes_[m] += std::abs(before_[m] - start_[m]);
    }
}

/// Scale the parts across an axis so that their sum is that of the closed faces.
void SharedCells::scale(const ClosedCell& cell, int axis) {
  const double* closed = cell.closed[axis];
  double missing = closed[1] - closed[0], size = 0.0;
  for (const SurfaceInCell& surface : surfaces_) {
    missing -= surface.area[axis];
    size += surface.size[axis];
  }
  if (missing == 0.0) return;
  if (size == 0.0) return share_blunt_edge(cell, axis, missing);
  for (SurfaceInCell& surface : surfaces_) {
    const double part = missing * surface.size[axis] / size;
    surface.size[axis] += surface.area[axis] < 0.0 ? -part : part;
    surface.area[axis] += part;
    surface.first[axis] += part * surface.place[axis];
  }
}

/// Give the rest of the area to bodies with an edge nearby that the corners of cells blunt, so that rays meet nothing:
/// to those whose distances change along the rays.
void SharedCells::share_blunt_edge(const ClosedCell& cell, int axis, double missing) {
  const Vec3 face = (cell.closed[axis][1] > cell.closed[axis][0] ? 0.5 : -0.5) * Vec3::Unit(axis);
  const double sum = std::accumulate(changes_.begin(), changes_.end(), 0.0);
  for (std::size_t m = 0; m < cut_.size() && sum > 0.0; ++m)
    if (changes_[m] > 0.0) add(cut_[m], axis, missing * changes_[m] / sum, face);
  if (sum > 0.0) return;
  double distance = 0.0;
  add(nearest_body_to(solids_, cell.center + domain_.dx() * face, distance), axis, missing, face);
}

int body_on_the_way(const SolidFields& solids, const Vec3& from, const Vec3& to, double& distance) {
  const int nearest = nearest_body_to(solids, to, distance);
  if (nearest < 0 || distance > 0.0) return nearest;
  int first = nearest;
  double shortest = 2.0, highest = 0.0;
  for (std::size_t m = 0; m < solids.shapes().size(); ++m) {
    const double inside = solids.shapes()[m]->signed_distance(to);
    if (inside > 0.0) continue;
    const double outside = solids.shapes()[m]->signed_distance(from);
    const double way = part_outside(outside, inside);
    if (way > shortest || (way == shortest && outside <= highest))
      continue;  // if several contain the start, take the nearest surface
    shortest = way;
    highest = outside;
    distance = inside;
    first = static_cast<int>(m);
  }
  return first;
}

}  // namespace freshet
