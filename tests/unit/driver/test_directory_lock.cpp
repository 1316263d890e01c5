// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/driver/directory_lock.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

/// That a second run is refused is shown by tests/regression/check_run_control.py.
namespace freshet {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DirectoryLock, names_its_process_in_place_of_the_one_before) {
  const test::Folder folder("lock");
  folder.write("run.lock", std::string(300, 'x'));
  const DirectoryLock lock(folder.path(""));
  EXPECT_TRUE(lock.holds());
  const std::string text = text_of(folder.path("run.lock"));
  EXPECT_EQ(text.rfind("process " + std::to_string(getpid()) + " on ", 0), 0u) << text;
  EXPECT_EQ(text.find('x', text.find('\n')), std::string::npos) << "nothing is left behind the line";
}

TEST(DirectoryLock, waits_for_a_run_that_is_ending) {
  const test::Folder folder("lock");
  auto first = std::make_unique<DirectoryLock>(folder.path(""));
  bool released = false;
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    released = true;
    first.reset();
  });
  const DirectoryLock second(folder.path(""));
  EXPECT_TRUE(released);
  EXPECT_TRUE(second.holds());
  ending.join();
}

TEST(DirectoryLock, of_a_directory_that_is_not_there_is_a_file_error) {
  EXPECT_THROW(DirectoryLock("/dev/null/nowhere"), FileError);
}

}  // namespace
}  // namespace freshet
