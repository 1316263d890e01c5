// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace freshet {

/// The last 512 bytes of every HDF5 file of freshet's, behind those that are HDF5's own: one line of text,
///
///     freshet seal 1 bytes=<length of the file before it> sum=<16 hexadecimal digits>
///
/// It is written last, so that a file without it was never finished, and whatever comes of the bytes before it
/// afterwards (lost, cut, turned) is found before HDF5, which crashes on some damaged files, reads any of them.
/// sum = sum over pieces of 1 MiB, modulo 2^64, of a mix of the piece's number, length and CRC-32 (zlib): any number of
/// ranks and threads can form it together. Readers of HDF5 do not mind bytes behind the end.
inline constexpr std::int64_t seal_bytes = 512;

struct Seal {
  std::int64_t content_bytes = 0;
  std::uint64_t sum = 0;
  bool operator==(const Seal&) const = default;
};

enum class Durability {
  cached,  ///< survives the end of the process
  flushed  ///< survives the end of the machine: on the disk before this returns
};

/// Close a file with its seal. Reads all of it. Errors: FileError on all ranks. Parallel: collective; OpenMP
/// \param[in] durability  flushed: what each rank's machine holds of the file is on the disk afterwards
void seal_file(const Communicator& comm, const std::string& path, Durability durability);

/// The seal of a file; nothing if it has none: a file of somebody else, one that was never finished, or was cut.
/// Errors: FileError if the file cannot be read
std::optional<Seal> read_seal(const std::string& path);

/// What is wrong with a file, in a few words; empty: it is as it was written. Reads all of it. Parallel: collective
std::string find_damage(const Communicator& comm, const std::string& path);
std::string find_damage(const std::string& path);  ///< by one process

}  // namespace freshet
