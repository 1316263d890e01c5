#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times a step as shipped beside a plain one, and with eddies, wall laws, trapped air, bodies and a narrow band beside one of the same scene without, in turn.
# usage: jobs/benchmark_models.sh [--quick] [--scenes water walls no_bubble bubbles bodies band] [--rounds 3] [--steps N] [--layouts 1x1,1x2]
#        [--json FILE]
set -euo pipefail
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' "$0"; exit 0 ;; esac
started_in=$PWD
cd "$(dirname "$0")/.."

jobs/build.sh freshet
. jobs/mpi.sh
exec /usr/bin/python3 analysis/benchmark_models.py --program build/release/src/freshet --directory "$started_in" "$@"
