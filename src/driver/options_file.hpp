// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace freshet {

/// Keeps files of different options out of one directory. A command that goes on with what is missing may keep a file
/// only if it was made with the same options, which a file beside them holds as lines of TOML. For one rank.
class OptionsFile {
 public:
  /// \param[in] options  one a line
  /// \param[in] files    that the options have a part in, whether they exist or not
  OptionsFile(std::string path, std::string options, std::vector<std::string> files)
      : path_(std::move(path)), options_(std::move(options)), files_(std::move(files)) {}

  /// Errors: InputError with the first line that differs, if files of other options are there
  void expect_same() const;

  /// Remove files of other options, and write down these. Errors: FileError
  void claim() const;

 private:
  bool any_file() const;
  std::string written() const;

  std::string path_;
  std::string options_;
  std::vector<std::string> files_;
};

}  // namespace freshet
