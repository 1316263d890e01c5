// SPDX-License-Identifier: Apache-2.0
#include "parallel_input.hpp"

#include "freshet/parallel/agree.hpp"
#include "seal.hpp"

#include <fmt/format.h>

namespace freshet {
namespace {

/// Whether all elements that a dataset declares are stored uncompressed in its own file.
bool is_stored_whole(hid_t dataset) {
  const h5::Handle properties(H5Dget_create_plist(dataset), H5Pclose, "read how a dataset is stored");
  const h5::Handle type(H5Dget_type(dataset), H5Tclose, "read the type of a dataset");
  if (H5Pget_layout(properties.id()) != H5D_CONTIGUOUS || H5Pget_external_count(properties.id()) != 0) return false;
  return n_elements(dataset) <= H5Dget_storage_size(dataset) / H5Tget_size(type.id());
}

}  // namespace

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
  return h5::open_object(file_.id(), path, H5I_GROUP, "open the group '" + path + "'");
}

h5::Handle ParallelInput::open_dataset(const std::string& path) const {
  h5::Handle dataset = h5::open_object(file_.id(), path, H5I_DATASET, "open the dataset '" + path + "'");
  if (!is_stored_whole(dataset.id())) throw FileError(fmt::format("the dataset '{}' is not stored whole.", path));
  return dataset;
}

hsize_t n_elements(hid_t dataset) {
  const h5::Handle space(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  hsize_t extent = 0;
  if (H5Sget_simple_extent_ndims(space.id()) != 1 || H5Sget_simple_extent_dims(space.id(), &extent, nullptr) != 1)
    throw FileError("a dataset has more or fewer axes than one.");
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
