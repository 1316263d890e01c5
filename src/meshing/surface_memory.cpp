// SPDX-License-Identifier: Apache-2.0
#include "freshet/meshing/surface_memory.hpp"

#include "block_cells.hpp"
#include "freshet/core/parallel_for.hpp"
#include "images.hpp"

#include <atomic>
#include <bit>
#include <cmath>

namespace freshet {

using namespace meshing;

namespace {

/// Numbers of the particles' copies and of the lattice blocks that they reach.
struct Reached {
  GlobalIndex copies = 0;
  GlobalIndex blocks = 0;
};

/// Marks blocks of a lattice; any thread may mark.
class BlockMarks {
 public:
  explicit BlockMarks(const Vec3i& size)
      : size_(size), words_(static_cast<std::size_t>((size.cast<std::int64_t>().prod() + 63) / 64), 0) {}

  void mark(const Vec3i& first, const Vec3i& last) {
    for (int k = first.z(); k <= last.z(); ++k)
      for (int j = first.y(); j <= last.y(); ++j)
        for (int i = first.x(); i <= last.x(); ++i) {
          const auto m = static_cast<std::size_t>(i + std::int64_t{size_.x()} * (j + std::int64_t{size_.y()} * k));
          const std::uint64_t bit = std::uint64_t{1} << (m % 64);
          std::atomic_ref<std::uint64_t> word(words_[m / 64]);
          if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
        }
  }
  GlobalIndex count() const {
    GlobalIndex n = 0;
    for (const std::uint64_t word : words_) n += std::popcount(word);
    return n;
  }

 private:
  Vec3i size_;
  std::vector<std::uint64_t> words_;
};

Reached count_reached(const Lattice& lattice, const Walls& walls, const SurfaceOptions& options,
                      const std::vector<Vec3>& positions) {
  const double image_reach = (lattice.ring + 1) * lattice.resolution;
  // the method's reach, the width of the particle's bin, and one cell more for the mesh
  const double stretch = options.method == SurfaceMethod::anisotropic ? 1.0 + 0.5 * options.center_smoothing : 1.0;
  const double reach = std::ceil(stretch * lattice.kernel) + lattice.resolution + 1.0;
  const Vec3i n = lattice.domain.lattice();
  BlockMarks marks(n);
  const auto n_particles = static_cast<std::int64_t>(positions.size());
  constexpr std::int64_t chunk = 4096;
  std::atomic<GlobalIndex> copies{0};
  parallel_for_blocks(static_cast<LocalIndex>((n_particles + chunk - 1) / chunk), [&](LocalIndex c) {
    SolidImages solid_images(walls, lattice, image_reach);
    GlobalIndex here = 0;
    for (std::int64_t p = c * chunk; p < std::min(n_particles, (c + 1) * chunk); ++p) {
      const Vec3 at =
          (positions[static_cast<std::size_t>(p)] - lattice.origin) / lattice.dx + Vec3::Constant(lattice.pad);
      for_each_copy(walls, at, image_reach, solid_images, [&](const Vec3& x) {
        ++here;
        Vec3i first, last;
        for (int d = 0; d < 3; ++d) {
          first[d] = std::clamp(static_cast<int>(std::floor((x[d] - reach) / 8.0)), 0, n[d] - 1);
          last[d] = std::clamp(static_cast<int>(std::floor((x[d] + reach) / 8.0)), 0, n[d] - 1);
        }
        marks.mark(first, last);
      });
    }
    copies += here;
  });
  return {copies, marks.count()};
}

int n_numbers_of(const SurfaceParticles& particles) {
  int n = 0;
  for (const SurfaceParticles::Attribute& a : particles.attributes) n += a.components;
  return n;
}

}  // namespace

double least_memory_of_surface(GlobalIndex n_particles, int n_numbers) {
  return static_cast<double>(n_particles) * (24.0 + 52.0 + 8.0 * n_numbers);  // bytes as read, and as sorted
}

double memory_of_surface(const Communicator& comm, const Domain& simulation, const SurfaceOptions& given,
                         const SurfaceParticles& particles, const SolidDistance& solids) {
  SurfaceOptions options = given;
  options.kernel = kernel_of(options);
  const Lattice lattice(simulation, options);
  const Walls walls(simulation, lattice, solids);
  const Reached here = count_reached(lattice, walls, options, particles.positions);
  const auto lattice_blocks = static_cast<double>(lattice.domain.n_lattice_blocks());
  const auto copies = static_cast<double>(comm.sum(here.copies));
  const double blocks = std::min(static_cast<double>(comm.sum(here.blocks)), lattice_blocks);
  const double ranks = comm.size(), numbers = n_numbers_of(particles);
  const bool is_alone = comm.size() == 1;
  // copies of other ranks' data that surround the blocks of a rank, if these form a cube
  const double width = std::cbrt(std::max(1.0, blocks / ranks));
  const auto with_rim = [&](double rim) { return std::min(ranks, std::pow((width + 2.0 * rim) / width, 3)); };
  const double particle_rim = std::ceil((2.0 * lattice.ring + 2.0) * lattice.resolution / 8.0);
  const double uneven = is_alone ? 1.0 : 1.2;
  // A copy takes 32 bytes while it is sent, 20 in its bin, and 48 for its ellipsoid.
  const double item = 52.0 + (options.method == SurfaceMethod::anisotropic ? 48.0 : 0.0) + 4.0 * numbers;
  const double journey = is_alone ? 0.0 : 128.0 + 16.0 * numbers;
  const double particle_bytes = copies / ranks * uneven * with_rim(particle_rim) * (item + journey);
  // A block has up to five fields of floats and two tables of bins. Its mesh has two triangles for each vertex. It has
  // most vertices where particles hardly touch; a block full of particles has at most those of a plane.
  const double fields = block_cells * (5 * 4.0) * with_rim(1.0) + 4096.0;
  const double full = std::pow(8.0 / options.resolution * options.per_axis, 3);  // number of particles in a full block
  const double vertices = 200.0 - 100.0 * std::min(1.0, copies / std::max(1.0, blocks * full));
  double vertex = 96.0 + 8.0 * numbers + 2.0 * (24.0 + 24.0 + 48.0);
  if (options.smoothing > 0) vertex += 400.0;
  if (options.decimate < 1.0) vertex += 1000.0;
  const double mesh = vertices * vertex;
  return particle_bytes + blocks / ranks * uneven * (fields + mesh) + lattice_blocks / 4.0 + 32e6;
}

}  // namespace freshet
