// SPDX-License-Identifier: Apache-2.0
#include "method.hpp"

#include <map>
#include <random>
#include <tuple>

namespace freshet {

const std::vector<SurfaceMethodRecord>& surface_methods() {
  static const std::vector<SurfaceMethodRecord> table = {
      {SurfaceMethod::improved_blobbies, "improved_blobbies",
       "distance from the weighted mean of the particles around (Zhu & Bridson 2005)"},
      {SurfaceMethod::blobbies, "blobbies", "level of a sum of kernels (Blinn 1982)"},
      {SurfaceMethod::anisotropic, "anisotropic",
       "level of a sum of kernels stretched along the surface (Yu & Turk 2013)"},
  };
  return table;
}

namespace meshing {

void NearParticles::gather(const ParticleBins& bins, const Vec3i& first_cell, double reach) {
  const Lattice& lattice = bins.lattice();
  const int cells = static_cast<int>(std::ceil(reach));
  const auto low = static_cast<float>(-reach);
  const auto high = static_cast<float>(8.0 + reach);
  x.clear();
  y.clear();
  z.clear();
  r.clear();
  item.clear();
  Vec3i first, last;
  for (int d = 0; d < 3; ++d) {
    first[d] = lattice.bin_of(first_cell[d] - cells);
    last[d] = lattice.bin_of(first_cell[d] + 7 + cells);
  }
  const Item* all = bins.items().data();
  for (int k = first.z(); k <= last.z(); ++k)
    for (int j = first.y(); j <= last.y(); ++j)
      for (int i = first.x(); i <= last.x(); ++i) {
        const auto bin = bins.bin({i, j, k});
        if (bin.empty()) continue;
        const auto bx = static_cast<float>(lattice.bin_edge(i) - first_cell.x());
        const auto by = static_cast<float>(lattice.bin_edge(j) - first_cell.y());
        const auto bz = static_cast<float>(lattice.bin_edge(k) - first_cell.z());
        for (const Item& p : bin) {
          const float px = bx + p.x[0], py = by + p.x[1], pz = bz + p.x[2];
          if (px < low || py < low || pz < low || px > high || py > high || pz > high) continue;
          x.push_back(px);
          y.push_back(py);
          z.push_back(pz);
          r.push_back(p.r);
          item.push_back(static_cast<std::uint32_t>(&p - all));
        }
      }
}

std::unique_ptr<Method> make_method(const Lattice& lattice, const SurfaceOptions& options) {
  switch (options.method) {
    case SurfaceMethod::blobbies:
      return make_blobbies(lattice, options);
    case SurfaceMethod::anisotropic:
      return make_anisotropic(lattice, options);
    default:
      return make_improved_blobbies(lattice, options);
  }
}

namespace {

/// Mean height of the liquid in columns of cells: psi crosses the level there. Cell centres stand at 0.5, 1.5, ...
double mean_height(const std::vector<std::array<float, 8>>& columns, double level) {
  double sum = 0.0;
  for (const std::array<float, 8>& psi : columns) {
    std::size_t k = 8;
    while (k > 0 && psi[k - 1] >= level) --k;  // the highest cell of the liquid is k - 1
    if (k == 0) continue;
    sum += k == 8 ? 8.0 : static_cast<double>(k) - 0.5 + (level - psi[k - 1]) / (psi[k] - psi[k - 1]);
  }
  return sum / static_cast<double>(columns.size());
}

Calibration find_calibration(const SurfaceOptions& options) {
  constexpr int width = 16;  // cells of a periodic box; its lower half is full
  constexpr int depth = width / 2;
  DomainOptions box;
  box.cells = Vec3i::Constant(width);
  box.boundary[0] = box.boundary[1] = {FaceCondition::periodic, FaceCondition::periodic};
  const Domain domain(box);
  const Lattice lattice(domain, options);
  const Walls walls(domain, lattice, {});
  SurfaceParticles particles;
  std::minstd_rand engine(1);  // the same sequence on every rank
  const auto random = [&engine] { return static_cast<double>(engine()) / 2147483647.0; };
  const int n = options.per_axis;
  for (int k = 0; k < depth * n; ++k)
    for (int j = 0; j < width * n; ++j)
      for (int i = 0; i < width * n; ++i)
        particles.positions.push_back(Vec3(i + random(), j + random(), k + random()) / n);
  SurfaceOptions plain = options;
  plain.min_cell_particles = 1;
  const ParticleBins bins(nullptr, lattice, walls, plain, particles);
  const std::unique_ptr<Method> method = make_method(lattice, plain);
  method->prepare(bins);
  const int top = lattice.pad + depth * options.resolution;  // the first cell above the liquid
  RowMask all;
  all.fill(true);
  std::vector<std::array<float, 8>> columns;  // each column has four cells below the plane and four above it
  NearParticles near;
  std::array<float, block_cells> psi{};
  const int first = 8 * (lattice.pad / 8), blocks = width * options.resolution / 8;
  for (int b = 0; b < blocks; ++b)
    for (int a = 0; a < blocks; ++a) {
      const Vec3i corner(first + 8 * a, first + 8 * b, top - 4);
      near.gather(bins, corner, method->reach());
      method->evaluate(near, all, psi.data());
      for (int c = 0; c < 64; ++c) {
        std::array<float, 8>& column = columns.emplace_back();
        for (int k = 0; k < 8; ++k)
          column[static_cast<std::size_t>(k)] = psi[static_cast<std::size_t>(Block3::cell(c % 8, c / 8, k))];
      }
    }
  double low = 1e30, high = -1e30;  // bounds of the level
  for (const std::array<float, 8>& column : columns) {
    low = std::min(low, static_cast<double>(*std::min_element(column.begin(), column.end())));
    high = std::max(high, static_cast<double>(*std::max_element(column.begin(), column.end())));
  }
  const double step = 0.01 * (high - low);
  constexpr int rounds = 30;
  for (int round = 0; round < rounds; ++round) {
    const double level = 0.5 * (low + high);
    (mean_height(columns, level) < 4.0 ? low : high) = level;
  }
  const double rise = mean_height(columns, low + step) - mean_height(columns, low - step);
  return {low, rise > 0.0 ? rise / (2.0 * step) : 1.0};
}

}  // namespace

Calibration calibrate(const SurfaceOptions& options) {
  if (options.radius > 0.0 || !options.radius_from.empty()) return {};
  using Key = std::tuple<SurfaceMethod, int, int, double, double, double>;
  static std::map<Key, Calibration> known;  // kept, because a run makes many surfaces with the same options
  const Key key{options.method, options.per_axis, options.resolution,
                options.kernel, options.stretch,  options.center_smoothing};
  const auto found = known.find(key);
  return found != known.end() ? found->second : known[key] = find_calibration(options);
}

}  // namespace meshing
}  // namespace freshet
