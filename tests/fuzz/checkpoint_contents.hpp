// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../src/io/h5.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// What an HDF5 file holds, as a list that can be changed at will and then written.
namespace freshet::fuzz {

/// Bytes of a fuzzer, taken one after the other; zeros behind their end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  template <class T>
  T take() {
    T value{};
    const std::string_view bytes = text(sizeof(T));
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : take<std::uint8_t>() % n; }
  std::string_view text(std::size_t n) {
    const std::string_view bytes = rest_.substr(0, n);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }
  /// A length: mostly small, at times huge.
  hsize_t length() {
    const auto low = take<std::uint8_t>();
    return low < 0xf0 ? low : take<hsize_t>();
  }

 private:
  std::string_view rest_;
};

enum class Type : std::uint8_t {
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  uint64,
  int64,
  float32,
  float64,
  big_float64,
  big_int64,
  long_float,
  text,
  compound,
  array,
  enumeration,
  opaque,
  bits,
  variable_text,
  variable_list,
  reference
};
inline constexpr std::size_t n_types = 22;

inline h5::Handle own(hid_t id) {
  return {id, H5Tclose, "make a type"};
}

inline h5::Handle h5_type_of(Type type, std::size_t text_length) {
  const std::array<hid_t, 13> plain{H5T_STD_U8LE,   H5T_STD_I8LE,  H5T_STD_U16LE,     H5T_STD_I16LE,  H5T_STD_U32LE,
                                    H5T_STD_I32LE,  H5T_STD_U64LE, H5T_STD_I64LE,     H5T_IEEE_F32LE, H5T_IEEE_F64LE,
                                    H5T_IEEE_F64BE, H5T_STD_I64BE, H5T_NATIVE_LDOUBLE};
  if (static_cast<std::size_t>(type) < plain.size()) return own(H5Tcopy(plain[static_cast<std::size_t>(type)]));
  const hsize_t three = 3;
  switch (type) {
    case Type::compound: {
      h5::Handle made = own(H5Tcreate(H5T_COMPOUND, 16));
      H5Tinsert(made.id(), "a", 0, H5T_IEEE_F64LE);
      H5Tinsert(made.id(), "b", 8, H5T_STD_I32LE);
      return made;
    }
    case Type::array:
      return own(H5Tarray_create2(H5T_IEEE_F64LE, 1, &three));
    case Type::enumeration: {
      h5::Handle made = own(H5Tenum_create(H5T_STD_I32LE));
      const std::int32_t one = 1;
      H5Tenum_insert(made.id(), "one", &one);
      return made;
    }
    case Type::opaque:
      return own(H5Tcreate(H5T_OPAQUE, 8));
    case Type::bits:
      return own(H5Tcopy(H5T_STD_B64LE));
    case Type::variable_text: {
      h5::Handle made = own(H5Tcopy(H5T_C_S1));
      H5Tset_size(made.id(), H5T_VARIABLE);
      return made;
    }
    case Type::variable_list:
      return own(H5Tvlen_create(H5T_STD_I32LE));
    case Type::reference:
      return own(H5Tcopy(H5T_STD_REF_OBJ));
    default:
      return h5::string_type(text_length);
  }
}

/// Values of a dataset or an attribute, as bytes of its own type.
struct Values {
  Type type = Type::uint8;
  std::vector<hsize_t> shape;  ///< none: scalar
  std::string bytes;
  bool is_null = false;  ///< no values at all (H5S_NULL)

  std::size_t text_length() const { return std::max<std::size_t>(shape.empty() ? bytes.size() : 10, 1); }
  h5::Handle space() const {
    if (is_null) return {H5Screate(H5S_NULL), H5Sclose, "make a space"};
    const int rank = static_cast<int>(shape.size());
    return {rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape.data(), nullptr), H5Sclose,
            "make a space"};
  }
};

template <class T>
Values values_of(Type type, const std::vector<T>& numbers) {
  Values values{type, {numbers.size()}, {}};
  values.bytes.assign(reinterpret_cast<const char*>(numbers.data()), sizeof(T) * numbers.size());
  return values;
}
template <class T>
Values value_of(Type type, T number) {
  Values values = values_of(type, std::vector<T>{number});
  values.shape.clear();
  return values;
}
inline Values value_of(const std::string& text) {
  return {Type::text, {}, text};
}

struct Named {
  std::string name;
  Values values;
};

enum class Storage : std::uint8_t { whole, late, chunked, deflated, compact, external };
inline constexpr std::size_t n_storages = 6;
enum class Kind : std::uint8_t { group, dataset, hard_link, soft_link, external_link, type };
inline constexpr std::size_t n_kinds = 6;

struct Node {
  std::string path;  ///< "" is the root
  Kind kind = Kind::group;
  Values values;
  Storage storage = Storage::whole;
  std::vector<Named> attributes;
  std::string target;  ///< of a link
};

/// Writes a list of nodes; what HDF5 refuses is left out.
class ContentsWriter {
 public:
  explicit ContentsWriter(const std::string& path)
      : path_(path),
        file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "make " + path) {}

  void write(const Node& node) {
    try {
      const h5::Handle object =
          node.path.empty() ? h5::Handle(H5Gopen2(file_.id(), "/", H5P_DEFAULT), H5Gclose, "open") : create(node);
      for (const Named& attribute : node.attributes) write_attribute(object, attribute);
    } catch (const FileError&) {
      return;  // HDF5 does not make such a thing, so no file has it
    }
  }

 private:
  static constexpr hsize_t most_written = 1 << 16;  ///< bytes; larger ones are only declared

  h5::Handle create(const Node& node) {
    const char* path = node.path.c_str();
    const char* target = node.target.c_str();
    switch (node.kind) {
      case Kind::dataset:
        return create_dataset(node);
      case Kind::hard_link:
        H5Lcreate_hard(file_.id(), target, file_.id(), path, H5P_DEFAULT, H5P_DEFAULT);
        return {};
      case Kind::soft_link:
        H5Lcreate_soft(target, file_.id(), path, H5P_DEFAULT, H5P_DEFAULT);
        return {};
      case Kind::external_link:
        H5Lcreate_external(path_.c_str(), target, file_.id(), path, H5P_DEFAULT, H5P_DEFAULT);
        return {};
      case Kind::type: {
        h5::Handle type = h5_type_of(node.values.type, 10);
        H5Tcommit2(file_.id(), path, type.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        return type;
      }
      default:
        return h5::create_group(file_.id(), node.path);
    }
  }

  h5::Handle create_dataset(const Node& node) {
    const Values& values = node.values;
    const h5::Handle type = h5_type_of(values.type, values.text_length());
    const h5::Handle space = values.space();
    const hssize_t points = H5Sget_simple_extent_npoints(space.id());
    const std::size_t size = H5Tget_size(type.id());
    const bool is_small = points >= 0 && static_cast<hsize_t>(points) <= most_written / size;
    const h5::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
    set_storage(properties.id(), node, is_small);
    h5::Handle dataset(
        H5Dcreate2(file_.id(), node.path.c_str(), type.id(), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
        H5Dclose, "make a dataset");
    if (!is_small || points == 0 || node.storage == Storage::late || node.storage == Storage::external) return dataset;
    if (values.type >= Type::variable_text) return dataset;
    std::string bytes = values.bytes;
    bytes.resize(size * static_cast<std::size_t>(points));
    H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    return dataset;
  }

  void set_storage(hid_t properties, const Node& node, bool is_small) {
    const std::vector<hsize_t> chunk(std::max<std::size_t>(node.values.shape.size(), 1), 7);
    if (node.storage == Storage::chunked || node.storage == Storage::deflated)
      H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
    if (node.storage == Storage::deflated) H5Pset_deflate(properties, 6);
    if (node.storage == Storage::compact && is_small) H5Pset_layout(properties, H5D_COMPACT);
    if (node.storage == Storage::external) H5Pset_external(properties, path_.c_str(), 0, H5F_UNLIMITED);
  }

  static void write_attribute(const h5::Handle& object, const Named& attribute) {
    if (!object.is_open()) return;
    const Values& values = attribute.values;
    const h5::Handle type = h5_type_of(values.type, values.text_length());
    const h5::Handle space = values.space();
    const hssize_t points = H5Sget_simple_extent_npoints(space.id());
    const std::size_t size = H5Tget_size(type.id());
    if (points < 0 || static_cast<hsize_t>(points) > most_written / size) return;  // attributes are under 64 KiB
    const h5::Handle made(
        H5Acreate2(object.id(), attribute.name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
        "make an attribute");
    if (values.type == Type::variable_text) {
      const std::string text = values.bytes.c_str();
      const std::vector<const char*> texts(static_cast<std::size_t>(points), text.c_str());
      H5Awrite(made.id(), type.id(), texts.data());
    } else if (values.type < Type::variable_text && points > 0) {
      std::string bytes = values.bytes;
      bytes.resize(size * static_cast<std::size_t>(points));
      H5Awrite(made.id(), type.id(), bytes.data());
    }
  }

  std::string path_;
  h5::Handle file_;
};

}  // namespace freshet::fuzz
