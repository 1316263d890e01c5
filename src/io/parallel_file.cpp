// SPDX-License-Identifier: Apache-2.0
#include "parallel_file.hpp"

#include "agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace freshet {
namespace {

constexpr hsize_t stripe = 1 << 20;             ///< alignment of large datasets [bytes]
constexpr hsize_t large_dataset = 16 * stripe;  ///< smaller ones are packed [bytes]

/// Fail here, in words of the system, rather than in MPI_File_open, which not every rank may leave the same way.
void touch(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw FileError(fmt::format("cannot create {} ({}).", path, std::strerror(errno)));
  std::fclose(file);
}

h5::Handle create_file(MPI_Comm comm, const std::string& path) {
  const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make file properties");
  h5::check(H5Pset_fapl_mpio(access.id(), comm, MPI_INFO_NULL), "set up MPI access");
  h5::check(H5Pset_all_coll_metadata_ops(access.id(), true), "set up collective metadata");
  h5::check(H5Pset_coll_metadata_write(access.id(), true), "set up collective metadata");
  h5::check(H5Pset_alignment(access.id(), large_dataset, stripe), "set the alignment");
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose, "create " + path};
}

void transfer(hid_t dataset, hid_t type, const h5::Handle& memory, const h5::Handle& file, const void* values) {
  const h5::Handle properties(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "make transfer properties");
  h5::check(H5Pset_dxpl_mpio(properties.id(), H5FD_MPIO_COLLECTIVE), "ask for a collective transfer");
  h5::check(H5Dwrite(dataset, type, memory.id(), file.id(), properties.id(), values), "write data");
}

h5::Handle memory_space(hsize_t count) {
  const hsize_t extent = std::max<hsize_t>(count, 1);
  h5::Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose, "describe memory");
  if (count == 0) h5::check(H5Sselect_none(space.id()), "select nothing");
  return space;
}

/// Add the box [z0, z1) x [y0, y1) x all x to a selection.
void select_box(hid_t space, std::span<const hsize_t> extents, RowRange z, RowRange y) {
  if (z.begin >= z.end || y.begin >= y.end) return;
  const std::array<hsize_t, 3> start{z.begin, y.begin, 0};
  const std::array<hsize_t, 3> count{z.end - z.begin, y.end - y.begin, extents[2]};
  h5::check(H5Sselect_hyperslab(space, H5S_SELECT_OR, start.data(), nullptr, count.data(), nullptr), "select rows");
}

}  // namespace

ParallelFile::ParallelFile(const Communicator& comm, const std::string& path)
    : comm_(comm), path_(path), temporary_(path + ".tmp") {
  h5::silence_errors();
  agree_on_root(comm, [&] { touch(temporary_); });
  try {
    agree(comm, [&] { file_ = create_file(comm.raw(), temporary_); });
  } catch (const FileError&) {
    discard();
    throw;
  }
}

ParallelFile::~ParallelFile() {
  if (!temporary_.empty()) discard();
}

void ParallelFile::commit() {
  agree(comm_, [&] { h5::check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "write " + path_); });
  agree(comm_, [&] {
    h5::write_attribute(file_.id(), complete_flag, std::uint8_t{1});
    h5::check(file_.reset(), "write " + path_);
  });
  agree_on_root(comm_, [&] {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
      throw FileError(fmt::format("cannot rename {} to {} ({}).", temporary_, path_, std::strerror(errno)));
    }
  });
  temporary_.clear();
}

void ParallelFile::discard() noexcept {
  file_.reset();
  if (comm_.is_root()) std::remove(temporary_.c_str());
}

void write_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, const void* values) {
  const h5::Handle memory = memory_space(count);
  const h5::Handle file(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  if (count == 0) {
    h5::check(H5Sselect_none(file.id()), "select nothing");
  } else {
    h5::check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, &offset, nullptr, &count, nullptr), "select elements");
  }
  transfer(dataset, type, memory, file, values);
}

void write_rows(hid_t dataset, hid_t type, std::span<const hsize_t> extents, RowRange rows, const void* values) {
  const hsize_t ny = extents[1];
  const h5::Handle memory = memory_space((rows.end - rows.begin) * extents[2]);
  const h5::Handle file(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  h5::check(H5Sselect_none(file.id()), "select nothing");
  if (rows.begin < rows.end) {
    const hsize_t first = rows.begin / ny;
    const hsize_t last = (rows.end - 1) / ny;
    const RowRange tail{0, rows.end - last * ny};
    if (first == last) {
      select_box(file.id(), extents, {first, first + 1}, {rows.begin - first * ny, tail.end});
    } else {
      select_box(file.id(), extents, {first, first + 1}, {rows.begin - first * ny, ny});
      select_box(file.id(), extents, {first + 1, last}, {0, ny});
      select_box(file.id(), extents, {last, last + 1}, tail);
    }
  }
  transfer(dataset, type, memory, file, values);
}

}  // namespace freshet
