// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "support/random_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace freshet::test {

/// A symmetry of a box of cells: axis d becomes axis to[d], and is reversed where sign[d] is -1.
struct Symmetry {
  std::array<int, 3> to{0, 1, 2};
  std::array<int, 3> sign{1, 1, 1};

  std::string name() const {
    std::string text = "image of xyz:";
    for (std::size_t d = 0; d < 3; ++d) text += fmt::format(" {}{}", sign[d] < 0 ? "-" : "", "xyz"[to[d]]);
    return text;
  }
  template <class Vector>
  Vector vector(const Vector& v) const {
    Vector image;
    for (int d = 0; d < 3; ++d) image[to[static_cast<std::size_t>(d)]] = sign[static_cast<std::size_t>(d)] * v[d];
    return image;
  }
  /// The image of an angular velocity: a mirror also turns it round.
  Vec3 axial(const Vec3& v) const {
    const bool swaps = (to[0] > to[1]) != ((to[1] > to[2]) != (to[0] > to[2]));
    return (swaps ? -1.0 : 1.0) * sign[0] * sign[1] * sign[2] * vector(v);
  }
};
inline Symmetry mirror(int axis) {
  Symmetry symmetry;
  symmetry.sign[static_cast<std::size_t>(axis)] = -1;
  return symmetry;
}
inline Symmetry exchange(int first, int second) {
  Symmetry symmetry;
  std::swap(symmetry.to[static_cast<std::size_t>(first)], symmetry.to[static_cast<std::size_t>(second)]);
  return symmetry;
}

/// Scenes and states of a box of cells, and their images under a symmetry.
class Image {
 public:
  /// \param[in] cells  of the box before the symmetry; in 2-D the third number is 1. \param[in] dx  a power of 2 [m]
  Image(const Symmetry& symmetry, const Vec3i& cells, double dx) : symmetry_(symmetry), cells_(cells), dx_(dx) {}

  int dimension() const { return cells_.z() == 1 ? 2 : 3; }
  const Vec3i& cells() const { return cells_; }
  double dx() const { return dx_; }
  Vec3 size() const { return dx_ * cells_.cast<double>(); }  ///< of the box [m]
  Vec3i cells_of_image() const { return Symmetry{symmetry_.to}.vector(cells_); }

  template <class Vector>
  Vector vector(const Vector& v) const {
    return symmetry_.vector(v);
  }
  Vec3 axial(const Vec3& v) const { return symmetry_.axial(v); }
  /// The image of a place in a box of `extent`.
  template <class Vector>
  Vector point(const Vector& x, const Vector& extent) const {
    Vector folded = x;
    for (int d = 0; d < dimension(); ++d)
      if (symmetry_.sign[static_cast<std::size_t>(d)] < 0) folded[d] = extent[d] - x[d];
    return Symmetry{symmetry_.to}.vector(folded);
  }
  Vec3i cell(const Vec3i& cell) const { return point(cell, Vec3i(cells_ - Vec3i::Ones())); }
  /// The cell whose low face along axis(d) is the image of the low face along d of a cell.
  Vec3i face(const Vec3i& cell, int d) const { return point(cell, Vec3i(cells_ - Vec3i::Ones() + Vec3i::Unit(d))); }
  int axis(int d) const { return symmetry_.to[static_cast<std::size_t>(d)]; }
  int sign(int d) const { return symmetry_.sign[static_cast<std::size_t>(d)]; }

  // Lines of a case file.
  std::string vector_line(const std::string& key, const Vec3& v) const { return line(key, vector(v)); }
  std::string axial_line(const std::string& key, const Vec3& v) const { return fmt_line(key, axial(v), 3); }
  std::string point_line(const std::string& key, const Vec3& x) const { return line(key, point(x, size())); }
  /// \param[in] lower, upper  [m]
  std::string box(const Vec3& lower, const Vec3& upper) const {
    const Vec3 a = point(lower, size()), b = point(upper, size());
    return line("lower", a.cwiseMin(b)) + line("upper", a.cwiseMax(b));
  }
  /// x_low, x_high, ...
  std::string side(int d, int end) const {
    return fmt::format("{}_{}", "xyz"[axis(d)], (end == 1) == (sign(d) > 0) ? "high" : "low");
  }

 private:
  std::string line(const std::string& key, const Vec3& v) const { return fmt_line(key, v, dimension()); }
  static std::string fmt_line(const std::string& key, const Vec3& v, int n) {
    std::string text = key + " = [";
    for (int d = 0; d < n; ++d) text += fmt::format("{}{}", d > 0 ? ", " : "", v[d]);
    return text + "]\n";
  }

  Symmetry symmetry_;
  Vec3i cells_;
  double dx_;
};

/// Cell number c of a block.
inline Vec3i cell_of(const Vec3i& width, int c) {
  return {c % width.x(), c / width.x() % width.y(), c / (width.x() * width.y())};
}

template <class Function>
void for_each_cell(const CellBox& box, Function&& f) {
  for (int k = box.lower.z(); k < box.upper.z(); ++k)
    for (int j = box.lower.y(); j < box.upper.y(); ++j)
      for (int i = box.lower.x(); i < box.upper.x(); ++i) f(Vec3i(i, j, k));
}

/// What a field holds in each cell of a domain, or on its low face, on all ranks.
class Gathered {
 public:
  /// Collective. \param[in] cells  of the domain
  template <class T>
  Gathered(const CellField<T>& field, const Vec3i& cells)
      : width_(cells + Vec3i::Ones()),
        values_(static_cast<std::size_t>(width_.prod())),
        owners_(static_cast<std::size_t>(width_.prod())) {
    const BlockLayout& layout = field.layout();
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const Vec3i cell = layout.first_cell(b) + cell_of(layout.domain().block_cells(), c);
        if (!holds(cell)) continue;
        values_[index(cell)] = static_cast<double>(field.block(b)[c]);
        owners_[index(cell)] = 1;
      }
    layout.comm().sum_in_place(values_);
    layout.comm().sum_in_place(owners_);
  }
  /// Whether the block of a cell exists.
  bool exists(const Vec3i& cell) const { return holds(cell) && owners_[index(cell)] > 0; }
  /// Of a cell of the domain, or of one beside it; 0 where no rank has a block.
  double at(const Vec3i& cell) const { return holds(cell) ? values_[index(cell)] : 0.0; }

 private:
  bool holds(const Vec3i& cell) const { return (cell.array() >= 0).all() && (cell.array() < width_.array()).all(); }
  std::size_t index(const Vec3i& cell) const {
    return static_cast<std::size_t>(cell.x() + width_.x() * (cell.y() + width_.y() * cell.z()));
  }
  Vec3i width_;  ///< the cells, and one more for the faces on the high sides
  std::vector<double> values_;
  std::vector<GlobalIndex> owners_;  ///< ranks that have the cell's block
};

/// The image of a particle's place, in cells from the corner of the image's domain: places are rounded to those in the
/// middle between multiples of 2^-14 cells, which both states hold exactly.
inline Vec3 image_of_place(const Image& image, Vec3 place) {
  for (int d = 0; d < image.dimension(); ++d) place[d] = std::ldexp(std::floor(std::ldexp(place[d], 14)) + 0.5, -14);
  return image.point(place, Vec3(image.cells().cast<double>()));
}

/// Particles of a layout take the places and velocities of their images. Places stay relative to the particles' blocks.
inline void move_to_image(const Image& image, const BlockLayout& layout, ParticleStore& particles) {
  const bool is_affine = has_arrays(particles, ArrayNeed::apic);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const Vec3 first = layout.first_cell(b).cast<double>();
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      ParticleReal* x = particles.position() + 3 * p;
      ParticleReal* u = particles.velocity() + 3 * p;
      const Vec3 place = image_of_place(image, first + Vec3(x[0], x[1], x[2])) - first;
      const Vec3 velocity = image.vector(Vec3(u[0], u[1], u[2]));
      for (int d = 0; d < 3; ++d) {
        x[d] = static_cast<ParticleReal>(place[d]);
        u[d] = static_cast<ParticleReal>(velocity[d]);
      }
      if (!is_affine) continue;
      ParticleReal* rows = affine_rows(particles) + affine_width * p;
      ParticleReal before[affine_width];
      std::copy_n(rows, affine_width, before);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          rows[3 * image.axis(r) + image.axis(c)] =
              static_cast<ParticleReal>(image.sign(r) * image.sign(c)) * before[3 * r + c];
    }
  }
}

/// Sets home_keys() to the blocks that hold particles of this rank, ascending.
inline void list_homes(ParticleStore& particles) {
  const std::vector<BlockKey> before = particles.home_keys();
  std::vector<BlockKey> keys;
  for (const LocalIndex home : particles.home()) keys.push_back(before[static_cast<std::size_t>(home)]);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (LocalIndex& home : particles.home())
    home = static_cast<LocalIndex>(std::lower_bound(keys.begin(), keys.end(), before[static_cast<std::size_t>(home)]) -
                                   keys.begin());
  particles.home_keys() = keys;
}

/// The image of a simulation's state. Ranks own stretches of equal numbers of the image's blocks. Collective
inline RestoredState image_of(const Simulation& simulation, const Image& image) {
  const Communicator& comm = simulation.comm();
  RestoredState state = simulation.restart_state();
  ParticleStore& particles = state.particles;
  // the blocks of the simulation in a domain that holds the image, too
  const Domain both =
      make_domain(image.dimension(), image.cells().cwiseMax(image.cells_of_image()), FaceCondition::open);
  const BlockLayout layout(comm, both, state.splitters, state.keys);
  state.splitters = equal_splitters(comm, all_blocks(make_domain(image.dimension(), image.cells_of_image())));
  move_to_image(image, layout, particles);
  const MigrationReport report = migrate(particles, layout, state.splitters);
  FRESHET_ENSURE(report.total == state.n_particles);
  list_homes(particles);
  state.keys = particles.home_keys();
  const Gathered pressure(simulation.pressure(), image.cells());
  const auto n = static_cast<std::size_t>(layout.cells_per_block());
  state.pressure.assign(n * state.keys.size(), 0.0);
  for_each_cell({Vec3i::Zero(), image.cells()}, [&](const Vec3i& cell) {
    const Vec3i to = image.cell(cell);
    const Vec3i block = to.cwiseQuotient(both.block_cells());
    const auto found = std::lower_bound(state.keys.begin(), state.keys.end(), morton_key(block));
    if (found == state.keys.end() || *found != morton_key(block)) return;
    const Vec3i place = to - block.cwiseProduct(both.block_cells());
    state.pressure[n * static_cast<std::size_t>(found - state.keys.begin()) +
                   static_cast<std::size_t>(BlockShape<3>::cell(place.x(), place.y(), place.z()))] = pressure.at(cell);
  });
  return state;
}

}  // namespace freshet::test
