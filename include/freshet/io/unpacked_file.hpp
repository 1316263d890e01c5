// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>

namespace freshet {

/// A file that is read; gzip may have compressed it.
struct UnpackedFile {
  std::unique_ptr<std::istream> stream;  ///< unpacked bytes; bad() once packed ones are damaged or cut short
  std::int64_t most_bytes = 0;           ///< upper bound of the unpacked bytes
};

/// Open a file and look at its first bytes. A gzip file is unpacked piece by piece as it is read; to go back in it, it
/// is unpacked again from its beginning.
/// \param[in] what  kind of the file for messages: "file of particles"
/// Errors: InputError as by open_input_file()
UnpackedFile open_unpacked_file(const std::string& path, const std::string& what);

/// Find the ending of a name: ".bgeo" for "a.bgeo" and for "a.bgeo.gz".
std::string ending_of_unpacked(const std::string& path);

}  // namespace freshet
