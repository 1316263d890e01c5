// SPDX-License-Identifier: Apache-2.0
#include "input_files.hpp"

#include "freshet/core/error.hpp"
#include "freshet/core/hash.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace freshet {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_file(const std::string& path, const std::string& what, const std::string& why) {
  throw InputError("cannot read the " + what + " '" + path + "' (" + why +
                   "). Give a path that starts from the directory of the case file");
}

/// Errors: InputError if it is no plain file. \return its size
std::size_t expect_plain_file(const std::string& path, const std::string& what) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) refuse_file(path, what, "there is no such file");
  if (!fs::exists(status)) refuse_file(path, what, error.message());
  if (!fs::is_regular_file(status)) refuse_file(path, what, "it is no plain file");
  const auto size = fs::file_size(path, error);
  if (error) refuse_file(path, what, error.message());
  return static_cast<std::size_t>(size);
}

std::string digits_of(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::string input_path(const std::string& case_file, const std::string& file) {
  return (fs::path(case_file).parent_path() / file).string();
}

std::string read_input_file(const std::string& path, const std::string& what) {
  const std::size_t size = expect_plain_file(path, what);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(stream ? size : 0, '\0');
  if (!stream || !stream.read(bytes.data(), static_cast<std::streamsize>(size)))
    refuse_file(path, what, errno != 0 ? std::strerror(errno) : "it ends early");
  return bytes;
}

std::string hash_of_bytes(const std::string& bytes) {
  return digits_of(fnv1a(bytes));
}

std::string hash_of_file(const std::string& path, const std::string& what) {
  expect_plain_file(path, what);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::uint64_t hash = fnv1a("");
  std::string piece(std::size_t{1} << 20, '\0');
  while (stream) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    hash = fnv1a(std::string_view(piece).substr(0, static_cast<std::size_t>(stream.gcount())), hash);
  }
  if (!stream.eof()) refuse_file(path, what, errno != 0 ? std::strerror(errno) : "it ends early");
  return digits_of(hash);
}

void check_hash(const std::string& found, const std::string& expected, const std::string& path, const std::string& what,
                const std::string& key) {
  if (expected.empty() || found == expected) return;
  throw InputError(
      fmt::format("the {} '{}' is another one than {} says (its hash is {}, not {}). Give the file as it was, or leave "
                  "out {}",
                  what, path, key, found, expected, key));
}

}  // namespace freshet
