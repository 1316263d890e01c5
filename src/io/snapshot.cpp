// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/snapshot.hpp"

#include "agree.hpp"
#include "freshet/config/read.hpp"
#include "freshet/core/version.hpp"
#include "freshet/io/text_files.hpp"
#include "mesh_records.hpp"
#include "openpmd.hpp"
#include "parallel_file.hpp"
#include "particle_records.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace freshet {
namespace {

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S %z", &local);
  return text.data();
}

std::string machine_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "unknown";
}

std::string author_name() {
  const char* name = std::getenv("USER");
  return name != nullptr && *name != '\0' ? name : "unknown";
}

/// A text of any length, where an attribute has to stay under 64 KiB. Collective; rank 0 writes.
void write_long_text(const ParallelFile& file, hid_t parent, const std::string& name, const std::string& text) {
  const hsize_t length = text.size();
  const h5::Handle dataset =
      h5::create_dataset(parent, name, h5::type_of<std::uint8_t>(), std::span<const hsize_t>(&length, 1));
  write_elements(dataset.id(), h5::type_of<std::uint8_t>(), 0, file.comm().is_root() ? length : 0, text.data());
}

}  // namespace

struct SnapshotWriter::Implementation {
  const Communicator& comm;
  Parameters parameters;
  std::string directory;  ///< snapshots/ in the output directory
  std::string input;      ///< resolved, TOML
  std::vector<XdmfEntry> entries;

  void write_header(const ParallelFile& file, const SnapshotState& state) const;
  XdmfEntry write_records(const ParallelFile& file, const SnapshotState& state) const;
  void write_xdmf() const;
};

/// Attributes of the root; also what the run was made with.
void SnapshotWriter::Implementation::write_header(const ParallelFile& file, const SnapshotState& state) const {
  const std::string author = comm.broadcast(author_name());
  const std::string date = comm.broadcast(date_now());
  const std::string machine = comm.broadcast(machine_name());
  const GlobalIndex n_threads = comm.max(GlobalIndex{omp_get_max_threads()});
  agree(comm, [&] {
    using h5::write_attribute;
    const hid_t root = file.id();
    openpmd::write_root(root, author, date, machine);
    write_attribute(root, "freshetKind", "snapshot");
    write_attribute(root, "freshetCommit", build_info().commit);
    write_attribute(root, "freshetRanks", static_cast<std::uint32_t>(comm.size()));
    write_attribute(root, "freshetThreads", static_cast<std::uint32_t>(n_threads));
    write_attribute(root, "freshetStep", static_cast<std::int64_t>(state.step));
    write_attribute(root, "freshetSeed", static_cast<std::int64_t>(parameters.run.seed));
    write_attribute(root, "freshetParticlesPerAxis", static_cast<std::int32_t>(parameters.particles.per_axis));
    write_attribute(root, "freshetJitter", parameters.particles.jitter);
    write_attribute(root, "freshetInputHash", parameters.input_hash);
  });
  agree(comm, [&] { write_long_text(file, file.id(), "freshetInput", input); });
}

XdmfEntry SnapshotWriter::Implementation::write_records(const ParallelFile& file, const SnapshotState& state) const {
  h5::Handle iteration;
  h5::Handle meshes;
  h5::Handle particles;
  agree(comm, [&] {
    const h5::Handle data = h5::create_group(file.id(), "data");
    iteration = h5::create_group(data.id(), std::to_string(state.iteration));
    openpmd::write_iteration(iteration.id(), state.time, state.dt);
    meshes = h5::create_group(iteration.id(), "meshes");
    particles = h5::create_group(iteration.id(), "particles");
  });
  XdmfEntry entry;
  entry.iteration = state.iteration;
  entry.time = state.time;
  entry.n_particles = comm.sum(GlobalIndex{state.particles->size()});
  entry.particles = write_particles(file, particles.id(), state, parameters.output.particles);
  entry.mesh = mesh_of(*state.layout);
  const std::vector<std::string>& fields = parameters.output.fields;
  const auto n_cells = static_cast<std::int64_t>(entry.mesh.n_cells());
  if (fields.empty() || n_cells == 0) return entry;
  if (n_cells > parameters.output.max_field_cells) {
    agree(comm, [&] {
      h5::write_attribute(meshes.id(), "freshetLeftOut",
                          fmt::format("{} cells in the fields' bounding box, more than output.max_field_cells = {}",
                                      n_cells, parameters.output.max_field_cells));
    });
    return entry;
  }
  entry.fields = write_meshes(file, meshes.id(), state, entry.mesh, fields);
  return entry;
}

void SnapshotWriter::Implementation::write_xdmf() const {
  if (!parameters.output.xdmf) return;
  agree_on_root(comm, [&] { write_text_atomically(directory + "/snapshots.xdmf", xdmf_text(entries)); });
}

SnapshotWriter::SnapshotWriter(const Communicator& comm, const std::string& directory, const Parameters& parameters)
    : implementation_(std::make_unique<Implementation>(
          Implementation{comm, parameters, directory + "/snapshots", resolved_toml(parameters), {}})) {
  agree_on_root(comm, [&] {
    std::error_code error;
    std::filesystem::create_directories(implementation_->directory, error);
    if (error) {
      throw FileError(fmt::format("cannot create the directory {} ({}).", implementation_->directory, error.message()));
    }
  });
}

SnapshotWriter::~SnapshotWriter() = default;

std::string SnapshotWriter::write(const SnapshotState& state) {
  const std::string name = fmt::format("snap_{:06}.h5", state.iteration);
  const std::string path = implementation_->directory + "/" + name;
  ParallelFile file(implementation_->comm, path);
  implementation_->write_header(file, state);
  XdmfEntry entry = implementation_->write_records(file, state);
  file.commit();
  entry.file = name;
  implementation_->entries.push_back(std::move(entry));
  implementation_->write_xdmf();
  return path;
}

}  // namespace freshet
