// SPDX-License-Identifier: Apache-2.0
#include "freshet/viscosity/cell_viscosity.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/padded.hpp"

#include <algorithm>
#include <limits>

namespace freshet {
namespace {

using Mean = CellViscosity::Mean;

constexpr float no_particle = -1.0F;

/// The cell of a block that holds a place relative to the block [cells].
template <class Shape>
int cell_of(const ParticleReal* x) {
  const auto along = [x](int d, int n) { return std::clamp(static_cast<int>(x[d]), 0, n - 1); };
  return Shape::cell(along(0, Shape::nx), along(1, Shape::ny), Shape::dim == 3 ? along(2, Shape::nz) : 0);
}

/// 1 / mu; infinite at 0 without a division by it, and then the harmonic mean is n / infinity = 0.
double fluidity(double viscosity) {
  return viscosity > 0.0 ? 1.0 / viscosity : std::numeric_limits<double>::infinity();
}

/// Both f and f^-1 of a mean f^-1(sum f(mu) / n).
template <Mean mean>
double transform(double viscosity) {
  return mean == Mean::harmonic ? fluidity(viscosity) : viscosity;
}

template <class Shape, Mean mean>
void average_in_block(const ParticleStore& particles, const TagViscosities& of_tags, LocalIndex block, float* result) {
  double sum[Shape::cells] = {};
  int count[Shape::cells] = {};
  for (ParticleIndex p = particles.block_begin()[block]; p < particles.block_begin()[block + 1]; ++p) {
    const int cell = cell_of<Shape>(particles.position() + 3 * p);
    sum[cell] += transform<mean>(of_tags(particles.tag()[p]));
    ++count[cell];
  }
  for (int c = 0; c < Shape::cells; ++c)
    result[c] = count[c] > 0 ? static_cast<float>(transform<mean>(sum[c] / count[c])) : no_particle;
}

/// f(offset, value) for the cells around one, itself among them, that have particles.
template <class Shape, class Function>
void for_each_around(const float* padded, const Vec3i& cell, Function&& f) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  const PaddedExtents<Shape> extents(1);
  for (int k = -z; k <= z; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        const float value = padded[extents.at(cell.x() + i, cell.y() + j, cell.z() + k)];
        if (value >= 0.0F) f(Vec3i(i, j, k), static_cast<double>(value));
      }
}

template <class Shape>
Vec3i place_in_block(int c) {
  return Vec3i(c % Shape::nx, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny));
}

/// The values of a block, and in cells without particles the mean of the cells around that have some.
template <class Shape, Mean mean>
void fill_gaps_in_block(const float* padded, const float* own, float fallback, float* result) {
  for (int c = 0; c < Shape::cells; ++c) {
    result[c] = own[c];
    if (own[c] >= 0.0F) continue;
    double sum = 0.0;
    int n = 0;
    for_each_around<Shape>(padded, place_in_block<Shape>(c), [&](const Vec3i&, double value) {
      sum += transform<mean>(value);
      ++n;
    });
    result[c] = n > 0 ? static_cast<float>(transform<mean>(sum / n)) : fallback;
  }
}

/// sin^2 of twice the angle between the interface in a cell and the grid: 0 along an axis, 1 on a diagonal.
///
/// The interface stands across the gradient of the viscosities around (Youngs 1982); n_d are the parts of its normal,
/// and the result is 4 sum_{d<e} n_d^2 n_e^2.
template <class Shape>
double obliqueness(const float* padded, const Vec3i& cell, double own) {
  Vec3 gradient = Vec3::Zero();
  for_each_around<Shape>(padded, cell, [&](const Vec3i& offset, double value) {
    const int weight = 8 >> offset.cwiseAbs().sum();
    gradient += weight * (value - own) * offset.cast<double>();
  });
  const Vec3 squares = gradient.cwiseAbs2();
  const double sum = squares.sum();
  if (sum == 0.0) return 1.0;  // drops in a liquid, on all sides alike
  return std::min(1.0, 2.0 * (1.0 - squares.squaredNorm() / (sum * sum)));
}

/// In cells of several liquids stretching has the harmonic mean's fluidity by the part that is oblique.
template <class Shape>
void blend_in_block(const float* padded, const float* shear, float* stretch) {
  for (int c = 0; c < Shape::cells; ++c) {
    if (shear[c] == 0.0F) stretch[c] = 0.0F;
    if (!(shear[c] < stretch[c])) continue;
    const auto mean = static_cast<double>(stretch[c]);
    const double oblique = obliqueness<Shape>(padded, place_in_block<Shape>(c), mean);
    stretch[c] = static_cast<float>(1.0 / ((1.0 - oblique) / mean + oblique / static_cast<double>(shear[c])));
  }
}

}  // namespace

void CellViscosity::operator()(const ParticleStore& particles, const BlockLayout& layout, const TagViscosities& of_tags,
                               CellViscosities& viscosity) {
  find<Mean::harmonic>(particles, layout, of_tags, viscosity.shear);
  find<Mean::arithmetic>(particles, layout, of_tags, viscosity.stretch);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      float padded[1000];
      fill_padded(of_particles_, block, PaddedExtents<Shape>(1), padded);
      blend_in_block<Shape>(padded, viscosity.shear.block(block), viscosity.stretch.block(block));
    });
  });
  layout.halo().gather(viscosity.shear, 2);
  layout.halo().gather(viscosity.stretch, 2);
}

template <CellViscosity::Mean mean>
void CellViscosity::find(const ParticleStore& particles, const BlockLayout& layout, const TagViscosities& of_tags,
                         CellField<float>& result) {
  const auto fallback = static_cast<float>(of_tags(0));
  of_particles_.reset(layout, no_particle);
  result.reset(layout, fallback);
  of_particles_.fill(no_particle);
  result.fill(fallback);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      average_in_block<Shape, mean>(particles, of_tags, block, of_particles_.block(block));
    });
    layout.halo().gather(of_particles_, 1);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      float padded[1000];
      fill_padded(of_particles_, block, PaddedExtents<Shape>(1), padded);
      fill_gaps_in_block<Shape, mean>(padded, of_particles_.block(block), fallback, result.block(block));
    });
  });
}

}  // namespace freshet
