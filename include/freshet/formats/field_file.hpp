// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/io/atomic_file.hpp"
#include "freshet/io/run_frames.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace freshet {

/// A file format for grid fields.
struct FieldFormat {
  const char* ending;  ///< ending of its file names, without the dot
  const char* text;    ///< description for help texts
  /// Writes a file; null if this build lacks the library that it needs. For one rank. Errors: FileError
  void (*write)(const FrameFile& frame, const std::vector<FrameField>& fields, AtomicFile& file);
};

/// The table of field formats. To add a format, add a row.
std::span<const FieldFormat> field_formats();

/// Find the format of an ending, with or without a dot in front. Errors: InputError with a suggestion, also for a
/// format that this build cannot write
const FieldFormat& find_field_format(std::string_view ending);

/// Write the fields of a frame. The file has a temporary name until it is complete. Memory holds a few
/// layers of a field at a time and what the format's library keeps. \pre all fields have the same box. For
/// one rank. Errors: FileError
void write_fields(const FrameFile& frame, const std::vector<FrameField>& fields, const FieldFormat& format,
                  const std::string& path);

}  // namespace freshet
