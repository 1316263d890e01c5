// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/free_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

namespace freshet {
namespace {

/// A directory with files as /proc and /sys have them; it goes with the test.
class FreeMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("freshet_free_memory_" + std::to_string(getpid()));
    write("/proc/meminfo", "MemTotal:       8000 kB\nMemFree:        100 kB\nMemAvailable:   4000 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path.substr(1)).parent_path());
    std::ofstream(root_ / path.substr(1)) << text;
  }
  double free() const { return free_memory_of_machine(root_.string()); }
  std::filesystem::path root_;
};

TEST_F(FreeMemory, is_what_the_system_calls_available) {
  EXPECT_EQ(free(), 4000.0 * 1024.0);
  EXPECT_TRUE(std::isinf(free_memory_of_machine((root_ / "nothing").string())));
}

TEST_F(FreeMemory, is_bounded_by_a_group_of_version_2_and_by_those_that_hold_it) {
  write("/proc/self/cgroup", "0::/job/step\n");
  write("/sys/fs/cgroup/job/step/memory.max", "max\n");
  write("/sys/fs/cgroup/job/step/memory.current", "70000\n");
  EXPECT_EQ(free(), 4000.0 * 1024.0);
  write("/sys/fs/cgroup/job/memory.max", "1000000\n");
  write("/sys/fs/cgroup/job/memory.current", "300000\n");
  write("/sys/fs/cgroup/job/memory.stat", "anon 200000\nfile 100000\ninactive_file 50000\n");
  EXPECT_EQ(free(), 1000000.0 - 300000.0 + 50000.0);
  write("/sys/fs/cgroup/job/step/memory.max", "80000\n");
  EXPECT_EQ(free(), 10000.0);
  write("/sys/fs/cgroup/job/step/memory.current", "90000\n");
  EXPECT_EQ(free(), 0.0);
}

TEST_F(FreeMemory, is_bounded_by_a_group_of_version_1_also_where_only_its_mount_is_seen) {
  write("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/box\n3:cpuset:/\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "500000\n");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n");
  EXPECT_EQ(free(), 400000.0);
  write("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "200000\n");
  write("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "100000\n");
  write("/sys/fs/cgroup/memory/box/memory.stat", "total_inactive_file 10000\n");
  EXPECT_EQ(free(), 110000.0);
}

TEST(FreeMemoryOfProcess, follows_its_limits) {
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit before{};
    ASSERT_EQ(getrlimit(resource, &before), 0);
    rlimit limit = before;
    limit.rlim_cur = rlim_t{1} << 60U;  // more than sanitizers reserve
    ASSERT_EQ(setrlimit(resource, &limit), 0);
    const double left = free_memory_of_process();
    EXPECT_LT(left, std::pow(2.0, 60));
    EXPECT_GT(left, 0.0);
    ASSERT_EQ(setrlimit(resource, &before), 0);
  }
}

}  // namespace
}  // namespace freshet
