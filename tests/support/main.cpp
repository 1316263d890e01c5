// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/floating_point.hpp"
#include "freshet/parallel/environment.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <string>
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

int run(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const Environment environment(argv[0], std::vector<std::string>(argv + 1, argv + argc));
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
  return freshet::test::run(argc, argv);
}
