// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace freshet {

/// Keeps files of different options out of one directory. A command that makes only missing files may keep a file only
/// if it was made with the same options. A file beside them holds these options as lines of TOML.
///
/// While the object lives, it holds a lock on that file: commands with equal options may work in a directory at the
/// same time, commands with different options may not. For one rank.
class OptionsFile {
 public:
  enum class Use {
    go_on,  ///< keep files of the same options, refuse others
    replace
  };
  struct Files {
    std::vector<std::string> all;   ///< files that depend on the options, whether they exist or not
    std::vector<std::string> made;  ///< files that the command makes
  };
  /// \param[in] options  one option in each line
  /// Errors: InputError with the first line that differs if files of other options would stay beside those that the
  /// command makes; FileError. Nothing is changed
  OptionsFile(std::string path, std::string options, Files files, Use use);
  ~OptionsFile();
  OptionsFile(const OptionsFile&) = delete;
  OptionsFile& operator=(const OptionsFile&) = delete;

  /// Remove files of other options, and write these options. The directory is made if it does not exist.
  /// Errors: FileError; InputError if another command with other options is at work
  void claim();

 private:
  void expect_no_others() const;
  void refuse(const std::string& problem, const std::string& why, const std::string& remedy) const;
  std::string written() const;
  void write() const;

  std::string path_;
  std::string options_;
  Files files_;
  Use use_;
  int file_ = -1;  ///< descriptor with a shared lock; -1: there is no such file yet
};

/// Whether a file exists and is no older than the file that it was made from.
bool is_up_to_date(const std::string& file, const std::string& made_from);

}  // namespace freshet
