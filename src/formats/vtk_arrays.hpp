// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/bytes.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace freshet::formats {

/// The arrays of a VTK XML file with raw appended data, named in the order in which their bytes follow.
class VtkArrays {
 public:
  /// Make the XML element of an array. \param[in] type "Float32", "Int32", ...; \param[in] size bytes of one number
  std::string add(const std::string& name, const char* type, int size, int components, std::int64_t n) {
    const std::string element =
        fmt::format(R"(<DataArray type="{}" Name="{}" NumberOfComponents="{}" format="appended" offset="{}"/>)", type,
                    escaped(name), components, offset_);
    offset_ += 8 + static_cast<std::int64_t>(size) * components * n;
    return element + "\n";
  }

  /// The bytes in front of an array: its size.
  static std::string prefix(int size, int components, std::int64_t n) {
    std::string bytes;
    put(bytes,
        static_cast<std::uint64_t>(size) * static_cast<std::uint64_t>(components) * static_cast<std::uint64_t>(n));
    return bytes;
  }

  /// The text of the file up to the first array.
  static std::string head(const char* kind, const std::string& body) {
    return fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n{1}<AppendedData encoding=\"raw\">\n_",
        kind, body);
  }
  static constexpr const char* tail = "\n</AppendedData>\n</VTKFile>\n";

 private:
  static std::string escaped(const std::string& name) {
    std::string text;
    for (const char c : name) {
      if (c == '&')
        text += "&amp;";
      else if (c == '<')
        text += "&lt;";
      else if (c == '"')
        text += "&quot;";
      else
        text += c;
    }
    return text;
  }

  std::int64_t offset_ = 0;
};

}  // namespace freshet::formats
