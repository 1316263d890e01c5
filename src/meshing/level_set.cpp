// SPDX-License-Identifier: Apache-2.0
#include "freshet/meshing/level_set.hpp"

#include "freshet/core/parallel_for.hpp"
#include "lattice.hpp"
#include "liquid_volume.hpp"
#include "method.hpp"
#include "particle_bins.hpp"
#include "redistance.hpp"
#include "walls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace freshet {

using namespace meshing;

namespace {

/// Depth behind walls to which the function is evaluated; the mesh needs one cell. [lattice cells]
constexpr double depth_behind_walls = 3.0;

/// Refuse radii that are not above 0 or that exceed the particles' reach: no surface lies where no particle has weight.
/// \param[in] from  name of the attribute that holds the radii; empty: there is none. Collective. Errors: InputError
void expect_radii(const Communicator& comm, double reach, const std::string& from, const std::vector<float>& radii) {
  if (from.empty()) return;
  const auto largest = static_cast<float>(reach * (1.0 + 1e-6));  // radii were rounded to 32 bits
  float low = std::numeric_limits<float>::infinity(), high = -low;
  GlobalIndex n_wrong = 0;
  for (const float radius : radii) {
    if (radius > 0.0F && radius <= largest) continue;
    ++n_wrong;
    low = std::min(low, radius);
    high = std::max(high, radius);
  }
  n_wrong = comm.sum(n_wrong);
  if (n_wrong == 0) return;
  throw InputError(fmt::format(
      "'output.surface.radius_from' = \"{}\": {} particles have a radius of {:.3g} to {:.3g} m there (a radius "
      "is above 0 and at most {:.3g} m, which 'output.surface.kernel' lets a particle reach). Give radii in metres",
      from, n_wrong, comm.min(double{low}), comm.max(double{high}), reach));
}

/// Mark cells in bins around which all bins within a particle's reach hold particles: the cells are liquid.
void mark_inner_cells(const ParticleBins& bins, const Vec3i& first_cell, std::array<bool, block_cells>& inner) {
  const Lattice& lattice = bins.lattice();
  const int ring = lattice.ring;
  constexpr int most = 32;
  int n[3];
  Vec3i first;
  for (int d = 0; d < 3; ++d) {
    first[d] = lattice.bin_of(first_cell[d]) - ring;
    n[d] = lattice.bin_of(first_cell[d] + 7) + ring - first[d] + 1;
  }
  inner.fill(false);
  if (std::max({n[0], n[1], n[2]}) > most) return;
  std::array<bool, static_cast<std::size_t>(most * most * most)> full;  // eroded along one axis after the other
  const auto at = [&](int i, int j, int k) { return static_cast<std::size_t>(i + n[0] * (j + n[1] * k)); };
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) full[at(i, j, k)] = !bins.bin(first + Vec3i(i, j, k)).empty();
  const int strides[3] = {1, n[0], n[0] * n[1]};
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    for (int b = 0; b < n[f]; ++b)
      for (int a = 0; a < n[e]; ++a) {
        bool* line = full.data() + a * strides[e] + b * strides[f];
        bool result[most];
        for (int i = ring; i < n[d] - ring; ++i) {
          result[i] = true;
          for (int m = -ring; m <= ring; ++m) result[i] = result[i] && line[(i + m) * strides[d]];
        }
        for (int i = ring; i < n[d] - ring; ++i) line[i * strides[d]] = result[i];
      }
  }
  for (int c = 0; c < block_cells; ++c) {
    const Vec3i bin(lattice.bin_of(first_cell.x() + (c & 7)), lattice.bin_of(first_cell.y() + (c >> 3 & 7)),
                    lattice.bin_of(first_cell.z() + (c >> 6)));
    inner[static_cast<std::size_t>(c)] = full[at(bin.x() - first.x(), bin.y() - first.y(), bin.z() - first.z())];
  }
}

/// Find the blocks that a particle reaches, with a margin of a cell, and that do not lie deep in the liquid.
std::vector<BlockKey> wanted_blocks(const ParticleBins& bins, const Walls& walls, double reach, bool closed, int rank,
                                    GlobalIndex& n_deep) {
  const Lattice& lattice = bins.lattice();
  const Vec3i n = lattice.domain.lattice();
  const auto index = [&](const Vec3i& b) {
    return static_cast<std::size_t>(b.x() + static_cast<std::int64_t>(n.x()) *
                                                (b.y() + static_cast<std::int64_t>(n.y()) * b.z()));
  };
  std::vector<bool> reached(static_cast<std::size_t>(lattice.domain.n_lattice_blocks()), false);
  const int margin = static_cast<int>(std::ceil(reach)) + 1;
  std::vector<Vec3i> blocks;
  bins.for_each_occupied([&](const Vec3i& bin) {
    Vec3i first, last;
    for (int d = 0; d < 3; ++d) {
      first[d] = std::max(0, (lattice.bin_edge(bin[d]) - margin) >> 3);
      last[d] = std::min(n[d] - 1, (lattice.bin_edge(bin[d]) + lattice.resolution - 1 + margin) >> 3);
    }
    for (int k = first.z(); k <= last.z(); ++k)
      for (int j = first.y(); j <= last.y(); ++j)
        for (int i = first.x(); i <= last.x(); ++i) {
          const Vec3i block(i, j, k);
          const std::size_t m = index(block);
          if (reached[m]) continue;
          reached[m] = true;
          blocks.push_back(block);
        }
  });
  std::vector<std::uint8_t> keep(blocks.size(), 0);  // 0: not wanted, 1: wanted, 2: deep in the liquid
  parallel_for_blocks(static_cast<LocalIndex>(blocks.size()), [&](LocalIndex m) {
    const Vec3i& block = blocks[static_cast<std::size_t>(m)];
    if (bins.splitters().owner(morton_key(block)) != rank) return;
    const Vec3i first = 8 * block;
    Vec3 nearest;  // the point of the block that is nearest to the domain
    for (int d = 0; d < 3; ++d)
      nearest[d] = std::clamp(lattice.pad + 0.5 * lattice.cells[d], double(first[d]), first[d] + 8.0);
    if (walls.box(nearest) > depth_behind_walls) return;
    const bool at_wall = walls.near_block(first, closed ? depth_behind_walls : 0.0);
    const bool deep = !at_wall && bins.all_occupied(first, first + Vec3i::Constant(7), lattice.ring + 1);
    keep[static_cast<std::size_t>(m)] = deep ? 2 : 1;
  });
  std::vector<BlockKey> keys;
  n_deep = 0;
  for (std::size_t m = 0; m < blocks.size(); ++m) {
    if (keep[m] == 1) keys.push_back(morton_key(blocks[m]));
    if (keep[m] == 2) ++n_deep;
  }
  return keys;
}

}  // namespace

LevelSet::LevelSet(const Communicator& comm, const Domain& simulation, const SurfaceOptions& options,
                   const SurfaceParticles& particles, SolidDistance solids)
    : comm_(comm), options_(options) {
  if (simulation.dimension() != 3)
    throw InputError(
        "a surface of a case in 2-D cannot be made (it would be a line, not triangles). Set domain.cells "
        "to three numbers, or leave the surface out");
  options_.kernel = kernel_of(options_);
  expect_radii(comm, options_.kernel * simulation.dx(), options_.radius_from, particles.radii);
  const Lattice lattice(simulation, options_);
  walls_ = std::make_unique<Walls>(simulation, lattice, std::move(solids));
  bins_ = std::make_unique<ParticleBins>(&comm, lattice, *walls_, options_, particles);
  n_particles_ = comm.sum(static_cast<GlobalIndex>(particles.positions.size()));
  evaluate();
  redistance(phi_, static_cast<float>(options_.band));
  improve();
  if (options_.solids == SurfaceSolids::closed) cut_solids();
  scale(dx());
}

LevelSet::~LevelSet() = default;

/// Multiply phi by a factor: it is computed in lattice cells and kept in metres.
void LevelSet::scale(double factor) {
  const auto unit = static_cast<float>(factor);
  const LocalIndex n = layout_->n_blocks();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n; ++b)
    for (int c = 0; c < block_cells; ++c) phi_.block(b)[c] *= unit;
}

void LevelSet::evaluate() {
  const Calibration calibration = calibrate(options_);
  const std::unique_ptr<Method> method = make_method(bins_->lattice(), options_);
  method->prepare(*bins_);
  std::vector<BlockKey> keys = wanted_blocks(*bins_, *walls_, method->reach(), options_.solids == SurfaceSolids::closed,
                                             comm_.rank(), n_deep_blocks_);
  layout_ = std::make_unique<BlockLayout>(comm_, bins_->lattice().domain, bins_->splitters(), std::move(keys));
  phi_.reset(*layout_, no_value);
  phi_.fill(static_cast<float>(options_.band));  // value in ghosts that are not exchanged
  const auto inside = static_cast<float>(-options_.band);
  parallel_for_blocks(layout_->n_owned(), [&](LocalIndex b) {
    static thread_local NearParticles near;
    std::array<bool, block_cells> inner{};
    const Vec3i first = layout_->first_cell(b);
    mark_inner_cells(*bins_, first, inner);
    RowMask wanted;
    for (std::size_t row = 0; row < block_rows; ++row)
      wanted[row] = !std::all_of(&inner[8 * row], &inner[8 * row] + 8, [](bool is) { return is; });
    float* phi = phi_.block(b);
    if (std::none_of(wanted.begin(), wanted.end(), [](bool is) { return is; })) {
      std::fill_n(phi, block_cells, inside);
      return;
    }
    near.gather(*bins_, first, method->reach());
    method->evaluate(near, wanted, phi);
    for (int c = 0; c < block_cells; ++c) {
      const float value = static_cast<float>((phi[c] - calibration.level) * calibration.scale);
      phi[c] = inner[static_cast<std::size_t>(c)] ? inside : value;
    }
  });
}

void LevelSet::cut_solids() {
  parallel_for_blocks(layout_->n_owned(), [&](LocalIndex b) {
    const Vec3i first = layout_->first_cell(b);
    if (!walls_->near_block(first, options_.band)) return;
    const auto band = static_cast<float>(options_.band);
    for (int c = 0; c < block_cells; ++c) {
      const Vec3 x = (first + Vec3i(c & 7, c >> 3 & 7, c >> 6)).cast<double>() + Vec3::Constant(0.5);
      float& phi = phi_.block(b)[c];
      phi = std::clamp(std::max(phi, static_cast<float>(walls_->distance(x))), -band, band);
    }
  });
  layout_->halo().gather(phi_, 2);
}

void LevelSet::improve() {
  const VolumeMeter meter(*walls_, phi_, n_deep_blocks_);
  const bool own_radii = options_.radius > 0.0 || !options_.radius_from.empty();  // given radii set the volume
  const bool keeps = options_.volume == SurfaceVolume::kept && !own_radii;
  const double cell = std::pow(dx(), 3);
  if (keeps || options_.flatten > 0.0) {
    const CellField<float> lack = lack_of_liquid(phi_, options_.resolution);
    if (options_.flatten > 0.0) flatten(lack, options_.resolution, options_.flatten, phi_);
    const double particle = std::pow(double(options_.resolution) / options_.per_axis, 3);  // [lattice cells]
    if (keeps) {
      wanted_volume_ = cell * particle * static_cast<double>(n_used());
      volume_ = cell * keep_volume(meter, lack, wanted_volume_ / cell, phi_);
      return;
    }
  }
  volume_ = cell * meter();
}

bool LevelSet::adjust_volume(double of_mesh) {
  constexpr double enough = 0.01;
  if (!(wanted_volume_ > 0.0 && of_mesh > 0.0) || std::abs(of_mesh / wanted_volume_ - 1.0) < enough) return false;
  const double cell = std::pow(dx(), 3);
  scale(1.0 / dx());
  const CellField<float> lack = lack_of_liquid(phi_, options_.resolution);
  const VolumeMeter meter(*walls_, phi_, n_deep_blocks_);
  volume_ = cell * keep_volume(meter, lack, wanted_volume_ / cell * (volume_ / of_mesh), phi_, true);
  cut_solids();
  scale(dx());
  return true;
}

GlobalIndex LevelSet::n_used() const {
  if (options_.min_cell_particles == 1) return n_particles_;
  const Lattice& lattice = bins_->lattice();
  GlobalIndex n = 0;
  bins_->for_each_occupied([&](const Vec3i& bin) {
    for (const Item& item : bins_->bin(bin)) {
      Vec3 x;
      Vec3i block;
      for (int d = 0; d < 3; ++d) {
        x[d] = lattice.bin_edge(bin[d]) + static_cast<double>(item.x[d]);
        block[d] = std::clamp(static_cast<int>(std::floor(x[d])) >> 3, 0, lattice.domain.lattice()[d] - 1);
      }
      if (bins_->splitters().owner(morton_key(block)) == comm_.rank() && walls_->distance(x) <= 0.0) ++n;
    }
  });
  return comm_.sum(n);
}

}  // namespace freshet
