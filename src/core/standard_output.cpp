// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/standard_output.hpp"

#include "freshet/core/error.hpp"

#include <stdio_ext.h>

#include <cstdio>

namespace freshet {

bool flush_standard_output() {
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (written) return true;
  __fpurge(stdout);
  std::clearerr(stdout);
  return false;
}

void need_standard_output() {
  if (!flush_standard_output())
    throw FileError("standard output cannot be written. Check where it is redirected to, and whether the disk is full");
}

}  // namespace freshet
