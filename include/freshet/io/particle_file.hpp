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

constexpr double fastest_particle = 1e30;  ///< [m/s] beyond it a file is refused; as for liquids

/// Some particles of a file, in its order.
struct ParticleChunk {
  GlobalIndex first = 0;       ///< index of the first one in the file
  std::vector<Vec3> position;  ///< [m], as the file says
  std::vector<Vec3> velocity;  ///< [m/s]; 0 where the file has none
};

/// Reads particles from a table in a text (TextTable), a chunk at a time. The text may hold anything.
///
/// A row holds x, y, z or x, y, z, vx, vy, vz; columns of other names are ignored. Errors: InputError "<file>:<line>:
/// ..." for any other row, and for numbers that are not finite
class ParticleTable {
 public:
  ParticleTable(std::istream& text, const std::string& file_name);
  /// Append at most n particles. \return false at the end
  bool read(std::size_t n, ParticleChunk& chunk);

 private:
  TextTable table_;
};

/// Call use(chunk) on every rank, each time with other particles of the file, until each particle has been in a chunk.
///
/// The ending of the name says what the file is. Every rank reads an equal share of a snapshot of freshet (.h5). Rank 0
/// alone reads a table (.csv) and gets its particles. No rank holds more than a chunk.
/// \param[in] where  the place in the case that names the file, for messages; may be empty
/// Parallel: collective; `use` may communicate, and what it throws is thrown on. Errors: InputError
/// "<where>: <file>[:<line>]: ..." on all ranks for a file that is missing, damaged or of another kind
void read_particle_file(const Communicator& comm, const std::string& path, const std::string& where,
                        const std::function<void(const ParticleChunk&)>& use);

}  // namespace freshet
