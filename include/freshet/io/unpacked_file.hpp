// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>

namespace freshet {

/// A file for reading, which may be compressed by gzip.
struct UnpackedFile {
  std::unique_ptr<std::istream> stream;  ///< of the unpacked bytes; bad() once compressed ones are damaged or cut short
  std::int64_t most_bytes = 0;           ///< upper bound of the unpacked bytes
};

/// Open a file and look at its first bytes: those of gzip are unpacked piece by piece as they are read. Going back in
/// such a file means to unpack it again from its beginning.
/// \param[in] what  the file is, for messages: "file of particles"
/// Errors: InputError as open_input_file()
UnpackedFile open_unpacked_file(const std::string& path, const std::string& what);

/// The ending of a name, ".bgeo" of "a.bgeo" and of "a.bgeo.gz".
std::string ending_of_unpacked(const std::string& path);

}  // namespace freshet
