#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Submits a chain of Slurm jobs, each of which goes on where the one before was cut by its time limit.
# usage: jobs/chain.sh LINKS [SBATCH OPTIONS...] CASE.toml [KEY=VALUE...]
#   LINKS            how many jobs; those that find the run done end at once
#   SBATCH OPTIONS   of every link, each as one word: --time=12:00:00 --ntasks=16
set -euo pipefail
cd "$(dirname "$0")/.."

links=${1:-}
if [[ ! $links =~ ^[1-9][0-9]*$ ]] || [ $# -lt 2 ]; then
  sed -n '3,6s/^# //p' jobs/chain.sh >&2
  exit 2
fi
shift
options=()
while [[ ${1:-} == -* ]]; do options+=("$1"); shift; done
[ -f "${1:-}" ] || { echo "chain: there is no case '${1:-}'" >&2; exit 2; }

after=()
for ((link = 1; link <= links; ++link)); do
  job=$(sbatch --parsable "${options[@]}" "${after[@]}" jobs/chain.sbatch "$@")
  job=${job%%;*}
  echo "link $link of $links is job $job"
  after=("--dependency=afterok:$job" --kill-on-invalid-dep=yes)
done
