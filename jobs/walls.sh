#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The wall methods: the breaking dam, the stair, the sphere and the hard stair with sticky and separating walls, the
# sweeps over thresholds and grids, and the comparison on equal states; then the tables of Eckert (2014) beside them.
# What is done already under --output is not run again. Pictures: analysis/plot_walls.py and analysis/walls_strip.py.
# usage: jobs/walls.sh [--quick] [--json FILE] [--output DIR] [--scenes dam stair sphere hard_stair] [--dimensions 2 3]
#                      [--methods OrigPS ...] [--parts scenes ...] [--steps N] [--preconditioner mic0] [--force]
#   --quick      2-D on 48x48 cells and a part of the sweeps: two to three minutes; without it, hours
#   --json FILE  the table as a list of records
#   --output DIR where the runs are kept, by default output/walls (with --quick: output/walls_quick)
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."

jobs/build.sh freshet walls_agreement
if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
exec /usr/bin/python3 analysis/walls.py --program build/release/src/freshet \
  --agreement build/release/tests/walls_agreement --directory "$started_in" "$@"
