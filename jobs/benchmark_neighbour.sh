#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times steps of the closed-box dam break, 32^3 and 64^3 cells, quiet and beside a process that keeps one core busy, in
# turn, on 1x1, 1x2 and 2x1 ranks x threads.
# usage: jobs/benchmark_neighbour.sh [--busy CORES] [--grids 32,64] [--layouts 1x2,2x1] [--rounds 3] [--json FILE]
set -euo pipefail
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' "$0"; exit 0 ;; esac
started_in=$PWD
cd "$(dirname "$0")/.."

jobs/build.sh freshet
. jobs/mpi.sh
exec /usr/bin/python3 analysis/benchmark_neighbour.py --program build/release/src/freshet --directory "$started_in" "$@"
