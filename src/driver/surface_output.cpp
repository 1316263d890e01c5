// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/surface_output.hpp"

#include "freshet/core/error.hpp"
#include "freshet/formats/mesh_file.hpp"
#include "freshet/formats/vdb_file.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/meshing/surface_memory.hpp"
#include "freshet/parallel/node_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace freshet {
namespace {

/// The numbers of an attribute, as floats.
std::vector<float> as_floats(const Attribute& attribute, ParticleIndex n) {
  std::vector<float> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(attribute.width));
  const auto convert = [&]<class T>(T) {
    const T* from = reinterpret_cast<const T*>(attribute.values.data());
    std::transform(from, from + values.size(), values.begin(), [](T value) { return static_cast<float>(value); });
  };
  switch (attribute.type) {
    case AttributeType::float32:
      convert(float{});
      break;
    case AttributeType::float64:
      convert(double{});
      break;
    case AttributeType::int32:
      convert(std::int32_t{});
      break;
    case AttributeType::int64:
      convert(std::int64_t{});
      break;
    case AttributeType::uint8:
      convert(std::uint8_t{});
      break;
    case AttributeType::uint64:
      convert(std::uint64_t{});
      break;
  }
  return values;
}

}  // namespace

std::string SurfaceReport::text() const {
  if (blocks > 0) return fmt::format("{} blocks of 8x8x8, volume {:.6g} m^3", blocks, volume);
  std::string line = fmt::format("{} vertices, {} faces, {} components, volume {:.6g} m^3, ", mesh.vertices, mesh.faces,
                                 mesh.components, volume);
  if (mesh.closed())
    line += "closed";
  else
    line += fmt::format("{} open edges on walls", mesh.open_edges);
  if (removed > 0) line += fmt::format(", {} small pieces left out", removed);
  return line;
}

namespace {

/// The blocks of a level set, cut off at the sides of the domain, beyond which they reach.
LevelSetBlocks blocks_of(const Domain& domain, const LevelSet& level_set) {
  const BlockLayout& layout = level_set.layout();
  const double dx = level_set.dx();
  LevelSetBlocks blocks;
  blocks.cell_size = dx;
  blocks.origin = layout.domain().origin() + Vec3::Constant(0.5 * dx);
  blocks.band = level_set.options().band * dx;
  const auto [low, high] = domain.box();
  const auto n = static_cast<std::size_t>(layout.cells_per_block());
  blocks.phi.resize(n * static_cast<std::size_t>(layout.n_owned()));
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const Vec3i first = layout.first_cell(b);
    float* phi = blocks.phi.data() + n * static_cast<std::size_t>(b);
    for (int c = 0; c < static_cast<int>(n); ++c) {
      const Vec3i cell = first + Vec3i{c % block_width, c / block_width % block_width, c / (block_width * block_width)};
      const Vec3 x = blocks.origin + dx * cell.cast<double>();
      const double outside = std::max((low - x).maxCoeff(), (x - high).maxCoeff());
      const float here = level_set.phi().block(b)[c];  // values beyond a side mirror those inside
      const auto side = static_cast<float>(outside);
      phi[c] =
          side <= 0.0F ? std::max(here, side) : std::min(side + std::max(here, 0.0F), static_cast<float>(blocks.band));
    }
    blocks.first_cells.push_back(first);
  }
  return blocks;
}

/// Write a level set as OpenVDB. Collective
void write_blocks(const Communicator& comm, const LevelSetBlocks& level_set, const std::string& path) {
  const LevelSetLattice lattice{block_width, level_set.cell_size, level_set.origin, static_cast<float>(level_set.band)};
  constexpr std::size_t n = std::size_t{block_width} * block_width * block_width;
  std::vector<LevelSetBlock> blocks;
  for (std::size_t b = 0; b < level_set.first_cells.size(); ++b)
    blocks.push_back({level_set.first_cells[b], level_set.phi.data() + n * b});
  write_level_set_vdb(blocks, lattice, path, comm);
}

}  // namespace

SurfaceParts parts_of_format(const std::string& format) {
  return find_mesh_format(format).write != nullptr ? SurfaceParts::mesh : SurfaceParts::level_set;
}

void expect_memory(const Communicator& comm, double bytes, const std::string& what) {
  const double free = free_memory_of_rank(comm);
  if (comm.max(bytes) <= free) return;
  throw Error(
      ExitCode::memory,
      fmt::format("{} may need {:.3f} GB on each of {} ranks (of memory and limits, {:.3f} GB are free for each). "
                  "Use more nodes, or a lower resolution of the surface (inputs/troubleshooting.md#memory)",
                  what, comm.max(bytes) / 1e9, comm.size(), free / 1e9));
}

MadeSurface::MadeSurface(const Communicator& comm, const Domain& domain, const SurfaceOptions& options,
                         const SurfaceParticles& particles, const SolidDistance& solids, SurfaceParts parts)
    : parts_(parts) {
  const auto start = std::chrono::steady_clock::now();
  expect_memory(comm, memory_of_surface(comm, domain, options, particles, solids),
                fmt::format("a surface of {} particles at resolution {}",
                            comm.sum(static_cast<GlobalIndex>(particles.positions.size())), options.resolution));
  auto level_set = std::make_unique<LevelSet>(comm, domain, options, particles, solids);
  report_.volume = level_set->volume();
  if (has(SurfaceParts::mesh)) {
    mesh_ = level_set->contour();
    if (options.solids == SurfaceSolids::closed && level_set->adjust_volume(check_mesh(comm, mesh_).volume))
      mesh_ = level_set->contour();
  }
  if (has(SurfaceParts::level_set)) {
    report_.blocks = comm.sum(static_cast<GlobalIndex>(level_set->layout().n_owned()));
    level_set_ = blocks_of(domain, *level_set);
  }
  level_set.reset();
  if (has(SurfaceParts::mesh)) finish_mesh(comm, domain, options);
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Remove small pieces, smooth and decimate the mesh as the options say, check it, and report its volume.
void MadeSurface::finish_mesh(const Communicator& comm, const Domain& domain, const SurfaceOptions& options) {
  const bool changes = options.min_particles > 0.0 || options.smoothing > 0 || options.decimate < 1.0;
  const double first_volume = changes ? check_mesh(comm, mesh_).volume : 0.0;
  if (options.min_particles > 0.0) {
    const double particle = domain.cell_volume() / std::pow(options.per_axis, 3);
    report_.removed = remove_small_components(comm, options.min_particles * particle, mesh_);
  }
  if (options.smoothing > 0) smooth_mesh(comm, options.smoothing, mesh_);
  if (options.decimate < 1.0) decimate_mesh(comm, options.decimate, mesh_);
  report_.mesh = check_mesh(comm, mesh_);
  if (report_.mesh.bad_edges > 0 || (options.solids == SurfaceSolids::closed && report_.mesh.open_edges > 0))
    throw InternalError(fmt::format("the surface has {} open and {} wrong edges. Report it as a fault of freshet",
                                    report_.mesh.open_edges, report_.mesh.bad_edges));
  if (report_.mesh.closed()) {
    report_.volume = report_.mesh.volume;
  } else if (changes) {  // walls that close the mesh have not moved
    report_.volume += report_.mesh.volume - first_volume;
  }
}

void MadeSurface::write(const Communicator& comm, const std::string& path) const {
  if (parts_of_format(std::filesystem::path(path).extension().string()) == SurfaceParts::level_set) {
    write_blocks(comm, level_set_, path);
  } else {
    write_surface_mesh(mesh_, path, comm);
  }
}

SolidDistance solid_distance(const std::vector<SolidBody>& bodies, double time) {
  if (bodies.empty()) return {};
  std::vector<std::shared_ptr<const Shape>> shapes;
  for (const SolidBody& body : bodies) shapes.push_back(body.shape_at(time));
  return [shapes](const Vec3& x) {
    double nearest = shapes.front()->signed_distance(x);
    for (std::size_t m = 1; m < shapes.size(); ++m) nearest = std::min(nearest, shapes[m]->signed_distance(x));
    return nearest;
  };
}

SurfaceParticles surface_particles(const BlockLayout& layout, const ParticleStore& particles,
                                   const SurfaceOptions& options, const std::vector<std::string>& attributes) {
  SurfaceParticles result;
  result.positions.resize(static_cast<std::size_t>(particles.size()));
  const Domain& domain = layout.domain();
  const ParticleReal* x = particles.position();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const Vec3 corner = layout.first_cell(b).cast<double>();
    for (ParticleIndex p = particles.block_begin()[static_cast<std::size_t>(b)];
         p < particles.block_begin()[static_cast<std::size_t>(b) + 1]; ++p)
      result.positions[static_cast<std::size_t>(p)] =
          domain.origin() + domain.dx() * (corner + Vec3(x[3 * p], x[3 * p + 1], x[3 * p + 2]));
  }
  for (const Attribute& a : particles.attributes()) {
    const bool is_integer = a.type != AttributeType::float32 && a.type != AttributeType::float64;
    if (std::ranges::find(attributes, a.name) != attributes.end())
      result.attributes.push_back({a.name, a.width, is_integer, as_floats(a, particles.size())});
    if (a.name == options.radius_from) result.radii = as_floats(a, particles.size());
  }
  return result;
}

std::string surface_file_name(const std::string& stem, std::int64_t number, const std::string& format) {
  return fmt::format("{}_{:06d}.{}", stem, number, format);
}

}  // namespace freshet
