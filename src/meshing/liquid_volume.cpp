// SPDX-License-Identifier: Apache-2.0
#include "liquid_volume.hpp"

#include "block_cells.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "lattice.hpp"

#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

namespace freshet::meshing {
namespace {

constexpr double unit = 1 << 20;  ///< volumes are summed in whole parts of a cube; this is the number of parts

/// The part of a tetrahedron in which a linear function is negative; v holds its values at the corners.
double negative_part(std::array<double, 4> v) {
  std::size_t n = 0;  // number of corners in the liquid; they come first
  for (std::size_t m = 0; m < 4; ++m)
    if (v[m] < 0.0) std::swap(v[n++], v[m]);
  const auto cut = [&](std::size_t from, std::size_t to) { return v[from] / (v[from] - v[to]); };
  switch (n) {
    case 0:
      return 0.0;
    case 1:
      return cut(0, 1) * cut(0, 2) * cut(0, 3);
    case 2: {
      const double ac = cut(0, 2), ad = cut(0, 3), bc = cut(1, 2), bd = cut(1, 3);
      return ac * ad + ac * bd * (1.0 - ad) + bc * bd * (1.0 - ac);
    }
    case 3:
      return 1.0 - cut(3, 0) * cut(3, 1) * cut(3, 2);
    default:
      return 1.0;
  }
}

/// The six tetrahedra of a cube around its diagonal from corner 0 to corner 7.
constexpr int tetrahedra[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};

/// Compute a mean with the weights 1 4 6 4 1 along each axis; its variance is one cell along each axis.
void smooth(const CellField<float>& field, LocalIndex block, float* result) {
  TwoPads pads;
  fill_with_nearest(field, block, pads);
  constexpr int n = TwoPads::extents.nx;
  const auto mean = [](const float* at, int stride) {
    return 0.0625F * (at[-2 * stride] + at[2 * stride] + 4.0F * (at[-stride] + at[stride]) + 6.0F * at[0]);
  };
  float a[n * n * n], b[n * n * n];
  for (int k = -2; k < 10; ++k)
    for (int j = -2; j < 10; ++j)
      for (int i = 0; i < 8; ++i) a[TwoPads::extents.at(i, j, k)] = mean(pads.data() + TwoPads::extents.at(i, j, k), 1);
  for (int k = -2; k < 10; ++k)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i) b[TwoPads::extents.at(i, j, k)] = mean(a + TwoPads::extents.at(i, j, k), n);
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i) result[Block3::cell(i, j, k)] = mean(b + TwoPads::extents.at(i, j, k), n * n);
}

/// Number of rounds of smooth() that make a Gaussian with a width of 1.25 cells of the simulation.
int passes_of_lack(int resolution) {
  return std::max(1, static_cast<int>(std::lround(1.5625 * resolution * resolution)));
}

/// The displacement of the surface as a change of a cell's phi. [lattice cells]
struct Shift {
  float amount = 0.0F;  ///< change where the surface is not flat
  float offset = 0.0F;  ///< change everywhere
  float operator()(float phi, float lack) const {
    constexpr float most = 0.5F, reach = 2.5F;
    const float near = std::max(0.0F, 1.0F - phi * phi / (reach * reach));
    const float weight = std::clamp(5.0F * (std::abs(lack) - 0.04F), 0.0F, 1.0F);
    // Liquid that is as thin as the lattice can show may grow, but not shrink: it would tear.
    const bool shrinks = amount + offset > 0.0F;
    const float may_move = shrinks ? std::clamp(10.0F * (0.25F - lack), 0.0F, 1.0F) : 1.0F;
    return near * may_move * (std::clamp(amount * weight, -most, most) + offset);
  }
};

/// Find where a decreasing f is nearest to zero, of all places that were tried between 0 and `end`; f(0) is known.
/// Regula falsi with Illinois' halving, until |f| <= `close`.
template <class Function>
double find_zero(double f_of_0, double end, double close, const Function& f) {
  double a = 0.0, fa = f_of_0, b = end, fb = f(end);
  double best = std::abs(fb) < std::abs(fa) ? b : a, least = std::min(std::abs(fa), std::abs(fb));
  for (int round = 0; round < 8 && fa * fb < 0.0 && least > close; ++round) {
    const double x = (a * fb - b * fa) / (fb - fa);
    const double fx = f(x);
    if (std::abs(fx) < least) {
      best = x;
      least = std::abs(fx);
    }
    if (fx * fb < 0.0) {
      a = b;
      fa = fb;
    } else {
      fa *= 0.5;
    }
    b = x;
    fb = fx;
  }
  return best;
}

}  // namespace

std::int64_t volume_of_cubes(const float* phi) {
  constexpr int n = 9;
  double sum = 0.0;
  for (int k = 0; k < 8; ++k)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i) {
        double v[8];
        int n_negative = 0;
        for (int c = 0; c < 8; ++c) {
          v[c] = phi[i + (c & 1) + n * (j + (c >> 1 & 1) + n * (k + (c >> 2)))];
          n_negative += v[c] < 0.0 ? 1 : 0;
        }
        if (n_negative == 0) continue;
        if (n_negative == 8) {
          sum += 1.0;
          continue;
        }
        for (const auto& t : tetrahedra) sum += negative_part({v[0], v[t[0]], v[t[1]], v[7]}) / 6.0;
      }
  return std::llround(sum * unit);
}

VolumeMeter::VolumeMeter(const Walls& walls, const CellField<float>& phi, GlobalIndex n_deep_blocks)
    : phi_(phi), n_deep_blocks_(n_deep_blocks) {
  const BlockLayout& layout = phi.layout();
  first_wall_.assign(static_cast<std::size_t>(layout.n_owned()), -1);
  std::int64_t n = 0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    if (!walls.near_block(layout.first_cell(b), 2.0)) continue;
    first_wall_[static_cast<std::size_t>(b)] = n;
    n += n_corners;
  }
  walls_.resize(static_cast<std::size_t>(n));
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    if (first_wall_[static_cast<std::size_t>(b)] < 0) return;
    float* distance = walls_.data() + first_wall_[static_cast<std::size_t>(b)];
    for (int c = 0; c < n_corners; ++c)
      distance[c] = static_cast<float>(walls.distance(
          (layout.first_cell(b) + Vec3i(c % 9, c / 9 % 9, c / 81)).cast<double>() + Vec3::Constant(0.5)));
  });
}

template <class Fill>
double VolumeMeter::measure(const Fill& fill) const {
  const BlockLayout& layout = phi_.layout();
  std::vector<std::int64_t> parts(static_cast<std::size_t>(layout.n_owned()), 0);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    float corners[n_corners];
    fill(b, corners);
    if (const std::int64_t wall = first_wall_[static_cast<std::size_t>(b)]; wall >= 0)
      for (int c = 0; c < n_corners; ++c) corners[c] = std::max(corners[c], walls_[static_cast<std::size_t>(wall + c)]);
    parts[static_cast<std::size_t>(b)] = volume_of_cubes(corners);
  });
  GlobalIndex sum = n_deep_blocks_ * (std::int64_t{block_cells} << 20);
  for (const std::int64_t part : parts) sum += part;
  return static_cast<double>(layout.comm().sum(sum)) / unit;
}

double VolumeMeter::operator()() const {
  return measure([this](LocalIndex block, float* corners) {
    OnePad phi;
    fill_with_nearest(phi_, block, phi);
    for (int c = 0; c < n_corners; ++c) corners[c] = phi[OnePad::extents.at(c % 9, c / 9 % 9, c / 81)];
  });
}

template <class Shift>
double VolumeMeter::operator()(const CellField<float>& weight, const Shift& shift) const {
  return measure([&](LocalIndex block, float* corners) {
    OnePad phi, weights;
    fill_with_nearest(phi_, block, phi);
    fill_with_nearest(weight, block, weights);
    for (int c = 0; c < n_corners; ++c) {
      const int at = OnePad::extents.at(c % 9, c / 9 % 9, c / 81);
      corners[c] = phi[at] + shift(phi[at], weights[at]);
    }
  });
}

CellField<float> lack_of_liquid(const CellField<float>& phi, int resolution) {
  const BlockLayout& layout = phi.layout();
  const int passes = passes_of_lack(resolution);
  const double width = std::sqrt(2.0 * passes);
  CellField<float> part(layout, no_value), next(layout, no_value);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    for (int c = 0; c < block_cells; ++c) part.block(b)[c] = std::clamp(0.5F - phi.block(b)[c], 0.0F, 1.0F);
  });
  for (int pass = 0; pass < passes; ++pass) {
    layout.halo().gather(part, 2);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { smooth(part, b, next.block(b)); });
    std::swap(part, next);
  }
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    for (int c = 0; c < block_cells; ++c)
      part.block(b)[c] = static_cast<float>(0.5 * std::erfc(phi.block(b)[c] / width)) - part.block(b)[c];
  });
  layout.halo().gather(part, 1);
  return part;
}

void flatten(const CellField<float>& lack, int resolution, double amount, CellField<float>& phi) {
  const BlockLayout& layout = phi.layout();
  const int passes = std::max(1, static_cast<int>(std::lround(0.5 * resolution * resolution)));
  CellField<float> mean(phi), next(layout, no_value);
  for (int pass = 0; pass < passes; ++pass) {
    if (pass > 0) layout.halo().gather(mean, 2);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) { smooth(mean, b, next.block(b)); });
    std::swap(mean, next);
  }
  // A sphere of radius R shrinks by passes / R, which is given back; its lack is sqrt(passes of the lack / 2 pi) / R.
  const auto curved = static_cast<float>(passes * std::sqrt(2.0 * std::numbers::pi / passes_of_lack(resolution)));
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    constexpr float most = 0.5F, reach = 2.0F;
    for (int c = 0; c < block_cells; ++c) {
      float& here = phi.block(b)[c];
      const float lacks = lack.block(b)[c];
      const float is_flat = std::clamp(1.5F - 10.0F * std::abs(lacks), 0.0F, 1.0F);
      const float near = std::clamp(reach + 1.0F - std::abs(here), 0.0F, 1.0F);
      const float shift = mean.block(b)[c] - here - curved * lacks;
      here += static_cast<float>(amount) * is_flat * near * std::clamp(shift, -most, most);
    }
  });
  layout.halo().gather(phi, 2);
}

double keep_volume(const VolumeMeter& meter, const CellField<float>& lack, double target, CellField<float>& phi,
                   bool is_second) {
  constexpr double close = 5e-4,
                   enough = 0.01;  // part of the volume by which it may differ before flat surfaces move
  constexpr double largest_amount = 4.0, largest_offset = 1.0;
  double volume = meter();
  if (!(target > 0.0)) return volume;
  Shift shift;
  for (const auto& [number, largest, left] :
       {std::tuple{&Shift::amount, largest_amount, 0.0}, std::tuple{&Shift::offset, largest_offset, enough}}) {
    if (is_second && number == &Shift::amount) continue;
    const double before = volume / target - 1.0, sign = before > 0.0 ? 1.0 : -1.0;
    if (std::abs(before) < left + close) break;
    const auto miss = [&, number = number, left = left](double value) {
      shift.*number = static_cast<float>(value);
      volume = meter(lack, shift);
      return volume / target - 1.0 - sign * left;
    };
    miss(find_zero(before - sign * left, sign * largest, close, miss));
  }
  if (shift.amount == 0.0F && shift.offset == 0.0F) return volume;
  parallel_for_blocks(phi.layout().n_owned(), [&](LocalIndex block) {
    float* here = phi.block(block);
    for (int c = 0; c < block_cells; ++c) here[c] += shift(here[c], lack.block(block)[c]);
  });
  phi.layout().halo().gather(phi, 2);
  return volume;
}

}  // namespace freshet::meshing
