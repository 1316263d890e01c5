#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command with all its processes on one core, if possible one that no other such command uses.
#
# Where there are more ranks than cores, a rank that waits yields its core. On one core the next rank then runs at once; on
# several, the rank that is waited for may stand in line elsewhere, behind one that computes, and 3 ranks on 2 cores take longer than on 1.
# usage: one_core.sh FOLDER COMMAND...   FOLDER: for the locks
folder=$1
shift
command -v taskset >/dev/null && command -v flock >/dev/null || exec "$@"
cores=()
while IFS=- read -r first last; do
  cores+=($(seq "$first" "${last:-$first}"))
done < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n')
mkdir -p "$folder"
for core in "${cores[@]}"; do
  exec 9>"$folder/$core"
  if flock -n 9; then exec taskset -c "$core" "$@"; fi
done
exec 9>&-
exec taskset -c "${cores[$(($$ % ${#cores[@]}))]}" "$@"
