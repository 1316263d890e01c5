// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/input_files.hpp"

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

std::string digits_of(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace

std::string input_path(const std::string& case_file, const std::string& file) {
  return (fs::path(case_file).parent_path() / file).string();
}

std::string printable(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text(word.substr(0, longest));
  for (char& c : text)
    if (c < 0x20 || c > 0x7e) c = '?';
  return word.size() > longest ? text + "..." : text;
}

std::ifstream open_input_file(const std::string& path, const std::string& what) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) refuse_file(path, what, "there is no such file");
  if (!fs::exists(status)) refuse_file(path, what, error.message());
  if (!fs::is_regular_file(status)) refuse_file(path, what, "it is no regular file");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse_file(path, what, std::strerror(errno));
  return stream;
}

std::string read_input_file(const std::string& path, const std::string& what, std::size_t most_bytes) {
  std::ifstream stream = open_input_file(path, what);
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) refuse_file(path, what, error.message());
  if (size > most_bytes) refuse_file(path, what, fmt::format("{} bytes are more than {}", size, most_bytes));
  std::string bytes(size, '\0');
  errno = 0;
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size)))
    refuse_file(path, what, errno != 0 ? std::strerror(errno) : "it ends early");
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
