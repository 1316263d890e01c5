#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs the tests: Release flags with contracts on, in build/test. A second call builds only what
# changed. Arguments go to ctest: tests/run.sh -L unit
# FRESHET_WERROR=ON makes warnings errors; FRESHET_JOBS sets how many compilers run at once (default: all cores);
# FRESHET_TEST_JOBS how many tests (default: one more than cores, as they wait for processes to start); FRESHET_BUDGET=ON fails
# where a test without a reason in tests/support/dear_tests.txt takes far more than 15 s of CPU;
# FRESHET_UNITY=OFF compiles each source by itself; FRESHET_NIGHTLY=ON runs the tests of the label nightly too.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs/setup.sh clang-format g++-aarch64-linux-gnu libopenvdb-dev libboost-dev libopenvdb-tools python3-meshio ffmpeg chromium chromium-driver python3-selenium \
  python3-pandas python3-xarray
if [ ! -f build/test/CMakeCache.txt ] && command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
cmake --preset test "-DFRESHET_UNITY=${FRESHET_UNITY:-ON}" "-DFRESHET_NIGHTLY=${FRESHET_NIGHTLY:-OFF}" ${FRESHET_WERROR:+"-DFRESHET_WERROR=$FRESHET_WERROR"}
cmake --build build/test --parallel "${FRESHET_JOBS:-$(nproc)}"
left_out=(-LE nightly)
if [ "${FRESHET_NIGHTLY:-OFF}" = ON ]; then left_out=(); fi
rm -rf build/test/seconds
code=0
ctest --test-dir build/test -j"${FRESHET_TEST_JOBS:-$(($(nproc) + 1))}" --output-on-failure --no-tests=error "${left_out[@]}" "$@" || code=$?
tests/support/list_skipped.sh build/test
/usr/bin/env python3 tests/support/list_seconds.py build/test ${FRESHET_BUDGET:+--strict} || [ $code -ne 0 ] || code=1
exit $code
