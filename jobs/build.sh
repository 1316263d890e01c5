#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing and builds targets in build/release. Prints the compiler's output only if a build fails.
# usage: jobs/build.sh TARGET...
set -euo pipefail
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/build.sh; exit 0 ;; esac

jobs/setup.sh
if [ ! -f build/release/CMakeCache.txt ] && command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
  "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
}
run cmake --preset release -DFRESHET_UNITY=ON
run cmake --build build/release --parallel "$(nproc)" --target "$@"
