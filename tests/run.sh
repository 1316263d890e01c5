#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs the tests: Release flags with contracts on, in build/test. A second call builds only what
# changed. Arguments go to ctest: tests/run.sh -L unit
# FRESHET_WERROR=ON makes warnings errors; FRESHET_JOBS sets how many compilers run at once (default: all cores).
set -euo pipefail
cd "$(dirname "$0")/.."

jobs/setup.sh clang-format
if [ ! -f build/test/CMakeCache.txt ] && command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
cmake --preset test ${FRESHET_WERROR:+"-DFRESHET_WERROR=$FRESHET_WERROR"}
cmake --build build/test --parallel "${FRESHET_JOBS:-$(nproc)}"
ctest --test-dir build/test -j2 --output-on-failure --no-tests=error "$@"
