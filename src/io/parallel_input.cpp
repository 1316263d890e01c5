// SPDX-License-Identifier: Apache-2.0
#include "parallel_input.hpp"

#include "freshet/parallel/agree.hpp"
#include "seal.hpp"

#include <fmt/format.h>

namespace freshet {

ParallelInput::ParallelInput(const Communicator& comm, const std::string& path) {
  h5::silence_errors();
  const std::string damage = find_damage(comm, path);
  if (!damage.empty()) throw FileError(damage + ".");
  agree(comm, [&] {
    const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make file properties");
    h5::check(H5Pset_fapl_mpio(access.id(), comm.raw(), MPI_INFO_NULL), "set up MPI access");
    h5::check(H5Pset_all_coll_metadata_ops(access.id(), true), "set up collective metadata");
    file_ = {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, "open " + path};
  });
}

h5::Handle ParallelInput::open_group(const std::string& path) const {
  return {H5Gopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Gclose, "open the group '" + path + "'"};
}

h5::Handle ParallelInput::open_dataset(const std::string& path) const {
  return {H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose, "open the dataset '" + path + "'"};
}

hsize_t n_elements(hid_t dataset) {
  const h5::Handle space(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  hsize_t extent = 0;
  if (H5Sget_simple_extent_ndims(space.id()) != 1 || H5Sget_simple_extent_dims(space.id(), &extent, nullptr) != 1)
    throw FileError("a dataset has not one axis.");
  return extent;
}

void read_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, void* values) {
  const hsize_t n = n_elements(dataset);
  if (offset > n || count > n - offset)
    throw FileError(fmt::format("a dataset has {} elements, not the {} that are wanted.", n, offset + count));
  if (count == 0) return;
  const h5::Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "describe memory");
  const h5::Handle file(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  h5::check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, &offset, nullptr, &count, nullptr), "select elements");
  h5::check(H5Dread(dataset, type, memory.id(), file.id(), H5P_DEFAULT, values), "read data");
}

}  // namespace freshet
