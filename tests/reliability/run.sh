#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries what could lose a run, one check after the other, and prints a table of what was tried, how often, and what
# happened; exit code 1 if anything was lost or unclear. A check is a script of this folder; check.py says how one looks.
# usage: run.sh [--quick] [--work DIR] [--builds DIR] [--only NAME...]
#   --quick   what fits into ten minutes     --work    results and runs (default: output/reliability)
#   --only    these checks                  --builds  folder of the build directories (default: build)
set -euo pipefail
cd "$(dirname "$0")/../.."

checks=(overhead interruptions faults batch slurm fuzz sanitizers floating_point races mpi_checks tidy memcheck petsc64 clang levels soak)
quick_checks=(interruptions faults batch tidy) # the others build anew, wait for clocks, or want a quiet machine

work=output/reliability
builds=build
quick=()
only=()
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=(--quick) ;;
    --work) work=$2; shift ;;
    --builds) builds=$2; shift ;;
    --only)
      shift
      while [ $# -gt 0 ] && [ "${1#--}" = "$1" ]; do only+=("$1"); shift; done
      continue ;;
    *) sed -n '3,7s/^# //p' "$0" >&2; exit 2 ;;
  esac
  shift
done
[ ${#quick[@]} -eq 0 ] || checks=("${quick_checks[@]}")
[ ${#only[@]} -eq 0 ] || checks=("${only[@]}")
for name in "${checks[@]}"; do
  [ -f "tests/reliability/$name.py" ] || { echo "no check '$name' in tests/reliability" >&2; exit 2; }
done

more=()
[[ " ${checks[*]} " != *" batch "* && " ${checks[*]} " != *" slurm "* ]] || more=(slurm-wlm munge)
jobs/setup.sh "${more[@]}"
mkdir -p "$work"
rm -f "$work/results.csv" "$work/results.md"
clean=1
for name in "${checks[@]}"; do
  echo "== $name"
  /usr/bin/python3 "tests/reliability/$name.py" "${quick[@]}" --work "$work" --builds "$builds" && code=0 || code=$?
  # a check that fails says so in the table; one that broke off has not said all
  if [ $code -gt 1 ] || ! grep -q "^$name," "$work/results.csv" 2>/dev/null; then
    echo "$name,the check itself,1,broke off with exit code $code,FAILED,0" >>"$work/results.csv"
  fi
  [ $code -eq 0 ] || clean=0
done
echo
/usr/bin/python3 tests/reliability/table.py "$work" && [ $clean -eq 1 ]
