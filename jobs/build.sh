#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing and builds targets in build/release, quietly. usage: jobs/build.sh TARGET...
set -euo pipefail
cd "$(dirname "$0")/.."

jobs/setup.sh
if [ ! -f build/release/CMakeCache.txt ] && command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
cmake --preset release >/dev/null
cmake --build build/release --parallel "$(nproc)" --target "$@" >/dev/null
