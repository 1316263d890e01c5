// SPDX-License-Identifier: Apache-2.0
#include "seal.hpp"

#include "freshet/core/error.hpp"
#include "freshet/core/text.hpp"
#include "freshet/parallel/agree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace freshet {
namespace {

constexpr std::int64_t piece_bytes = 1 << 20;
constexpr std::string_view seal_start = "freshet seal 1 bytes=";
constexpr std::string_view sum_start = " sum=";

/// A file descriptor, closed with its owner.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : file_(::open(path.c_str(), flags)) {
    if (file_ < 0) throw FileError(fmt::format("cannot open {} ({}).", path, std::strerror(errno)));
  }
  ~Descriptor() { ::close(file_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return file_; }

 private:
  int file_;
};

std::int64_t size_of(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw FileError(fmt::format("cannot read {}.", path));
  if (S_ISDIR(status.st_mode)) throw FileError(fmt::format("{}: it is a directory.", path));
  return static_cast<std::int64_t>(status.st_size);
}

/// Bytes read at `offset`: fewer than asked for at the end of the file, -1 if it cannot be read.
std::int64_t read_at(int file, std::int64_t offset, std::int64_t n, unsigned char* bytes) {
  std::int64_t done = 0;
  while (done < n) {
    const ssize_t got = ::pread(file, bytes + done, static_cast<std::size_t>(n - done), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += got;
  }
  return done;
}

/// Make every bit depend on all others (the finaliser of MurmurHash3).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

/// Sum over a rank's share of the pieces in a file's first `bytes_in_all`. Errors: FileError
std::uint64_t sum_of_share(const Descriptor& file, const std::string& path, std::int64_t bytes_in_all, int rank,
                           int size) {
  const std::int64_t n_pieces = (bytes_in_all + piece_bytes - 1) / piece_bytes;
  std::uint64_t sum = 0;
  bool failed = false;
#pragma omp parallel reduction(+ : sum) reduction(|| : failed)
  {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(std::min(piece_bytes, bytes_in_all)));
#pragma omp for schedule(dynamic)
    for (std::int64_t piece = n_pieces * rank / size; piece < n_pieces * (rank + 1) / size; ++piece) {
      const std::int64_t offset = piece * piece_bytes;
      const std::int64_t n = std::min(piece_bytes, bytes_in_all - offset);
      if (read_at(file.number(), offset, n, bytes.data()) != n) {
        failed = true;
        continue;
      }
      const auto crc = static_cast<std::uint64_t>(crc32_z(0, bytes.data(), static_cast<std::size_t>(n)));
      sum += mix(mix(static_cast<std::uint64_t>(piece) ^ (static_cast<std::uint64_t>(n) << 40)) ^ crc);
    }
  }
  if (failed) throw FileError(fmt::format("cannot read {}.", path));
  return sum;
}

std::string text_of(const Seal& seal) {
  return fmt::format("{}{}{}{:016x}\n", seal_start, seal.content_bytes, sum_start, seal.sum);
}

/// \param[in] rank, size  the part of the work that is done here, and the number of parts
/// \param[in] together    calls a function; throws if the function throws on any rank
/// \param[in] total       sums up over all ranks
template <class Together, class Total>
std::string damage_in(const std::string& path, int rank, int size, Together&& together, Total&& total) {
  Seal written;
  std::uint64_t sum = 0;
  try {
    together([&] {
      const std::optional<Seal> seal = read_seal(path);
      if (!seal)
        throw FileError(path +
                        " does not end with a seal of freshet (it was never finished, was cut short, or was not "
                        "written by freshet)");
      written = *seal;
      sum = sum_of_share(Descriptor(path, O_RDONLY), path, written.content_bytes, rank, size);
    });
    sum = total(sum);
    together([&] {
      if (sum != written.sum) throw FileError(path + " is damaged (its bytes are not those that were written)");
    });
  } catch (const FileError& error) {
    const std::string problem = error.what();
    return problem.ends_with('.') ? problem.substr(0, problem.size() - 1) : problem;
  }
  return "";
}

}  // namespace

void seal_file(const Communicator& comm, const std::string& path, Durability durability) {
  Seal seal;
  std::uint64_t sum = 0;
  agree(comm, [&] {
    const Descriptor file(path, O_RDONLY);
    if (durability == Durability::flushed && ::fsync(file.number()) != 0)
      throw FileError(fmt::format("cannot write {} to the disk ({}).", path, std::strerror(errno)));
    seal.content_bytes = size_of(file, path);
    sum = sum_of_share(file, path, seal.content_bytes, comm.rank(), comm.size());
  });
  seal.sum = static_cast<std::uint64_t>(comm.sum(static_cast<GlobalIndex>(sum)));
  agree_on_root(comm, [&] {
    const Descriptor file(path, O_WRONLY);
    std::string text = text_of(seal);
    text.resize(seal_bytes, '\0');
    const bool written = ::pwrite(file.number(), text.data(), text.size(), seal.content_bytes) == seal_bytes;
    if (!written || (durability == Durability::flushed && ::fsync(file.number()) != 0))
      throw FileError(fmt::format("cannot write {} ({}).", path, std::strerror(errno)));
  });
}

std::optional<Seal> read_seal(const std::string& path) {
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);  // a pipe is not waited for
  const std::int64_t content_bytes = size_of(file, path) - seal_bytes;
  if (content_bytes < 0) return std::nullopt;
  std::array<unsigned char, seal_bytes> bytes{};
  const std::int64_t n = read_at(file.number(), content_bytes, seal_bytes, bytes.data());
  if (n != seal_bytes) throw FileError(fmt::format("cannot read {}.", path));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(seal_start)) return std::nullopt;
  if (text.find_first_not_of('\0', end + 1) != std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(seal_start.size(), end - seal_start.size());
  const std::size_t middle = line.find(sum_start);
  if (middle == std::string_view::npos) return std::nullopt;
  Seal seal;  // compared with its text below
  seal.content_bytes = number_in<std::int64_t>(line.substr(0, middle)).value_or(-1);
  seal.sum = std::strtoull(std::string(line.substr(middle + sum_start.size())).c_str(), nullptr, 16);
  const bool is_exact = text_of(seal) == text.substr(0, end + 1) && seal.content_bytes == content_bytes;
  return is_exact ? std::optional(seal) : std::nullopt;
}

std::string find_damage(const Communicator& comm, const std::string& path) {
  return damage_in(
      path, comm.rank(), comm.size(), [&](auto&& f) { agree(comm, f); },
      [&](std::uint64_t sum) { return static_cast<std::uint64_t>(comm.sum(static_cast<GlobalIndex>(sum))); });
}

std::string find_damage(const std::string& path) {
  return damage_in(
      path, 0, 1, [](auto&& f) { f(); }, [](std::uint64_t sum) { return sum; });
}

}  // namespace freshet
