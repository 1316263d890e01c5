// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/simulation.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
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

/// Scenes and states of a box of cells, and their images under a symmetry. Rank 0 alone may use it.
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

/// The value of a cell, or of its low face; 0 where this rank has no block.
template <class T>
double value_at(const CellField<T>& field, const Vec3i& cell) {
  if ((cell.array() < 0).any()) return 0.0;
  const BlockLayout& layout = field.layout();
  const Vec3i width = layout.domain().block_cells();
  Vec3i block = cell.cwiseQuotient(width);
  if (!layout.domain().wrap_block(block)) return 0.0;
  const LocalIndex b = layout.find(morton_key(block));
  if (b == layout.background()) return 0.0;
  const Vec3i place = cell - block.cwiseProduct(width);
  return static_cast<double>(field.block(b)[place.x() + 8 * (place.y() + 8 * place.z())]);
}

/// The state of a simulation on one rank, and its image: places are rounded to those in the middle between multiples of
/// 2^-14 cells, which both states hold exactly.
inline RestoredState image_of(const Simulation& simulation, const Image& image) {
  RestoredState state = simulation.restart_state();
  const BlockLayout& layout = simulation.layout();
  const Vec3i width = layout.domain().block_cells();
  ParticleStore& particles = state.particles;
  std::map<BlockKey, LocalIndex> blocks;
  std::vector<BlockKey> key_of(static_cast<std::size_t>(particles.size()));
  for (ParticleIndex p = 0; p < particles.size(); ++p) {
    const Vec3i first = layout.first_cell(particles.home()[static_cast<std::size_t>(p)]);
    ParticleReal* x = particles.position() + 3 * p;
    ParticleReal* u = particles.velocity() + 3 * p;
    Vec3 place = first.cast<double>() + Vec3(x[0], x[1], x[2]);
    for (int d = 0; d < image.dimension(); ++d) place[d] = std::ldexp(std::floor(std::ldexp(place[d], 14)) + 0.5, -14);
    place = image.point(place, Vec3(image.cells().cast<double>()));
    const Vec3 velocity = image.vector(Vec3(u[0], u[1], u[2]));
    const Vec3i block = place.cwiseQuotient(width.cast<double>()).array().floor().cast<int>();
    for (int d = 0; d < 3; ++d) {
      x[d] = static_cast<ParticleReal>(place[d] - width[d] * block[d]);
      u[d] = static_cast<ParticleReal>(velocity[d]);
    }
    key_of[static_cast<std::size_t>(p)] = morton_key(block);
    blocks[morton_key(block)] = 0;
  }
  if (has_arrays(particles, ArrayNeed::apic))
    for (ParticleIndex p = 0; p < particles.size(); ++p) {
      ParticleReal* rows = affine_rows(particles) + affine_width * p;
      ParticleReal before[affine_width];
      std::copy_n(rows, affine_width, before);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          rows[3 * image.axis(r) + image.axis(c)] =
              static_cast<ParticleReal>(image.sign(r) * image.sign(c)) * before[3 * r + c];
    }
  state.keys.clear();
  for (auto& [key, number] : blocks) {
    number = static_cast<LocalIndex>(state.keys.size());
    state.keys.push_back(key);
  }
  for (ParticleIndex p = 0; p < particles.size(); ++p)
    particles.home()[static_cast<std::size_t>(p)] = blocks[key_of[static_cast<std::size_t>(p)]];
  particles.home_keys() = state.keys;
  const auto n = static_cast<std::size_t>(layout.cells_per_block());
  state.pressure.assign(n * state.keys.size(), 0.0);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (std::size_t c = 0; c < n; ++c) {
      const Vec3i cell = layout.first_cell(b) + cell_of(width, static_cast<int>(c));
      if (!layout.domain().contains_cell(cell)) continue;
      const Vec3i to = image.cell(cell);
      const auto found = blocks.find(morton_key(to.cwiseQuotient(width)));
      if (found == blocks.end()) continue;
      const Vec3i at = to - to.cwiseQuotient(width).cwiseProduct(width);
      state.pressure[n * static_cast<std::size_t>(found->second) +
                     static_cast<std::size_t>(at.x() + 8 * (at.y() + 8 * at.z()))] = simulation.pressure().block(b)[c];
    }
  return state;
}

}  // namespace freshet::test
