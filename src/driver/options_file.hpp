// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace freshet {

/// Keeps files of different options out of one directory. A command that goes on with what is missing may keep a file
/// only if it was made with the same options, which a file beside them holds as lines of TOML.
///
/// While the object lives, it holds a lock of that file: commands of the same options may make files of a directory at
/// once, those of different options may not. For one rank.
class OptionsFile {
 public:
  enum class Use {
    go_on,  ///< keep files of the same options, refuse others
    replace
  };
  struct Files {
    std::vector<std::string> all;   ///< that the options have a part in, whether they exist or not
    std::vector<std::string> made;  ///< those that the command makes
  };
  /// \param[in] options  one a line
  /// Errors: InputError with the first line that differs if files of other options would stay beside those that the
  /// command makes; FileError. Nothing is changed
  OptionsFile(std::string path, std::string options, Files files, Use use);
  ~OptionsFile();
  OptionsFile(const OptionsFile&) = delete;
  OptionsFile& operator=(const OptionsFile&) = delete;

  /// Remove files of other options, and write down these. The directory is made if it is not there.
  /// Errors: FileError; InputError if another command makes files of other options now
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
  int file_ = -1;  ///< descriptor, with a lock that others share; -1: there is no such file yet
};

/// Whether a file is there and no older than the file that it was made from.
bool is_up_to_date(const std::string& file, const std::string& made_from);

}  // namespace freshet
