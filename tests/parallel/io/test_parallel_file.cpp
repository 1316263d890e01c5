// SPDX-License-Identifier: Apache-2.0
#include "../../../src/io/parallel_file.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <numeric>

namespace freshet::test {
namespace {

/// Numbers that rank r writes: 1000 of them, but none on every third rank.
hsize_t count_of(int rank) {
  return rank % 3 == 1 ? 0 : 1000 + 7 * static_cast<hsize_t>(rank);
}

hsize_t first_of(int rank) {
  hsize_t first = 0;
  for (int r = 0; r < rank; ++r) first += count_of(r);
  return first;
}

TEST(ParallelFile, holds_what_ranks_wrote_whoever_writes_for_them) {
  const SharedDirectory directory("writers");
  const hsize_t n = first_of(world().size());
  const std::array<hsize_t, 3> box{5, 4 * static_cast<hsize_t>(world().size()), 9};
  const hsize_t of_rank = box[0] * box[1] * box[2] / static_cast<hsize_t>(world().size());  // whole rows
  std::vector<double> values(count_of(world().rank()));
  std::iota(values.begin(), values.end(), static_cast<double>(first_of(world().rank())));
  for (const int ranks_per_writer : {0, 1, 2, 3, 100}) {
    const std::string path = directory.path() + "/" + std::to_string(ranks_per_writer) + ".h5";
    ParallelFile file(
        world(), path, static_cast<std::int64_t>(8 * (n + box[0] * box[1] * box[2])),
        [&](hid_t root) {
          h5::create_dataset(root, "numbers", h5::type_of<double>(), std::span<const hsize_t>(&n, 1));
          h5::create_dataset(root, "box", h5::type_of<std::int32_t>(), box);
        },
        ranks_per_writer);
    file.write("numbers", h5::type_of<double>(), first_of(world().rank()), values.size(), values.data());
    {
      const ParallelFile::Dataset dataset = file.open_dataset("box", h5::type_of<std::int32_t>());
      const hsize_t offset = of_rank * static_cast<hsize_t>(world().rank());
      file.write(dataset, offset, of_rank, [&](hsize_t first, hsize_t count, std::byte* to) {
        std::vector<std::int32_t> part(count);
        std::iota(part.begin(), part.end(), static_cast<std::int32_t>(offset + first));
        std::memcpy(to, part.data(), count * sizeof(std::int32_t));
      });
    }
    file.commit(Durability::flushed);
    EXPECT_EQ(find_damage(world(), path), "");
    const ParallelInput input(world(), path);
    const h5::Handle numbers = input.open_dataset("numbers");
    const auto found = h5::read_elements<double>(numbers.id(), 0, n);
    for (hsize_t i = 0; i < n; ++i) ASSERT_EQ(found[i], static_cast<double>(i)) << ranks_per_writer;
    const h5::Handle boxes(H5Dopen2(input.root(), "box", H5P_DEFAULT), H5Dclose, "open the box");
    std::vector<std::int32_t> cells(box[0] * box[1] * box[2]);
    h5::check(H5Dread(boxes.id(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()), "read");
    for (std::size_t i = 0; i < cells.size(); ++i)
      ASSERT_EQ(cells[i], static_cast<std::int32_t>(i)) << ranks_per_writer;
  }
}

/// The ranks' numbers stand behind 4 GiB of zeros, which nobody writes but the disk must have room for.
TEST(ParallelFile, elements_beyond_4_gib_are_written_sealed_and_read_in_their_place) {
  const SharedDirectory directory("far");
  const std::string path = directory.path() + "/far.h5";
  constexpr hsize_t n_zeros = (hsize_t{1} << 29) + 3;  // of 8 bytes
  const hsize_t n = n_zeros + first_of(world().size());
  const hsize_t first = n_zeros + first_of(world().rank());
  std::vector<std::uint64_t> values(count_of(world().rank()));
  std::iota(values.begin(), values.end(), first);
  {
    ParallelFile file(world(), path, static_cast<std::int64_t>(n * sizeof(std::uint64_t)), [&](hid_t root) {
      h5::create_dataset(root, "numbers", h5::type_of<std::uint64_t>(), std::span<const hsize_t>(&n, 1));
    });
    file.write("numbers", h5::type_of<std::uint64_t>(), first, values.size(), values.data());
    file.commit(Durability::cached);
  }
  EXPECT_EQ(find_damage(world(), path), "");
  haddr_t place = 0;
  {
    const ParallelInput input(world(), path);
    const h5::Handle numbers = input.open_dataset("numbers");
    place = H5Dget_offset(numbers.id());
    EXPECT_EQ(h5::read_elements<std::uint64_t>(numbers.id(), first, values.size()), values);
  }
  std::ifstream file(path, std::ios::binary);  // as those read it who know no HDF5
  file.seekg(static_cast<std::streamoff>(place + first * sizeof(std::uint64_t)));
  std::vector<std::uint64_t> found(values.size());
  file.read(reinterpret_cast<char*>(found.data()), static_cast<std::streamsize>(found.size() * sizeof(std::uint64_t)));
  EXPECT_GT(place + first * sizeof(std::uint64_t), std::uint64_t{4} << 30);
  EXPECT_EQ(found, values);
}

}  // namespace
}  // namespace freshet::test
