// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace freshet {

struct GeoPoints;

/// Some particles of a file, in its order.
struct ParticleChunk {
  GlobalIndex first = 0;       ///< place of the first one in the file
  std::vector<Vec3> position;  ///< [m], as the file says
  std::vector<Vec3> velocity;  ///< [m/s]; 0 where the file has none
};

enum class ParticleFormat { csv, geo, obj };

/// Reads particles from text, a chunk at a time. Nothing in the text is trusted.
///
///   csv  lines of x, y, z, or x, y, z, vx, vy, vz, between commas, semicolons, tabs or spaces; a first line of names
///        says which columns they are; # starts a comment
///   geo  Houdini's text formats: points, and their attribute "v" of three numbers. JSON, since version 12, is known by
///        its first byte, [, and its points are held in memory; or the classic one ("PGEOMETRY V5")
///   obj  the vertices ("v") of a Wavefront file
/// Errors: InputError "<file>:<line>: ..." for what is none of it, and for numbers that are not finite
class ParticleText {
 public:
  ParticleText(std::istream& text, ParticleFormat format, std::string file_name);
  ~ParticleText();
  /// Append at most n particles. \return false at the end
  bool read(std::size_t n, ParticleChunk& chunk);

 private:
  struct Columns {
    int position[3] = {0, 1, 2};
    int velocity[3] = {-1, -1, -1};
    int n_least = 3;  ///< columns that a line must have
  };
  bool next_line();
  bool read_line();
  bool read_one(ParticleChunk& chunk);
  bool read_row(ParticleChunk& chunk);
  bool read_vertex(ParticleChunk& chunk);
  bool read_point(ParticleChunk& chunk);
  bool take_json_point(ParticleChunk& chunk);
  void read_names();
  void read_geo_header();
  void read_geo_attributes(std::size_t n);
  void split_line();
  double number(const std::string& word) const;
  std::size_t count(const std::string& word) const;
  void append(ParticleChunk& chunk, const Columns& columns) const;
  [[noreturn]] void refuse(const std::string& problem, const std::string& why) const;

  std::istream& text_;
  ParticleFormat format_;
  std::string file_name_;
  std::string line_;
  std::size_t line_number_ = 0;
  std::vector<std::string> words_;
  Columns columns_;
  bool at_first_row_ = true;
  std::size_t points_left_ = 0;                   ///< of a geo file
  std::unique_ptr<const GeoPoints> json_points_;  ///< of a geo file in JSON
};

/// Call use(chunk) on every rank, with a part of the file's particles each, until all have been handed out once.
///
/// By the file's extension: .h5 is a snapshot of freshet's, of which every rank reads an equal share; .csv, .txt, .geo
/// and .obj are read by rank 0 alone, and only it gets particles. No rank holds more than a chunk.
/// Parallel: collective; `use` may communicate. Errors: InputError or FileError on all ranks
void read_particle_file(const Communicator& comm, const std::string& path,
                        const std::function<void(const ParticleChunk&)>& use);

}  // namespace freshet
