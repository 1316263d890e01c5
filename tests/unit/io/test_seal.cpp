// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "io/seal.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace freshet {
namespace {

using test::Folder;
using test::world;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Bytes without a pattern that a damaged file could repeat.
std::string content(std::size_t n) {
  std::string bytes(n, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24U);
  }
  return bytes;
}

std::string sealed(const Folder& folder, const std::string& bytes) {
  folder.write("file", bytes);
  seal_file(world(), folder.path("file"), Durability::cached);
  return bytes_of(folder.path("file"));
}

TEST(Seal, stands_behind_the_bytes_which_stay_as_they_are) {
  const Folder folder("seal");
  for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, std::size_t{(1 << 20) + 7}}) {
    const std::string bytes = content(n);
    const std::string whole = sealed(folder, bytes);
    ASSERT_EQ(whole.size(), n + seal_bytes);
    EXPECT_EQ(whole.substr(0, n), bytes);
    const std::optional<Seal> seal = read_seal(folder.path("file"));
    ASSERT_TRUE(seal.has_value());
    EXPECT_EQ(seal->content_bytes, static_cast<std::int64_t>(n));
    EXPECT_EQ(find_damage(folder.path("file")), "");
    EXPECT_EQ(find_damage(world(), folder.path("file")), "");
  }
}

/// Parts in any order, whole pieces among them, some of the file in none.
TEST(Seal, of_parts_that_were_written_is_that_of_the_file) {
  const Folder folder("seal");
  const std::string bytes = content((5U << 20) + 1234);
  sealed(folder, bytes);
  const std::optional<Seal> whole = read_seal(folder.path("file"));
  const auto seal_of = [&](const std::vector<std::pair<std::size_t, std::size_t>>& stretches, std::size_t wrong) {
    folder.write("file", bytes);
    SealParts parts;
    std::string other = bytes;
    other[wrong] ^= 1;
    for (const auto& [begin, end] : stretches)
      parts.add(static_cast<std::int64_t>(begin),
                std::span(reinterpret_cast<const std::byte*>(other.data()), bytes.size()).subspan(begin, end - begin));
    seal_file(world(), folder.path("file"), Durability::flushed, std::move(parts));
    return read_seal(folder.path("file"));
  };
  constexpr std::size_t piece = 1U << 20;
  const std::size_t end = bytes.size();
  EXPECT_EQ(seal_of({{0, end - 1}}, end - 1), whole);
  EXPECT_EQ(seal_of({{7, 100}}, 3), whole);
  EXPECT_EQ(seal_of({{2 * piece + 5, end}, {100, 2 * piece + 5}}, 50), whole);
  EXPECT_EQ(seal_of({{piece, 2 * piece}, {3 * piece - 1, 3 * piece + 1}, {4 * piece, end}}, 0), whole);
  EXPECT_NE(seal_of({{piece, 2 * piece}}, piece + 9), whole);
  EXPECT_NE(find_damage(folder.path("file")), "") << "the file does not hold what was meant to be written";
}

TEST(Seal, finds_any_changed_bit) {
  const Folder folder("seal");
  const std::string whole = sealed(folder, content(40));
  const auto line_end = static_cast<std::size_t>(whole.find('\n', 40));
  for (std::size_t place = 0; place <= line_end; ++place) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
    folder.write("file", damaged);
    EXPECT_NE(find_damage(folder.path("file")), "") << "byte " << place;
  }
}

TEST(Seal, finds_pieces_that_changed_places) {
  constexpr std::size_t piece = 1 << 20;
  const Folder folder("seal");
  const std::string whole = sealed(folder, content(2 * piece));
  folder.write("file", whole.substr(piece, piece) + whole.substr(0, piece) + whole.substr(2 * piece));
  EXPECT_NE(find_damage(folder.path("file")).find("is damaged"), std::string::npos);
}

TEST(Seal, is_lost_when_a_file_is_cut_or_grows) {
  const Folder folder("seal");
  const std::string whole = sealed(folder, content(2000));
  for (const std::string& other : {whole.substr(0, whole.size() - 1), whole.substr(1), whole.substr(0, 2000),
                                   whole + "x", std::string(), std::string(seal_bytes, '\0')}) {
    folder.write("file", other);
    EXPECT_FALSE(read_seal(folder.path("file")).has_value() && find_damage(folder.path("file")).empty());
    EXPECT_NE(find_damage(folder.path("file")), "") << other.size() << " bytes";
  }
}

TEST(Seal, of_a_file_that_cannot_be_read_is_a_file_error) {
  EXPECT_THROW(read_seal("/nowhere/file"), FileError);
  EXPECT_THROW(seal_file(world(), "/nowhere/file", Durability::cached), FileError);
  EXPECT_NE(find_damage("/nowhere/file").find("/nowhere/file"), std::string::npos);
}

}  // namespace
}  // namespace freshet
