// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace freshet {

/// Every HDF5 file of freshet ends with a seal: 512 bytes behind the bytes of HDF5, which hold one line of text,
///
///     freshet seal 1 bytes=<length of the file before it> sum=<16 hexadecimal digits>
///
/// The seal is written last: a file without a seal was never finished. Bytes that were lost or changed since are found
/// before HDF5, which crashes on some damaged files, reads the file. The sum is taken over pieces of 1 MiB, modulo
/// 2^64, of a mix of the piece's number, length and CRC-32 (zlib), so that any number of ranks and threads can share
/// the work. Readers of HDF5 ignore bytes behind the end.
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

/// Sums of the bytes that this rank has written to a file, so that its seal needs not read them again.
class SealParts {
 public:
  /// Bytes that were written at a place of the file, or were meant to be: the seal then finds that they are not there.
  void add(std::int64_t place, std::span<const std::byte> bytes);
  bool is_empty() const { return parts_.empty(); }

 private:
  friend void seal_file(const Communicator&, const std::string&, Durability, SealParts);
  /// Bytes of a piece of the file, or whole pieces.
  struct Part {
    std::int64_t begin = 0, end = 0;
    std::uint64_t crc = 0;      ///< of whole pieces: none
    std::int64_t is_whole = 0;  ///< 0 or 1; without padding, as parts are sent
  };
  std::uint64_t take_whole_pieces(std::int64_t content_bytes);
  static std::uint64_t sum_of_rest(const std::string& path, std::int64_t content_bytes, std::vector<Part>& parts);

  std::vector<Part> parts_;
};

/// Write the seal of a file that ranks have written together. What is in no rank's parts is read by rank 0.
///
/// \param[in] durability  flushed: the ranks with parts, and rank 0, have brought the file to the disk afterwards
/// Errors: FileError on all ranks. Parallel: collective
void seal_file(const Communicator& comm, const std::string& path, Durability durability, SealParts parts = {});

/// The seal of a file; nothing if the file has none, because freshet did not write it, did not finish it, or because
/// its end was lost.
/// Errors: FileError if the file cannot be read
std::optional<Seal> read_seal(const std::string& path);

/// Read a whole file and say what is wrong with it, without a full stop; empty if it is as it was written. Collective
std::string find_damage(const Communicator& comm, const std::string& path);
std::string find_damage(const std::string& path);  ///< on one rank

}  // namespace freshet
