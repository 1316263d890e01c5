// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/atomic_file.hpp"
#include "freshet/io/run_frames.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace freshet {

/// A kind of file that holds grid fields.
struct FieldFormat {
  const char* ending;  ///< of its names, without the dot
  const char* text;    ///< what it is, for help texts
  /// Null if this build lacks the library that writes the format. For one rank. Errors: FileError
  void (*write)(const FrameFile& frame, const std::vector<FrameField>& fields, AtomicFile& file);
};

/// All of them. To add a format, add a row.
std::span<const FieldFormat> field_formats();

/// The format of that ending, which may have a dot in front. Errors: InputError with a suggestion, also for a format
/// that this build cannot write
const FieldFormat& find_field_format(std::string_view ending);

/// Write fields of a frame; the file has a temporary name until it is whole. No more than some layers of a field are
/// held at a time, and what the format's library holds. \pre all fields have the same box. For one rank. Errors:
/// FileError
void write_fields(const FrameFile& frame, const std::vector<FrameField>& fields, const FieldFormat& format,
                  const std::string& path);

}  // namespace freshet
