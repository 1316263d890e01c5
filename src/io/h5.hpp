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

/// A thin layer over HDF5's C interface: identifiers with owners, checked calls, attributes. Nothing here communicates.
namespace freshet::h5 {

/// An HDF5 identifier, closed with its owner.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  /// \param[in] what  what was tried, for the message: "create the group 'x'". Errors: FileError if id is negative
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
  /// Close now. \return what HDF5 returned; 0 if nothing was open
  herr_t reset() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Keep HDF5 from printing its error stack: errors become exceptions. For the whole process; repeated calls do nothing.
void silence_errors();

/// What HDF5 says was wrong in the call that just failed: the innermost entry of its error stack.
std::string last_error();

/// Throw FileError "cannot <what> (<HDF5's reason>)." if an HDF5 call returned a negative number.
void check(herr_t status, const std::string& what);

/// HDF5's name of a C++ type in memory and, here, in the file.
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

/// A contiguous dataset whose elements are all going to be written: it is never filled beforehand.
Handle create_dataset(hid_t parent, const std::string& name, hid_t type, std::span<const hsize_t> extents);

/// Raw attribute. \param[in] shape  none: scalar
void write_attribute(hid_t object, const std::string& name, hid_t type, std::span<const hsize_t> shape,
                     const void* values);

/// Plain ASCII of fixed length.
void write_attribute(hid_t object, const std::string& name, const std::string& text);

/// A list of plain ASCII strings, all of the length of the longest.
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

/// A fixed-length string type, padded with zeros.
Handle string_type(std::size_t length);

/// A group or dataset. Links to other files are not followed, because the seals of those files have not been checked.
/// Errors: FileError "cannot <what> ..."
Handle open_object(hid_t parent, const std::string& path, H5I_type_t type, const std::string& what);
/// Open a group or dataset, without a check of its type. Errors: FileError "cannot <what> ..."
Handle open_object(hid_t parent, const std::string& path, const std::string& what);

bool has_attribute(hid_t object, const std::string& name);
/// Names of an object's attributes, in the order in which they were made. Errors: FileError
std::vector<std::string> attributes_of(hid_t object);
/// True if an attribute has an integer type. Errors: FileError if the attribute is missing
bool is_whole_number(hid_t object, const std::string& name);
/// The elements of an attribute, converted to `type`. Errors: FileError if the attribute is missing, does not have n
/// elements or cannot be converted
void read_attribute(hid_t object, const std::string& name, hid_t type, hssize_t n, void* values);
/// A numeric attribute of one element. Errors: as read_attribute()
template <class T>
T read_number(hid_t object, const std::string& name) {
  T value{};
  read_attribute(object, name, type_of<T>(), 1, &value);
  return value;
}
/// All elements of a float attribute.
std::vector<double> read_numbers(hid_t object, const std::string& name);
/// A string attribute, fixed or variable length. Errors: FileError if the attribute is missing or not a string
std::string read_text(hid_t object, const std::string& name);

/// Names in a group, in alphabetical order.
std::vector<std::string> names_in(hid_t group);

/// Extents of a dataset along its axes.
std::vector<hsize_t> shape_of(hid_t dataset);
/// The type of the elements of a dataset in the file.
Handle element_type(hid_t dataset);
/// Elements of a dataset with one axis. Errors: FileError if it has more axes
hsize_t n_elements(hid_t dataset);

/// Elements offset .. offset + count - 1 of a dataset with one axis, converted to `type`. Errors: FileError; also for
/// elements beyond the end
void read_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, void* values);
template <class T>
std::vector<T> read_elements(hid_t dataset, hsize_t offset, hsize_t count) {
  if (count > n_elements(dataset)) throw FileError("an array is too short.");  // before memory is taken for it
  std::vector<T> values(count);
  read_elements(dataset, type_of<T>(), offset, count, values.data());
  return values;
}

/// Write elements offset .. offset + count - 1 of a dataset with one axis. Errors: FileError
void write_elements(hid_t dataset, hid_t type, hsize_t offset, hsize_t count, const void* values);

}  // namespace freshet::h5
