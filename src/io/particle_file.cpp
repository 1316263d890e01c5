// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/particle_file.hpp"

#include "freshet/core/error.hpp"
#include "freshet/geometry/input_files.hpp"
#include "freshet/io/unpacked_file.hpp"
#include "freshet/parallel/agree.hpp"
#include "h5.hpp"
#include "parallel_file.hpp"
#include "records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace freshet {
namespace {

using Use = std::function<void(const ParticleChunk&)>;

constexpr double farthest_particle = 1e100;  ///< [m]
constexpr std::size_t chunk_size = 1 << 16;  ///< number of particles of a rank that are read at a time

void read_table(const Communicator& comm, const std::string& path, const std::string& where, const Use& use) {
  UnpackedFile file;
  std::optional<ParticleTable> table;  // the table, on rank 0 only
  on_root(comm, where, [&] {
    file = open_unpacked_file(path, "file of particles");
    table.emplace(*file.stream, path);
  });
  GlobalIndex first = 0;
  for (bool more = true; more;) {
    ParticleChunk chunk{first, {}, {}};
    on_root(comm, where, [&] {
      more = table->read(chunk_size, chunk);
      if (first == 0 && chunk.position.empty())
        throw InputError(path + ": the file holds no particles (it has no row of numbers). Give each particle a row");
    });
    more = comm.any(comm.is_root() && more);
    use(chunk);
    first += static_cast<GlobalIndex>(chunk.position.size());
  }
}

/// The path of the liquid's records in the last iteration of a snapshot. Errors: FileError if particles are left out
std::string species_of(hid_t root) {
  const h5::Handle data = h5::open_object(root, "data", H5I_GROUP, "open the group 'data'");
  const std::vector<std::string> names = h5::names_in(data.id());
  if (names.empty()) throw FileError("the snapshot holds no iteration");
  const h5::Handle iteration = h5::open_object(data.id(), names.back().c_str(), H5I_GROUP, "open the last iteration");
  if (h5::has_attribute(iteration.id(), band_attribute))
    throw FileError(
        "its run kept particles in a narrow band only (particles.band), so that the liquid would be hollow");
  if (h5::has_attribute(iteration.id(), share_attribute))
    throw FileError("it holds a part of its run's particles (output.particle_share)");
  if (h5::has_attribute(iteration.id(), left_out_attribute))
    throw FileError(
        "it lacks those of its run's particles that were outside the box output.particle_lower to "
        "output.particle_upper");
  return "data/" + names.back() + "/particles/liquid/";
}

/// Reads the particles of a snapshot; each rank reads an equal share. Errors: FileError on all ranks
class SnapshotParticles {
 public:
  SnapshotParticles(const Communicator& comm, const std::string& path) : comm_(comm), file_(comm, path) {
    hsize_t n = 0;
    agree(comm, [&] {
      const std::string species = species_of(file_.root());
      const h5::Handle group = file_.open_group(species);
      const std::vector<std::string> names = h5::names_in(group.id());
      moves_ = std::find(names.begin(), names.end(), "velocity") != names.end();
      constexpr std::array axes{"x", "y", "z"};
      for (std::size_t d = 0; d < 3; ++d) {
        columns_[d] = file_.open_dataset(species + "position/" + axes[d]);
        if (moves_) columns_[d + 3] = file_.open_dataset(species + "velocity/" + axes[d]);
      }
      n = h5::n_elements(columns_[0].id());
    });
    const auto size = static_cast<hsize_t>(comm.size());
    const auto rank = static_cast<hsize_t>(comm.rank());
    const auto first_of = [&](hsize_t part) { return n / size * part + n % size * part / size; };
    first_ = first_of(rank);
    end_ = first_of(rank + 1);
  }

  /// Whether any rank has particles left to read. Collective
  bool any_left() const { return comm_.any(first_ < end_); }

  /// Read the next chunk of this rank. Collective
  ParticleChunk next() {
    const hsize_t count = std::min<hsize_t>(chunk_size, end_ - first_);
    ParticleChunk chunk{static_cast<GlobalIndex>(first_), std::vector<Vec3>(count, Vec3::Zero()),
                        std::vector<Vec3>(count, Vec3::Zero())};
    std::vector<double> values(count);
    agree(comm_, [&] {
      for (std::size_t c = 0; c < (moves_ ? 6u : 3u); ++c) {
        h5::read_elements(columns_[c].id(), h5::type_of<double>(), first_, count, values.data());
        auto& target = c < 3 ? chunk.position : chunk.velocity;
        for (std::size_t m = 0; m < count; ++m) target[m][static_cast<int>(c % 3)] = values[m];
      }
      for (std::size_t m = 0; m < count; ++m)
        if (!chunk.position[m].allFinite() || !(chunk.velocity[m].cwiseAbs().maxCoeff() <= fastest_particle))
          throw FileError("a particle's position or velocity is not finite");
    });
    first_ += count;
    return chunk;
  }

 private:
  const Communicator& comm_;
  ParallelInput file_;
  std::array<h5::Handle, 6> columns_;  ///< x, y, z and, if moves_, vx, vy, vz
  bool moves_ = false;
  hsize_t first_ = 0, end_ = 0;  ///< range of particles that this rank has yet to read
};

void read_snapshot(const Communicator& comm, const std::string& path, const std::string& where, const Use& use) {
  on_root(comm, where, [&] { open_input_file(path, "file of particles"); });
  ParticleChunk chunk;
  try {
    SnapshotParticles particles(comm, path);
    while (particles.any_left()) use(particles.next());
  } catch (const FileError& error) {
    std::string why = error.what();
    if (why.ends_with('.')) why.pop_back();
    throw InputError(fmt::format(
        "{}{}: no particles can be read from it ({}). Give a snapshot with all particles that freshet wrote",
        where.empty() ? "" : where + ": ", path, why));
  }
}

}  // namespace

ParticleTable::ParticleTable(std::istream& text, const std::string& file_name)
    : table_(text, file_name, {"x", "y", "z", "vx", "vy", "vz"}, "a particle has x, y, z and perhaps vx, vy, vz", 3,
             TextTable::Layout::open) {}

bool ParticleTable::read(std::size_t n, ParticleChunk& chunk) {
  for (std::size_t m = 0; m < n; ++m) {
    if (!table_.next_row()) return false;
    const bool moves = table_.has(3) && table_.has(4) && table_.has(5);
    Vec3 x = Vec3::Zero(), u = Vec3::Zero();
    for (int d = 0; d < 3; ++d) {
      const auto column = static_cast<std::size_t>(d);
      x[d] = table_[column];
      if (moves) u[d] = table_[column + 3];
    }
    if (x.cwiseAbs().maxCoeff() > farthest_particle)
      table_.refuse("a coordinate is beyond 1e100 m", "its square would be beyond 64-bit numbers");
    if (u.cwiseAbs().maxCoeff() > fastest_particle)
      table_.refuse("a velocity is beyond 1e30 m/s", "particles hold it as a 32-bit number");
    chunk.position.push_back(x);
    chunk.velocity.push_back(u);
  }
  return true;
}

void read_particle_file(const Communicator& comm, const std::string& path, const std::string& where, const Use& use) {
  const std::string extension = ending_of_unpacked(path);
  if (extension == ".h5") return read_snapshot(comm, path, where, use);
  if (extension == ".csv") return read_table(comm, path, where, use);
  throw InputError(
      fmt::format("{}{}: unknown kind of particle file (its name ends in '{}', not in .csv, .geo, .bgeo, .pda, .pdb, "
                  ".ptc or, for a "
                  "snapshot that freshet wrote, .h5). Turn .obj and .txt into .csv with analysis/convert_particles.py",
                  where.empty() ? "" : where + ": ", path, extension));
}

}  // namespace freshet
