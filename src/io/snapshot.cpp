// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/snapshot.hpp"

#include "freshet/core/text.hpp"
#include "freshet/io/text_files.hpp"
#include "freshet/parallel/agree.hpp"
#include "particle_selection.hpp"
#include "records.hpp"
#include "xdmf.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <filesystem>
#include <limits>

namespace freshet {
namespace {

constexpr const char* side_file = "/snapshots.xdmf";

std::string name_of(std::int64_t iteration) {
  return fmt::format("snap_{:06}.h5", iteration);
}

/// Number of solids up to which their numbers are attributes: HDF5 has no more than 64 KiB for one.
constexpr std::size_t most_solids_of_attribute = 600;

/// Numbers of all solids, by solid.
struct SolidRecord {
  const char* name;
  std::vector<hsize_t> shape;
  std::vector<double> values;
  bool is_attribute() const { return shape.front() <= most_solids_of_attribute; }
};

/// Rows of [rotation | translation], which move a point of a solid from its place in the case file to its present
/// one [m].
std::vector<double> rows_of(const std::vector<Pose>& poses) {
  std::vector<double> rows;
  for (const Pose& pose : poses)
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) rows.push_back(pose.rotation(i, j));
      rows.push_back(pose.translation[i]);
    }
  return rows;
}

/// Three numbers of each solid; those of solids that the liquid does not move are not numbers.
std::vector<double> rows_of(const SnapshotState& state, Vec3 BodyReport::*member) {
  std::vector<double> rows(3 * state.solids.size(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& [solid, body] : state.bodies)
    for (int d = 0; d < 3; ++d)
      rows[3 * static_cast<std::size_t>(solid) + static_cast<std::size_t>(d)] = (body.*member)[d];
  return rows;
}

/// What /data/<n> tells of solids: nothing if none moves, poses alone if the liquid moves none.
std::vector<SolidRecord> solid_records(const SnapshotState& state) {
  std::vector<SolidRecord> records;
  const hsize_t count = state.solids.size();
  if (count > 0) records.push_back({poses_attribute, {count, 3, 4}, rows_of(state.solids)});
  if (state.bodies.empty()) return records;
  for (const auto& [name, member] : {std::pair{"freshetSolidCenters", &BodyReport::center},
                                     {"freshetSolidVelocities", &BodyReport::velocity},
                                     {"freshetSolidAngularVelocities", &BodyReport::angular},
                                     {"freshetSolidForces", &BodyReport::force},
                                     {"freshetSolidMoments", &BodyReport::moment}})
    records.push_back({name, {count, 3}, rows_of(state, member)});
  return records;
}

/// Write the numbers of solids as attributes, or create datasets of many solids, which fill_solids() fills.
void write_solids(hid_t iteration, const SnapshotState& state) {
  const hid_t number = h5::type_of<double>();
  for (const SolidRecord& record : solid_records(state))
    if (record.is_attribute())
      h5::write_attribute(iteration, record.name, number, record.shape, record.values.data());
    else
      h5::create_dataset(iteration, record.name, number, record.shape);
}

/// Collective. Errors: FileError on all ranks
void fill_solids(ParallelFile& file, const std::string& iteration, const SnapshotState& state) {
  if (state.solids.size() <= most_solids_of_attribute) return;
  for (const SolidRecord& record : solid_records(state))
    file.write(iteration + "/" + record.name, h5::type_of<double>(), 0,
               file.comm().is_root() ? record.values.size() : 0, record.values.data());
}

/// Create /freshetBlocks, the Morton keys of all blocks, and /freshetFirstBlock, each rank's first block. For rank 0.
void create_blocks(hid_t root, const BlockLayout& layout) {
  const hsize_t n_blocks = static_cast<hsize_t>(layout.n_global()),
                n_ranks = static_cast<hsize_t>(layout.comm().size());
  h5::create_dataset(root, blocks_dataset, h5::type_of<std::uint64_t>(), std::span<const hsize_t>(&n_blocks, 1));
  h5::create_dataset(root, "freshetFirstBlock", h5::type_of<std::uint64_t>(), std::span<const hsize_t>(&n_ranks, 1));
}

/// Fill the datasets of create_blocks(). Collective. Errors: FileError on all ranks
void write_blocks(ParallelFile& file, const BlockLayout& layout) {
  const hid_t integer = h5::type_of<std::uint64_t>();
  const auto first = static_cast<std::uint64_t>(layout.first_global());
  file.write(blocks_dataset, integer, first, static_cast<hsize_t>(layout.n_owned()), layout.owned_keys().data());
  file.write("freshetFirstBlock", integer, static_cast<hsize_t>(layout.comm().rank()), 1, &first);
}

}  // namespace

struct SnapshotWriter::Implementation {
  const Communicator& comm;
  OutputOptions options;
  std::string directory;  ///< snapshots/ in the output directory
  InputRecord input;
  XdmfSeries series;

  /// Plan the contents of a snapshot. Collective. Errors: InputError
  SnapshotPlan plan(const SnapshotState& state) const {
    SnapshotPlan plan;
    plan.particles = plan_particles(*state.particles, options.particles);
    plan.n_particles = comm.sum(GlobalIndex{state.particles->size()});
    plan.mesh = is_box(options.lower, options.upper, state.layout->domain().dimension())
                    ? mesh_in_box(*state.layout, options.lower, options.upper)
                    : mesh_of(*state.layout);
    plan.n_threads = comm.max(GlobalIndex{omp_get_max_threads()});
    const auto n_cells = static_cast<std::int64_t>(plan.mesh.n_cells());
    if (options.fields.empty() || n_cells == 0) return plan;
    if (n_cells > options.max_field_cells) {
      plan.left_out = fmt::format("{} cells in the fields' bounding box, more than output.max_field_cells = {}",
                                  n_cells, options.max_field_cells);
    } else {
      plan.fields = plan_meshes(options.fields);
    }
    return plan;
  }

  std::int64_t bytes_of(const SnapshotPlan& plan, GlobalIndex n_blocks, const SnapshotState& state) const {
    const std::int64_t numbers_a_solid = state.bodies.empty() ? 12 : 12 + 15;
    constexpr std::int64_t bytes_a_patch = 8 * sizeof(double);
    constexpr std::int64_t bytes_a_number = sizeof(std::uint64_t);
    return freshet::bytes_of(plan.particles, plan.n_particles) + freshet::bytes_of(plan.fields, plan.mesh) +
           (bytes_a_patch + bytes_a_number) * comm.size() + bytes_a_number * n_blocks +
           numbers_a_solid * std::ssize(state.solids) * std::int64_t{sizeof(double)} +
           static_cast<std::int64_t>(input.text.size());
  }

  /// Create groups, attributes and datasets. For rank 0.
  void create(hid_t root, const SnapshotState& state, const SnapshotPlan& plan) const {
    using h5::write_attribute;
    write_attribute(root, "openPMD", "1.1.0");
    write_attribute(root, "openPMDextension", std::uint32_t{0});
    write_attribute(root, "basePath", "/data/%T/");
    write_attribute(root, "iterationEncoding", "fileBased");
    write_attribute(root, "iterationFormat", "snap_%06T.h5");
    write_attribute(root, "meshesPath", "meshes/");
    write_attribute(root, "particlesPath", "particles/");
    write_provenance(root, {"snapshot", comm.size(), plan.n_threads, state.step}, input);
    create_blocks(root, *state.layout);
    const h5::Handle data = h5::create_group(root, "data");
    const h5::Handle iteration = h5::create_group(data.id(), std::to_string(state.iteration));
    write_attribute(iteration.id(), "time", state.time);
    write_attribute(iteration.id(), "dt", state.dt);
    write_attribute(iteration.id(), "timeUnitSI", 1.0);
    write_solids(iteration.id(), state);
    if (options.particle_share < 1.0) write_attribute(iteration.id(), share_attribute, options.particle_share);
    if (plan.n_left_out > 0) write_attribute(iteration.id(), left_out_attribute, std::int64_t{plan.n_left_out});
    if (state.band > 0) write_attribute(iteration.id(), band_attribute, std::int32_t{state.band});
    const h5::Handle meshes = h5::create_group(iteration.id(), "meshes");
    create_meshes(meshes.id(), plan.fields, plan.mesh, state);
    if (!plan.left_out.empty()) write_attribute(meshes.id(), "freshetLeftOut", plan.left_out);
    const h5::Handle particles = h5::create_group(iteration.id(), "particles");
    create_particles(particles.id(), plan.particles, plan.n_particles, comm.size(), state.particle_velocity_lead);
  }

  /// List a snapshot in the side file. Collective.
  void list(const std::string& name, const SnapshotState& state, const SnapshotPlan& plan) {
    if (!options.xdmf) return;
    agree_on_root(comm, [&] {
      series.add(name, state, plan);
      write_text_atomically(directory + side_file, series.text());
    });
  }

  /// Write a snapshot and list it. Collective. \param[in] n_left_out  particles of this rank that it lacks
  /// Errors: FileError, InputError
  std::string write(const SnapshotState& state, GlobalIndex n_left_out) {
    const std::string name = name_of(state.iteration);
    const std::string path = directory + "/" + name;
    SnapshotPlan records = plan(state);
    records.n_left_out = comm.sum(n_left_out);
    ParallelFile file(comm, path, bytes_of(records, state.layout->n_global(), state),
                      [&](hid_t root) { create(root, state, records); });
    write_blocks(file, *state.layout);
    const std::string iteration = fmt::format("data/{}", state.iteration);
    fill_solids(file, iteration, state);
    write_particles(file, iteration + "/particles/liquid", records.particles, state);
    write_meshes(file, iteration + "/meshes", records.fields, records.mesh, state);
    file.commit();
    list(name, state, records);
    return path;
  }
};

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
  if (!leaves_particles_out(self.options, state.layout->domain().dimension())) return self.write(state, 0);
  const ParticleStore selected = selected_particles(*state.particles, *state.layout, self.options);
  SnapshotState rest = state;
  rest.particles = &selected;
  return self.write(rest, GlobalIndex{state.particles->size()} - GlobalIndex{selected.size()});
}

std::int64_t SnapshotWriter::bytes(const Communicator& comm, const OutputOptions& options, const InputRecord& input,
                                   const SnapshotState& state) {
  const Implementation writer{comm, options, {}, input, {}};
  const GlobalIndex n_blocks = state.layout->n_global();
  if (!leaves_particles_out(options, state.layout->domain().dimension()))
    return writer.bytes_of(writer.plan(state), n_blocks, state);
  const ParticleStore selected = selected_particles(*state.particles, *state.layout, options);
  SnapshotState rest = state;
  rest.particles = &selected;
  return writer.bytes_of(writer.plan(rest), n_blocks, rest);
}

}  // namespace freshet
