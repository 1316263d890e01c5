// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/unpacked_file.hpp"

#include "freshet/geometry/input_files.hpp"

#include <zlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <streambuf>
#include <utility>

namespace freshet {
namespace {

constexpr std::int64_t largest_ratio = 1040;  ///< bound of unpacked over packed bytes; that of deflate is 1032

/// Stream buffer over the unpacked bytes of a gzip file; it holds one piece of them.
class GzipBuffer : public std::streambuf {
 public:
  explicit GzipBuffer(std::ifstream file) : file_(std::move(file)) {
    if (inflateInit2(&inflater_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~GzipBuffer() override { inflateEnd(&inflater_); }
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;

 protected:
  int_type underflow() override {
    while (gptr() == egptr() && !ended_) unpack();
    return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }
  pos_type seekoff(off_type by, std::ios_base::seekdir from, std::ios_base::openmode) override {
    if (from == std::ios_base::end) return pos_type(off_type(-1));
    return go_to(from == std::ios_base::cur ? here() + by : by);
  }
  pos_type seekpos(pos_type to, std::ios_base::openmode) override { return go_to(off_type(to)); }

 private:
  static constexpr int window_bits = 15 + 16;  ///< a window of any size, and gzip's header

  off_type here() const { return end_ - (egptr() - gptr()); }

  pos_type go_to(off_type to) {
    if (to < end_ - (egptr() - eback())) {  // before the piece in memory
      file_.clear();
      file_.seekg(0);
      inflateReset(&inflater_);
      inflater_.avail_in = 0;
      end_ = 0;
      ended_ = false;
      setg(unpacked_.data(), unpacked_.data(), unpacked_.data());
    }
    while (to > end_ && !ended_) {
      setg(eback(), egptr(), egptr());
      unpack();
    }
    if (to < 0 || to > end_) return pos_type(off_type(-1));
    setg(eback(), egptr() - (end_ - to), egptr());
    return pos_type(to);
  }

  /// Unpack the next piece, which may be empty. Errors: std::ios_base::failure, which a stream turns into bad()
  void unpack() {
    if (inflater_.avail_in == 0) {
      file_.read(reinterpret_cast<char*>(packed_.data()), static_cast<std::streamsize>(packed_.size()));
      inflater_.next_in = packed_.data();
      inflater_.avail_in = static_cast<uInt>(file_.gcount());
      if (inflater_.avail_in == 0) throw std::ios_base::failure("the compressed file ends too early");
    }
    inflater_.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
    inflater_.avail_out = static_cast<uInt>(unpacked_.size());
    const int result = inflate(&inflater_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END) throw std::ios_base::failure("the compressed file is damaged");
    const auto n = static_cast<std::ptrdiff_t>(unpacked_.size() - inflater_.avail_out);
    setg(unpacked_.data(), unpacked_.data(), unpacked_.data() + n);
    end_ += n;
    if (result != Z_STREAM_END) return;
    ended_ = inflater_.avail_in == 0 && file_.peek() == traits_type::eof();
    if (!ended_) inflateReset(&inflater_);  // another file of gzip may follow
  }

  std::ifstream file_;
  z_stream inflater_{};
  std::array<unsigned char, 1 << 16> packed_{};
  std::array<char, 1 << 18> unpacked_{};
  off_type end_ = 0;  ///< number of unpacked bytes up to the piece's end
  bool ended_ = false;
};

class GzipStream : public std::istream {
 public:
  explicit GzipStream(std::ifstream file) : std::istream(nullptr), buffer_(std::move(file)) { rdbuf(&buffer_); }

 private:
  GzipBuffer buffer_;
};

}  // namespace

UnpackedFile open_unpacked_file(const std::string& path, const std::string& what) {
  std::ifstream file = open_input_file(path, what);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  std::array<char, 2> magic{};
  file.read(magic.data(), magic.size());
  const bool is_packed = file.gcount() == 2 && magic[0] == '\x1f' && magic[1] == '\x8b';
  file.clear();
  file.seekg(0);
  if (is_packed) return {std::make_unique<GzipStream>(std::move(file)), largest_ratio * size};
  return {std::make_unique<std::ifstream>(std::move(file)), size};
}

std::string ending_of_unpacked(const std::string& path) {
  const std::filesystem::path name(path);
  return (name.extension() == ".gz" ? name.stem() : name).extension().string();
}

}  // namespace freshet
