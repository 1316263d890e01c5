// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"
#include "h5.hpp"

#include <cstdint>
#include <string>

namespace freshet {

/// An HDF5 file that all ranks read together. Its seal is checked first, so that HDF5 only ever sees what freshet
/// wrote.
///
/// Errors: FileError on this rank only, unless it is said that it is on all; callers use agree()
class ParallelInput {
 public:
  /// Collective. Errors: FileError on all ranks
  ParallelInput(const Communicator& comm, const std::string& path);

  hid_t root() const { return file_.id(); }
  h5::Handle open_group(const std::string& path) const;
  /// Errors: FileError also if its values do not stand in this file as one piece, as freshet writes them: what it says
  /// of its length is then more than what there is to read
  h5::Handle open_dataset(const std::string& path) const;

 private:
  h5::Handle file_;
};

/// Elements of a dataset with one axis. Errors: FileError if it has more axes
hsize_t n_elements(hid_t dataset);

/// Elements offset .. offset + count - 1 of a dataset with one axis, converted to `type`. Errors: FileError; also for
/// elements that it does not have
void read_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, void* values);

}  // namespace freshet
