// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "h5.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace freshet {

/// An HDF5 file that all ranks write together. It has a temporary name until commit(): a file under its final name is
/// whole. Without commit(), or if commit() fails, nothing is left behind.
///
/// Metadata is written collectively, large datasets start at multiples of 1 MiB (a stripe of parallel file systems).
class ParallelFile {
 public:
  /// Create `path`.tmp; an old one is overwritten. Collective. Errors: FileError on all ranks
  ParallelFile(const Communicator& comm, const std::string& path);
  ~ParallelFile();
  ParallelFile(const ParallelFile&) = delete;
  ParallelFile& operator=(const ParallelFile&) = delete;

  hid_t id() const { return file_.id(); }
  const Communicator& comm() const { return comm_; }

  /// Set the completeness flag, flush, close, rename. \pre every other identifier of the file is closed
  /// Collective. Errors: FileError on all ranks
  void commit();

 private:
  void discard() noexcept;

  const Communicator& comm_;
  std::string path_;
  std::string temporary_;
  h5::Handle file_;
};

/// Name of the flag at the root of every file: uint8 1, written last.
inline constexpr const char* complete_flag = "freshetComplete";

/// Part of a dataset: rows of its last axis, in the order of the file.
struct RowRange {
  hsize_t begin = 0;
  hsize_t end = 0;
};

/// Write elements [offset, offset + count) of a 1-D dataset; a rank with nothing to write passes 0.
/// Collective (one collective transfer). Errors: FileError on this rank only, see agree()
void write_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, const void* values);

/// Write rows of a 3-D dataset [z][y][x]; row number y + ny z. An empty range writes nothing.
/// Collective (one collective transfer). Errors: FileError on this rank only, see agree()
void write_rows(hid_t dataset, hid_t type, std::span<const hsize_t> extents, RowRange rows, const void* values);

}  // namespace freshet
