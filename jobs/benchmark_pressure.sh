#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times the pressure solvers: a dam, a full box, a thin sheet and spray, each solved to 1e-5 with every preconditioner on
# 2x1 and 1x2 ranks x threads and 64^3 and 128^3 cells. Multigrid and mic0 are also run on 256^3 cells (5 GB of memory),
# and multigrid on 1 to 8 ranks. Prints iterations, set-up, solve and nanoseconds per liquid cell, then a summary.
# usage: jobs/benchmark_pressure.sh [--quick] [--json FILE]
#   --quick      runs 64^3 only; under a minute
#   --json FILE  also writes the table as a list of records; analysis/plot_pressure.py FILE -o PNG draws them
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/benchmark_pressure.sh; exit 0 ;; esac

jobs/build.sh pressure_table
exec /usr/bin/python3 analysis/benchmark_pressure.py --program build/release/tests/pressure_table \
  --directory "$started_in" "$@"
