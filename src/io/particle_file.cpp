// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/particle_file.hpp"

#include "freshet/core/error.hpp"
#include "freshet/parallel/agree.hpp"
#include "h5.hpp"
#include "parallel_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

namespace freshet {
namespace {

constexpr std::size_t chunk_size = 1 << 16;  ///< particles of a rank at a time

std::optional<ParticleFormat> format_of(const std::string& extension) {
  if (extension == ".csv" || extension == ".txt") return ParticleFormat::csv;
  if (extension == ".geo") return ParticleFormat::geo;
  if (extension == ".obj") return ParticleFormat::obj;
  return std::nullopt;
}

void read_text(const Communicator& comm, const std::string& path, ParticleFormat format,
               const std::function<void(const ParticleChunk&)>& use) {
  std::ifstream file;
  std::unique_ptr<ParticleText> text;
  agree_on_root(comm, [&] {
    file.open(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path))
      throw InputError(
          fmt::format("{}: the particles cannot be read (no such file, or no permission). Give a path "
                      "relative to the case file's folder",
                      path));
    text = std::make_unique<ParticleText>(file, format, path);
  });
  GlobalIndex first = 0;
  for (bool more = true; more;) {
    ParticleChunk chunk{first, {}, {}};
    agree_on_root(comm, [&] { more = text->read(chunk_size, chunk); });
    more = comm.any(comm.is_root() && more);
    use(chunk);
    first += static_cast<GlobalIndex>(chunk.position.size());
  }
}

/// The last iteration of a snapshot.
std::string species_of(hid_t root) {
  const h5::Handle data = h5::open_object(root, "data", H5I_GROUP, "open the group 'data'");
  const std::vector<std::string> names = h5::names_in(data.id());
  if (names.empty()) throw FileError("a snapshot without an iteration.");
  return "data/" + names.back() + "/particles/liquid/";
}

void expect_legal(const ParticleChunk& chunk, const std::string& path) {
  constexpr double fastest = 1e30;  // [m/s], as for liquids
  for (std::size_t m = 0; m < chunk.position.size(); ++m)
    if (!chunk.position[m].allFinite() || !(chunk.velocity[m].cwiseAbs().maxCoeff() <= fastest))
      throw FileError(path + ": a particle's position or velocity is not finite.");
}

/// Each rank reads an equal share of the particles; no rank holds more than a chunk.
void read_snapshot(const Communicator& comm, const std::string& path,
                   const std::function<void(const ParticleChunk&)>& use) {
  const ParallelInput file(comm, path);
  std::array<h5::Handle, 6> columns;
  hsize_t n = 0;
  bool moves = false;
  agree(comm, [&] {
    const std::string species = species_of(file.root());
    const h5::Handle group = file.open_group(species);
    const std::vector<std::string> names = h5::names_in(group.id());
    moves = std::find(names.begin(), names.end(), "velocity") != names.end();
    constexpr std::array axes{"x", "y", "z"};
    for (std::size_t d = 0; d < 3; ++d) {
      columns[d] = file.open_dataset(species + "position/" + axes[d]);
      if (moves) columns[d + 3] = file.open_dataset(species + "velocity/" + axes[d]);
    }
    n = n_elements(columns[0].id());
  });
  const auto size = static_cast<hsize_t>(comm.size());
  const auto rank = static_cast<hsize_t>(comm.rank());
  const auto first_of = [&](hsize_t part) { return n / size * part + n % size * part / size; };
  const hsize_t end = first_of(rank + 1);
  for (hsize_t first = first_of(rank); comm.any(first < end);) {
    const hsize_t count = std::min<hsize_t>(chunk_size, end - first);
    ParticleChunk chunk{static_cast<GlobalIndex>(first), std::vector<Vec3>(count, Vec3::Zero()),
                        std::vector<Vec3>(count, Vec3::Zero())};
    std::vector<double> values(count);
    agree(comm, [&] {
      for (std::size_t c = 0; c < (moves ? 6u : 3u); ++c) {
        read_elements(columns[c].id(), h5::type_of<double>(), first, count, values.data());
        auto& target = c < 3 ? chunk.position : chunk.velocity;
        for (std::size_t m = 0; m < count; ++m) target[m][static_cast<int>(c % 3)] = values[m];
      }
      expect_legal(chunk, path);
    });
    use(chunk);
    first += count;
  }
}

/// Throw what went wrong in a file again, with its name.
[[noreturn]] void name_file(const std::string& problem, const std::string& path) {
  if (problem.find(path) != std::string::npos) throw FileError(problem);
  const std::string why = problem.ends_with('.') ? problem.substr(0, problem.size() - 1) : problem;
  throw FileError(
      fmt::format("{}: no particles can be read from it ({}). Give a snapshot of freshet's, no checkpoint", path, why));
}

}  // namespace

void read_particle_file(const Communicator& comm, const std::string& path,
                        const std::function<void(const ParticleChunk&)>& use) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".h5") {
    try {
      return read_snapshot(comm, path, use);
    } catch (const FileError& error) {
      name_file(error.what(), path);
    }
  }
  if (extension == ".bgeo" || path.ends_with(".bgeo.sc") || path.ends_with(".bgeo.gz") || path.ends_with(".geo.sc"))
    throw InputError(fmt::format("{}: binary or packed geometry is not read. Write it as .geo (text)", path));
  const std::optional<ParticleFormat> format = format_of(extension);
  if (!format)
    throw InputError(
        fmt::format("{}: no format of particle files is known by '{}' (.csv, .txt, .geo, .obj and .h5 "
                    "are). Rename or convert it",
                    path, extension));
  read_text(comm, path, *format, use);
}

}  // namespace freshet
