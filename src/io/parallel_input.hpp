// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "h5.hpp"

#include <cstdint>
#include <string>

namespace freshet {

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

/// Elements of a dataset with one axis. Errors: FileError if it has more axes
hsize_t n_elements(hid_t dataset);

/// Elements offset .. offset + count - 1 of a dataset with one axis, converted to `type`. Errors: FileError; also for
/// elements beyond the end
void read_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, void* values);

}  // namespace freshet
