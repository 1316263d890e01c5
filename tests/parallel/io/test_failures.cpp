// SPDX-License-Identifier: Apache-2.0
#include "../../../src/io/parallel_file.hpp"
#include "freshet/core/error.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <optional>

namespace freshet::test {
namespace {

OutputOptions plain_output() {
  OutputOptions options;
  options.fields = {"pressure", "velocity"};
  options.particles = {"velocity", "id"};
  return options;
}

/// The FileError that f throws; empty if it throws none.
template <class Function>
std::string file_error(Function&& f) {
  try {
    f();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

/// Files of this process end at `bytes`, as on a full disk, for as long as this lives.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*old_handler_)(int);
  rlimit old_limit_{};
};

/// This rank can open no further file for as long as this lives.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &old_limit_);
    const rlimit limit{0, old_limit_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &old_limit_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit old_limit_{};
};

TEST(SnapshotFailure, directory_that_cannot_be_made_is_an_error_on_all_ranks) {
  const std::string message =
      file_error([&] { SnapshotWriter writer(world(), "/dev/null/run", plain_output(), InputRecord()); });
  EXPECT_NE(message.find("/dev/null/run/snapshots"), std::string::npos) << message;
}

TEST(SnapshotFailure, directory_that_went_away_is_an_error_on_all_ranks) {
  const SharedDirectory directory("gone");
  const auto domain = domain_parameters(3, {32, 16, 16});
  const Scene scene(domain, 1.0, 20);
  SnapshotWriter writer(world(), directory.path(), plain_output(), InputRecord());
  world().barrier();
  if (world().is_root()) std::filesystem::remove_all(directory.path() + "/snapshots");
  world().barrier();
  const std::string message = file_error([&] { writer.write(scene.state(0)); });
  EXPECT_NE(message.find("No such file"), std::string::npos) << message;
}

TEST(SnapshotFailure, full_disk_is_an_error_on_all_ranks_and_leaves_no_file) {
  const SharedDirectory directory("full");
  const auto domain = domain_parameters(3, {64, 64, 32});
  const Scene scene(domain, 1.0, 400);
  SnapshotWriter writer(world(), directory.path(), plain_output(), InputRecord());
  for (const rlim_t bytes : {4'000, 60'000, 1'000'000}) {  // in the header, in the particles, in the fields
    std::string message;
    {
      const FullDisk full(bytes);
      message = file_error([&] { writer.write(scene.state(0)); });
    }
    EXPECT_FALSE(message.empty()) << "at " << bytes << " bytes";
    if (world().is_root()) {
      EXPECT_TRUE(std::filesystem::is_empty(directory.path() + "/snapshots")) << "at " << bytes << " bytes";
    }
  }
  EXPECT_EQ(file_error([&] { writer.write(scene.state(0)); }), "") << "room again, and it still fails";
}

/// One dataset of doubles, an equal part from each rank.
class OneDataset {
 public:
  explicit OneDataset(const std::string& path, std::size_t n_local, int ranks_per_writer = 1)
      : values_(n_local, 1.0),
        file_(
            world(), path, static_cast<std::int64_t>(n_global() * sizeof(double)),
            [&](hid_t root) {
              const hsize_t n = n_global();
              h5::create_dataset(root, "values", h5::type_of<double>(), std::span<const hsize_t>(&n, 1));
            },
            ranks_per_writer) {}

  void write() {
    const hsize_t n = values_.size();
    file_.write("values", h5::type_of<double>(), n * static_cast<hsize_t>(world().rank()), n, values_.data());
  }
  void commit() { file_.commit(); }

 private:
  hsize_t n_global() const { return values_.size() * static_cast<hsize_t>(world().size()); }

  std::vector<double> values_;
  ParallelFile file_;
};

TEST(ParallelFileFailure, transfer_that_fails_is_an_error_on_all_ranks_and_leaves_no_file) {
  const SharedDirectory directory("transfer");
  for (const int ranks_per_writer : {1, 3, 100}) {
    {
      OneDataset data(directory.path() + "/a.h5", 500'000, ranks_per_writer);
      const FullDisk full(1'000'000);  // after the room was reserved, as on file systems that cannot reserve
      EXPECT_FALSE(file_error([&] { data.write(); }).empty());
    }
    world().barrier();
    if (world().is_root()) {
      EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
    }
  }
}

TEST(ParallelFileFailure, transfer_that_fails_on_the_last_rank_names_the_file_on_all) {
  const SharedDirectory directory("last_rank");
  const std::string path = directory.path() + "/a.h5";
  OneDataset data(path, 500'000);
  std::optional<FullDisk> full;
  if (world().rank() + 1 == world().size()) full.emplace(1000);
  const std::string message = file_error([&] { data.write(); });
  full.reset();
  EXPECT_EQ(message.rfind(path + ": cannot write data", 0), 0u) << message;
}

TEST(ParallelFileFailure, rank_that_cannot_open_the_file_leaves_no_other_waiting) {
  const SharedDirectory directory("unseen");
  const std::string path = directory.path() + "/part.h5";
  std::optional<NoMoreFiles> none;
  if (world().rank() == world().size() - 1) none.emplace();
  const std::string message = file_error([&] {
    ParallelFile file(
        world(), path, 0, [](hid_t) {}, 1);
  });
  none.reset();
  world().barrier();
  EXPECT_NE(message.find("Too many open files"), std::string::npos) << message;
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(ParallelFileFailure, file_has_its_name_only_after_commit) {
  const SharedDirectory directory("commit");
  const std::string path = directory.path() + "/a.h5";
  OneDataset data(path, 1000);
  data.write();
  EXPECT_FALSE(std::filesystem::exists(path));
  world().barrier();
  data.commit();
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

}  // namespace
}  // namespace freshet::test
