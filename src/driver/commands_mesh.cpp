// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/core/log.hpp"
#include "freshet/core/pipe.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/driver/scene.hpp"
#include "freshet/driver/surface_output.hpp"
#include "freshet/geometry/shape_maker.hpp"
#include "freshet/io/run_frames.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/surface/surface_memory.hpp"
#include "options_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace freshet {
namespace {

constexpr const char* key_table = "output.surface.";

/// The frames that a command names, on all ranks.
std::vector<RunFrame> find_frames(const Communicator& comm, const MeshOptions& options) {
  std::vector<RunFrame> frames;
  std::string text;
  agree_on_root(comm, [&] {
    frames = frames_of_run(options.run);
    if (!options.frames.empty()) frames = choose_frames(frames, options.frames);
    for (const RunFrame& frame : frames)
      text += fmt::format("{} {}", frame.number, frame.path) + '\0';  // no path holds it
  });
  text = comm.broadcast(text);
  if (comm.is_root()) return frames;
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

/// Each rank reads an equal share of the particles. Collective
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
    if (!options.surface.radius_from.empty())
      particles.radii = read_record(file, find(options.surface.radius_from, "radius_from"), first, count);
  });
  return particles;
}

/// Refuse particles that cannot fit into the memory that is free, before they are read; write_surface() looks at them
/// more closely. Collective
void check_memory(const Communicator& comm, std::int64_t n_particles, const FrameFile& file,
                  const SurfaceOutputOptions& options) {
  int n_numbers = 0;
  for (const std::string& name : options.attributes)
    if (const FrameRecord* record = find_record(file, name)) n_numbers += record->n_components();
  const double bytes = least_memory_of_surface(n_particles, n_numbers) / comm.size();
  expect_memory(comm, bytes, fmt::format("a surface of {} particles", n_particles));
}

/// The text that quoted() wrote, from behind its first quotation mark.
std::string unquoted(std::string_view text) {
  constexpr std::string_view letter = "ntr", meaning = "\n\t\r";
  std::string result;
  for (std::size_t m = 0; m < text.size() && text[m] != '"'; ++m) {
    if (text[m] != '\\' || m + 1 == text.size()) {
      result += text[m];
      continue;
    }
    const char c = text[++m];
    if (c == 'u') {  // another control character
      result += static_cast<char>(std::strtol(std::string(text.substr(m + 1, 4)).c_str(), nullptr, 16));
      m += 4;
    } else {
      const std::size_t known = letter.find(c);
      result += known == std::string_view::npos ? c : meaning[known];
    }
  }
  return result;
}

/// The case file that a run was started with, as its run.json names it: files of the case count from its directory.
/// Collective
std::string case_of_run(const Communicator& comm, const std::string& run) {
  std::string name = (std::filesystem::path(run) / "input.resolved.toml").string();
  if (comm.is_root()) {
    const std::string run_json = (std::filesystem::path(run) / "run.json").string();
    std::ifstream file;
    if (!is_pipe(run_json)) file.open(run_json);
    const std::string key = "\"input\": \"";
    for (std::string line; std::getline(file, line);) {
      const std::size_t at = line.find(key);
      if (at == std::string::npos) continue;
      name = unquoted(std::string_view(line).substr(at + key.size()));
      break;
    }
  }
  return comm.broadcast(name);
}

/// Makes the meshes of a run one after the other.
class MeshMaker {
 public:
  MeshMaker(const Communicator& comm, const MeshOptions& options)
      : comm_(comm), options_(options), log_(comm.is_root() ? Log::Speaker::root : Log::Speaker::silent) {}

  int make() {
    const std::vector<RunFrame> frames = find_frames(comm_, options_);
    const std::string directory =
        options_.output.empty() ? (std::filesystem::path(options_.run) / "meshes").string() : options_.output;
    read_case(frames);
    const std::vector<RunFrame> missing = missing_frames(frames, directory);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t m = 0; m < missing.size(); ++m) {
      const std::string line = make_frame(missing[m], path_of(directory, missing[m]));
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const double left = seconds / static_cast<double>(m + 1) * static_cast<double>(missing.size() - m - 1);
      log_.info("{} [{}/{}, {:.0f} s left]", line, m + 1, missing.size(), left);
    }
    if (damaged_ > 0)
      throw FileError(
          fmt::format("{} of {} meshes could not be made (see above). Make the snapshots again by a restart of the run",
                      damaged_, missing.size()));
    return static_cast<int>(ExitCode::done);
  }

 private:
  /// Frames whose meshes are not there yet. Collective. Errors: InputError if meshes of other options are there
  std::vector<RunFrame> missing_frames(const std::vector<RunFrame>& frames, const std::string& directory) {
    std::string flags;  // one a frame: on rank 0, from the file system
    agree_on_root(comm_, [&] {
      std::vector<std::string> paths;
      for (const RunFrame& frame : frames_of_run(options_.run)) paths.push_back(path_of(directory, frame));
      const std::string name = fmt::format("options_{}.toml", parameters_.surface.format);
      options_file_.emplace((std::filesystem::path(directory) / name).string(), options_text(), paths);
      if (!options_.force) options_file_->expect_same();
      for (const RunFrame& frame : frames)
        flags += !options_.force && std::filesystem::is_regular_file(path_of(directory, frame)) ? 'y' : 'n';
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

  /// What decides how a mesh comes out, as lines of TOML.
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

  /// The case of the run, as the first of its snapshots that can be read holds it. Collective
  void read_case(const std::vector<RunFrame>& frames) {
    for (std::size_t m = 0; m + 1 < frames.size(); ++m) {
      try {
        return read_case_of(frames[m]);
      } catch (const FileError&) {  // said when its mesh is made
      }
    }
    read_case_of(frames.back());
  }

  void read_case_of(const RunFrame& frame) {
    const FrameFile file(comm_, frame.path);
    if (file.particle_share() < 1.0)
      throw InputError(fmt::format(
          "{}: it holds {:.3g} of the run's particles (output.particle_share). A surface needs all of them: "
          "write surfaces during the run (output.surface), or run it with another share",
          frame.path, file.particle_share()));
    const std::string name = (std::filesystem::path(options_.run) / "input.resolved.toml").string();
    parameters_ = parse_recorded(file.resolved_input(), name, full_keys(options_.overrides));
    bool names_attributes = false;
    for (const std::string& text : full_keys(options_.overrides)) {
      if (text.starts_with(fmt::format("{}interval", key_table)))
        throw InputError(fmt::format("{}: it is for surfaces that a run writes. Choose frames by --frames", text));
      names_attributes = names_attributes || text.starts_with(fmt::format("{}attributes", key_table));
    }
    auto& attributes = parameters_.surface.attributes;
    const bool is_default = !names_attributes && attributes == SurfaceOutputOptions().attributes;
    if (is_default && find_record(file, attributes.front()) == nullptr) attributes.clear();
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
      bodies_ = make_bodies(comm_, parameters_, make_shape);
    } catch (const InputError& error) {
      throw InputError(
          fmt::format("{} (a solid of the run needs this file). If the case has moved, name it by --case FILE; "
                      "--without-solids makes surfaces that know nothing of solids",
                      error.what()));
    }
  }

  /// \return what to say of it. A snapshot that cannot be read does not end the command: the others may be good.
  std::string make_frame(const RunFrame& frame, const std::string& path) {
    SurfaceParticles particles;
    double time = 0.0;
    try {
      const FrameFile file(comm_, frame.path);
      check_memory(comm_, file.n_particles(), file, parameters_.surface);
      particles = read_particles(comm_, file, frame.path, parameters_.surface);
      time = file.time();
    } catch (const FileError& error) {
      ++damaged_;
      return error.what();
    }
    agree_on_root(comm_, [&] {
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      options_file_->claim();
    });
    const SurfaceReport report =
        write_surface(comm_, domain_, parameters_.surface.surface, particles, solid_distance(bodies_, time), path);
    return fmt::format("{}: {}, {:.2f} s", path, report.text(), report.seconds);
  }

  const Communicator& comm_;
  const MeshOptions& options_;
  Log log_;
  Parameters parameters_;
  Domain domain_;
  std::vector<SolidBody> bodies_;
  std::optional<OptionsFile> options_file_;  ///< of the meshes' directory; on rank 0
  std::size_t damaged_ = 0;                  ///< snapshots that could not be read
};

}  // namespace

int mesh_command(const Communicator& comm, const MeshOptions& options) {
  return MeshMaker(comm, options).make();
}

}  // namespace freshet
