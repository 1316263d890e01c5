// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// A thin layer over HDF5's C interface: identifiers with owners, checked calls, attributes. It does not communicate.
namespace freshet::h5 {

/// An HDF5 identifier that its owner closes.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  /// \param[in] what  attempted action for the message: "create the group 'x'". Errors: FileError if id is negative
  Handle(hid_t id, Close close, const std::string& what);
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }

  hid_t id() const { return id_; }
  bool is_open() const { return id_ >= 0; }
  /// Close the identifier now. \return HDF5's status; 0 if nothing was open
  herr_t reset() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Stop HDF5 from printing its error stack: errors become exceptions. For the whole process; later calls do nothing.
void silence_errors();

/// HDF5's reason for the failure of the last call: the innermost entry of its error stack.
std::string last_error();

/// Throw FileError "cannot <what> (<HDF5's reason>)." if HDF5 returned a negative status.
void check(herr_t status, const std::string& what);

/// HDF5's identifier of a C++ type, in memory and in the file.
template <class T>
hid_t type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return H5T_NATIVE_FLOAT;
  } else if constexpr (std::is_same_v<T, double>) {
    return H5T_NATIVE_DOUBLE;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return H5T_NATIVE_UINT8;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return H5T_NATIVE_INT32;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return H5T_NATIVE_UINT32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return H5T_NATIVE_INT64;
  } else {
    static_assert(std::is_same_v<T, std::uint64_t>, "no HDF5 type");
    return H5T_NATIVE_UINT64;
  }
}

Handle create_group(hid_t parent, const std::string& name);

/// Create a contiguous dataset without fill values, as all its elements are going to be written.
Handle create_dataset(hid_t parent, const std::string& name, hid_t type, std::span<const hsize_t> extents);

/// Write an attribute of any type. \param[in] shape  empty: scalar
void write_attribute(hid_t object, const std::string& name, hid_t type, std::span<const hsize_t> shape,
                     const void* values);

/// Write ASCII text of fixed length as an attribute.
void write_attribute(hid_t object, const std::string& name, const std::string& text);

/// Write a list of ASCII strings as an attribute; each gets the length of the longest.
void write_attribute(hid_t object, const std::string& name, const std::vector<std::string>& texts);

template <class T>
requires std::is_arithmetic_v<T>
void write_attribute(hid_t object, const std::string& name, T value) {
  write_attribute(object, name, type_of<T>(), {}, &value);
}

template <class T>
requires std::is_arithmetic_v<T>
void write_attribute(hid_t object, const std::string& name, const std::vector<T>& values) {
  const hsize_t n = values.size();
  write_attribute(object, name, type_of<T>(), std::span<const hsize_t>(&n, 1), values.data());
}

/// Make a string type of fixed length, padded with zeros.
Handle string_type(std::size_t length);

/// Open a group or dataset. Links to other files are not followed, because the seals of those files are not checked.
/// Errors: FileError "cannot <what> ..."
Handle open_object(hid_t parent, const std::string& path, H5I_type_t type, const std::string& what);
/// Open a group or dataset, without a check of its type. Errors: FileError "cannot <what> ..."
Handle open_object(hid_t parent, const std::string& path, const std::string& what);

bool has_attribute(hid_t object, const std::string& name);
/// Names of an object's attributes, in the order of creation. Errors: FileError
std::vector<std::string> attributes_of(hid_t object);
/// Whether an attribute has an integer type. Errors: FileError if the attribute is missing
bool is_whole_number(hid_t object, const std::string& name);
/// Read an attribute and convert it to `type`. Errors: FileError if the attribute is missing, does not have n elements
/// or cannot be converted
void read_attribute(hid_t object, const std::string& name, hid_t type, hssize_t n, void* values);
/// Read a numeric attribute with one element. Errors: as by read_attribute()
template <class T>
T read_number(hid_t object, const std::string& name) {
  T value{};
  read_attribute(object, name, type_of<T>(), 1, &value);
  return value;
}
/// Read all elements of a float attribute.
std::vector<double> read_numbers(hid_t object, const std::string& name);
/// Read a string attribute of fixed or variable length. Errors: FileError if it is missing or not a string
std::string read_text(hid_t object, const std::string& name);

/// Names of a group's members, in alphabetical order.
std::vector<std::string> names_in(hid_t group);

/// Number of elements of a dataset along each axis.
std::vector<hsize_t> shape_of(hid_t dataset);
/// Type of a dataset's elements in the file.
Handle element_type(hid_t dataset);
/// Number of elements of a dataset with one axis. Errors: FileError if it has more axes
hsize_t n_elements(hid_t dataset);

/// Read elements offset .. offset + count - 1 of a dataset with one axis and convert them to `type`. Errors: FileError,
/// also for elements beyond the end
void read_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, void* values);
template <class T>
std::vector<T> read_elements(hid_t dataset, hsize_t offset, hsize_t count) {
  if (count > n_elements(dataset)) throw FileError("an array is too short.");  // checked before memory is allocated
  std::vector<T> values(count);
  read_elements(dataset, type_of<T>(), offset, count, values.data());
  return values;
}

/// Write elements offset .. offset + count - 1 of a dataset with one axis. Errors: FileError
void write_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, const void* values);

}  // namespace freshet::h5
