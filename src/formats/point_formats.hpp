// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/formats/point_file.hpp"
#include "freshet/io/unpacked_file.hpp"

#include <limits>
#include <memory>
#include <string>
#include <string_view>

/// The writers and readers that the table of point_file.cpp names.
namespace freshet::formats {

void write_geo(const PointCloud& cloud, AtomicFile& file);
void write_bgeo(const PointCloud& cloud, AtomicFile& file);
void write_pda(const PointCloud& cloud, AtomicFile& file);
void write_pdb(const PointCloud& cloud, AtomicFile& file);
void write_ptc(const PointCloud& cloud, AtomicFile& file);
void write_point_ply(const PointCloud& cloud, AtomicFile& file);
void write_csv(const PointCloud& cloud, AtomicFile& file);
void write_point_vtp(const PointCloud& cloud, AtomicFile& file);

std::unique_ptr<PointReader> open_geo(const std::string& path);
std::unique_ptr<PointReader> open_bgeo(const std::string& path);
std::unique_ptr<PointReader> open_pda(const std::string& path);
std::unique_ptr<PointReader> open_pdb(const std::string& path);
std::unique_ptr<PointReader> open_ptc(const std::string& path);

/// Call make(first, last, bytes), which appends the bytes of points first ... last - 1, and write them piece by piece.
template <class Make>
void write_pieces(std::int64_t n, AtomicFile& file, Make&& make) {
  constexpr std::int64_t piece = 1 << 14;
  std::string bytes;
  for (std::int64_t first = 0; first < n; first += piece) {
    bytes.clear();
    make(first, std::min(first + piece, n), bytes);
    file.write(bytes);
  }
}

/// Split attributes of 2 or of more than 3 components in a copy: "affine" becomes "affine_0", "affine_1", ...
PointCloud with_narrow_attributes(const PointCloud& cloud);

/// Reads a binary file of points: numbers in sequence; errors name the place in the file.
class PointInput {
 public:
  /// Errors: InputError
  explicit PointInput(const std::string& path);
  /// Read n bytes. Errors: InputError if the file ends before
  void bytes(void* target, std::size_t n);
  template <class T>
  T little() {
    T value{};
    bytes(&value, sizeof(T));
    return value;
  }
  template <class T>
  T big() {
    std::array<char, sizeof(T)> raw;
    bytes(raw.data(), raw.size());
    std::reverse(raw.begin(), raw.end());
    T value{};
    std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }
  std::string text_until(char end);  ///< text up to `end`, which is skipped
  void seek(std::int64_t at);
  std::int64_t at() { return static_cast<std::int64_t>(file_.stream->tellg()); }
  std::istream& stream() { return *file_.stream; }
  [[noreturn]] void refuse(const std::string& problem, const std::string& why) const;
  /// Throw InputError for a file that ends before `wanted`.
  [[noreturn]] void refuse_end(const std::string& wanted) const;
  /// Throw InputError if the rest of the file has too few bytes for n points.
  void expect_points(std::int64_t n, std::int64_t bytes_a_point) const;

 private:
  std::string path_;
  UnpackedFile file_;
};

/// Reads the words of a text file, split at blanks.
class PointWords {
 public:
  explicit PointWords(const std::string& path) : input_(path) {}
  /// Read the next word. Errors: InputError at the end of the file
  std::string next(const std::string& wanted);
  float real();
  std::int64_t integer(const std::string& what);
  PointInput& input() { return input_; }

 private:
  PointInput input_;
};

/// Resize positions and all attributes to n points.
void resize_points(PointCloud& cloud, std::int64_t n);

constexpr std::int64_t most_components = 64;
constexpr std::int64_t most_attributes = 1024;

}  // namespace freshet::formats
