#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares how fast checkpoints and snapshots are written with what dd writes to the same disk: the dam on 128^3 cells, 4.2
# million particles, on 1, 2 and 4 ranks. A checkpoint is on the disk when it is done, as after "dd conv=fsync"; a snapshot
# may still be in memory, as after dd. dd and freshet take turns. Prints bytes, MB/s and the ratio.
# usage: jobs/benchmark_files.sh [--quick] [--disk DIR] [--ranks 1,2,4] [--rounds N] [--json FILE]
#   --quick      64^3 cells
#   --disk DIR   where to write (default: a temporary folder in output/)
#   --json FILE  also writes the records as a list
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/benchmark_files.sh; exit 0 ;; esac

jobs/build.sh freshet
exec /usr/bin/python3 analysis/benchmark_files.py --program build/release/src/freshet --directory "$started_in" "$@"
