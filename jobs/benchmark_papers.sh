#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times the scenes of three papers and prints their tables beside ours: Tables 1 to 3 of Salomonsson (2011; a ball of
# 0.35 w falls, PIC and FLIP, 32^3 to 256^3 cells, with and without saving), the OpenMP timings of Ioannidis (2012), the time
# against the number of particles (his section 7.3), and Table 2 of Englesson et al. (2011).
# usage: jobs/benchmark_papers.sh [--quick] [--json FILE] [--grids 32,64,...] [--methods PIC,FLIP]
#                                 [--frames N] [--parts salomonsson,...] [--picture FILE]
#   --quick      leaves out 128^3 and 256^3 cells, and runs few frames; a minute or two
#   --json FILE  also writes the tables as lists of records
#   --grids, --methods  of the ball; 256^3 takes 24 million particles and 4 GB
#   --frames     of the scenes of Englesson et al. (default: all 250; a frame is 1/50 s)
#   --parts      of salomonsson, ioannidis, growth, englesson
#   --picture    draws the part growth
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/benchmark_papers.sh; exit 0 ;; esac

jobs/build.sh freshet
exec /usr/bin/python3 analysis/benchmark_papers.py --program build/release/src/freshet --directory "$started_in" "$@"
