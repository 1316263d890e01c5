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

/// Numbers of each point: `components` of them, one point after the other, in the vector that `integer` names.
struct PointAttribute {
  std::string name;  ///< "velocity", "color", "id", ... in freshet's words
  int components = 1;
  bool integer = false;
  std::vector<float> reals;
  std::vector<std::int64_t> integers;
};

/// Particles as other programs know them.
struct PointCloud {
  std::vector<float> positions;  ///< x, y, z of each point [m]
  std::vector<PointAttribute> attributes;
  float radius = 0.0F;  ///< [m] of all points, for formats in which a point has one
  double time = 0.0;    ///< [s]
  std::int64_t size() const { return static_cast<std::int64_t>(positions.size() / 3); }
};

/// Reads the points of a file from the first to the last, without holding more than is asked for. For one rank.
class PointReader {
 public:
  virtual ~PointReader() = default;
  /// Replace `cloud` by the next n points, fewer at the end, none behind it. Names of attributes are freshet's.
  /// Errors: InputError
  virtual void read(std::int64_t n, PointCloud& cloud) = 0;
};

/// A kind of file that holds points.
struct PointFormat {
  const char* ending;            ///< of its names, without the dot
  const char* text;              ///< what it is, for help texts
  std::int64_t largest_integer;  ///< that it holds without loss
  /// Null if this build lacks the library that writes the format. For one rank. Errors: FileError
  void (*write)(const PointCloud& cloud, AtomicFile& file);
  /// Null if freshet does not read the format. Errors: InputError
  std::unique_ptr<PointReader> (*open)(const std::string& path);
};

/// All of them. To add a format, add a row.
std::span<const PointFormat> point_formats();

/// The format of that ending, which may have a dot in front. Errors: InputError with a suggestion, also for a format
/// that this build cannot write
const PointFormat& find_point_format(std::string_view ending);

/// Write points to a file of that format; it has a temporary name until it is whole. For one rank.
/// Attributes with an integer beyond format.largest_integer are left out. \return their names. Errors: FileError
std::vector<std::string> write_points(const PointCloud& cloud, const PointFormat& format, const std::string& path);

/// As read_particle_file(), also for the formats of point_formats() that can be read; rank 0 reads these and gets their
/// points.
void read_points(const Communicator& comm, const std::string& path, const std::string& where,
                 const std::function<void(const ParticleChunk&)>& use);

}  // namespace freshet
