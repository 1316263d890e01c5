// SPDX-License-Identifier: Apache-2.0
#include "freshet/viscosity/cell_viscosity.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/tile.hpp"

#include <algorithm>
#include <limits>

namespace freshet {
namespace {

using Mean = CellViscosity::Mean;

constexpr float no_particle = -1.0F;
constexpr int farthest = 2;  ///< layers around cells with particles to which viscosity is extended

/// The cell of a block that contains the position x relative to the block [cells].
template <class Shape>
int cell_of(const ParticleReal* x) {
  const auto along = [x](int d, int n) { return std::clamp(static_cast<int>(x[d]), 0, n - 1); };
  return Shape::cell(along(0, Shape::nx), along(1, Shape::ny), Shape::dim == 3 ? along(2, Shape::nz) : 0);
}

/// 1 / mu; infinite at 0 without a division by it, and then the harmonic mean is n / infinity = 0.
double fluidity(double viscosity) {
  return viscosity > 0.0 ? 1.0 / viscosity : std::numeric_limits<double>::infinity();
}

/// f of a mean f^-1(sum f(mu) / n); equal to its inverse.
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

/// Call f(offset, value) for a cell and those of its neighbours that have a viscosity.
template <class Shape, int pad, class Function>
void for_each_around(const Tile<float, Shape, pad>& tile, const Vec3i& cell, Function&& f) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  for (int k = -z; k <= z; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        const float value = tile(cell.x() + i, cell.y() + j, cell.z() + k);
        if (value >= 0.0F) f(Vec3i(i, j, k), static_cast<double>(value));
      }
}

/// Copy `from`; cells without viscosity in the block and `layers` around it get the mean of their neighbours that
/// have one.
template <Mean mean, class Shape>
void extend_by_a_cell(int layers, const Tile<float, Shape, farthest>& from, Tile<float, Shape, farthest>& to) {
  const int z = Shape::dim == 3 ? layers : 0;
  to = from;
  for (int k = -z; k < Shape::nz + z; ++k)
    for (int j = -layers; j < Shape::ny + layers; ++j)
      for (int i = -layers; i < Shape::nx + layers; ++i) {
        float& value = to[to.extents.at(i, j, k)];
        if (value >= 0.0F) continue;
        double sum = 0.0;
        int n = 0;
        for_each_around(from, Vec3i(i, j, k), [&](const Vec3i&, double other) {
          sum += transform<mean>(other);
          ++n;
        });
        if (n > 0) value = static_cast<float>(transform<mean>(sum / n));
      }
}

/// Copy the values of a block's cells, and extend them to cells without particles.
template <class Shape, Mean mean>
void fill_gaps_in_block(const CellField<float>& of_particles, LocalIndex block, float* result) {
  const auto has_none = [](float value) { return value < 0.0F; };
  const float* const own = of_particles.block(block);
  if (std::none_of(own, own + Shape::cells, has_none)) {
    std::copy_n(own, Shape::cells, result);
    return;
  }
  Tile<float, Shape, farthest> values(of_particles, block), extended;
  if (std::all_of(values.begin(), values.end(), has_none)) {
    std::fill_n(result, Shape::cells, 0.0F);
    return;
  }
  extend_by_a_cell<mean>(1, values, extended);
  extend_by_a_cell<mean>(0, extended, values);
  for (int c = 0; c < Shape::cells; ++c) result[c] = std::max(0.0F, values(Shape::place(c)));
}

/// sin^2 of twice the angle between the interface in a cell and the grid: 0 along an axis, 1 on a diagonal.
///
/// The interface is normal to the gradient of viscosity (Youngs 1982); with its unit normal n the result is 4 sum_{d<e}
/// n_d^2 n_e^2.
template <class Shape>
double obliqueness(const Tile<float, Shape, 1>& tile, const Vec3i& cell, double own) {
  Vec3 gradient = Vec3::Zero();
  for_each_around(tile, cell, [&](const Vec3i& offset, double value) {
    const int weight = 8 >> offset.cwiseAbs().sum();
    gradient += weight * (value - own) * offset.cast<double>();
  });
  const Vec3 squares = gradient.cwiseAbs2();
  const double sum = squares.sum();
  if (sum == 0.0) return 1.0;  // drops in a liquid, alike on all sides
  return std::min(1.0, 2.0 * (1.0 - squares.squaredNorm() / (sum * sum)));
}

/// In cells of several liquids, blend the fluidity of stretching with the harmonic mean's by the obliqueness.
template <class Shape>
void blend_in_block(const Tile<float, Shape, 1>& tile, const float* shear, float* stretch) {
  for (int c = 0; c < Shape::cells; ++c) {
    if (shear[c] == 0.0F) stretch[c] = 0.0F;
    if (!(shear[c] < stretch[c])) continue;
    const auto mean = static_cast<double>(stretch[c]);
    const double oblique = obliqueness(tile, Shape::place(c), mean);
    stretch[c] = static_cast<float>(1.0 / ((1.0 - oblique) / mean + oblique / static_cast<double>(shear[c])));
  }
}

}  // namespace

ViscosityRange viscosities_in_use(const Communicator& comm, const ParticleStore& particles,
                                  const TagViscosities& of_tags) {
  if (of_tags.is_uniform()) return {of_tags(0), of_tags(0)};
  std::array<bool, 256> is_used{};
  for (ParticleIndex p = 0; p < particles.size(); ++p) is_used[particles.tag()[p]] = true;
  constexpr double none = -std::numeric_limits<double>::infinity();
  double extremes[2] = {none, none};  // maxima of mu and of -mu
  for (int tag = 0; tag < 256; ++tag) {
    if (!is_used[static_cast<std::size_t>(tag)]) continue;
    const double viscosity = of_tags(static_cast<std::uint8_t>(tag));
    extremes[0] = std::max(extremes[0], viscosity);
    extremes[1] = std::max(extremes[1], -viscosity);
  }
  comm.max_in_place(extremes);
  return extremes[0] == none ? ViscosityRange{} : ViscosityRange{-extremes[1], extremes[0]};
}

void CellViscosity::operator()(const ParticleStore& particles, const BlockLayout& layout, const TagViscosities& of_tags,
                               CellViscosities& viscosity) {
  find<Mean::harmonic>(particles, layout, of_tags, viscosity.shear);
  find<Mean::arithmetic>(particles, layout, of_tags, viscosity.stretch);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      const Tile<float, Shape, 1> tile(of_particles_, block);
      blend_in_block(tile, viscosity.shear.block(block), viscosity.stretch.block(block));
    });
  });
  layout.halo().gather(viscosity.shear, 2);
  layout.halo().gather(viscosity.stretch, 2);
}

template <CellViscosity::Mean mean>
void CellViscosity::find(const ParticleStore& particles, const BlockLayout& layout, const TagViscosities& of_tags,
                         CellField<float>& result) {
  of_particles_.reset(layout, no_particle);
  result.reset(layout, 0.0F);
  of_particles_.fill(no_particle);
  result.fill(0.0F);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      average_in_block<Shape, mean>(particles, of_tags, block, of_particles_.block(block));
    });
    layout.halo().gather(of_particles_, farthest);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      fill_gaps_in_block<Shape, mean>(of_particles_, block, result.block(block));
    });
  });
}

}  // namespace freshet
