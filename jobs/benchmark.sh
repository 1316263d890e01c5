#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times the whole step: a dam break in a closed box through impact, on 64^3 and 128^3 cells with 8 particles each, on 1x1,
# 1x2 and 2x1 ranks x threads, plain (voxels, sticky walls, no density correction) and as water, with the level set, walls that
# liquid may leave and the density correction that a new case has; the quickstart's dam break and a deep pool as water; the thread
# of honey and the drop as shipped. Prints nanoseconds per particle and step by phase, and seconds per simulated second.
# With --against COMMIT it builds that commit too and lets both versions take turns on scenes as they stood in that commit: the
# dam, the quickstart's dam break, a deep pool, the thread of honey, the drop, a thin sheet and a spray. It prints the ratio of
# the medians by phase and per simulated second.
# usage: jobs/benchmark.sh [--quick] [--json FILE] [--against COMMIT [--cases NAMES] [--layouts 2x1,1x2] [--rounds N]]
#   --quick           runs 64^3 and the quickstart's dam on 1x2 and 2x1 only; with --against the 64^3 dam on 2x1, plain and water
#   --json FILE       also writes the table as a list of records
#   --against COMMIT  compares with that commit; its build stays in build/against
#   --cases NAMES     of dam_N, deep_N, sheet_N, spray_N, dam_break, each also with _water behind it, honey_rope_water and
#                     droplet_water, separated by commas
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."

usage() { sed -n '3,/^set /s/^# //p' jobs/benchmark.sh; }
against=
words=()
while [ $# -gt 0 ]; do
  case $1 in
    --against)
      [ -n "${2:-}" ] || { echo "benchmark: --against takes a commit" >&2; exit 2; }
      against=$2
      shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) words+=("$1"); shift ;;
  esac
done
commit=
if [ -n "$against" ] && ! commit=$(git rev-parse --quiet --verify "$against^{commit}"); then
  echo "benchmark: there is no commit '$against' here. Give one that git log shows" >&2
  exit 2
fi

jobs/build.sh freshet
if [ -z "$against" ]; then
  exec /usr/bin/python3 analysis/benchmark.py --program build/release/src/freshet --directory "$started_in" "${words[@]}"
fi

other=build/against/${commit:0:12}
if [ ! -x "$other/build/release/src/freshet" ]; then
  [ -d "$other" ] || git worktree add --force --detach "$other" "$commit" >/dev/null
  "$other/jobs/build.sh" freshet
fi
exec /usr/bin/python3 analysis/benchmark_against.py --before "$other/build/release/src/freshet" \
  --after build/release/src/freshet --commit "$commit" --directory "$started_in" "${words[@]}"
