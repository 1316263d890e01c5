// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/core/text.hpp"
#include "freshet/keys/declare.hpp"
#include "freshet/parallel/communicator.hpp"

#include <fstream>
#include <new>
#include <string>
#include <string_view>

namespace freshet {

/// The path of a file that a case names. A relative path starts from the directory of the case file.
std::string input_path(const std::string& case_file, const std::string& file);

/// The end of a message on a file that cannot be read: what the user can do.
inline const std::string relative_path_remedy = "Give a path that starts from the directory of the case file";

/// Open a file for reading. Pipes and devices, which may never end, are refused before they are opened.
/// \param[in] what  kind of the file, for messages: "mesh"
/// Errors: InputError if the file is not a regular file, or cannot be read
std::ifstream open_input_file(const std::string& path, const std::string& what,
                              const std::string& remedy = relative_path_remedy);

/// All bytes of a file. Errors: as open_input_file(), and for more than most_bytes
std::string read_input_file(const std::string& path, const std::string& what,
                            std::size_t most_bytes = std::size_t{1} << 36,
                            const std::string& remedy = relative_path_remedy);

/// A hash of the bytes: 16 hex digits.
std::string hash_of_bytes(const std::string& bytes);

/// hash_of_bytes() of a file, which is read piece by piece. Errors: as open_input_file()
std::string hash_of_file(const std::string& path, const std::string& what);

/// Compare the hash of a file with the one that the case gives.
/// \param[in] expected  hash in the case; empty: nothing is compared
/// \param[in] key       key of the case that gives the hash
/// Errors: InputError if they differ
void check_hash(const std::string& found, const std::string& expected, const std::string& path, const std::string& what,
                const std::string& key);

/// Call f on rank 0. If f throws an InputError, all ranks throw it as "<where>: <message>"; if memory runs out, all
/// ranks throw an Error of ExitCode::memory. Collective
template <class Function>
void on_root(const Communicator& comm, const std::string& where, Function&& f) {
  std::string problem;
  bool out_of_memory = false;
  if (comm.is_root()) {
    try {
      f();
    } catch (const InputError& error) {
      problem = (where.empty() ? "" : where + ": ") + error.what();
    } catch (const std::bad_alloc&) {
      problem = where + ": no memory for the file. Simplify it, or use a larger machine";
      out_of_memory = true;
    }
  }
  problem = comm.broadcast(problem);
  if (comm.any(out_of_memory)) throw Error(ExitCode::memory, problem);
  if (!problem.empty()) throw InputError(problem);
}

/// Check the text of a key that gives a hash. Errors: InputError if it is neither a hash nor empty
void check_hash(const std::string& hash, const keys::Table& table, const char* key);

}  // namespace freshet
