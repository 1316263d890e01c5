// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/core/standard_output.hpp"
#include "freshet/core/suggest.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/formats/field_file.hpp"
#include "freshet/formats/point_file.hpp"
#include "freshet/io/output_fields.hpp"
#include "freshet/io/run_frames.hpp"
#include "freshet/parallel/agree.hpp"
#include "options_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace freshet {
namespace {

template <class Formats>
std::string names_of(const Formats& formats) {
  std::vector<std::string> names;
  for (const auto& format : formats)
    if (format.write != nullptr) names.emplace_back(format.ending);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The records or fields that the user names. Errors: InputError for a name that the frame does not have
template <class Record>
std::vector<Record> chosen(const std::vector<Record>& all, const std::vector<std::string>& wanted, const char* what,
                           const std::string& path) {
  std::vector<std::string> known;
  for (const Record& record : all) known.push_back(record.name);
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError(fmt::format("{} has no {} \"{}\" (it has {}). {}", path, what, name, fmt::join(known, ", "),
                                   suggest_word(name, known)));
  std::vector<Record> result;
  for (const Record& record : all)
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), record.name) != wanted.end())
      result.push_back(record);
  return result;
}

PointAttribute read_attribute(const FrameFile& frame, const FrameRecord& record) {
  const auto n = static_cast<std::size_t>(frame.n_particles());
  const auto width = static_cast<std::size_t>(record.n_components());
  PointAttribute attribute;
  attribute.name = record.name;
  attribute.components = record.n_components();
  attribute.integer = record.type != AttributeType::float32 && record.type != AttributeType::float64;
  const auto interleave = [&]<class T>(std::vector<T>& values) {
    values.resize(n * width);
    std::vector<T> component(n);
    for (std::size_t c = 0; c < width; ++c) {
      frame.read<T>(record, static_cast<int>(c), 0, component);
      for (std::size_t p = 0; p < n; ++p) values[p * width + c] = component[p];
    }
  };
  attribute.integer ? interleave(attribute.integers) : interleave(attribute.reals);
  return attribute;
}

/// The fields that the run's case names, with no cells: a snapshot of a grid without blocks holds no fields.
std::vector<FrameField> fields_without_cells(const FrameFile& frame) {
  const Parameters parameters = parse_recorded(frame.resolved_input(), "the run's case file");
  std::vector<FrameField> fields;
  for (const std::string& name : parameters.output.fields) {
    const FieldRecord* const record = find_output_field(name);
    FrameField field{name, record->type, {}, record->centring == Centring::low_face, Vec3i::Zero()};
    if (record->n_components > 1) field.components = {"x", "y", "z"};
    field.dx = parameters.domain.cell_size;
    field.corner = parameters.domain.origin;
    fields.push_back(std::move(field));
  }
  return fields;
}

/// Half the spacing of a full cell's particles, as the radius of each. [m]
float radius_of(const FrameFile& frame) {
  const Parameters parameters = parse_recorded(frame.resolved_input(), "the run's case file");
  return static_cast<float>(0.5 * parameters.domain.cell_size / parameters.particles.per_axis);
}

PointCloud read_points_of(const FrameFile& frame, const std::vector<FrameRecord>& records) {
  PointCloud cloud;
  cloud.time = frame.time();
  cloud.radius = radius_of(frame);
  cloud.positions = read_attribute(frame, frame.records().front()).reals;
  for (const FrameRecord& record : records)
    if (record.name != "position") cloud.attributes.push_back(read_attribute(frame, record));
  return cloud;
}

/// Converts the frames of one rank.
class Exporter {
 public:
  explicit Exporter(const ExportOptions& options)
      : alone_(MPI_COMM_SELF),
        options_(options),
        points_(options.particles.empty() ? nullptr : &find_point_format(options.particles)),
        fields_(options.fields.empty() ? nullptr : &find_field_format(options.fields)),
        output_(options.output.empty() ? options.run + "/export" : options.output) {
    if (points_ == nullptr && fields_ == nullptr)
      throw InputError(
          "nothing is to be exported (--particles or --fields is missing). Give for example --particles vtp");
  }

  std::string path(const char* what, const RunFrame& frame, const char* ending) const {
    return fmt::format("{}/{}.{:06}.{}", output_, what, frame.number, ending);
  }

  bool is_done(const RunFrame& frame) const {
    const auto is_made = [&](const char* what, const char* ending) {
      return is_up_to_date(path(what, frame, ending), frame.path);
    };
    return !options_.force && (points_ == nullptr || is_made("particles", points_->ending)) &&
           (fields_ == nullptr || is_made("fields", fields_->ending));
  }

  /// Open the snapshot of a frame, and read the particles that are wanted. A damaged snapshot is reported and counted,
  /// and the others are written. \param[in] next  null: this rank has no frame. Errors: Error, on this rank alone
  void read(const RunFrame* next) {
    file_.reset();
    cloud_ = {};
    if (next == nullptr) return;
    const RunFrame& frame = *next;
    try {
      file_.emplace(alone_, frame.path);
    } catch (const FileError& error) {
      ++n_unreadable;
      std::fprintf(stderr, "freshet: error: %s\n", error.what());
      return;
    }
    if (points_ != nullptr) cloud_ = read_points_of(*file_, records_of(*file_, frame));
    if (fields_ != nullptr) frame_fields_ = fields_of(*file_, frame);
  }

  bool has_frame() const { return file_.has_value(); }  ///< whether read() opened a frame

  /// Write the frame that read() opened. Errors: Error, on this rank alone
  void write(const RunFrame& frame) {
    if (points_ != nullptr)
      for (const std::string& name : write_points(cloud_, *points_, path("particles", frame, points_->ending)))
        left_out.insert(name);
    if (fields_ != nullptr) write_fields(*file_, frame_fields_, *fields_, path("fields", frame, fields_->ending));
  }

  /// Refuse to keep files with other attributes beside new ones. For rank 0. Errors: InputError
  void expect_no_others(const std::vector<RunFrame>& all, const std::vector<RunFrame>& made) {
    const std::string attributes = fmt::format("attributes = [{}]\n", fmt::join(options_.attributes, ", "));
    const auto add_kind = [&](const char* what, const char* ending) {
      OptionsFile::Files files;
      for (const RunFrame& frame : all) files.all.push_back(path(what, frame, ending));
      for (const RunFrame& frame : made) files.made.push_back(path(what, frame, ending));
      options_files_.push_back(std::make_unique<OptionsFile>(
          fmt::format("{}/options_{}_{}.toml", output_, what, ending), attributes, std::move(files),
          options_.force ? OptionsFile::Use::replace : OptionsFile::Use::go_on));
    };
    if (points_ != nullptr) add_kind("particles", points_->ending);
    if (fields_ != nullptr) add_kind("fields", fields_->ending);
  }

  /// Remove files with other attributes before the first one is written. For rank 0. Errors: InputError, FileError
  void claim() {
    for (const auto& file : options_files_) file->claim();
  }

  const std::string& output() const { return output_; }
  const char* particle_ending() const { return points_ == nullptr ? "" : points_->ending; }

  GlobalIndex n_unreadable = 0;    ///< number of this rank's damaged snapshots
  std::set<std::string> left_out;  ///< attributes with integers too large for the format

 private:
  std::vector<FrameRecord> records_of(const FrameFile& file, const RunFrame& frame) const {
    return chosen(file.records(), options_.attributes, "record", frame.path);
  }

  std::vector<FrameField> fields_of(const FrameFile& file, const RunFrame& frame) const {
    std::vector<FrameField> all = file.fields();
    if (all.empty() && file.is_without_blocks()) all = fields_without_cells(file);
    if (all.empty())
      throw InputError(
          fmt::format("{} holds no fields (the case does not name any, or their box is too large). Set output.fields "
                      "and run again",
                      frame.path));
    const auto names = points_ == nullptr ? options_.attributes : std::vector<std::string>{};
    return chosen(all, names, "field", frame.path);
  }

  const Communicator alone_;
  const ExportOptions& options_;
  const PointFormat* points_;
  const FieldFormat* fields_;
  std::string output_;
  std::optional<FrameFile> file_;  ///< file of the present frame; empty if it cannot be read
  PointCloud cloud_;               ///< particles of the present frame
  std::vector<FrameField> frame_fields_;
  std::vector<std::unique_ptr<OptionsFile>> options_files_;  ///< on rank 0
};

/// The frames that are to be written, which rank 0 finds for all ranks. Collective
std::vector<RunFrame> frames_to_write(const Communicator& comm, const ExportOptions& options, Exporter& exporter,
                                      std::int64_t& n_done) {
  std::vector<RunFrame> frames;
  std::string text;
  agree_on_root(comm, [&] {
    const std::vector<RunFrame> all = frames_of_run(options.run);
    const std::vector<RunFrame> asked = choose_frames(all, options.frames);
    exporter.expect_no_others(all, asked);
    for (const RunFrame& frame : asked) {
      if (exporter.is_done(frame)) {
        ++n_done;
      } else {
        text += fmt::format("{} {}", frame.number, frame.path) + '\0';  // a path has no '\0'
      }
    }
  });
  text = comm.broadcast(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = text.find(' ', at), end = text.find('\0', at);
    frames.push_back({std::stoll(text.substr(at, blank - at)), text.substr(blank + 1, end - blank - 1)});
    at = end + 1;
  }
  return frames;
}

/// Warn of attributes that any rank left out. Collective
void warn_of_left_out(const Communicator& comm, const Exporter& exporter) {
  std::set<std::string> names;
  for (int rank = 0; rank < comm.size(); ++rank) {
    std::string text;
    for (const std::string& name : exporter.left_out) text += name + "\n";
    text = comm.broadcast(text, rank);
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      names.insert(text.substr(at, text.find('\n', at) - at));
  }
  if (!comm.is_root() || names.empty()) return;
  std::fprintf(stderr,
               "freshet: warning: left out %s: integers that .%s cannot hold. Choose vtp or csv "
               "(inputs/troubleshooting.md#paraview)\n",
               fmt::format("{}", fmt::join(names, ", ")).c_str(), exporter.particle_ending());
}

}  // namespace

std::string particle_format_names() {
  return names_of(point_formats());
}

std::string field_format_names() {
  return names_of(field_formats());
}

int export_command(const Communicator& comm, const ExportOptions& options) {
  Exporter exporter(options);
  std::int64_t n_done = 0;
  const std::vector<RunFrame> frames = frames_to_write(comm, options, exporter, n_done);
  // In each round every rank converts one frame; the ranks agree after it, so that a failure stops all of them.
  const auto n_ranks = static_cast<std::size_t>(comm.size());
  bool has_claimed = false;
  for (std::size_t first = 0; first < frames.size(); first += n_ranks) {
    const std::size_t mine = first + static_cast<std::size_t>(comm.rank());
    agree(comm, [&] { exporter.read(mine < frames.size() ? &frames[mine] : nullptr); });
    if (!comm.any(exporter.has_frame())) continue;
    if (!std::exchange(has_claimed, true)) agree_on_root(comm, [&] { exporter.claim(); });
    agree(comm, [&] {
      if (exporter.has_frame()) exporter.write(frames[mine]);
    });
    if (comm.is_root()) {
      std::printf("%zu of %zu frames\n", std::min(first + n_ranks, frames.size()), frames.size());
      flush_standard_output();  // a signal may end the command
    }
  }
  warn_of_left_out(comm, exporter);
  const GlobalIndex n_unreadable = comm.sum(exporter.n_unreadable);
  if (comm.is_root())
    std::printf("%s: %lld frames written, %lld were there already\n", exporter.output().c_str(),
                static_cast<long long>(frames.size()) - static_cast<long long>(n_unreadable),
                static_cast<long long>(n_done));
  if (n_unreadable > 0)
    throw FileError(
        fmt::format("{} of {} snapshots could not be read (see above). Make them again by a restart of the run",
                    n_unreadable, frames.size()));
  return static_cast<int>(ExitCode::done);
}

}  // namespace freshet
