// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/parallel/communicator.hpp"
#include "h5.hpp"
#include "seal.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace freshet {

/// An HDF5 file that all ranks write together. It has a temporary name until commit(), so that a file with the final
/// name is whole; its seal tells whether it still is. Without commit(), or if commit() fails, no file is left.
///
/// Rank 0 alone makes groups, attributes and empty datasets, and reserves room for their contents. Then all ranks open
/// the file, and each writes its own part of every dataset. Thus metadata needs no communication, a full disk is found
/// before anything is written, and no metadata is pending when a transfer fails (HDF5 1.10 hangs if it cannot write the
/// metadata of a shared file). Transfers are independent, not collective: the parts are long and contiguous, so that
/// MPI has nothing to gather, and collective transfers of Open MPI 4.1 report success on a full disk. Large datasets
/// start at multiples of 1 MiB, a stripe of parallel file systems.
class ParallelFile {
 public:
  /// Create `path`.tmp; an old one is overwritten.
  /// \param[in] n_bytes  size of all datasets together; only the value of rank 0 counts
  /// \param[in] create   makes groups, attributes and datasets below the group it is given; called on rank 0 only
  /// Collective. Errors: FileError on all ranks
  ParallelFile(const Communicator& comm, const std::string& path, std::int64_t n_bytes,
               const std::function<void(hid_t root)>& create);
  ~ParallelFile();
  ParallelFile(const ParallelFile&) = delete;
  ParallelFile& operator=(const ParallelFile&) = delete;

  const Communicator& comm() const { return comm_; }
  /// Errors: FileError on this rank only, see together(). Collective, for collective metadata reads
  h5::Handle open_dataset(const std::string& path) const;

  /// Call f on every rank as agree() does, for something that f does to the file: a FileError names the file.
  /// Collective
  template <class Function>
  void together(Function&& f) const {
    agree(comm_, [&] {
      try {
        f();
      } catch (const FileError& error) {
        throw_named(error);
      }
    });
  }

  /// Write elements offset .. offset + count - 1 of a dataset with one axis. Collective. Errors: FileError on
  /// all ranks
  void write(const std::string& path, hid_t type, hsize_t offset, hsize_t count, const void* values) const;

  /// Close, seal, rename. \pre no dataset is open. Collective. Errors: FileError on all ranks
  void commit(Durability durability = Durability::cached);

 private:
  /// The error with the name of the file in front of it.
  [[noreturn]] void throw_named(const FileError& error) const;

  const Communicator& comm_;
  std::string path_;
  std::string temporary_;  ///< empty once it has its final name
  h5::Handle file_;
};

/// An HDF5 file that all ranks read together. Its seal is checked first, so that HDF5 reads only what freshet wrote.
///
/// Errors: FileError, on this rank only where nothing else is said; callers use agree()
class ParallelInput {
 public:
  /// Collective. Errors: FileError on all ranks
  ParallelInput(const Communicator& comm, const std::string& path);

  hid_t root() const { return file_.id(); }
  h5::Handle open_group(const std::string& path) const;
  /// Errors: FileError also if the values are not stored in this file as one piece, as freshet stores them. Otherwise
  /// the dataset could claim more elements than there are
  h5::Handle open_dataset(const std::string& path) const;

 private:
  h5::Handle file_;
};

/// Rows of a dataset [z][y][x]: begin <= y + ny z < end.
struct RowRange {
  hsize_t begin = 0;
  hsize_t end = 0;
};

/// Write whole rows of a dataset [z][y][x]. Errors: FileError on this rank only, see together()
void write_rows(hid_t dataset, hid_t type, std::span<const hsize_t> extents, RowRange rows, const void* values);

}  // namespace freshet
