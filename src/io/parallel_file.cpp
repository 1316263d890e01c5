// SPDX-License-Identifier: Apache-2.0
#include "parallel_file.hpp"

#include "freshet/core/contracts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <utility>

namespace freshet {
namespace {

constexpr hsize_t stripe = 1 << 20;             ///< alignment of large datasets [bytes]
constexpr hsize_t large_dataset = 16 * stripe;  ///< least size that is aligned [bytes]
constexpr off_t room_for_metadata = 1 << 20;    ///< space for metadata, far more than a snapshot needs [bytes]

/// Reserve space on the disk for the first `bytes` of a file, and create the file if needed. Where the file system
/// cannot reserve space, a full disk shows up later. Errors: FileError
void reserve(const std::string& path, off_t bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0666);
  if (file < 0) throw FileError(fmt::format("cannot create {} ({}).", path, std::strerror(errno)));
  int status = 0;
  do {
    status = ::fallocate(file, 0, 0, bytes);
  } while (status != 0 && errno == EINTR);
  const int error = status == 0 ? 0 : errno;
  ::close(file);
  if (error != 0 && error != EOPNOTSUPP && error != ENOSYS) {
    throw FileError(fmt::format("no room for the {} bytes of {} ({}).", bytes, path, std::strerror(error)));
  }
}

/// Create the file with everything but the contents of its datasets. For one rank.
void create_file(const std::string& path, std::int64_t n_bytes, const std::function<void(hid_t root)>& create) {
  std::remove(path.c_str());
  reserve(path, room_for_metadata + n_bytes + n_bytes / (large_dataset / stripe));
  const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make file properties");
  h5::check(H5Pset_alignment(access.id(), large_dataset, stripe), "set the alignment");
  h5::Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose, "create " + path);
  create(file.id());
  h5::check(file.reset(), "write " + path);
  reserve(path, static_cast<off_t>(std::filesystem::file_size(path)));
}

/// Check that this rank can write to the file that rank 0 made. Errors: FileError with the reason, which neither MPI
/// nor HDF5 gives
void expect_writable(const std::string& path, int rank) {
  const int file = ::open(path.c_str(), O_RDWR);
  if (file < 0) throw FileError(fmt::format("cannot open {} on rank {} ({}).", path, rank, std::strerror(errno)));
  ::close(file);
}

/// \param[in] comm  all ranks that open the file
h5::Handle open_file(MPI_Comm comm, const std::string& path, unsigned flags) {
  const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make file properties");
  h5::check(H5Pset_fapl_mpio(access.id(), comm, MPI_INFO_NULL), "set up MPI access");
  h5::check(H5Pset_all_coll_metadata_ops(access.id(), true), "set up collective metadata");
  return {H5Fopen(path.c_str(), flags, access.id()), H5Fclose, "open " + path};
}

/// Flush a directory to the disk, so that a new name in it survives a crash. Does nothing where this is impossible.
void flush_directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

/// A range of rows of a dataset [z][y][x]: begin <= y + ny z < end.
struct RowRange {
  hsize_t begin = 0;
  hsize_t end = 0;
};

/// Add the box [z0, z1) x [y0, y1) x all x to a selection.
void select_box(hid_t space, std::span<const hsize_t> extents, RowRange z, RowRange y) {
  if (z.begin >= z.end || y.begin >= y.end) return;
  const std::array<hsize_t, 3> start{z.begin, y.begin, 0};
  const std::array<hsize_t, 3> count{z.end - z.begin, y.end - y.begin, extents[2]};
  h5::check(H5Sselect_hyperslab(space, H5S_SELECT_OR, start.data(), nullptr, count.data(), nullptr), "select rows");
}

/// Write complete rows of a dataset [y][x].
void write_rows_of_plane(hid_t dataset, hid_t type, hsize_t width, RowRange rows, const void* values) {
  const std::array<hsize_t, 2> start{rows.begin, 0}, count{rows.end - rows.begin, width};
  const h5::Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose, "describe memory");
  const h5::Handle file(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  h5::check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
            "select rows");
  h5::check(H5Dwrite(dataset, type, memory.id(), file.id(), H5P_DEFAULT, values), "write data");
}

/// Write complete rows of a dataset [z][y][x] or [y][x].
void write_rows(hid_t dataset, hid_t type, std::span<const hsize_t> extents, RowRange rows, const void* values) {
  if (rows.begin >= rows.end) return;
  if (extents.size() == 2) return write_rows_of_plane(dataset, type, extents[1], rows, values);
  const hsize_t ny = extents[1];
  const hsize_t first = rows.begin / ny;
  const hsize_t last = (rows.end - 1) / ny;
  const hsize_t y_begin = rows.begin - first * ny;
  const hsize_t y_end = rows.end - last * ny;
  const hsize_t count = (rows.end - rows.begin) * extents[2];
  const h5::Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "describe memory");
  const h5::Handle file(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  h5::check(H5Sselect_none(file.id()), "select nothing");
  if (first == last) {
    select_box(file.id(), extents, {first, first + 1}, {y_begin, y_end});
  } else {
    select_box(file.id(), extents, {first, first + 1}, {y_begin, ny});
    select_box(file.id(), extents, {first + 1, last}, {0, ny});
    select_box(file.id(), extents, {last, last + 1}, {0, y_end});
  }
  h5::check(H5Dwrite(dataset, type, memory.id(), file.id(), H5P_DEFAULT, values), "write data");
}

/// Whether all declared elements of a dataset are stored uncompressed in its own file.
bool is_stored_whole(hid_t dataset) {
  const h5::Handle properties(H5Dget_create_plist(dataset), H5Pclose, "read how a dataset is stored");
  if (H5Pget_layout(properties.id()) != H5D_CONTIGUOUS || H5Pget_external_count(properties.id()) != 0) return false;
  return h5::n_elements(dataset) <= H5Dget_storage_size(dataset) / H5Tget_size(h5::element_type(dataset).id());
}

}  // namespace

ParallelFile::ParallelFile(const Communicator& comm, const std::string& path, std::int64_t n_bytes,
                           const std::function<void(hid_t root)>& create, int ranks_per_writer)
    : comm_(comm),
      ranks_per_writer_(ranks_per_writer > 0 ? ranks_per_writer : std::clamp(comm.size() / 4, 1, 16)),
      path_(path),
      temporary_(path + ".tmp") {
  h5::silence_errors();
  try {
    agree_on_root(comm, [&] { create_file(temporary_, n_bytes, create); });
    agree(comm, [&] {
      if (!is_writer()) return;
      try {
        file_ = open_file(MPI_COMM_SELF, temporary_, H5F_ACC_RDWR);
      } catch (const FileError&) {
        expect_writable(temporary_, comm.rank());
        throw;
      }
    });
  } catch (const Error&) {
    if (comm.is_root()) std::remove(temporary_.c_str());
    throw;
  }
}

ParallelFile::~ParallelFile() {
  file_.reset();
  if (!temporary_.empty() && comm_.is_root()) std::remove(temporary_.c_str());
}

void ParallelFile::throw_named(const FileError& error) const {
  const std::string problem = error.what();
  throw FileError(problem.find(path_) == std::string::npos ? path_ + ": " + problem : problem);
}

ParallelFile::Dataset ParallelFile::open_dataset(const std::string& path, hid_t type) const {
  Dataset dataset;
  dataset.type = type;
  together([&] {
    if (!is_writer()) return;
    dataset.handle =
        h5::Handle(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose, "open the dataset '" + path + "'");
    dataset.extents = h5::shape_of(dataset.handle.id());
    dataset.place = static_cast<std::int64_t>(H5Dget_offset(dataset.handle.id()));
    FRESHET_EXPECT(H5Tequal(h5::element_type(dataset.handle.id()).id(), type) > 0);  // otherwise the seal would not fit
  });
  return dataset;
}

void ParallelFile::write(const Dataset& dataset, hsize_t offset, hsize_t count, const Elements& elements) {
  together([&] {
    if (is_writer()) {
      write_for_group(dataset, offset, count, elements);
    } else {
      send(dataset, offset, count, elements);
    }
  });
}

void ParallelFile::write(const std::string& path, hid_t type, hsize_t offset, hsize_t count, const void* values) {
  const Dataset dataset = open_dataset(path, type);
  const auto* bytes = static_cast<const std::byte*>(values);
  const std::size_t size = H5Tget_size(type);
  write(dataset, offset, count,
        [&](hsize_t first, hsize_t n, std::byte* to) { std::memcpy(to, bytes + first * size, n * size); });
}

namespace {

constexpr int transfer_tag = 0;  // the only messages while a file is written

/// Buffers elements of a dataset. It writes them when the buffer is full or when other elements do not follow them.
class Transfer {
 public:
  /// \param[in] total      number of all elements that will come
  /// \param[in,out] bytes  memory of the buffer; kept, so that the next transfer needs no new pages.
  /// Errors: std::bad_alloc
  Transfer(const ParallelFile::Dataset& dataset, hsize_t total, SealParts& parts, std::vector<std::byte>& bytes)
      : dataset_(dataset),
        parts_(parts),
        bytes_(bytes),
        size_(H5Tget_size(dataset.type)),
        row_(dataset.extents.size() > 1 ? dataset.extents.back() : 1) {
    constexpr hsize_t transfer_bytes = 16 << 20;  // MPI counts in int
    capacity_ = std::max<hsize_t>(transfer_bytes / (row_ * size_), 1) * row_;
    bytes_.resize(std::max<std::size_t>(bytes_.size(), std::min(capacity_, total) * size_));
  }
  /// Largest number of elements in one write: complete rows, at most 16 MiB unless one row is longer.
  hsize_t capacity() const { return capacity_; }

  /// Reserve room for n elements at `offset`; the caller fills it before the next call.
  std::byte* room(hsize_t offset, hsize_t n) {
    if (offset != begin_ + n_ || n_ + n > capacity_) flush();
    if (n_ == 0) begin_ = offset;
    std::byte* place = bytes_.data() + n_ * size_;
    n_ += n;
    return place;
  }

  /// Write the buffer. After an error, it writes nothing any more; see rethrow().
  void flush() {
    const hsize_t n = std::exchange(n_, 0);
    if (n == 0 || error_) return;
    try {
      if (dataset_.extents.size() == 1) {
        h5::write_elements(dataset_.handle.id(), dataset_.type, begin_, n, bytes_.data());
      } else {
        write_rows(dataset_.handle.id(), dataset_.type, dataset_.extents, {begin_ / row_, (begin_ + n) / row_},
                   bytes_.data());
      }
      parts_.add(dataset_.place + static_cast<std::int64_t>(begin_ * size_), std::span(bytes_).first(n * size_));
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const ParallelFile::Dataset& dataset_;
  SealParts& parts_;
  std::vector<std::byte>& bytes_;
  hsize_t size_, row_, capacity_ = 0;
  hsize_t begin_ = 0, n_ = 0;
  std::exception_ptr error_;
};

/// The elements of a rank: offset and count.
using Stretch = std::array<std::uint64_t, 2>;

void send_to(const Communicator& comm, int rank, const void* values, std::size_t n, MPI_Datatype type) {
  check_mpi(MPI_Send(values, static_cast<int>(n), type, rank, transfer_tag, comm.raw()), "MPI_Send");
}

void receive_from(const Communicator& comm, int rank, void* values, std::size_t n, MPI_Datatype type) {
  check_mpi(MPI_Recv(values, static_cast<int>(n), type, rank, transfer_tag, comm.raw(), MPI_STATUS_IGNORE), "MPI_Recv");
}

}  // namespace

/// Send this rank's elements to its writer: first their range, then their values if the writer has memory.
void ParallelFile::send(const Dataset& dataset, hsize_t offset, hsize_t count, const Elements& elements) {
  const int writer = comm_.rank() - comm_.rank() % ranks_per_writer_;
  const Stretch stretch{offset, count};
  send_to(comm_, writer, stretch.data(), 2, MPI_UINT64_T);
  if (count == 0) return;
  std::uint64_t capacity = 0;
  receive_from(comm_, writer, &capacity, 1, MPI_UINT64_T);
  if (capacity == 0) return;  // the writer reports the error
  const std::size_t size = H5Tget_size(dataset.type);
  std::vector<std::byte>& bytes = buffer_;
  try {
    bytes.resize(std::max<std::size_t>(bytes.size(), std::min<hsize_t>(capacity, count) * size));
  } catch (const std::bad_alloc&) {  // the writer waits for this rank
    throw LocalError("out of memory for a part of " + path_, ExitCode::memory);
  }
  for (hsize_t first = 0; first < count; first += capacity) {
    const hsize_t n = std::min<hsize_t>(capacity, count - first);
    elements(first, n, bytes.data());
    send_to(comm_, writer, bytes.data(), n * size, MPI_BYTE);
  }
}

/// Write the elements of this rank and of the ranks that send it theirs, in order of rank.
void ParallelFile::write_for_group(const Dataset& dataset, hsize_t offset, hsize_t count, const Elements& elements) {
  std::vector<Stretch> stretches;  // for the ranks after this one
  hsize_t total = count;
  for (int rank = comm_.rank() + 1; rank < std::min(comm_.rank() + ranks_per_writer_, comm_.size()); ++rank) {
    receive_from(comm_, rank, stretches.emplace_back().data(), 2, MPI_UINT64_T);
    total += stretches.back()[1];
  }
  const auto answer = [&](std::uint64_t capacity) {
    for (std::size_t m = 0; m < stretches.size(); ++m)
      if (stretches[m][1] > 0) send_to(comm_, comm_.rank() + 1 + static_cast<int>(m), &capacity, 1, MPI_UINT64_T);
  };
  std::optional<Transfer> transfer;
  try {
    transfer.emplace(dataset, total, parts_, buffer_);
  } catch (const std::bad_alloc&) {
    answer(0);
    throw;
  }
  const hsize_t capacity = transfer->capacity();
  answer(capacity);
  for (hsize_t first = 0; first < count; first += capacity) {
    const hsize_t n = std::min(capacity, count - first);
    elements(first, n, transfer->room(offset + first, n));
  }
  const std::size_t size = H5Tget_size(dataset.type);
  for (std::size_t m = 0; m < stretches.size(); ++m)
    for (hsize_t first = 0; first < stretches[m][1]; first += capacity) {
      const hsize_t n = std::min<hsize_t>(capacity, stretches[m][1] - first);
      receive_from(comm_, comm_.rank() + 1 + static_cast<int>(m), transfer->room(stretches[m][0] + first, n), n * size,
                   MPI_BYTE);
    }
  transfer->flush();
  transfer->rethrow();
}

void ParallelFile::commit(Durability durability) {
  agree(comm_, [&] { h5::check(file_.reset(), "write " + path_); });
  seal_file(comm_, temporary_, durability, std::move(parts_));
  agree_on_root(comm_, [&] {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
      throw FileError(fmt::format("cannot rename {} to {} ({}).", temporary_, path_, std::strerror(errno)));
    }
    if (durability == Durability::flushed) flush_directory_of(path_);
  });
  temporary_.clear();
}

ParallelInput::ParallelInput(const Communicator& comm, const std::string& path) {
  h5::silence_errors();
  const std::string damage = find_damage(comm, path);
  if (!damage.empty()) throw FileError(damage + ".");
  agree(comm, [&] { file_ = open_file(comm.raw(), path, H5F_ACC_RDONLY); });
}

h5::Handle ParallelInput::open_group(const std::string& path) const {
  return h5::open_object(file_.id(), path, H5I_GROUP, "open the group '" + path + "'");
}

h5::Handle ParallelInput::open_dataset(const std::string& path) const {
  h5::Handle dataset = h5::open_object(file_.id(), path, H5I_DATASET, "open the dataset '" + path + "'");
  if (!is_stored_whole(dataset.id())) throw FileError(fmt::format("the dataset '{}' is not stored whole.", path));
  return dataset;
}

}  // namespace freshet
