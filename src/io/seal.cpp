// SPDX-License-Identifier: Apache-2.0
#include "seal.hpp"

#include "freshet/core/error.hpp"
#include "freshet/core/text.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/parallel/sparse_exchange.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#if FRESHET_LIBDEFLATE
#include <libdeflate.h>
#endif

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

/// A file descriptor that its owner closes.
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

/// Read n bytes at `offset`. \return number of bytes, less than n at the end of the file; -1: it cannot be read
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

/// CRC-32 as zlib defines it; libdeflate computes it with vector instructions.
std::uint64_t crc_of(const unsigned char* bytes, std::int64_t n) {
#if FRESHET_LIBDEFLATE
  return libdeflate_crc32(0, bytes, static_cast<std::size_t>(n));
#else
  return crc32_z(0, bytes, static_cast<std::size_t>(n));
#endif
}

/// Make every bit depend on all others (the finaliser of MurmurHash3).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

/// The part of a piece of n bytes in the sum of a file.
std::uint64_t sum_of_piece(std::int64_t piece, std::int64_t n, std::uint64_t crc) {
  return mix(mix(static_cast<std::uint64_t>(piece) ^ (static_cast<std::uint64_t>(n) << 40)) ^ crc);
}

/// Sum over a rank's share of the pieces in a file's first `bytes_in_all` bytes. Errors: FileError
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
      sum += sum_of_piece(piece, n, crc_of(bytes.data(), n));
    }
  }
  if (failed) throw FileError(fmt::format("cannot read {}.", path));
  return sum;
}

std::string text_of(const Seal& seal) {
  return fmt::format("{}{}{}{:016x}\n", seal_start, seal.content_bytes, sum_start, seal.sum);
}

/// Describe the damage of a file; empty text if it has none. \param[in] rank, size  the part of the work done here
/// \param[in] together    calls a function; throws if the function throws on any rank
/// \param[in] total       sums a number over all ranks
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

void SealParts::add(std::int64_t place, std::span<const std::byte> bytes) {
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::int64_t end = place + static_cast<std::int64_t>(bytes.size());
  const std::size_t first = parts_.size();
  for (std::int64_t begin = place; begin < end;) {
    const std::int64_t next = std::min(end, (begin / piece_bytes + 1) * piece_bytes);
    parts_.push_back({begin, next, 0, 0});
    begin = next;
  }
#pragma omp parallel for schedule(static)
  for (std::size_t p = first; p < parts_.size(); ++p)
    parts_[p].crc = crc_of(from + (parts_[p].begin - place), parts_[p].end - parts_[p].begin);
}

/// Join the parts of each piece. Complete pieces lose their sums. \return the total of the complete pieces' sums
std::uint64_t SealParts::take_whole_pieces(std::int64_t content_bytes) {
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
  std::vector<Part> joined;
  for (const Part& part : parts_) {
    const bool follows = !joined.empty() && joined.back().end == part.begin && part.begin % piece_bytes != 0;
    if (follows) {
      joined.back().crc = crc32_combine(joined.back().crc, part.crc, part.end - part.begin);
      joined.back().end = part.end;
    } else {
      joined.push_back(part);
    }
  }
  std::uint64_t sum = 0;
  parts_.clear();
  for (Part& part : joined) {
    const std::int64_t piece_end = std::min((part.begin / piece_bytes + 1) * piece_bytes, content_bytes);
    part.is_whole = part.begin % piece_bytes == 0 && part.end == piece_end ? 1 : 0;
    if (part.is_whole != 0) sum += sum_of_piece(part.begin / piece_bytes, part.end - part.begin, part.crc);
    const bool follows =
        part.is_whole != 0 && !parts_.empty() && parts_.back().is_whole != 0 && parts_.back().end == part.begin;
    if (follows) {
      parts_.back().end = part.end;
    } else {
      parts_.push_back(part);
    }
  }
  return sum;
}

/// Sum over the pieces that no rank has complete: from the ranks' parts, and between these from the file.
std::uint64_t SealParts::sum_of_rest(const std::string& path, std::int64_t content_bytes, std::vector<Part>& parts) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
  const Descriptor file(path, O_RDONLY);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(piece_bytes));
  std::uint64_t sum = 0;
  auto part = parts.begin();
  for (std::int64_t begin = 0; begin < content_bytes;) {
    if (part != parts.end() && part->is_whole != 0 && part->begin == begin) {
      begin = part->end;
      ++part;
      continue;
    }
    const std::int64_t end = std::min(begin + piece_bytes, content_bytes);
    std::uint64_t crc = 0;
    for (std::int64_t at = begin; at < end;) {
      const bool is_here = part != parts.end() && part->begin == at;
      const std::int64_t next = is_here ? part->end : part != parts.end() ? std::min(end, part->begin) : end;
      if (next <= at || next > end) throw FileError(fmt::format("parts of {} were written twice.", path));
      if (!is_here && read_at(file.number(), at, next - at, bytes.data()) != next - at)
        throw FileError(fmt::format("cannot read {}.", path));
      const std::uint64_t here = is_here ? part->crc : crc_of(bytes.data(), next - at);
      crc = crc32_combine(crc, here, next - at);
      if (is_here) ++part;
      at = next;
    }
    sum += sum_of_piece(begin / piece_bytes, end - begin, crc);
    begin = end;
  }
  return sum;
}

void seal_file(const Communicator& comm, const std::string& path, Durability durability, SealParts parts) {
  Seal seal;
  agree(comm, [&] {
    if (!comm.is_root() && parts.is_empty()) return;
    const Descriptor file(path, O_RDONLY);
    if (durability == Durability::flushed && ::fsync(file.number()) != 0)
      throw FileError(fmt::format("cannot write {} to the disk ({}).", path, std::strerror(errno)));
    if (comm.is_root()) seal.content_bytes = size_of(file, path);
  });
  seal.content_bytes = comm.sum(seal.content_bytes);
  seal.sum = parts.take_whole_pieces(seal.content_bytes);
  Message message{0, std::vector<std::byte>(parts.parts_.size() * sizeof(SealParts::Part))};
  if (!message.bytes.empty()) std::memcpy(message.bytes.data(), parts.parts_.data(), message.bytes.size());
  std::vector<SealParts::Part> all;
  for (const Message& from : exchange(comm, {message})) {
    const std::size_t before = all.size();
    all.resize(before + from.bytes.size() / sizeof(SealParts::Part));
    std::memcpy(static_cast<void*>(all.data() + before), from.bytes.data(), from.bytes.size());
  }
  agree_on_root(comm, [&] { seal.sum += SealParts::sum_of_rest(path, seal.content_bytes, all); });
  seal.sum = static_cast<std::uint64_t>(comm.sum(static_cast<GlobalIndex>(seal.sum)));
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
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);  // O_NONBLOCK: a pipe must not block
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
  Seal seal;  // the text of a seal is compared with the line below
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
