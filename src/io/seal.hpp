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

/// Every HDF5 file of freshet ends with a seal: 512 bytes after the bytes of HDF5, which hold one line of text,
///
///     freshet seal 1 bytes=<length of the file before it> sum=<16 hexadecimal digits>
///
/// The seal is written last: a file without a seal was never finished. Lost or changed bytes are found before HDF5,
/// which crashes on some damaged files, reads the file. The sum is taken over pieces of 1 MiB, modulo 2^64, of a mix of
/// the piece's number, length and CRC-32 (zlib), so that any number of ranks and threads can share the work. Readers of
/// HDF5 ignore bytes after the end.
inline constexpr std::int64_t seal_bytes = 512;

struct Seal {
  std::int64_t content_bytes = 0;
  std::uint64_t sum = 0;
  bool operator==(const Seal&) const = default;
};

enum class Durability {
  cached,  ///< survives the end of the process
  flushed  ///< survives a crash of the machine: on the disk before the call returns
};

/// Sums of the bytes that this rank has written to a file, so that sealing does not read them again.
class SealParts {
 public:
  /// Add bytes that were to be written at a place of the file: if they are not there, the seal does not match.
  void add(std::int64_t place, std::span<const std::byte> bytes);
  bool is_empty() const { return parts_.empty(); }

 private:
  friend void seal_file(const Communicator&, const std::string&, Durability, SealParts);
  /// Bytes within one piece of the file, or several complete pieces.
  struct Part {
    std::int64_t begin = 0, end = 0;
    std::uint64_t crc = 0;      ///< CRC of the bytes; unused for complete pieces
    std::int64_t is_whole = 0;  ///< 0 or 1; its type avoids padding, as parts are sent
  };
  std::uint64_t take_whole_pieces(std::int64_t content_bytes);
  static std::uint64_t sum_of_rest(const std::string& path, std::int64_t content_bytes, std::vector<Part>& parts);

  std::vector<Part> parts_;
};

/// Write the seal of a file that all ranks have written. Rank 0 reads the bytes that are in no rank's parts.
///
/// \param[in] durability  flushed: rank 0 and the ranks with parts have brought the file to the disk on return
/// Errors: FileError on all ranks. Parallel: collective
void seal_file(const Communicator& comm, const std::string& path, Durability durability, SealParts parts = {});

/// Read the seal of a file. \return nothing if there is none: freshet did not write the file or did not finish it, or
/// the file's end was lost.
/// Errors: FileError if the file cannot be read
std::optional<Seal> read_seal(const std::string& path);

/// Read a whole file and describe its damage, without a full stop; empty if it is as written. Collective
std::string find_damage(const Communicator& comm, const std::string& path);
std::string find_damage(const std::string& path);  ///< for one rank

}  // namespace freshet
