// SPDX-License-Identifier: Apache-2.0
#include "parallel_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace freshet {
namespace {

constexpr hsize_t stripe = 1 << 20;             ///< alignment of large datasets [bytes]
constexpr hsize_t large_dataset = 16 * stripe;  ///< smaller ones are packed [bytes]
constexpr off_t room_for_metadata = 1 << 20;    ///< far more than a snapshot needs [bytes]

/// Reserve room on the disk for the first `bytes` of a file; the file is made if it does not exist. Where the file
/// system cannot reserve room, a full disk is found later. Errors: FileError
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

/// Make the file with everything but the contents of its datasets. For one rank.
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

/// Check that this rank can write to the file that rank 0 made: another node may not see it yet. Opening it through
/// MPI, which is collective, would leave the other ranks waiting. Errors: FileError on this rank only
void expect_writable(const std::string& path, int rank) {
  const int file = ::open(path.c_str(), O_RDWR);
  if (file < 0) throw FileError(fmt::format("cannot open {} on rank {} ({}).", path, rank, std::strerror(errno)));
  ::close(file);
}

h5::Handle open_file(const Communicator& comm, const std::string& path, unsigned flags) {
  const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make file properties");
  h5::check(H5Pset_fapl_mpio(access.id(), comm.raw(), MPI_INFO_NULL), "set up MPI access");
  h5::check(H5Pset_all_coll_metadata_ops(access.id(), true), "set up collective metadata");
  return {H5Fopen(path.c_str(), flags, access.id()), H5Fclose, "open " + path};
}

/// Flush a directory to the disk, so that a new name in it survives a crash. Does nothing where that is impossible.
void flush_directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

/// Add the box [z0, z1) x [y0, y1) x all x to a selection.
void select_box(hid_t space, std::span<const hsize_t> extents, RowRange z, RowRange y) {
  if (z.begin >= z.end || y.begin >= y.end) return;
  const std::array<hsize_t, 3> start{z.begin, y.begin, 0};
  const std::array<hsize_t, 3> count{z.end - z.begin, y.end - y.begin, extents[2]};
  h5::check(H5Sselect_hyperslab(space, H5S_SELECT_OR, start.data(), nullptr, count.data(), nullptr), "select rows");
}

/// Whether all elements that a dataset declares are stored uncompressed in its own file.
bool is_stored_whole(hid_t dataset) {
  const h5::Handle properties(H5Dget_create_plist(dataset), H5Pclose, "read how a dataset is stored");
  if (H5Pget_layout(properties.id()) != H5D_CONTIGUOUS || H5Pget_external_count(properties.id()) != 0) return false;
  return h5::n_elements(dataset) <= H5Dget_storage_size(dataset) / H5Tget_size(h5::element_type(dataset).id());
}

}  // namespace

ParallelFile::ParallelFile(const Communicator& comm, const std::string& path, std::int64_t n_bytes,
                           const std::function<void(hid_t root)>& create)
    : comm_(comm), path_(path), temporary_(path + ".tmp") {
  h5::silence_errors();
  try {
    agree_on_root(comm, [&] { create_file(temporary_, n_bytes, create); });
    agree(comm, [&] { expect_writable(temporary_, comm.rank()); });
    agree(comm, [&] { file_ = open_file(comm, temporary_, H5F_ACC_RDWR); });
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

h5::Handle ParallelFile::open_dataset(const std::string& path) const {
  return {H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose, "open the dataset '" + path + "'"};
}

void ParallelFile::write(const std::string& path, hid_t type, hsize_t offset, hsize_t count, const void* values) const {
  h5::Handle dataset;
  together([&] { dataset = open_dataset(path); });
  together([&] { h5::write_elements(dataset.id(), type, offset, count, values); });
}

void ParallelFile::commit(Durability durability) {
  agree(comm_, [&] { h5::check(file_.reset(), "write " + path_); });
  seal_file(comm_, temporary_, durability);
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
  agree(comm, [&] { file_ = open_file(comm, path, H5F_ACC_RDONLY); });
}

h5::Handle ParallelInput::open_group(const std::string& path) const {
  return h5::open_object(file_.id(), path, H5I_GROUP, "open the group '" + path + "'");
}

h5::Handle ParallelInput::open_dataset(const std::string& path) const {
  h5::Handle dataset = h5::open_object(file_.id(), path, H5I_DATASET, "open the dataset '" + path + "'");
  if (!is_stored_whole(dataset.id())) throw FileError(fmt::format("the dataset '{}' is not stored whole.", path));
  return dataset;
}

void write_rows(hid_t dataset, hid_t type, std::span<const hsize_t> extents, RowRange rows, const void* values) {
  if (rows.begin >= rows.end) return;
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

}  // namespace freshet
