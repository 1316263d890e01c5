#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times the whole step: a dam break in a closed box through impact, on 64^3 and 128^3 cells with 8 particles each, on 1x1,
# 1x2 and 2x1 ranks x threads. Prints nanoseconds per particle and step by phase.
# usage: jobs/benchmark.sh [--quick] [--json FILE]
#   --quick      runs 64^3 on 1x2 and 2x1 only
#   --json FILE  also writes the table as a list of records
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."

jobs/build.sh freshet
if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
exec /usr/bin/python3 analysis/benchmark.py --program build/release/src/freshet --directory "$started_in" "$@"
