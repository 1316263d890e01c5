// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"

#include <cstdio>
#include <cstdlib>

namespace freshet::detail {
namespace {
int process_rank = 0;
}

void set_contract_rank(int rank) {
  process_rank = rank;
}

void contract_failed(const char* kind, const char* expression, const char* file, int line) {
  std::fprintf(stderr, "freshet: rank %d: %s violated: %s\n  at %s:%d\n", process_rank, kind, expression, file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace freshet::detail
