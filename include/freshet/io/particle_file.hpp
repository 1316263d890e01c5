// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/geometry/text_table.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace freshet {

constexpr double fastest_particle = 1e30;  ///< a file with a larger speed is refused, as in liquids of the case [m/s]

/// Particles of a file, in the order of the file.
struct ParticleChunk {
  GlobalIndex first = 0;       ///< index in the file of the chunk's first particle
  std::vector<Vec3> position;  ///< positions as in the file [m]
  std::vector<Vec3> velocity;  ///< velocities [m/s]; 0 if the file has none
};

/// Reads particles from a text table (TextTable), a chunk at a time. The text may hold anything.
///
/// A row holds x, y, z or x, y, z, vx, vy, vz; other columns are ignored. Errors: InputError "<file>:<line>: ..." for
/// any other row, and for numbers that are not finite
class ParticleTable {
 public:
  ParticleTable(std::istream& text, const std::string& file_name);
  /// Append at most n particles. \return false at the end of the text
  bool read(std::size_t n, ParticleChunk& chunk);

 private:
  TextTable table_;
};

/// Call use(chunk) on every rank, with other particles of the file each time, until each particle was in one chunk.
///
/// The ending of the name gives the format. Every rank reads an equal share of a snapshot of freshet (.h5). Rank 0
/// alone reads a table (.csv) and gets its particles. No rank holds more than a chunk.
/// \param[in] where  key or table of the case that names the file, for messages; may be empty
/// Parallel: collective; `use` may communicate, and its exceptions pass through. Errors: InputError "<where>:
/// <file>[:<line>]: ..." on all ranks for a file that is missing, damaged or of another kind
void read_particle_file(const Communicator& comm, const std::string& path, const std::string& where,
                        const std::function<void(const ParticleChunk&)>& use);

}  // namespace freshet
