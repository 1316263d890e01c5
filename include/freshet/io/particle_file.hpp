// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace freshet {

/// Some particles of a file, in its order.
struct ParticleChunk {
  GlobalIndex first = 0;       ///< place of the first one in the file
  std::vector<Vec3> position;  ///< [m], as the file says
  std::vector<Vec3> velocity;  ///< [m/s]; 0 where the file has none
};

/// Reads particles from a table in a text, a chunk at a time. Nothing in the text is trusted.
///
/// A line holds x, y, z, or x, y, z, vx, vy, vz, between commas, semicolons, tabs or spaces. A first line of names says
/// which columns they are; other columns are passed over. # starts a comment.
/// Errors: InputError "<file>:<line>: ..." for what is no such table, and for numbers that are not finite
class ParticleTable {
 public:
  ParticleTable(std::istream& text, std::string file_name);
  /// Append at most n particles. \return false at the end
  bool read(std::size_t n, ParticleChunk& chunk);

 private:
  bool next_line();
  bool read_row(ParticleChunk& chunk);
  void read_names();
  void split_line();
  double number(const std::string& word) const;
  void append(ParticleChunk& chunk) const;
  [[noreturn]] void refuse(const std::string& problem, const std::string& why) const;

  std::istream& text_;
  std::string file_name_;
  std::string line_;
  std::size_t line_number_ = 0;
  std::vector<std::string> words_;
  int position_[3] = {0, 1, 2};     ///< columns of the coordinates
  int velocity_[3] = {-1, -1, -1};  ///< columns of the velocity; -1: there are none
  int n_least_ = 3;                 ///< columns that a line must have
  bool at_first_row_ = true;
};

/// Call use(chunk) on every rank, with a part of the file's particles each, until all have been handed out once.
///
/// The ending of the name says what the file is: of a snapshot of freshet (.h5) every rank reads an equal share; a
/// table
/// (.csv) is read by rank 0, and only rank 0 gets particles. No rank holds more than a chunk.
/// \param[in] where  the place in the case that names the file, for messages; may be empty
/// Parallel: collective; `use` may communicate, and what it throws is thrown on. Errors: InputError
/// "<where>: <file>[:<line>]: ..." on all ranks for a file that is missing, damaged or of another kind
void read_particle_file(const Communicator& comm, const std::string& path, const std::string& where,
                        const std::function<void(const ParticleChunk&)>& use);

}  // namespace freshet
