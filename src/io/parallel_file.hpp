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
/// name is whole; its seal tells whether it still is. Without commit(), or if commit() fails, no file is left.
///
/// Rank 0 alone makes groups, attributes and empty datasets, and reserves room for their contents. Then all ranks open
/// the file, and each writes its own part of every dataset. Thus metadata needs no communication, a full disk is found
/// before anything is written, and no metadata is pending when a transfer fails (HDF5 1.10 hangs if it cannot write the
/// metadata of a shared file). Transfers are independent, not collective: the parts are long and contiguous, so that
/// MPI has nothing to gather, and collective transfers of Open MPI 4.1 report success on a full disk. So is the
/// opening, each writer with a communicator of its own: Open MPI 4.1 hangs if a file that ranks open together is there
/// for some and not for others, as where someone removes it, or another node does not see it yet. Large datasets start
/// at multiples of 1 MiB, a stripe of parallel file systems.
///
/// Only some ranks open the file, so that its metadata server and its locks see no more than these: each writer takes
/// what it writes from the ranks after it, and writes up to 16 MiB at once. With up to 7 ranks each writes for itself;
/// with up to 64 there are four writers, beyond that one for 16 ranks. The seal's sums are made of what is written.
class ParallelFile {
 public:
  /// Create `path`.tmp; an old one is overwritten.
  /// \param[in] n_bytes  size of all datasets together; only the value of rank 0 counts
  /// \param[in] create   makes groups, attributes and datasets below the group it is given; called on rank 0 only
  /// \param[in] ranks_per_writer  0: as told above
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
    hid_t type = H5I_INVALID_HID;  ///< of its elements in memory, which is that in the file
    std::int64_t place = 0;        ///< of its first element in the file [bytes]
  };
  /// \param[in] type  of the elements, in memory as in the file. Collective. Errors: FileError on all ranks
  Dataset open_dataset(const std::string& path, hid_t type) const;

  /// Gives elements first .. first + count - 1 of this rank's.
  using Elements = std::function<void(hsize_t first, hsize_t count, std::byte* values)>;
  /// Write elements offset .. offset + count - 1 of a dataset, counted along its last axis, then the one before, and so
  /// on. In a dataset with several axes these are whole rows. The elements of a rank follow those of lower ranks.
  /// \param[in] elements  called for one part after the other, as they are written. Collective. Errors: FileError on
  /// all ranks
  void write(const Dataset& dataset, hsize_t offset, hsize_t count, const Elements& elements);
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

  /// The same of elements that stand in memory.
  void write(const std::string& path, hid_t type, hsize_t offset, hsize_t count, const void* values);

  /// Close, seal, rename. \pre no dataset is open. Collective. Errors: FileError on all ranks
  void commit(Durability durability = Durability::cached);

 private:
  /// The error with the name of the file in front of it.
  [[noreturn]] void throw_named(const FileError& error) const;
  bool is_writer() const { return comm_.rank() % ranks_per_writer_ == 0; }
  void send(const Dataset& dataset, hsize_t offset, hsize_t count, const Elements& elements);
  void write_for_group(const Dataset& dataset, hsize_t offset, hsize_t count, const Elements& elements);

  const Communicator& comm_;
  int ranks_per_writer_;
  SealParts parts_;
  std::vector<std::byte> buffer_;  ///< elements on their way
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

}  // namespace freshet
