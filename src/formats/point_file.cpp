// SPDX-License-Identifier: Apache-2.0
#include "freshet/formats/point_file.hpp"

#include "formats/point_formats.hpp"
#include "formats/vdb.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/floating_point.hpp"
#include "freshet/core/suggest.hpp"
#include "freshet/core/text.hpp"
#include "freshet/geometry/input_files.hpp"
#include "freshet/parallel/agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

namespace freshet {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t bits_32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t exact_float = 1 << 24;
constexpr std::int64_t exact_double = std::int64_t{1} << 53;
constexpr std::int64_t chunk_size = 1 << 16;  ///< number of points that are read at a time

constexpr std::array point_formats_table{
    PointFormat{"geo", "Houdini, classic text", bits_32, formats::write_geo, formats::open_geo},
    PointFormat{"bgeo", "Houdini, classic binary (version 5)", bits_32, formats::write_bgeo, formats::open_bgeo},
    PointFormat{"pda", "Maya particles, text", bits_32, formats::write_pda, formats::open_pda},
    PointFormat{"pdb", "Maya particles, binary", bits_32, formats::write_pdb, formats::open_pdb},
    PointFormat{"ptc", "RenderMan point cloud", exact_float, formats::write_ptc, formats::open_ptc},
    PointFormat{"ply", "binary PLY", exact_double, formats::write_point_ply, nullptr},
    PointFormat{"csv", "table that freshet reads too", most, formats::write_csv, nullptr},
    PointFormat{"vtp", "VTK PolyData for ParaView", most, formats::write_point_vtp, nullptr},
    PointFormat{"vdb", "OpenVDB points", most, formats::vdb_points_writer, nullptr},
};

bool fits(const PointAttribute& attribute, std::int64_t largest) {
  return std::all_of(attribute.integers.begin(), attribute.integers.end(),
                     [&](std::int64_t value) { return value >= -largest && value <= largest; });
}

/// Make a chunk of the positions and velocities of points. Errors: InputError if one is not finite or too large
ParticleChunk chunk_of(const PointCloud& cloud, GlobalIndex first, const std::string& path) {
  const auto velocity = std::find_if(cloud.attributes.begin(), cloud.attributes.end(), [](const auto& attribute) {
    return attribute.name == "velocity" && attribute.components == 3 && !attribute.integer;
  });
  const WithoutTraps suspended;  // numbers of a file may be NaN or overflow
  ParticleChunk chunk{first, {}, {}};
  for (std::size_t p = 0; p < static_cast<std::size_t>(cloud.size()); ++p) {
    Vec3 x, u = Vec3::Zero();
    for (std::size_t d = 0; d < 3; ++d) {
      x[static_cast<int>(d)] = cloud.positions[3 * p + d];
      if (velocity != cloud.attributes.end()) u[static_cast<int>(d)] = velocity->reals[3 * p + d];
    }
    if (!x.allFinite() || !(u.cwiseAbs().maxCoeff() <= fastest_particle))
      throw InputError(
          fmt::format("{}: point {} has a position or a velocity that is not finite or too large. Correct the file",
                      path, first + static_cast<GlobalIndex>(p)));
    chunk.position.push_back(x);
    chunk.velocity.push_back(u);
  }
  return chunk;
}

void read_format(const Communicator& comm, const PointFormat& format, const std::string& path, const std::string& where,
                 const std::function<void(const ParticleChunk&)>& use) {
  std::unique_ptr<PointReader> reader;
  on_root(comm, where, [&] { reader = format.open(path); });
  GlobalIndex first = 0;
  for (bool more = true; more;) {
    ParticleChunk chunk{first, {}, {}};
    on_root(comm, where, [&] {
      PointCloud cloud;
      reader->read(chunk_size, cloud);
      chunk = chunk_of(cloud, first, path);
      more = cloud.size() > 0;
      if (first == 0 && !more)
        throw InputError(path + ": the file holds no particles (it has no points). Give a file with points");
    });
    more = comm.any(comm.is_root() && more);
    if (more) use(chunk);
    first += static_cast<GlobalIndex>(chunk.position.size());
  }
}

}  // namespace

std::span<const PointFormat> point_formats() {
  return point_formats_table;
}

const PointFormat& find_point_format(std::string_view ending) {
  if (ending.starts_with('.')) ending.remove_prefix(1);
  const std::string name = lower_case(ending);
  std::vector<std::string> known;
  for (const PointFormat& format : point_formats_table) {
    known.emplace_back(format.ending);
    if (name != format.ending) continue;
    if (format.write == nullptr)
      throw InputError(
          fmt::format("this freshet cannot write .{} (it was built without OpenVDB). Install "
                      "libopenvdb-dev and libboost-dev, build again, or choose vtp",
                      name));
    return format;
  }
  throw InputError(fmt::format("no format of particles has the name \"{}\" (there are {}). {}", printable(name),
                               fmt::join(known, ", "), suggest_word(name, known)));
}

std::vector<std::string> write_points(const PointCloud& cloud, const PointFormat& format, const std::string& path) {
  std::vector<std::string> left_out;
  for (const PointAttribute& attribute : cloud.attributes)
    if (!fits(attribute, format.largest_integer)) left_out.push_back(attribute.name);
  AtomicFile file(path);
  if (left_out.empty()) {
    format.write(cloud, file);
  } else {
    PointCloud rest = cloud;
    std::erase_if(rest.attributes, [&](const PointAttribute& attribute) {
      return std::find(left_out.begin(), left_out.end(), attribute.name) != left_out.end();
    });
    format.write(rest, file);
  }
  file.commit();
  return left_out;
}

void read_points(const Communicator& comm, const std::string& path, const std::string& where,
                 const std::function<void(const ParticleChunk&)>& use) {
  const std::string ending = ending_of_unpacked(path);
  for (const PointFormat& format : point_formats_table)
    if (format.open != nullptr && ending == std::string(".") + format.ending)
      return read_format(comm, format, path, where, use);
  read_particle_file(comm, path, where, use);
}

namespace formats {

PointCloud with_narrow_attributes(const PointCloud& cloud) {
  PointCloud result = cloud;
  result.attributes.clear();
  for (const PointAttribute& attribute : cloud.attributes) {
    if (attribute.components == 1 || attribute.components == 3) {
      result.attributes.push_back(attribute);
      continue;
    }
    const auto width = static_cast<std::size_t>(attribute.components);
    for (std::size_t c = 0; c < width; ++c) {
      PointAttribute part{fmt::format("{}_{}", attribute.name, c), 1, attribute.integer, {}, {}};
      for (std::size_t i = c; i < attribute.reals.size(); i += width) part.reals.push_back(attribute.reals[i]);
      for (std::size_t i = c; i < attribute.integers.size(); i += width) part.integers.push_back(attribute.integers[i]);
      result.attributes.push_back(std::move(part));
    }
  }
  return result;
}

void resize_points(PointCloud& cloud, std::int64_t n) {
  const auto size = static_cast<std::size_t>(n);
  cloud.positions.resize(3 * size);
  for (PointAttribute& attribute : cloud.attributes) {
    const std::size_t count = size * static_cast<std::size_t>(attribute.components);
    attribute.integer ? attribute.integers.resize(count) : attribute.reals.resize(count);
  }
}

PointInput::PointInput(const std::string& path) : path_(path), file_(open_unpacked_file(path, "file of particles")) {}

void PointInput::bytes(void* target, std::size_t n) {
  stream().read(static_cast<char*>(target), static_cast<std::streamsize>(n));
  if (static_cast<std::size_t>(stream().gcount()) != n) refuse_end("its header promises more");
}

void PointInput::refuse_end(const std::string& wanted) const {
  if (file_.stream->bad()) refuse("its compressed bytes end too early or are damaged", "gunzip cannot unpack it");
  refuse("the file ends too early", wanted);
}

std::string PointInput::text_until(char end) {
  constexpr std::size_t most_text = 4096;
  std::string text;
  for (char c = little<char>(); c != end; c = little<char>()) {
    text += c;
    if (text.size() > most_text) refuse("a name has no end", "the file is damaged or of another kind");
  }
  return text;
}

void PointInput::seek(std::int64_t at) {
  if (at < 0 || at > file_.most_bytes || !stream().seekg(at)) refuse_end("its header promises more");
}

void PointInput::refuse(const std::string& problem, const std::string& why) const {
  throw InputError(fmt::format("{}: {} ({}). Write the file again, or as a .csv table", path_, problem, why));
}

void PointInput::expect_points(std::int64_t n, std::int64_t bytes_a_point) const {
  if (n < 0 || n > file_.most_bytes / bytes_a_point)
    refuse(fmt::format("the header names {} points", n), "the file is too short for them");
}

std::string PointWords::next(const std::string& wanted) {
  std::string word;
  while (word.empty() || word == "(" || word == ")") {
    if (!(input_.stream() >> word)) input_.refuse_end(wanted + " is missing");
    std::erase_if(word, [](char c) { return c == '(' || c == ')'; });
  }
  return word;
}

float PointWords::real() {
  const std::string word = next("a number");
  const auto value = number_in<float>(word);
  if (!value) input_.refuse(fmt::format("'{}' is no number", printable(word)), "a number is wanted there");
  return *value;
}

std::int64_t PointWords::integer(const std::string& what) {
  const std::string word = next(what);
  const auto value = number_in<std::int64_t>(word);
  if (!value) input_.refuse(fmt::format("'{}' is no whole number", printable(word)), what + " is wanted there");
  return *value;
}

}  // namespace formats
}  // namespace freshet
