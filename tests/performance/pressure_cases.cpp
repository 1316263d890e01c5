// SPDX-License-Identifier: Apache-2.0
#include "pressure_cases.hpp"

#include "freshet/core/error.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/balance_options.hpp"
#include "freshet/grid/halo.hpp"
#include "support/pressure_scene.hpp"

#include <algorithm>
#include <cmath>

namespace freshet::test {
namespace {

Vec3 center_of(const Vec3i& cell) {
  return cell.cast<double>() + Vec3::Constant(0.5);
}

/// A drop in some of the cubes of `width` cells, its radius between `least` and `most` cells.
bool in_drop(const Vec3i& cell, int width, double share, double least, double most, std::uint64_t seed) {
  const Vec3i cube = cell / width;
  if (0.5 + 0.5 * noise(cube, seed) > share) return false;
  const double radius = least + (most - least) * (0.5 + 0.5 * noise(cube, seed + 1));
  const Vec3 center = width * center_of(cube);
  return (center_of(cell) - center).norm() < radius;
}

/// A thread of liquid across some of the cubes of `width` cells.
bool in_ligament(const Vec3i& cell, int width, double share, double radius, std::uint64_t seed) {
  const Vec3i cube = cell / width;
  if (0.5 + 0.5 * noise(cube, seed) > share) return false;
  const Vec3 along = Vec3(noise(cube, seed + 1), noise(cube, seed + 2), noise(cube, seed + 3)).normalized();
  const Vec3 way = center_of(cell) - width * center_of(cube);
  const double reach = std::clamp(way.dot(along), -0.35 * width, 0.35 * width);
  return (way - reach * along).norm() < radius;
}

bool in_dam(const Vec3i& cell, double n) {
  const Vec3 x = center_of(cell) / n;
  const double height = 0.35 + 0.2 * std::sin(7.0 * x.x() + 2.0 * x.z()) + 0.04 * std::sin(31.0 * x.x() - 23.0 * x.z());
  return x.y() < height || in_drop(cell, 12, 0.2, 2.0, 5.0, 1);
}

bool in_sheet(const Vec3i& cell, double n) {
  const Vec3 x = center_of(cell) / n;
  const double phase = 9.0 * x.x() + 4.0 * x.z();
  const double wave = 0.6 + 0.08 * std::sin(phase) + 0.03 * std::sin(17.0 * x.z());
  const double slope = std::hypot(1.0, 0.08 * 9.0 * std::cos(phase),
                                  0.08 * 4.0 * std::cos(phase) + 0.03 * 17.0 * std::cos(17.0 * x.z()));
  if (n * std::abs(x.y() - wave) < 1.25 * slope) return true;
  return cell.x() < 2.0 + std::sin(11.0 * x.y() + 5.0 * x.z()) && x.y() < 0.9;
}

bool in_spray(const Vec3i& cell) {
  return in_drop(cell, 14, 0.4, 3.0, 6.0, 11) || in_drop(cell, 5, 0.2, 1.0, 2.0, 21) ||
         in_ligament(cell, 24, 0.5, 1.3, 31);
}

bool holds_liquid(PressureCase kind, const Vec3i& cell, int n) {
  switch (kind) {
    case PressureCase::dam:
      return in_dam(cell, n);
    case PressureCase::box:
      return cell.y() < n - 1;
    case PressureCase::sheet:
      return in_sheet(cell, n);
    case PressureCase::spray:
      return in_spray(cell);
  }
  return false;
}

/// Distance to the solid, about: a wavy bed that rises along x, and a boulder on it. [cells]
double solid_distance(const Vec3& x, double n) {
  const double bed = 0.04 * n + 0.12 * x.x() + 0.02 * n * std::sin(13.0 * x.z() / n);
  const double boulder = (x - n * Vec3(0.6, 0.1, 0.5)).norm() - 0.15 * n;
  return std::min(x.y() - bed, boulder);
}

/// Open part of the low face of a cell along axis d.
double cut_face(const Vec3i& cell, int d, double n) {
  constexpr double sliver = 0.01;  // a run closes such faces too
  const Vec3 corner = cell.cast<double>();
  double open = 0.0;
  double all = 0.0;
  for (int c = 0; c < 4; ++c) {
    const double phi =
        solid_distance(corner + (c & 1) * Vec3::Unit((d + 1) % 3) + (c >> 1) * Vec3::Unit((d + 2) % 3), n);
    open += std::max(phi, 0.0);
    all += std::abs(phi);
  }
  const Vec3 phase = (9.0 + d) * corner / n;
  const double part = 0.7 + 0.3 * std::sin(phase.x()) * std::sin(phase.y() + d) * std::sin(phase.z() + 1.0);
  const double fraction = open > 0.0 ? part * open / all : 0.0;
  return fraction < sliver ? 0.0 : fraction;
}

/// What a step leaves on the low face of a cell along axis d, in units of dt g.
double face_velocity(const Vec3i& cell, int d, double n) {
  const Vec3 x = center_of(cell) / n;
  const double smooth = 0.3 * std::sin(6.0 * x[(d + 1) % 3] + 3.0 * x[d]);
  return (d == 1 ? -1.0 : 0.0) + smooth + 0.05 * noise(cell, static_cast<std::uint64_t>(100 + d));
}

/// f(cell, number in the block) for the cells of a block.
template <class Function>
void for_each_cell(const Domain& domain, const Vec3i& block, Function&& f) {
  const Vec3i size = domain.block_cells();
  int c = 0;
  for (int k = 0; k < size.z(); ++k)
    for (int j = 0; j < size.y(); ++j)
      for (int i = 0; i < size.x(); ++i) f(Vec3i(block.cwiseProduct(size) + Vec3i(i, j, k)), c++);
}

Domain box_of(int n) {
  return make_domain(3, Vec3i::Constant(n), FaceCondition::free_slip, 1.0 / n);
}

/// This rank's share of the lattice, ascending.
std::vector<BlockKey> share_of_lattice(const Communicator& comm, const Domain& domain) {
  const Splitters splitters = uniform_splitters(domain, comm.size());
  std::vector<BlockKey> keys = all_blocks(domain);
  std::erase_if(keys, [&](BlockKey key) { return splitters.owner(key) != comm.rank(); });
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// The cost of the blocks that hold liquid, as a run weighs them with 8 particles a cell; 0 for the others.
std::vector<double> costs_of(PressureCase kind, int n, const Domain& domain, const std::vector<BlockKey>& keys) {
  const BalanceOptions balance;
  std::vector<double> costs(keys.size());
  parallel_for_blocks(static_cast<LocalIndex>(keys.size()), [&](LocalIndex b) {
    int n_liquid = 0;
    for_each_cell(domain, morton_block(keys[static_cast<std::size_t>(b)]),
                  [&](const Vec3i& cell, int) { n_liquid += holds_liquid(kind, cell, n) ? 1 : 0; });
    const double cost = 8.0 * balance.particle_cost * n_liquid + balance.cell_cost * domain.block_cells().prod();
    costs[static_cast<std::size_t>(b)] = n_liquid > 0 ? cost : 0.0;
  });
  return costs;
}

BlockLayout layout_of(const Communicator& comm, PressureCase kind, int n) {
  const Domain domain = box_of(n);
  const std::vector<BlockKey> keys = share_of_lattice(comm, domain);
  const std::vector<double> costs = costs_of(kind, n, domain, keys);
  std::vector<BlockKey> wanted;
  for (std::size_t b = 0; b < keys.size(); ++b) {
    if (costs[b] == 0.0) continue;
    for (int direction = 0; direction < n_directions; ++direction) {
      const Vec3i block = morton_block(keys[b]) + direction_offset(direction);
      if ((block.array() >= 0).all() && (block.array() < domain.lattice().array()).all())
        wanted.push_back(morton_key(block));
    }
  }
  return {comm, domain, balanced_splitters(comm, keys, costs), std::move(wanted)};
}

/// What the system is made from; gone once it stands.
struct Fields {
  explicit Fields(const BlockLayout& layout) : labels(layout), solid_velocity(layout, 0.0F), velocity(layout, 0.0) {
    solid_velocity.fill(0.0F);
  }
  LabelField labels;
  FaceField<float> solid_velocity;
  FaceField<double> velocity;
};

}  // namespace

PressureSystem::PressureSystem(const Communicator& comm, PressureCase kind, int n, CoefficientKind coefficient_kind)
    : layout(layout_of(comm, kind, n)), open_fraction(layout, 0.0F), distance(layout, 0.0F) {
  Fields fields(layout);
  const Domain& domain = layout.domain();
  parallel_for_blocks(layout.n_blocks(), [&](LocalIndex block) {
    for_each_cell(domain, layout.block_coords(block), [&](const Vec3i& cell, int c) {
      const bool inside = domain.contains_cell(cell);
      fields.labels.block(block)[c] = inside && holds_liquid(kind, cell, n) ? Label::liquid : Label::air;
      const double away = 0.5 + 0.5 * noise(cell, 200);
      const bool is_liquid = fields.labels.block(block)[c] == Label::liquid;
      distance.block(block)[c] = static_cast<float>(is_liquid ? -away - 1e-3 : away);
      for (int d = 0; d < 3; ++d) {
        const bool is_wall = !inside || cell[d] == 0;
        const double open = coefficient_kind == CoefficientKind::general ? cut_face(cell, d, n) : 1.0;
        open_fraction[d].block(block)[c] = is_wall ? 0.0F : static_cast<float>(open);
        fields.velocity[d].block(block)[c] = face_velocity(cell, d, n);
      }
    });
  });
  const SurfaceCondition surface{coefficient_kind == CoefficientKind::level_set ? SurfacePlace(distance)
                                                                                : SurfacePlace()};
  build_coefficients(fields.labels, open_fraction, coefficients, surface);
  outflow_right_hand_side(fields.velocity, open_fraction, fields.solid_velocity, coefficients, right_hand_side);
}

PressureCase pressure_case_named(const std::string& name) {
  if (name == "dam") return PressureCase::dam;
  if (name == "box") return PressureCase::box;
  if (name == "sheet") return PressureCase::sheet;
  if (name == "spray") return PressureCase::spray;
  throw InputError("unknown case '" + name + "'. Give dam, box, sheet or spray");
}

CoefficientKind coefficient_kind_named(const std::string& name) {
  if (name == "unit") return CoefficientKind::unit;
  if (name == "general") return CoefficientKind::general;
  if (name == "level_set") return CoefficientKind::level_set;
  throw InputError("unknown coefficients '" + name + "'. Give unit, general or level_set");
}

}  // namespace freshet::test
