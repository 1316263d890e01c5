// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/floating_point.hpp"
#include "freshet/parallel/environment.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// The main of every test: one verdict for all ranks, and only rank 0 prints it.
namespace freshet::test {
namespace {

std::unique_ptr<Communicator> all_ranks;

/// Prints the failures of ranks other than 0, at once (a rank that fails may never reach the test's end), and makes a
/// test fail everywhere if it failed anywhere.
class OneVerdict : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed() || ending_ || world().is_root()) return;
    const char* file = result.file_name() != nullptr ? result.file_name() : "unknown file";
    std::fprintf(stderr, "[rank %d] %s:%d: Failure\n%s\n", world().rank(), file, result.line_number(),
                 result.message());
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    const bool failed = info.result()->Failed();
    const GlobalIndex n_failed = world().sum(GlobalIndex{failed});
    ending_ = true;
    if (n_failed > 0 && !failed) ADD_FAILURE() << "failed on " << n_failed << " other ranks of " << world().size();
    ending_ = false;
  }

  bool ending_ = false;
};

/// Takes the words "<flag>PATH" out of the arguments, and returns "/PATH" of each: the end of a source's path.
std::vector<std::string> files_after(const std::string& flag, std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  std::erase_if(arguments, [&](const std::string& argument) {
    if (!argument.starts_with(flag)) return false;
    files.push_back("/" + argument.substr(flag.size()));
    return true;
  });
  return files;
}

/// The names of the tests that come from these files, as a filter of GoogleTest. Throws std::invalid_argument if one of
/// the files has no test.
std::string tests_of(const std::vector<std::string>& files) {
  std::vector<bool> found(files.size(), false);
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      for (std::size_t f = 0; f < files.size(); ++f) {
        if (!std::string_view(test.file()).ends_with(files[f])) continue;
        found[f] = true;
        filter += std::string(suite.name()) + "." + test.name() + ":";
      }
    }
  }
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (!found[f]) throw std::invalid_argument("no test in this program comes from " + files[f].substr(1));
  }
  return filter;
}

/// "--file=PATH" runs the tests of that source alone, "--without=PATH" all others. Both may be given more than once.
/// The words are taken out of the arguments.
void choose_files(std::vector<std::string>& arguments) {
  const std::vector<std::string> wanted = files_after("--file=", arguments);
  const std::vector<std::string> unwanted = files_after("--without=", arguments);
  if (wanted.empty() && unwanted.empty()) return;
  const std::string filter = wanted.empty() ? GTEST_FLAG_GET(filter) : tests_of(wanted);
  GTEST_FLAG_SET(filter, unwanted.empty() ? filter : filter + "-" + tests_of(unwanted));
}

int run(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  choose_files(arguments);
  const Environment environment(argv[0], arguments);
  trap_floating_point();
  all_ranks = std::make_unique<Communicator>(MPI_COMM_WORLD);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (!world().is_root()) {
    delete listeners.Release(listeners.default_result_printer());
    GTEST_FLAG_SET(output, "");
  }
  listeners.Append(new OneVerdict);  // the list owns it
  const int code = static_cast<int>(world().max(GlobalIndex{RUN_ALL_TESTS()}));
  all_ranks.reset();
  return code;
}

}  // namespace

const Communicator& world() {
  return *all_ranks;
}

}  // namespace freshet::test

int main(int argc, char** argv) {
  try {
    return freshet::test::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
