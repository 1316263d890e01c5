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
#include <vector>

namespace freshet {

/// An HDF5 file that all ranks write together. It has a temporary name until commit(), so that a file with the final
/// name is complete; its seal shows whether it still is. Without commit(), or if commit() fails, no file is left.
///
/// Rank 0 alone creates groups, attributes and empty datasets, and reserves space for their contents. Then the writers
/// open the file and write each rank's part of every dataset. Thus metadata needs no communication, a full disk is
/// found before anything is written, and no metadata is pending when a transfer fails (HDF5 1.10 hangs if it cannot
/// write the metadata of a shared file). Transfers are independent, not collective: the parts are long and contiguous,
/// so that MPI has nothing to gather, and collective transfers of Open MPI 4.1 report success on a full disk. Each
/// writer opens the file independently, with a communicator of its own: Open MPI 4.1 hangs if a file that ranks open
/// together exists for some and not for others, as when someone removes it or another node does not see it yet. Large
/// datasets start at multiples of 1 MiB, a stripe of parallel file systems.
///
/// Only some ranks, the writers, open the file, which spares its metadata server and its locks: each writer also takes
/// the elements of the ranks after it and writes up to 16 MiB at once. Up to 7 ranks all write; up to 64 ranks have
/// four writers, larger runs one for every 16 ranks. The seal's sums are computed from the written bytes.
class ParallelFile {
 public:
  /// Create `path`.tmp; an old one is overwritten.
  /// \param[in] n_bytes  total size of all datasets; only the value of rank 0 counts
  /// \param[in] create   makes groups, attributes and datasets below a given group; called on rank 0 only
  /// \param[in] ranks_per_writer  0: the default above
  /// Collective. Errors: FileError on all ranks
  ParallelFile(const Communicator& comm, const std::string& path, std::int64_t n_bytes,
               const std::function<void(hid_t root)>& create, int ranks_per_writer = 0);
  ~ParallelFile();
  ParallelFile(const ParallelFile&) = delete;
  ParallelFile& operator=(const ParallelFile&) = delete;

  const Communicator& comm() const { return comm_; }
  /// A dataset that is open on the writers.
  struct Dataset {
    h5::Handle handle;
    std::vector<hsize_t> extents;
    hid_t type = H5I_INVALID_HID;  ///< type of its elements, in memory as in the file
    std::int64_t place = 0;        ///< place of its first element in the file [bytes]
  };
  /// Open a dataset. \param[in] type  of its elements, also in the file. Collective. Errors: FileError on all ranks
  Dataset open_dataset(const std::string& path, hid_t type) const;

  /// Copies elements first .. first + count - 1 of this rank to `values`.
  using Elements = std::function<void(hsize_t first, hsize_t count, std::byte* values)>;
  /// Write elements offset .. offset + count - 1 of a dataset, counted along its last axis first. In a dataset with
  /// several axes these are complete rows. The elements of a rank follow those of lower ranks.
  /// \param[in] elements  called for one part after the other. Collective. Errors: FileError on all ranks
  void write(const Dataset& dataset, hsize_t offset, hsize_t count, const Elements& elements);
  /// Call f on every rank as agree() does, for a function that uses the file: a FileError names the file. Collective
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

  /// Write elements that are in memory, as above.
  void write(const std::string& path, hid_t type, hsize_t offset, hsize_t count, const void* values);

  /// Close, seal and rename the file. \pre no dataset is open. Collective. Errors: FileError on all ranks
  void commit(Durability durability = Durability::cached);

 private:
  /// Throw the error with the name of the file in front.
  [[noreturn]] void throw_named(const FileError& error) const;
  bool is_writer() const { return comm_.rank() % ranks_per_writer_ == 0; }
  void send(const Dataset& dataset, hsize_t offset, hsize_t count, const Elements& elements);
  void write_for_group(const Dataset& dataset, hsize_t offset, hsize_t count, const Elements& elements);

  const Communicator& comm_;
  int ranks_per_writer_;
  SealParts parts_;
  std::vector<std::byte> buffer_;  ///< elements that wait to be sent or written
  std::string path_;
  std::string temporary_;  ///< temporary name; empty once the file has its final name
  h5::Handle file_;
};

/// An HDF5 file that all ranks read together. Its seal is checked first, so that HDF5 reads only freshet's own bytes.
///
/// Errors: FileError, on this rank alone unless stated otherwise; callers use agree()
class ParallelInput {
 public:
  /// Collective. Errors: FileError on all ranks
  ParallelInput(const Communicator& comm, const std::string& path);

  hid_t root() const { return file_.id(); }
  h5::Handle open_group(const std::string& path) const;
  /// Open a dataset. Errors: FileError, also unless its values are one piece in this file, as freshet stores them:
  /// otherwise the dataset could claim more elements than there are
  h5::Handle open_dataset(const std::string& path) const;

 private:
  h5::Handle file_;
};

}  // namespace freshet
