// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/core/log.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/scene.hpp"
#include "freshet/driver/surface_output.hpp"
#include "freshet/geometry/shape_maker.hpp"
#include "freshet/io/run_frames.hpp"
#include "freshet/meshing/surface_memory.hpp"
#include "freshet/parallel/agree.hpp"
#include "options_file.hpp"
#include "run_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <sstream>

namespace freshet {
namespace {

constexpr const char* key_table = "output.surface.";

/// The frames of a run, which rank 0 finds for all ranks. Collective. Errors: InputError
std::vector<RunFrame> frames_everywhere(const Communicator& comm, const std::string& run) {
  std::vector<RunFrame> frames;
  std::string text;
  agree_on_root(comm, [&] {
    for (const RunFrame& frame : frames_of_run(run))
      text += fmt::format("{} {}", frame.number, frame.path) + '\0';  // a path has no '\0'
  });
  text = comm.broadcast(text);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t blank = text.find(' ', begin), end = text.find('\0', begin);
    frames.push_back({std::stoll(text.substr(begin, blank - begin)), text.substr(blank + 1, end - blank - 1)});
    begin = end + 1;
  }
  return frames;
}

std::vector<std::string> full_keys(const std::vector<std::string>& overrides) {
  std::vector<std::string> full;
  for (const std::string& text : overrides) full.push_back(text.starts_with(key_table) ? text : key_table + text);
  return full;
}

const FrameRecord* find_record(const FrameFile& file, const std::string& name) {
  const auto found = std::ranges::find(file.records(), name, &FrameRecord::name);
  return found == file.records().end() ? nullptr : &*found;
}

/// This rank's share of one record.
std::vector<float> read_record(const FrameFile& file, const FrameRecord& record, std::int64_t first, std::int64_t n) {
  const auto width = static_cast<std::size_t>(record.n_components());
  std::vector<float> column(static_cast<std::size_t>(n)), values(column.size() * width);
  for (std::size_t c = 0; c < width; ++c) {
    file.read<float>(record, static_cast<int>(c), first, column);
    for (std::size_t p = 0; p < column.size(); ++p) values[p * width + c] = column[p];
  }
  return values;
}

/// Read an equal share of the particles on each rank. Collective
SurfaceParticles read_particles(const Communicator& comm, const FrameFile& file, const std::string& path,
                                const SurfaceOutputOptions& options) {
  SurfaceParticles particles;
  agree(comm, [&] {
    const std::int64_t n = file.n_particles(), size = comm.size(), rank = comm.rank();
    const std::int64_t first = n * rank / size, count = n * (rank + 1) / size - first;
    const FrameRecord& position = file.records().front();
    std::vector<double> column(static_cast<std::size_t>(count));
    particles.positions.resize(column.size());
    for (int d = 0; d < 3; ++d) {
      file.read<double>(position, d, first, column);
      for (std::size_t p = 0; p < column.size(); ++p) particles.positions[p][d] = column[p];
    }
    const auto find = [&](const std::string& name, const char* key) -> const FrameRecord& {
      if (const FrameRecord* record = find_record(file, name)) return *record;
      throw InputError(
          fmt::format("{}: its particles have no '{}' (key {}{}). Add it to output.particles of the run, "
                      "or leave it out here",
                      path, name, key_table, key));
    };
    for (const std::string& name : options.attributes) {
      const FrameRecord& record = find(name, "attributes");
      const bool integer = record.type != AttributeType::float32 && record.type != AttributeType::float64;
      particles.attributes.push_back({name, record.n_components(), integer, read_record(file, record, first, count)});
    }
    if (options.surface.radius_from.empty()) return;
    const FrameRecord& radius = find(options.surface.radius_from, "radius_from");
    if (radius.n_components() != 1)
      throw InputError(
          fmt::format("{}: '{}' has {} numbers a particle (key {}radius_from). Choose a record of radii [m]", path,
                      radius.name, radius.n_components(), key_table));
    particles.radii = read_record(file, radius, first, count);
  });
  return particles;
}

/// Refuse particles that cannot fit into the free memory, before they are read; MadeSurface checks more
/// closely. Collective
void check_memory(const Communicator& comm, std::int64_t n_particles, const FrameFile& file,
                  const SurfaceOutputOptions& options) {
  int n_numbers = 0;
  for (const std::string& name : options.attributes)
    if (const FrameRecord* record = find_record(file, name)) n_numbers += record->n_components();
  const double bytes = least_memory_of_surface(n_particles, n_numbers) / comm.size();
  expect_memory(comm, bytes, fmt::format("a surface of {} particles", n_particles));
}

/// The case file of a run, as its run.json names it: paths in the case are relative to its directory. Collective
std::string case_of_run(const Communicator& comm, const std::string& run) {
  std::string name = (std::filesystem::path(run) / "input.resolved.toml").string();
  if (comm.is_root()) {
    const std::optional<RunRecord> record = read_run_record(run);
    if (record && !record->input.empty()) name = record->input;
  }
  return comm.broadcast(name);
}

/// Makes the meshes of a run one after the other.
class MeshMaker {
 public:
  MeshMaker(const Communicator& comm, const MeshOptions& options)
      : comm_(comm), options_(options), log_(comm.is_root() ? Log::Speaker::root : Log::Speaker::silent) {}

  int make() {
    const std::vector<RunFrame> all = frames_everywhere(comm_, options_.run);
    const std::vector<RunFrame> frames = options_.frames.empty() ? all : choose_frames(all, options_.frames);
    const std::string directory =
        options_.output.empty() ? (std::filesystem::path(options_.run) / "meshes").string() : options_.output;
    read_case(all);
    const std::vector<RunFrame> missing = missing_frames(all, frames, directory);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t m = 0; m < missing.size(); ++m) {
      const std::string path = path_of(directory, missing[m]);
      const bool is_made = !options_.force && comm_.any(comm_.is_root() && is_up_to_date(path, missing[m].path));
      const std::string line = is_made ? path + ": another command has made it" : make_frame(missing[m], path);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const double left = seconds / static_cast<double>(m + 1) * static_cast<double>(missing.size() - m - 1);
      log_.info("{} [{}/{}, {:.0f} s left]", line, m + 1, missing.size(), left);
    }
    report_failures(missing.size());
    return static_cast<int>(ExitCode::done);
  }

 private:
  /// Throw if meshes are missing. Errors: InputError for snapshots that hold too little; FileError for damaged ones
  void report_failures(std::size_t n_frames) const {
    if (!refusal_.empty())
      throw InputError(fmt::format("{} of {} meshes were not made. The first one: {}", refused_, n_frames, refusal_));
    if (damaged_ > 0)
      throw FileError(
          fmt::format("{} of {} meshes could not be made (see above). Make the snapshots again by a restart of the run",
                      damaged_, n_frames));
  }

  /// Frames without a mesh or with one that is older than the snapshot. Collective. Errors: InputError if meshes of
  /// other options exist
  std::vector<RunFrame> missing_frames(const std::vector<RunFrame>& all, const std::vector<RunFrame>& frames,
                                       const std::string& directory) {
    std::string flags;  // one character for each frame, set on rank 0
    agree_on_root(comm_, [&] {
      OptionsFile::Files files;
      for (const RunFrame& frame : all) files.all.push_back(path_of(directory, frame));
      for (const RunFrame& frame : frames) files.made.push_back(path_of(directory, frame));
      const std::string name = fmt::format("options_{}.toml", parameters_.surface.format);
      options_file_.emplace((std::filesystem::path(directory) / name).string(), options_text(), std::move(files),
                            options_.force ? OptionsFile::Use::replace : OptionsFile::Use::go_on);
      for (const RunFrame& frame : frames)
        flags += !options_.force && is_up_to_date(path_of(directory, frame), frame.path) ? 'y' : 'n';
    });
    flags = comm_.broadcast(flags);
    std::vector<RunFrame> missing;
    for (std::size_t m = 0; m < frames.size(); ++m)
      if (flags[m] == 'n') missing.push_back(frames[m]);
    if (missing.size() < frames.size())
      log_.info("{} of {} meshes are there already and are kept; --force makes them again",
                frames.size() - missing.size(), frames.size());
    return missing;
  }

  /// All options that a mesh depends on, as lines of TOML.
  std::string options_text() const {
    const std::string head = "[output.surface]\n";
    const std::string all = resolved_toml(parameters_);
    const std::size_t begin = all.find(head) + head.size();
    std::istringstream lines(all.substr(begin, all.find("\n\n", begin) + 1 - begin));
    std::string text = fmt::format("without_solids = {}\n", options_.without_solids);
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("interval = ") && !line.starts_with("format = ")) text += line + "\n";
    return text;
  }

  std::string path_of(const std::string& directory, const RunFrame& frame) const {
    return (std::filesystem::path(directory) / surface_file_name("mesh", frame.number, parameters_.surface.format))
        .string();
  }

  /// Read the case of the run from the newest snapshot that can be read. Collective
  void read_case(const std::vector<RunFrame>& frames) {
    for (std::size_t m = frames.size() - 1; m > 0; --m) {
      try {
        return read_case_of(frames[m]);
      } catch (const FileError&) {  // reported when its mesh is made
      }
    }
    read_case_of(frames.front());
  }

  void read_case_of(const RunFrame& frame) {
    const FrameFile file(comm_, frame.path);
    const std::string name = (std::filesystem::path(options_.run) / "input.resolved.toml").string();
    parameters_ = parse_recorded(file.resolved_input(), name, full_keys(options_.overrides));
    for (const std::string& text : full_keys(options_.overrides)) {
      if (text.starts_with(fmt::format("{}interval", key_table)))
        throw InputError(fmt::format("{}: it is for surfaces that a run writes. Choose frames by --frames", text));
      names_attributes_ = names_attributes_ || text.starts_with(fmt::format("{}attributes", key_table));
    }
    names_attributes_ = names_attributes_ || parameters_.surface.attributes != SurfaceOutputOptions().attributes;
    parameters_.surface.surface.per_axis = parameters_.particles.per_axis;
    domain_ = Domain(parameters_.domain);
    if (domain_.dimension() != 3)
      throw InputError(
          fmt::format("{}: a run in 2-D has no surface of triangles (its liquid is bounded by lines). Choose "
                      "a run in 3-D",
                      options_.run));
    if (parameters_.solids.empty() || options_.without_solids) return;
    parameters_.source_file = options_.case_file.empty() ? case_of_run(comm_, options_.run) : options_.case_file;
    try {
      ShapeMaker make_shape(comm_, parameters_.source_file, shape_lattice(parameters_.domain));
      bodies_ = make_bodies(comm_, parameters_, make_shape, &free_bodies_);
    } catch (const InputError& error) {
      throw InputError(
          fmt::format("{} (a solid of the run needs this file). If the case has moved, name it by --case FILE; "
                      "--without-solids makes surfaces that know nothing of solids",
                      error.what()));
    }
  }

  /// Why no surface can be made of a snapshot; empty if one can.
  std::string refusal_of(const FrameFile& file, const RunFrame& frame) const {
    if (parameters_.particles.narrow_band.width > 0)
      return fmt::format(
          "{}: the run keeps particles in a narrow band only (particles.band = {}). A surface would have a hole below "
          "it: choose a run without 'particles.band'",
          frame.path, parameters_.particles.narrow_band.width);
    if (file.particle_share() >= 1.0 && file.n_left_out() == 0) return "";
    if (file.particle_share() >= 1.0)
      return fmt::format(
          "{}: it lacks {} of the run's particles, which were outside the box output.particle_lower to "
          "output.particle_upper. A surface needs all of them: write surfaces during the run (output.surface), or "
          "choose other frames by --frames",
          frame.path, file.n_left_out());
    return fmt::format(
        "{}: it holds {:.3g} of the run's particles (output.particle_share). A surface needs all of them: write "
        "surfaces during the run (output.surface), or choose other frames by --frames",
        frame.path, file.particle_share());
  }

  /// The options for one frame, without default attributes that the frame lacks.
  SurfaceOutputOptions options_of(const FrameFile& file) const {
    SurfaceOutputOptions options = parameters_.surface;
    if (!names_attributes_)
      std::erase_if(options.attributes, [&](const std::string& name) { return find_record(file, name) == nullptr; });
    return options;
  }

  /// Put the bodies that the liquid moves where a snapshot says they are. Errors: FileError if it does not
  void place_bodies(const FrameFile& file, const std::string& path) {
    for (const FreeBody& body : free_bodies_) {
      const auto first = 12 * static_cast<std::size_t>(body.solid);
      if (file.solid_poses().size() < first + 12)
        throw FileError(fmt::format("{}: it lacks the poses of the case's solids.", path));
      const Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> pose(&file.solid_poses()[first]);
      *body.path = {file.time(), pose.leftCols<3>() * body.mass.center + pose.col(3), pose.leftCols<3>()};
    }
  }

  /// Make and write the mesh of a frame. A snapshot that is damaged or holds too little does not end the command.
  /// \return a line for the user
  std::string make_frame(const RunFrame& frame, const std::string& path) {
    SurfaceOutputOptions options;
    SurfaceParticles particles;
    double time = 0.0;
    try {
      const FrameFile file(comm_, frame.path);
      if (std::string why = refusal_of(file, frame); !why.empty()) {
        ++refused_;
        if (refusal_.empty()) refusal_ = why;
        return why;
      }
      options = options_of(file);
      check_memory(comm_, file.n_particles(), file, options);
      particles = read_particles(comm_, file, frame.path, options);
      time = file.time();
      place_bodies(file, frame.path);
    } catch (const FileError& error) {
      ++damaged_;
      return error.what();
    }
    const MadeSurface surface(comm_, domain_, options.surface, particles, solid_distance(bodies_, time),
                              parts_of_format(options.format));
    // Nothing is written before the first surface is made: a command that runs out of memory leaves no files.
    agree_on_root(comm_, [&] { options_file_->claim(); });
    surface.write(comm_, path);
    return fmt::format("{}: {}, {:.2f} s", path, surface.report().text(), surface.report().seconds);
  }

  const Communicator& comm_;
  const MeshOptions& options_;
  Log log_;
  Parameters parameters_;
  Domain domain_;
  std::vector<FreeBody> free_bodies_;  ///< bodies that the liquid moves; their paths move bodies_
  std::vector<SolidBody> bodies_;
  std::optional<OptionsFile> options_file_;  ///< options of the meshes' directory, on rank 0
  bool names_attributes_ = false;            ///< whether the user has named attributes
  std::size_t damaged_ = 0;                  ///< number of damaged snapshots
  std::size_t refused_ = 0;                  ///< number of snapshots that hold too little
  std::string refusal_;                      ///< why the first one was refused
};

}  // namespace

int mesh_command(const Communicator& comm, const MeshOptions& options) {
  return MeshMaker(comm, options).make();
}

}  // namespace freshet
