// SPDX-License-Identifier: Apache-2.0
// Maya's particles: text (.pda) with one line for each particle, and binary (.pdb) with one array for each attribute.
// The binary format stores C structures with pointers; here, as in most files, pointers have 32 bits.
#include "formats/bytes.hpp"
#include "formats/point_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace freshet::formats {
namespace {

constexpr std::int32_t pdb_magic = 670;
enum PdbType : std::int32_t { pdb_vector = 1, pdb_real = 2, pdb_long = 3 };

/// Columns of a text file in order; the position is one of them.
struct Columns {
  std::vector<PointAttribute> attributes;  ///< attributes other than the position
  std::vector<int> order;                  ///< index of each column's attribute; -1: the position
};

class PdaReader : public PointReader {
 public:
  explicit PdaReader(const std::string& path) : words_(path) {
    if (words_.next("ATTRIBUTES") != "ATTRIBUTES")
      words_.input().refuse("it does not begin with ATTRIBUTES", "it is of another kind");
    std::vector<std::string> names;
    for (std::string word = words_.next("TYPES"); word != "TYPES"; word = words_.next("TYPES")) {
      names.push_back(word);
      if (names.size() > static_cast<std::size_t>(most_attributes))
        words_.input().refuse("the list of attributes has no end", "TYPES is missing");
    }
    for (const std::string& name : names) {
      const std::string type = words_.next("a type");
      if (type != "V" && type != "R" && type != "I")
        words_.input().refuse("an attribute has the type '" + type + "'", "V, R and I are known");
      const bool is_position = name == "position" && type == "V";
      columns_.order.push_back(is_position ? -1 : static_cast<int>(columns_.attributes.size()));
      if (!is_position) columns_.attributes.push_back({name, type == "V" ? 3 : 1, type == "I", {}, {}});
    }
    if (std::count(columns_.order.begin(), columns_.order.end(), -1) != 1)
      words_.input().refuse("no vector has the name position", "a particle needs one");
    if (words_.next("NUMBER_OF_PARTICLES:") != "NUMBER_OF_PARTICLES:")
      words_.input().refuse("NUMBER_OF_PARTICLES: is missing", "it follows the types");
    left_ = words_.integer("the number of particles");
    words_.input().expect_points(left_, 5);
    if (words_.next("BEGIN") != "BEGIN" || words_.next("DATA") != "DATA")
      words_.input().refuse("BEGIN DATA is missing", "it follows the number of particles");
  }

  void read(std::int64_t n, PointCloud& cloud) override {
    n = std::min(n, left_);
    cloud.attributes = columns_.attributes;
    resize_points(cloud, n);
    for (std::size_t p = 0; p < static_cast<std::size_t>(n); ++p)
      for (const int column : columns_.order) {
        if (column < 0) {
          for (std::size_t d = 0; d < 3; ++d) cloud.positions[3 * p + d] = words_.real();
          continue;
        }
        PointAttribute& attribute = cloud.attributes[static_cast<std::size_t>(column)];
        const auto width = static_cast<std::size_t>(attribute.components);
        for (std::size_t i = p * width; i < (p + 1) * width; ++i) {
          if (attribute.integer) {
            attribute.integers[i] = words_.integer("a value of " + attribute.name);
          } else {
            attribute.reals[i] = words_.real();
          }
        }
      }
    left_ -= n;
  }

 private:
  PointWords words_;
  Columns columns_;
  std::int64_t left_ = 0;
};

/// An array of numbers in a .pdb file.
struct PdbChannel {
  int attribute = -1;   ///< index of its attribute; -1: the position
  std::int64_t at = 0;  ///< place of its first number in the file [bytes]
};

class PdbReader : public PointReader {
 public:
  explicit PdbReader(const std::string& path) : input_(path) {
    if (input_.little<std::int32_t>() != pdb_magic)
      input_.refuse("it does not begin with the number 670",
                    "it is of another kind, or of a machine that stores the greatest byte first");
    input_.seek(16);
    n_ = input_.little<std::uint32_t>();
    const auto n_channels = input_.little<std::uint32_t>();
    input_.expect_points(n_, 12);
    if (n_channels > most_attributes) input_.refuse("the number of attributes is senseless", "the file is damaged");
    input_.seek(60);
    for (std::uint32_t c = 0; c < n_channels; ++c) read_channel();
    if (std::count_if(channels_.begin(), channels_.end(), [](const PdbChannel& c) { return c.attribute < 0; }) != 1)
      input_.refuse("no vector has the name position", "a particle needs one");
  }

  void read(std::int64_t n, PointCloud& cloud) override {
    n = std::min(n, n_ - done_);
    cloud.attributes = attributes_;
    resize_points(cloud, n);
    for (const PdbChannel& channel : channels_) {
      if (channel.attribute < 0) {
        take(channel, 3, cloud.positions);
        continue;
      }
      PointAttribute& attribute = cloud.attributes[static_cast<std::size_t>(channel.attribute)];
      if (!attribute.integer) {
        take(channel, attribute.components, attribute.reals);
        continue;
      }
      std::vector<std::int32_t> values(attribute.integers.size());
      take(channel, attribute.components, values);
      attribute.integers.assign(values.begin(), values.end());
    }
    done_ += n;
  }

 private:
  void read_channel() {
    input_.seek(input_.at() + 6 + 4);  // skips the encoding of the channel, and a pointer
    const auto type = input_.little<std::int32_t>();
    input_.seek(input_.at() + 28);
    const std::string name = input_.text_until('\0');
    input_.seek(input_.at() + 4);
    const auto bytes = input_.little<std::uint32_t>();  // bytes of one particle
    input_.seek(input_.at() + 12);
    if (bytes == 0 || bytes > 4 * most_components)
      input_.refuse("the size of an attribute is senseless", "the file is damaged, or has pointers of 64 bits");
    const std::int64_t at = input_.at();
    input_.seek(at + n_ * bytes);
    if (type != pdb_vector && type != pdb_real && type != pdb_long) return;
    if (name == "position" && type == pdb_vector && bytes == 12) {
      channels_.push_back({-1, at});
      return;
    }
    channels_.push_back({static_cast<int>(attributes_.size()), at});
    attributes_.push_back({name, static_cast<int>(bytes / 4), type == pdb_long, {}, {}});
  }

  template <class T>
  void take(const PdbChannel& channel, int components, std::vector<T>& values) {
    static_assert(sizeof(T) == 4);
    if (values.empty()) return;
    input_.seek(channel.at + 4 * components * done_);
    input_.bytes(values.data(), 4 * values.size());
  }

  PointInput input_;
  std::vector<PointAttribute> attributes_;
  std::vector<PdbChannel> channels_;
  std::int64_t n_ = 0;
  std::int64_t done_ = 0;
};

/// Pointers have no meaning in a file. This value is not 0, so that readers which guess the size of pointers from the
/// first channel find 32 bits.
constexpr std::uint32_t no_pointer = 0xFFFFFFFFU;

/// The structures of a channel, without its numbers.
std::string channel_head(const std::string& name, PdbType type, int components, std::uint32_t n) {
  std::string bytes;
  for (const std::uint16_t number : {0, 1, 0}) put(bytes, number);  // magic, swap, encoding and type
  for (const std::uint32_t number :
       {no_pointer, static_cast<std::uint32_t>(type), 0U, 0U, n == 0 ? 0U : n - 1, 0U, 0U, 0U, 0U})
    put(bytes, number);  // name, type, size, active from and to; hide and disconnect; data, link, next
  bytes += name;
  bytes += '\0';
  for (const std::uint32_t number :
       {static_cast<std::uint32_t>(type), 4U * static_cast<std::uint32_t>(components), n, 1U, 0U})
    put(bytes, number);  // type, bytes of a particle, particles in a block, number of blocks, pointer
  return bytes;
}

template <class T>
void write_numbers(const std::vector<T>& values, AtomicFile& file) {
  write_pieces(static_cast<std::int64_t>(values.size()), file,
               [&](std::int64_t first, std::int64_t last, std::string& bytes) {
                 for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
                   if constexpr (std::is_same_v<T, float>) {
                     put(bytes, values[i]);
                   } else {
                     put(bytes, static_cast<std::int32_t>(values[i]));
                   }
                 }
               });
}

}  // namespace

void write_pda(const PointCloud& given, AtomicFile& file) {
  const PointCloud cloud = with_narrow_attributes(given);
  std::string names = "ATTRIBUTES\n position", types = "TYPES\n V";
  for (const PointAttribute& attribute : cloud.attributes) {
    const int parts = attribute.integer ? attribute.components : 1;  // the format has no vectors of integers
    for (int c = 0; c < parts; ++c) {
      names += " " + attribute.name + (parts > 1 ? fmt::format("_{}", c) : "");
      types += attribute.integer ? " I" : attribute.components == 3 ? " V" : " R";
    }
  }
  file.write(fmt::format("{}\n{}\nNUMBER_OF_PARTICLES: {}\nBEGIN DATA\n", names, types, cloud.size()));
  write_pieces(cloud.size(), file, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      for (std::size_t d = 0; d < 3; ++d) {
        bytes += ' ';
        put_text(bytes, cloud.positions[3 * p + d]);
      }
      for (const PointAttribute& attribute : cloud.attributes) {
        const auto width = static_cast<std::size_t>(attribute.components);
        for (std::size_t i = p * width; i < (p + 1) * width; ++i) {
          bytes += ' ';
          attribute.integer ? put_text(bytes, attribute.integers[i]) : put_text(bytes, attribute.reals[i]);
        }
      }
      bytes += '\n';
    }
  });
}

void write_pdb(const PointCloud& given, AtomicFile& file) {
  const PointCloud cloud = with_narrow_attributes(given);
  const auto n = static_cast<std::uint32_t>(cloud.size());
  std::string head;
  put(head, pdb_magic);
  put(head, std::uint32_t{1});  // swap, and two bytes of padding
  put(head, 1.0F);              // version
  put(head, static_cast<float>(cloud.time));
  put(head, n);
  put(head, static_cast<std::uint32_t>(cloud.attributes.size() + 1));
  head.append(36, '\0');  // padding, and a pointer
  file.write(head);
  file.write(channel_head("position", pdb_vector, 3, n));
  write_numbers(cloud.positions, file);
  for (const PointAttribute& attribute : cloud.attributes) {
    const PdbType type = attribute.integer ? pdb_long : attribute.components == 3 ? pdb_vector : pdb_real;
    file.write(channel_head(attribute.name, type, attribute.components, n));
    attribute.integer ? write_numbers(attribute.integers, file) : write_numbers(attribute.reals, file);
  }
}

std::unique_ptr<PointReader> open_pda(const std::string& path) {
  return std::make_unique<PdaReader>(path);
}
std::unique_ptr<PointReader> open_pdb(const std::string& path) {
  return std::make_unique<PdbReader>(path);
}

}  // namespace freshet::formats
