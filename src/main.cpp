// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/idle_threads.hpp"
#include "launch_level.hpp"
#include "launch_python.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  freshet::launch_python(argc, argv);
#if defined(FRESHET_DISPATCH)
  freshet::launch_best_level(argv);
#endif
  freshet::let_idle_threads_sleep(argv);
  return freshet::run_program(argc, argv);
}
