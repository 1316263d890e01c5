// SPDX-License-Identifier: Apache-2.0
#include "h5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace freshet::h5 {
namespace {

herr_t keep_first(unsigned, const H5E_error2_t* entry, void* text) {
  auto& first = *static_cast<std::string*>(text);
  if (first.empty() && entry->desc != nullptr) first = entry->desc;
  return 0;
}

Handle simple_space(std::span<const hsize_t> shape) {
  const int rank = static_cast<int>(shape.size());
  return {rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape.data(), nullptr), H5Sclose,
          "describe the shape of data"};
}

herr_t follow_no_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) {
  return -1;
}

herr_t append_name(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

/// An attribute opened for reading.
struct OpenAttribute {
  OpenAttribute(hid_t object, const std::string& name)
      : what("read the attribute '" + name + "'"),
        attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, what),
        type(H5Aget_type(attribute.id()), H5Tclose, what) {
    const Handle space(H5Aget_space(attribute.id()), H5Sclose, what);
    n = H5Sget_simple_extent_npoints(space.id());
  }
  void read(hid_t memory_type, void* values) const { check(H5Aread(attribute.id(), memory_type, values), what); }

  std::string what;
  Handle attribute, type;
  hssize_t n;  ///< number of elements
};

/// Call transfer(memory space, file space, values of the piece) for elements offset .. offset + count - 1 of a dataset
/// with one axis, piece by piece.
template <class Byte, class Transfer>
void for_each_piece(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, Byte* values, Transfer&& transfer) {
  constexpr hsize_t transfer_bytes = 16 << 20;  // MPI counts in int
  const hsize_t size = H5Tget_size(type);
  const Handle file(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  for (hsize_t done = 0; done < count; done += transfer_bytes / size) {
    const hsize_t begin = offset + done;
    const hsize_t n = std::min(transfer_bytes / size, count - done);
    const Handle memory(H5Screate_simple(1, &n, nullptr), H5Sclose, "describe memory");
    check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, &begin, nullptr, &n, nullptr), "select elements");
    transfer(memory.id(), file.id(), values + done * size);
  }
}

}  // namespace

Handle::Handle(hid_t id, Close close, const std::string& what) : id_(id), close_(close) {
  if (id < 0) throw FileError(fmt::format("cannot {} ({}).", what, last_error()));
}

herr_t Handle::reset() noexcept {
  if (!is_open()) return 0;
  return close_(std::exchange(id_, H5I_INVALID_HID));
}

void silence_errors() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "HDF5 gives no reason" : text;
}

void check(herr_t status, const std::string& what) {
  if (status < 0) throw FileError(fmt::format("cannot {} ({}).", what, last_error()));
}

Handle create_group(hid_t parent, const std::string& name) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
          "create the group '" + name + "'"};
}

Handle create_dataset(hid_t parent, const std::string& name, hid_t type, std::span<const hsize_t> extents) {
  const Handle space = simple_space(extents);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make dataset properties");
  check(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER), "turn off filling");
  check(H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY), "reserve room");
  return {H5Dcreate2(parent, name.c_str(), type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Dclose,
          "create the dataset '" + name + "'"};
}

void write_attribute(hid_t object, const std::string& name, hid_t type, std::span<const hsize_t> shape,
                     const void* values) {
  const std::string what = "write the attribute '" + name + "'";
  const Handle space = simple_space(shape);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  check(H5Awrite(attribute.id(), type, values), what);
}

Handle string_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a string type");
  check(H5Tset_size(type.id(), std::max<std::size_t>(length, 1)), "make a string type");
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "make a string type");
  return type;
}

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  write_attribute(object, name, string_type(text.size()).id(), {}, text.c_str());
}

void write_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string packed(length * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) std::memcpy(&packed[i * length], texts[i].data(), texts[i].size());
  const hsize_t n = texts.size();
  write_attribute(object, name, string_type(length).id(), std::span<const hsize_t>(&n, 1), packed.data());
}

Handle open_object(hid_t parent, const std::string& path, const std::string& what) {
  const Handle links(H5Pcreate(H5P_LINK_ACCESS), H5Pclose, "make link properties");
  check(H5Pset_elink_cb(links.id(), follow_no_link, nullptr), "set up links");
  return {H5Oopen(parent, path.c_str(), links.id()), H5Oclose, what};
}

Handle open_object(hid_t parent, const std::string& path, H5I_type_t type, const std::string& what) {
  Handle object = open_object(parent, path, what);
  if (H5Iget_type(object.id()) != type) throw FileError(fmt::format("cannot {} (it is something else).", what));
  return object;
}

bool has_attribute(hid_t object, const std::string& name) {
  return H5Aexists(object, name.c_str()) > 0;
}

std::vector<std::string> attributes_of(hid_t object) {
  std::vector<std::string> names;
  hsize_t at = 0;
  check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &at, append_name, &names), "list attributes");
  return names;
}

bool is_whole_number(hid_t object, const std::string& name) {
  return H5Tget_class(OpenAttribute(object, name).type.id()) == H5T_INTEGER;
}

void read_attribute(hid_t object, const std::string& name, hid_t type, hssize_t n, void* values) {
  const OpenAttribute attribute(object, name);
  if (attribute.n != n) throw FileError(fmt::format("the attribute '{}' does not have {} elements.", name, n));
  attribute.read(type, values);
}

std::vector<double> read_numbers(hid_t object, const std::string& name) {
  const OpenAttribute attribute(object, name);
  std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(attribute.n, 0)));
  attribute.read(H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::string read_text(hid_t object, const std::string& name) {
  const OpenAttribute attribute(object, name);
  if (H5Tget_class(attribute.type.id()) != H5T_STRING || attribute.n != 1)
    throw FileError("the attribute '" + name + "' is not text.");
  if (H5Tis_variable_str(attribute.type.id()) > 0) {
    char* text = nullptr;
    attribute.read(attribute.type.id(), &text);
    const std::string result = text == nullptr ? "" : text;
    H5free_memory(text);
    return result;
  }
  std::string text(H5Tget_size(attribute.type.id()), '\0');
  attribute.read(attribute.type.id(), text.data());
  return text.substr(0, text.find('\0'));
}

std::vector<std::string> names_in(hid_t group) {
  H5G_info_t info;
  check(H5Gget_info(group, &info), "list a group");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    check(length < 0 ? -1 : 0, "list a group");
    std::string name(static_cast<std::size_t>(length), '\0');
    H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size() + 1, H5P_DEFAULT);
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<hsize_t> shape_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "read the shape of a dataset");
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.id()), 0)));
  if (!extents.empty()) H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  return extents;
}

Handle element_type(hid_t dataset) {
  return {H5Dget_type(dataset), H5Tclose, "read the type of a dataset"};
}

hsize_t n_elements(hid_t dataset) {
  const std::vector<hsize_t> shape = shape_of(dataset);
  if (shape.size() != 1) throw FileError("a dataset does not have one axis.");
  return shape.front();
}

void read_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, void* values) {
  const hsize_t n = n_elements(dataset);
  if (offset > n || count > n - offset)
    throw FileError(fmt::format("a dataset has {} elements, not the {} that are needed.", n, offset + count));
  for_each_piece(dataset, type, offset, count, static_cast<std::byte*>(values),
                 [&](hid_t memory, hid_t file, std::byte* piece) {
                   check(H5Dread(dataset, type, memory, file, H5P_DEFAULT, piece), "read data");
                 });
}

void write_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, const void* values) {
  for_each_piece(dataset, type, offset, count, static_cast<const std::byte*>(values),
                 [&](hid_t memory, hid_t file, const std::byte* piece) {
                   check(H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, piece), "write data");
                 });
}

}  // namespace freshet::h5
