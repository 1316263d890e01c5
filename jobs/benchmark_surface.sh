#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times the surface of a ball of particles: 3.0 million of them in 128^3 cells, on a lattice of 256^3, as paper 003 does
# (Tables 1 to 3: 156 s on one thread, 21 s on eight). Every method, 1x2 and 2x1 ranks x threads, beside OpenVDB's spheres
# where libopenvdb-dev is there. Prints a line for each, then what the two papers took.
# usage: jobs/benchmark_surface.sh [--quick] [--large] [--json FILE]
#   --quick      64^3 cells and 0.38 million particles
#   --large      also 256^3 cells and 24 million particles (about 5 GB of memory)
#   --json FILE  also writes the records as a list
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/benchmark_surface.sh; exit 0 ;; esac

jobs/build.sh surface_table
if grep -q '^FRESHET_OPENVDB_LIBRARY:.*NOTFOUND' build/release/CMakeCache.txt; then
  echo "no libopenvdb-dev or libboost-dev: timed without it"
else
  jobs/build.sh surface_openvdb
fi
export OMP_WAIT_POLICY=passive
exec /usr/bin/python3 analysis/benchmark_surface.py --programs build/release/tests --directory "$started_in" "$@"
