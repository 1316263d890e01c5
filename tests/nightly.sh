#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything: the tests that tests/run.sh and .ci/run leave to the night as well, and the whole reliability programme with
# its hour of sloshing and its hours of fuzzing. usage: tests/nightly.sh
set -euo pipefail
cd "$(dirname "$0")/.."

jobs/setup.sh clang-format clang clang-tidy libomp-dev valgrind valgrind-mpi g++-aarch64-linux-gnu blender python3-yt
failed=0
FRESHET_NIGHTLY=ON FRESHET_WERROR=ON tests/run.sh || failed=1
tests/style/check_aarch64.sh --all || failed=1
tests/reliability/run.sh || failed=1
exit $failed
