// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/atomic_file.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace freshet {

/// A file that rank 0 writes, with what all ranks give it piece by piece in the order of the ranks: no rank holds more
/// of the others' bytes than a piece. It has a temporary name until commit(); without commit() nothing is left.
///
/// Parallel: every method is collective. A failure of rank 0, such as a full disk, is kept until commit().
class OrderedFile {
 public:
  /// Errors: FileError on all ranks
  OrderedFile(const Communicator& comm, const std::string& path);

  /// Bytes of rank 0; those of other ranks are ignored.
  void append_once(std::string_view bytes);
  /// The items of rank 0, then those of rank 1, and so on.
  /// \param[in] n     items of this rank
  /// \param[in] make  appends the bytes of items first ... last - 1 to a text
  using Make = std::function<void(std::int64_t first, std::int64_t last, std::string& bytes)>;
  void append(std::int64_t n, const Make& make);

  /// Errors: FileError on all ranks; then no file is left
  void commit();

 private:
  void keep(std::string_view bytes);
  void receive_from(int rank);

  const Communicator& comm_;
  std::optional<AtomicFile> file_;  ///< on rank 0
  Failure failure_;                 ///< the first one of rank 0
};

}  // namespace freshet
