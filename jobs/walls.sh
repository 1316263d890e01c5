#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the scenes of Eckert (2014) with every wall method: the breaking dam, the stair, the sphere and the hard stair, sweeps
# over thresholds and grids, and a comparison on equal states. Prints the tables of the thesis beside ours.
# A result that is there under --output is not computed again. analysis/plot_walls.py and walls_strip.py draw pictures.
# usage: jobs/walls.sh [--quick] [--json FILE] [--output DIR] [--scenes dam stair sphere hard_stair] [--dimensions 2 3]
#                      [--methods OrigPS ...] [--parts scenes ...] [--grid N] [--steps N] [--preconditioner mic0]
#                      [--ranks N] [--threads N] [--jobs N] [--force]
#   --quick       runs 2-D scenes on 48x48 cells and a part of the sweeps; two to three minutes instead of hours
#   --json FILE   also writes the table as a list of records
#   --output DIR  keeps the runs there (default: output/walls, with --quick output/walls_quick)
#   --grid N      cells along an edge in place of 96 (with --quick: of 48)
#   --ranks N, --threads N  of a 3-D run (default: all cores, 1); --jobs N  2-D runs at the same time (default: all cores)
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/walls.sh; exit 0 ;; esac

jobs/build.sh freshet walls_agreement
exec /usr/bin/python3 analysis/walls.py --program build/release/src/freshet \
  --agreement build/release/tests/walls_agreement --directory "$started_in" "$@"
