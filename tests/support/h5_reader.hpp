// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace freshet::test {

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
}

/// A snapshot, read on one rank as any other program would.
class H5Reader {
 public:
  explicit H5Reader(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0) << path;
  }
  ~H5Reader() { H5Fclose(file_); }
  H5Reader(const H5Reader&) = delete;
  H5Reader& operator=(const H5Reader&) = delete;

  hid_t id() const { return file_; }
  bool has(const std::string& path) const { return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0; }
  template <class T>
  std::vector<T> read(const std::string& path) const {
    const hid_t dataset = H5Dopen2(file_, path.c_str(), H5P_DEFAULT);
    EXPECT_GE(dataset, 0) << path;
    const hid_t type = H5Dget_type(dataset);
    EXPECT_GT(H5Tequal(type, native_type<T>()), 0) << "type of " << path;
    const hid_t space = H5Dget_space(dataset);
    std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Dread(dataset, native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << path;
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    return values;
  }
  std::vector<double> numbers(const std::string& object, const std::string& name) const {
    const hid_t attribute = H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(attribute, 0) << object << " " << name;
    const hid_t space = H5Aget_space(attribute);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()), 0) << name;
    H5Sclose(space);
    H5Aclose(attribute);
    return values;
  }
  /// A fixed-length ASCII string; anything else fails.
  std::string text(const std::string& object, const std::string& name) const {
    const hid_t attribute = H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(attribute, 0) << object << " " << name;
    const hid_t type = H5Aget_type(attribute);
    EXPECT_EQ(H5Tget_class(type), H5T_STRING) << name;
    EXPECT_EQ(H5Tis_variable_str(type), 0) << name;
    EXPECT_EQ(H5Tget_cset(type), H5T_CSET_ASCII) << name;
    std::string value(H5Tget_size(type), '\0');
    EXPECT_GE(H5Aread(attribute, type, value.data()), 0) << name;
    H5Tclose(type);
    H5Aclose(attribute);
    return value.substr(0, value.find('\0'));
  }
  bool attribute_is(const std::string& object, const std::string& name, hid_t wanted,
                    std::vector<hsize_t> shape) const {
    const hid_t attribute = H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return false;
    const hid_t type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    if (!extents.empty()) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    const bool same = H5Tequal(type, wanted) > 0 && extents == shape;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return same;
  }

 private:
  hid_t file_;
};

}  // namespace freshet::test
