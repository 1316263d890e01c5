// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/input_files.hpp"

#include "freshet/core/text.hpp"
#include "freshet/keys/key.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace freshet {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_file(const std::string& path, const std::string& what, const std::string& why,
                              const std::string& remedy) {
  throw InputError("cannot read the " + what + " '" + path + "' (" + why + "). " + remedy);
}

std::string digits_of(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::string input_path(const std::string& case_file, const std::string& file) {
  return (fs::path(case_file).parent_path() / file).string();
}

std::ifstream open_input_file(const std::string& path, const std::string& what, const std::string& remedy) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) refuse_file(path, what, "there is no such file", remedy);
  if (!fs::exists(status)) refuse_file(path, what, error.message(), remedy);
  if (fs::is_directory(status)) refuse_file(path, what, "it is a directory", remedy);
  if (!fs::is_regular_file(status)) refuse_file(path, what, "it is a pipe or a device, not a regular file", remedy);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse_file(path, what, std::strerror(errno), remedy);
  return stream;
}

std::string read_input_file(const std::string& path, const std::string& what, std::size_t most_bytes,
                            const std::string& remedy) {
  std::ifstream stream = open_input_file(path, what, remedy);
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) refuse_file(path, what, error.message(), remedy);
  if (size > most_bytes)
    refuse_file(path, what, fmt::format("it has {} bytes, more than {}", size, most_bytes), remedy);
  std::string bytes(size, '\0');
  errno = 0;
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size)))
    refuse_file(path, what, errno != 0 ? std::strerror(errno) : "it ends early", remedy);
  return bytes;
}

std::string hash_of_bytes(const std::string& bytes) {
  return digits_of(fnv1a(bytes));
}

std::string hash_of_file(const std::string& path, const std::string& what) {
  std::ifstream stream = open_input_file(path, what);
  errno = 0;
  std::uint64_t hash = fnv1a("");
  std::string piece(std::size_t{1} << 20, '\0');
  while (stream) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    hash = fnv1a(std::string_view(piece).substr(0, static_cast<std::size_t>(stream.gcount())), hash);
  }
  if (!stream.eof()) refuse_file(path, what, errno != 0 ? std::strerror(errno) : "it ends early", relative_path_remedy);
  return digits_of(hash);
}

void check_hash(const std::string& found, const std::string& expected, const std::string& path, const std::string& what,
                const std::string& key) {
  if (expected.empty() || found == expected) return;
  throw InputError(fmt::format(
      "the {} '{}' is not the file that {} names (its hash is {}, not {}). Give the file as it was, or leave "
      "out {}",
      what, path, key, found, expected, key));
}

void check_hash(const std::string& hash, const keys::Table& table, const char* key) {
  const bool is_hash = hash.size() == 16 && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
  table.require(hash.empty() || is_hash, key, "is not a hash", "it has 16 digits 0-9 and a-f",
                "Leave it out; `freshet check` prints it");
}

}  // namespace freshet
