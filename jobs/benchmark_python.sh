#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times runs that Python drives against the program, an own force in Python, and loops over a field; prints Tables 5 and 6 of
# Salomonsson (2011), whose Python was 12 to 19 times slower than its C++, beside ours.
# usage: jobs/benchmark_python.sh [--quick] [--json FILE] [--rounds N]
#   --quick      32^3 cells only; seconds
#   --json FILE  also writes the numbers as a list of records
#   --rounds N   of the program and Python in turn (default: 5)
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/benchmark_python.sh; exit 0 ;; esac

jobs/build.sh freshet _freshet
exec /usr/bin/python3 analysis/benchmark_python.py --build build/release --directory "$started_in" "$@"
