// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/snapshot.hpp"

#include "freshet/core/text.hpp"
#include "freshet/io/text_files.hpp"
#include "freshet/parallel/agree.hpp"
#include "mesh_records.hpp"
#include "openpmd.hpp"
#include "parallel_file.hpp"
#include "particle_records.hpp"
#include "provenance.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <filesystem>

namespace freshet {
namespace {

/// What a snapshot will hold.
struct Plan {
  std::vector<ParticleRecord> particles;
  GlobalIndex n_particles = 0;
  openpmd::Mesh mesh;
  std::vector<MeshRecord> fields;
  std::string left_out;  ///< why the fields that were asked for are left out; empty if they are not
  GlobalIndex n_threads = 1;
};

constexpr const char* side_file = "/snapshots.xdmf";

std::string name_of(std::int64_t iteration) {
  return fmt::format("snap_{:06}.h5", iteration);
}

}  // namespace

struct SnapshotWriter::Implementation {
  const Communicator& comm;
  OutputOptions options;
  std::string directory;  ///< snapshots/ in the output directory
  InputRecord input;
  XdmfSeries series;

  Plan plan(const SnapshotState& state) const;
  std::int64_t bytes_of(const Plan& plan) const;
  void create(hid_t root, const SnapshotState& state, const Plan& plan) const;
  void list(const std::string& name, const SnapshotState& state, const Plan& plan);
};

/// Collective. Errors: InputError
Plan SnapshotWriter::Implementation::plan(const SnapshotState& state) const {
  Plan plan;
  plan.particles = plan_particles(*state.particles, options.particles);
  plan.n_particles = comm.sum(GlobalIndex{state.particles->size()});
  plan.mesh = mesh_of(*state.layout);
  plan.n_threads = comm.max(GlobalIndex{omp_get_max_threads()});
  const auto n_cells = static_cast<std::int64_t>(plan.mesh.n_cells());
  if (options.fields.empty() || n_cells == 0) return plan;
  if (n_cells > options.max_field_cells) {
    plan.left_out = fmt::format("{} cells in the fields' bounding box, more than output.max_field_cells = {}", n_cells,
                                options.max_field_cells);
  } else {
    plan.fields = plan_meshes(options.fields);
  }
  return plan;
}

std::int64_t SnapshotWriter::Implementation::bytes_of(const Plan& plan) const {
  constexpr std::int64_t bytes_a_patch = 8 * sizeof(double);
  return freshet::bytes_of(plan.particles, plan.n_particles) + freshet::bytes_of(plan.fields, plan.mesh) +
         bytes_a_patch * comm.size() + static_cast<std::int64_t>(input.text.size());
}

/// Groups, attributes and datasets. For rank 0.
void SnapshotWriter::Implementation::create(hid_t root, const SnapshotState& state, const Plan& plan) const {
  openpmd::write_root(root);
  write_provenance(root, {"snapshot", comm.size(), plan.n_threads, state.step}, input);
  const h5::Handle data = h5::create_group(root, "data");
  const h5::Handle iteration = h5::create_group(data.id(), std::to_string(state.iteration));
  openpmd::write_iteration(iteration.id(), state.time, state.dt);
  openpmd::write_solid_poses(iteration.id(), state.solids);
  const h5::Handle meshes = h5::create_group(iteration.id(), "meshes");
  create_meshes(meshes.id(), plan.fields, plan.mesh);
  if (!plan.left_out.empty()) h5::write_attribute(meshes.id(), "freshetLeftOut", plan.left_out);
  const h5::Handle particles = h5::create_group(iteration.id(), "particles");
  create_particles(particles.id(), plan.particles, plan.n_particles, comm.size());
}

/// Add a snapshot to the side file. Collective.
void SnapshotWriter::Implementation::list(const std::string& name, const SnapshotState& state, const Plan& plan) {
  if (!options.xdmf) return;
  agree_on_root(comm, [&] {
    XdmfEntry entry{name, state.iteration, state.time, plan.n_particles, {}, plan.mesh, plan.fields};
    for (const ParticleRecord& record : plan.particles) {
      entry.particles.push_back({record.attribute->name, h5_type(record.attribute->type), record.components});
    }
    series.add(entry);
    write_text_atomically(directory + side_file, series.text());
  });
}

SnapshotWriter::SnapshotWriter(const Communicator& comm, const std::string& directory, const OutputOptions& options,
                               const InputRecord& input)
    : implementation_(
          std::make_unique<Implementation>(Implementation{comm, options, directory + "/snapshots", input, {}})) {
  agree_on_root(comm, [&] {
    std::error_code error;
    std::filesystem::create_directories(implementation_->directory, error);
    if (error) {
      throw FileError(fmt::format("cannot create the directory {} ({}).", implementation_->directory, error.message()));
    }
  });
}

SnapshotWriter::~SnapshotWriter() = default;

void SnapshotWriter::go_on(std::int64_t n_written) {
  Implementation& self = *implementation_;
  agree_on_root(self.comm, [&] {
    for (const auto& entry : std::filesystem::directory_iterator(self.directory)) {
      const std::string name = entry.path().filename().string();
      const bool is_later = number_in_name(name, "snap_", ".h5").value_or(-1) >= n_written;
      if (is_later || number_in_name(name, "snap_", ".h5.tmp")) std::filesystem::remove(entry.path());
    }
    self.series.add_earlier(self.directory + side_file, n_written);
    if (self.options.xdmf) write_text_atomically(self.directory + side_file, self.series.text());
  });
}

std::string SnapshotWriter::write(const SnapshotState& state) {
  Implementation& self = *implementation_;
  const std::string name = name_of(state.iteration);
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
