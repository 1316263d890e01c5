// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/atomic_file.hpp"
#include "freshet/io/particle_file.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace freshet {

/// An attribute of points: `components` numbers a point, one point after the other, in the vector that `integer` names.
struct PointAttribute {
  std::string name;  ///< freshet's name: "velocity", "color", "id", ...
  int components = 1;
  bool integer = false;
  std::vector<float> reals;
  std::vector<std::int64_t> integers;
};

/// Particles in the form in which other programs exchange them.
struct PointCloud {
  std::vector<float> positions;  ///< x, y, z of each point [m]
  std::vector<PointAttribute> attributes;
  float radius = 0.0F;  ///< radius of all points, for formats in which a point has one [m]
  double time = 0.0;    ///< [s]
  std::int64_t size() const { return static_cast<std::int64_t>(positions.size() / 3); }
};

/// Reads the points of a file in order; it holds no more points than are asked for. For one rank.
class PointReader {
 public:
  virtual ~PointReader() = default;
  /// Replace `cloud` by the next n points: by fewer at the end of the file, by none after it. Attributes have freshet's
  /// names. Errors: InputError
  virtual void read(std::int64_t n, PointCloud& cloud) = 0;
};

/// A file format for points.
struct PointFormat {
  const char* ending;            ///< ending of its file names, without the dot
  const char* text;              ///< description for help texts
  std::int64_t largest_integer;  ///< largest integer that the format stores without loss
  /// Writes a file; null if this build lacks the library that it needs. For one rank. Errors: FileError
  void (*write)(const PointCloud& cloud, AtomicFile& file);
  /// Opens a file for reading; null if freshet does not read the format. Errors: InputError
  std::unique_ptr<PointReader> (*open)(const std::string& path);
};

/// The table of point formats. To add a format, add a row.
std::span<const PointFormat> point_formats();

/// Find the format of an ending, with or without a dot in front. Errors: InputError with a suggestion, also for a
/// format that this build cannot write
const PointFormat& find_point_format(std::string_view ending);

/// Write points to a file of a format; it has a temporary name until it is complete. For one rank. Attributes with an
/// integer beyond format.largest_integer are left out. \return their names. Errors: FileError
std::vector<std::string> write_points(const PointCloud& cloud, const PointFormat& format, const std::string& path);

/// As read_particle_file(), but also reads the formats that point_formats() can open: rank 0 reads such a file and gets
/// all its points.
void read_points(const Communicator& comm, const std::string& path, const std::string& where,
                 const std::function<void(const ParticleChunk&)>& use);

}  // namespace freshet
