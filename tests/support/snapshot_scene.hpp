// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/halo.hpp"
#include "freshet/io/snapshot.hpp"
#include "freshet/particles/edit.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// A made-up state whose every number follows from an id or from cell coordinates.
namespace freshet::test {

/// A directory for the running test, the same on every rank, removed with its owner. Collective.
class SharedDirectory {
 public:
  explicit SharedDirectory(const std::string& name)
      : path_(world().broadcast(
            (std::filesystem::temp_directory_path() / ("freshet_" + name + "_" + std::to_string(getpid()))).string())) {
    if (world().is_root()) {
      std::filesystem::remove_all(path_);
      std::filesystem::create_directories(path_);
    }
    world().barrier();
  }
  ~SharedDirectory() {
    world().barrier();
    if (world().is_root()) std::filesystem::remove_all(path_);
  }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline DomainOptions domain_parameters(int dimension, const Vec3i& cells) {
  DomainOptions parameters;
  parameters.dimension = dimension;
  parameters.cells = cells;
  parameters.cell_size = 0.046875;  // so few bits that a product with a 32-bit number is exact
  parameters.origin = {-1.0, 2.0, 0.5};
  return parameters;
}

/// What files record of the case that made them.
inline const InputRecord input_of_case{"title = \"made-up state\"\n[domain]\ncell_size = 0.046875\n",
                                       0x1234567890abcdef, 7, 2, 1.0};

inline double pressure_at(const Vec3i& cell) {
  return 1.0 + cell.x() + 100.0 * cell.y() + 1e4 * cell.z();
}
inline Label label_at(const Vec3i& cell) {
  return static_cast<Label>((cell.x() + 2 * cell.y() + cell.z()) % 3);
}
/// Of the low face normal to d [m/s].
inline double face_velocity_at(int d, const Vec3i& cell) {
  return (d + 1) * (0.25 + cell.x() + 64.0 * cell.y() + 4096.0 * cell.z());
}

/// Offset from the low corner of the particle's block [cells].
inline ParticleReal offset_of(ParticleId id, int d) {
  return static_cast<ParticleReal>(7.999 * hashed(id, 10 + d));
}
inline ParticleReal velocity_of(ParticleId id, int d) {
  return static_cast<ParticleReal>(hashed(id, 20 + d) - 0.5);
}
constexpr ParticleId ids_per_block = 1'000'000'000;

/// Blocks, particles and fields of one rank.
class Scene {
 public:
  Scene(const DomainOptions& parameters, double fraction_of_blocks, ParticleIndex most_particles_a_block)
      : domain(parameters) {
    const std::vector<BlockKey> keys = random_blocks(domain, fraction_of_blocks, 5);
    layout = std::make_unique<BlockLayout>(world(), domain, equal_splitters(world(), keys), keys);
    add_particles(most_particles_a_block);
    add_fields();
  }

  SnapshotState state(std::int64_t iteration) const {
    SnapshotState s;
    s.iteration = iteration;
    s.step = 7 * iteration;
    s.time = 0.125 * static_cast<double>(iteration);
    s.dt = 0.001;
    s.layout = layout.get();
    s.particles = &particles;
    s.pressure = &pressure;
    s.velocity = &velocity;
    s.labels = &labels;
    s.surface = &surface;
    s.solids_on_grid = &solids;
    return s;
  }
  /// What the file should hold for coordinate d of a particle [m].
  ParticleReal world_position(ParticleId id, int d) const {
    const Vec3i first = morton_block(id / ids_per_block).cwiseProduct(domain.block_cells());
    const ParticleReal offset = d < domain.dimension() ? offset_of(id, d) : ParticleReal{0.5};
    return static_cast<ParticleReal>(domain.origin()[d] + domain.dx() * (first[d] + static_cast<double>(offset)));
  }

  Domain domain;
  std::unique_ptr<BlockLayout> layout;
  ParticleStore particles;
  CellField<double> pressure;
  FaceField<double> velocity;
  LabelField labels;
  SolidFields solids;
  mutable FreeSurface surface{{}};  ///< without liquid

 private:
  void add_particles(ParticleIndex most) {
    const double zero[2] = {0.0, 0.0};
    particles.add_attribute("stress", AttributeType::float64, 2, zero);
    auto& begin = particles.block_begin();
    begin.assign(1, 0);
    for (LocalIndex b = 0; b < layout->n_owned(); ++b) {
      const auto n = static_cast<ParticleIndex>(static_cast<double>(most) * (1.2 * hashed(layout->key(b), 3) - 0.2));
      begin.push_back(begin.back() + std::max<ParticleIndex>(n, 0));
    }
    particles.resize(begin.back());
    const auto stress = particles.attribute<double>("stress");
    for (LocalIndex b = 0; b < layout->n_owned(); ++b) {
      for (ParticleIndex p = begin[b]; p < begin[b + 1]; ++p) {
        const ParticleId id = layout->key(b) * ids_per_block + static_cast<ParticleId>(p - begin[b]);
        particles.id()[p] = id;
        particles.tag()[p] = static_cast<std::uint8_t>(id % 251);
        for (int d = 0; d < 3; ++d) {
          particles.position()[3 * p + d] = d < domain.dimension() ? offset_of(id, d) : ParticleReal{0.5};
          particles.velocity()[3 * p + d] = velocity_of(id, d);
        }
        for (int c = 0; c < 2; ++c) stress[2 * p + c] = hashed(id, 30 + c);
      }
    }
    open_for_edits(particles, *layout);
    SortWorkspace workspace;
    sort_particles(particles, *layout, CellOrder::by_id, workspace);
  }

  void add_fields() {
    pressure.reset(*layout);
    velocity.reset(*layout);
    labels.reset(*layout);
    const Vec3i n = domain.block_cells();
    for (LocalIndex b = 0; b < layout->n_owned(); ++b) {
      for (int c = 0; c < layout->cells_per_block(); ++c) {
        const Vec3i cell = layout->first_cell(b) + Vec3i{c % n.x(), c / n.x() % n.y(), c / (n.x() * n.y())};
        pressure.block(b)[c] = pressure_at(cell);
        labels.block(b)[c] = label_at(cell);
        for (int d = 0; d < domain.dimension(); ++d) velocity[d].block(b)[c] = face_velocity_at(d, cell);
      }
    }
    layout->halo().gather(velocity, 1);
    solids.reset(*layout, {});
    surface.reset(*layout);
    ParticleStore none;
    SortWorkspace workspace;
    sort_particles(none, *layout, CellOrder::by_id, workspace);
    surface.find(none, solids);
    surface.find_shape(solids, {});
  }
};

}  // namespace freshet::test
