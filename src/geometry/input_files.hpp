// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace freshet {

/// Where a file that a case names lies: relative paths count from the directory of the case file.
std::string input_path(const std::string& case_file, const std::string& file);

/// All bytes of a file.
/// \param[in] what  it is, for messages: "mesh"
/// Errors: InputError if it is no plain file, or cannot be read
std::string read_input_file(const std::string& path, const std::string& what);

/// 16 hex digits that change with the bytes.
std::string hash_of_bytes(const std::string& bytes);

/// The same of a file, of which no more than a piece is held at a time. Errors: as read_input_file()
std::string hash_of_file(const std::string& path, const std::string& what);

/// \param[in] found, expected  hashes; none expected: nothing to check
/// \param[in] key              that says what is expected
/// Errors: InputError if they differ
void check_hash(const std::string& found, const std::string& expected, const std::string& path, const std::string& what,
                const std::string& key);

}  // namespace freshet
