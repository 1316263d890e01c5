// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/snapshot.hpp"

#include "freshet/config/read.hpp"
#include "freshet/core/version.hpp"
#include "freshet/io/text_files.hpp"
#include "freshet/parallel/agree.hpp"
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

/// What a snapshot holds, settled before the file is made.
struct Plan {
  std::vector<ParticleRecord> particles;
  GlobalIndex n_particles = 0;
  openpmd::Mesh mesh;
  std::vector<MeshRecord> fields;
  std::string left_out;  ///< why there are no fields, if some were asked for
  GlobalIndex n_threads = 1;
};

}  // namespace

struct SnapshotWriter::Implementation {
  const Communicator& comm;
  Parameters parameters;
  std::string directory;  ///< snapshots/ in the output directory
  std::string input;      ///< resolved, TOML
  std::vector<XdmfEntry> entries;

  Plan plan(const SnapshotState& state) const;
  std::int64_t bytes_of(const Plan& plan) const;
  void create(hid_t root, const SnapshotState& state, const Plan& plan) const;
  void write_run(hid_t root, const SnapshotState& state, const Plan& plan) const;
  void list(const std::string& name, const SnapshotState& state, const Plan& plan);
};

/// Collective. Errors: InputError
Plan SnapshotWriter::Implementation::plan(const SnapshotState& state) const {
  Plan plan;
  plan.particles = plan_particles(*state.particles, parameters.output.particles);
  plan.n_particles = comm.sum(GlobalIndex{state.particles->size()});
  plan.mesh = mesh_of(*state.layout);
  plan.n_threads = comm.max(GlobalIndex{omp_get_max_threads()});
  const auto n_cells = static_cast<std::int64_t>(plan.mesh.n_cells());
  if (parameters.output.fields.empty() || n_cells == 0) return plan;
  if (n_cells > parameters.output.max_field_cells) {
    plan.left_out = fmt::format("{} cells in the fields' bounding box, more than output.max_field_cells = {}", n_cells,
                                parameters.output.max_field_cells);
  } else {
    plan.fields = plan_meshes(parameters.output.fields);
  }
  return plan;
}

std::int64_t SnapshotWriter::Implementation::bytes_of(const Plan& plan) const {
  constexpr std::int64_t bytes_a_patch = 8 * sizeof(double);
  return freshet::bytes_of(plan.particles, plan.n_particles) + freshet::bytes_of(plan.fields, plan.mesh) +
         bytes_a_patch * comm.size() + static_cast<std::int64_t>(input.size());
}

/// Groups, attributes and datasets. For rank 0.
void SnapshotWriter::Implementation::create(hid_t root, const SnapshotState& state, const Plan& plan) const {
  openpmd::write_root(root, author_name(), date_now(), machine_name());
  write_run(root, state, plan);
  const h5::Handle data = h5::create_group(root, "data");
  const h5::Handle iteration = h5::create_group(data.id(), std::to_string(state.iteration));
  openpmd::write_iteration(iteration.id(), state.time, state.dt);
  const h5::Handle meshes = h5::create_group(iteration.id(), "meshes");
  create_meshes(meshes.id(), plan.fields, plan.mesh);
  if (!plan.left_out.empty()) h5::write_attribute(meshes.id(), "freshetLeftOut", plan.left_out);
  const h5::Handle particles = h5::create_group(iteration.id(), "particles");
  create_particles(particles.id(), plan.particles, plan.n_particles, comm.size());
}

/// What the run is made with.
void SnapshotWriter::Implementation::write_run(hid_t root, const SnapshotState& state, const Plan& plan) const {
  using h5::write_attribute;
  write_attribute(root, "freshetKind", "snapshot");
  write_attribute(root, "freshetCommit", build_info().commit);
  write_attribute(root, "freshetRanks", static_cast<std::uint32_t>(comm.size()));
  write_attribute(root, "freshetThreads", static_cast<std::uint32_t>(plan.n_threads));
  write_attribute(root, "freshetStep", static_cast<std::int64_t>(state.step));
  write_attribute(root, "freshetSeed", static_cast<std::int64_t>(parameters.run.seed));
  write_attribute(root, "freshetParticlesPerAxis", static_cast<std::int32_t>(parameters.particles.per_axis));
  write_attribute(root, "freshetJitter", parameters.particles.jitter);
  write_attribute(root, "freshetInputHash", parameters.input_hash);
  // A dataset: attributes have to stay under 64 KiB.
  const hsize_t length = input.size();
  const h5::Handle text =
      h5::create_dataset(root, "freshetInput", h5::type_of<std::uint8_t>(), std::span<const hsize_t>(&length, 1));
  h5::check(H5Dwrite(text.id(), h5::type_of<std::uint8_t>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, input.data()),
            "write the resolved input");
}

/// Add a snapshot to the side file. Collective.
void SnapshotWriter::Implementation::list(const std::string& name, const SnapshotState& state, const Plan& plan) {
  if (!parameters.output.xdmf) return;
  agree_on_root(comm, [&] {
    XdmfEntry entry{name, state.iteration, state.time, plan.n_particles, {}, plan.mesh, plan.fields};
    for (const ParticleRecord& record : plan.particles) {
      entry.particles.push_back({record.attribute->name, h5_type(record.attribute->type), record.components});
    }
    entries.push_back(std::move(entry));
    write_text_atomically(directory + "/snapshots.xdmf", xdmf_text(entries));
  });
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
  Implementation& self = *implementation_;
  const std::string name = fmt::format("snap_{:06}.h5", state.iteration);
  const std::string path = self.directory + "/" + name;
  const Plan plan = self.plan(state);
  ParallelFile file(self.comm, path, self.bytes_of(plan), [&](hid_t root) { self.create(root, state, plan); });
  const std::string iteration = fmt::format("data/{}", state.iteration);
  write_particles(file, iteration + "/particles/liquid", plan.particles, state);
  write_meshes(file, iteration + "/meshes", plan.fields, plan.mesh, state);
  file.commit();
  self.list(name, state, plan);
  return path;
}

}  // namespace freshet
