// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/input_files.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace freshet {

/// Throw InputError "<where>: <problem> (<why>). <remedy>".
[[noreturn]] void refuse_mesh(const std::string& where, const std::string& problem, const std::string& why,
                              const std::string& remedy);

/// Throw InputError if x is no coordinate: not finite, or beyond farthest_coordinate.
void check_coordinate(double x, const std::string& where);

/// Walks through a text line by line, and through a line word by word.
class MeshText {
 public:
  MeshText(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  /// Go to the next line; one that ends in a backslash goes on in the one after it. \return false behind the last one
  bool next_line();
  /// The next word of the line; empty behind the last one.
  std::string_view word();
  /// The next word of this line or of those that follow; empty at the end of the text.
  std::string_view word_across_lines();

  double coordinate(std::string_view word) const;
  std::int64_t integer(std::string_view word) const;
  double real(std::string_view word) const;  ///< any number, "nan" and "inf" too

  std::int64_t line() const { return line_; }
  const std::string& name() const { return name_; }
  std::size_t behind_line() const { return end_; }  ///< where the next line begins
  std::string where() const { return name_ + ":" + std::to_string(line_); }
  [[noreturn]] void refuse(const std::string& problem, const std::string& why, const std::string& remedy) const {
    refuse_mesh(where(), problem, why, remedy);
  }

 private:
  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;     ///< in the line
  std::size_t end_ = 0;    ///< of the line, behind its line end
  std::int64_t line_ = 0;  ///< number of the line that it began with
  std::int64_t next_line_ = 1;
};

}  // namespace freshet
