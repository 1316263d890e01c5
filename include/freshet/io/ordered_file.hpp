// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/atomic_file.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace freshet {

/// A file that rank 0 writes from what the ranks send it, piece by piece in the order of the ranks: rank 0 holds one
/// piece of another rank at a time. It has a temporary name until commit(); without commit() no file is left.
///
/// Parallel: every method is collective. A failure of rank 0, such as a full disk, is kept until commit().
class OrderedFile {
 public:
  /// Errors: FileError on all ranks
  OrderedFile(const Communicator& comm, const std::string& path);

  /// Append bytes of rank 0; those of other ranks are ignored.
  void append_once(std::string_view bytes);
  /// Append the items of rank 0, then those of rank 1, and so on.
  /// \param[in] n     number of this rank's items
  /// \param[in] make  appends the bytes of items first ... last - 1 to a text
  using Make = std::function<void(std::int64_t first, std::int64_t last, std::string& bytes)>;
  void append(std::int64_t n, const Make& make);

  /// Give the file its final name. Errors: FileError on all ranks; then no file is left
  void commit();

 private:
  void keep(std::string_view bytes);
  void receive_from(int rank);

  const Communicator& comm_;
  std::optional<AtomicFile> file_;  ///< the file, on rank 0 only
  Failure failure_;                 ///< the first failure of rank 0
};

}  // namespace freshet
