// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/free_bodies.hpp"
#include "freshet/config/parameters.hpp"
#include "freshet/io/text_files.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace freshet {

/// The tables joints/NAME.csv and moorings/NAME.csv, a row each step. For one rank.
class LinkTables {
 public:
  LinkTables() = default;
  /// \param[in] directory    output directory of the run
  /// \param[in] go_on_after  step up to which the rows of an earlier run stay; nothing: none
  /// Errors: FileError
  LinkTables(const std::filesystem::path& directory, const Parameters& parameters,
             std::optional<std::int64_t> go_on_after, const CsvWriter::Warn& warn,
             std::chrono::steady_clock::duration longest_wait);

  /// Write the rows of a step. Errors: FileError
  void write(std::int64_t step, double time, const FreeBodies& bodies);
  void flush();
  /// Remove the tables of an earlier run.
  static void remove(const std::filesystem::path& directory);

 private:
  double thickness_ = 1.0;  ///< thickness of the slab in 2-D, by which forces are divided [m]; 1 in 3-D
  std::vector<std::unique_ptr<CsvWriter>> joints_;
  std::vector<std::unique_ptr<CsvWriter>> moorings_;
};

}  // namespace freshet
